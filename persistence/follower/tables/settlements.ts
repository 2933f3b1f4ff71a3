import { assert } from '../../../engine/domain/assert.ts'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import type { AccountId, MarketId, Seq } from '../../../engine/domain/ids.ts'
import {
  SETTLEMENT_STATUSES,
  type SettlementStatus,
} from '../../../engine/domain/moves/move-command.ts'
import { ORDER_STATUSES } from '../../../engine/domain/order.ts'
import type { Connection, Statement } from '../../database.ts'
import { listName } from './accounts/names.ts'
import type { OrderNames } from './orders/order-names.ts'
import { eachPaced, type Pace } from './pace.ts'

// One row per block, and one row per trade that is not in the block covering its seq, with the
// trade's latest status. A replay of the journal writes the same rows again. A reversed trade marks
// its orders, so the rows of orders are written first.

const INSERT_BLOCK =
  'INSERT OR REPLACE INTO blocks (height, chain_id, through_seq, mined_ms, mined_seq, tx_hash) ' +
  'VALUES (?, ?, ?, ?, ?, ?)'
const PUT_TRADE =
  'INSERT INTO settlements (trade_seq, status, height, changed_ms, changed_seq) ' +
  'VALUES (?, ?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET status = excluded.status, height = excluded.height, ' +
  'changed_ms = excluded.changed_ms, changed_seq = excluded.changed_seq'
const MATCHED = ORDER_STATUSES.indexOf('MATCHED')
const CANCELED = ORDER_STATUSES.indexOf('CANCELED')
const BUST = 'UPDATE trades SET is_busted = 1 WHERE seq = ?'
/**
 * A reversed fill reopens no order: an order that ended as matched becomes canceled (rules §5.2).
 */
const UNDO = `
UPDATE order_states SET undone_raw = undone_raw + part.size_raw,
  status = iif(status = ${MATCHED}, ${CANCELED}, status)
FROM (
  SELECT maker_placed_seq AS placed_seq, sum(size_raw) AS size_raw FROM maker_fills
  WHERE trade_seq = ? GROUP BY maker_placed_seq
  UNION ALL
  SELECT taker_placed_seq, shares_raw FROM trades WHERE seq = ?
) AS part WHERE order_states.placed_seq = part.placed_seq
RETURNING order_states.placed_seq AS placedSeq, status`
const LISTED = 'SELECT owner, market_id AS marketId FROM order_terms WHERE placed_seq = ?'

interface UndoneRow {
  readonly placedSeq: Seq
  readonly status: number
}
type Failed = [tradeSeq: Seq, seq: Seq]
type BlockRow = [
  height: number,
  chainId: number,
  throughSeq: Seq,
  minedMs: number,
  seq: Seq,
  txHash: string | null,
]
type TradeRow = [tradeSeq: Seq, status: number, height: number | null, changedMs: number, seq: Seq]

function numberOf(status: SettlementStatus): number {
  return SETTLEMENT_STATUSES.indexOf(status)
}

export class SettlementsTable {
  readonly #insertBlock: Statement<BlockRow>
  readonly #putTrade: Statement<TradeRow>
  readonly #undo: Statement<[tradeSeq: Seq, again: number], UndoneRow>
  readonly #listed: Statement<[Seq], { owner: AccountId; marketId: MarketId }>
  readonly #bust: Statement<[tradeSeq: Seq]>
  #blocks: BlockRow[] = []
  #trades: TradeRow[] = []
  #failed: Failed[] = []
  readonly #names: OrderNames

  constructor(connection: Connection, names: OrderNames) {
    this.#names = names
    this.#insertBlock = connection.prepare(INSERT_BLOCK)
    this.#putTrade = connection.prepare(PUT_TRADE)
    this.#undo = connection.prepare(UNDO)
    this.#listed = connection.prepare(LISTED)
    this.#bust = connection.prepare(BUST)
  }

  applied(command: CommandOf<'settlement'>): void {
    const { nowMs, seq } = command
    switch (command.kind) {
      case 'mineBlock': {
        const { height, chainId, throughSeq, txHash = null } = command
        this.#blocks.push([height, chainId, throughSeq, nowMs, seq, txHash])
        return
      }
      case 'retrySettlement':
        this.#trades.push([command.tradeSeq, numberOf('RETRYING'), null, nowMs, seq])
        return
      case 'settleTrade':
        this.#trades.push([command.tradeSeq, numberOf('MINED'), command.height, nowMs, seq])
        return
      case 'failSettlement':
        if (command.fillsLeft !== undefined) return
        this.#trades.push([command.tradeSeq, numberOf('FAILED'), null, nowMs, seq])
        this.#failed.push([command.tradeSeq, seq])
    }
  }

  /** Runs inside the chunk's transaction, after its orders and trades. */
  flush(pace: Pace): void {
    eachPaced(this.#blocks, pace, (block) => this.#insertBlock.run(...block))
    eachPaced(this.#trades, pace, (trade) => this.#putTrade.run(...trade))
    eachPaced(this.#failed, pace, ([tradeSeq, seq]) => {
      for (const undone of this.#undo.all(tradeSeq, tradeSeq)) this.#relist(undone, seq)
      this.#bust.run(tradeSeq)
    })
    this.#blocks = []
    this.#trades = []
    this.#failed = []
  }

  /** An order that was already canceled then has two names, but is found once. */
  #relist({ placedSeq, status }: UndoneRow, seq: Seq): void {
    if (status !== CANCELED) return
    const listed = this.#listed.get(placedSeq)
    assert(listed !== undefined, 'an order with a state has terms')
    this.#names.add(listName(listed.owner, listed.marketId, status), placedSeq, seq)
  }
}
