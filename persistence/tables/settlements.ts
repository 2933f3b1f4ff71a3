import type { SettlementCommand } from '../../engine/domain/command.ts'
import { SETTLEMENT_STATUSES, type SettlementStatus } from '../../engine/domain/settlement.ts'
import type { Connection, Statement } from '../database.ts'

// A row per block, and one for each trade that did not go into the block that covers its seq: the
// newest of what became of it. A journal that is read again writes the same rows again.

const INSERT_BLOCK =
  'INSERT OR REPLACE INTO blocks (height, chain_id, through_seq, mined_ms) VALUES (?, ?, ?, ?)'
const PUT_TRADE =
  'INSERT INTO settlements (trade_seq, status, height, changed_ms) VALUES (?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET status = excluded.status, height = excluded.height, ' +
  'changed_ms = excluded.changed_ms'

type BlockRow = [height: number, chainId: number, throughSeq: number, minedMs: number]
type TradeRow = [tradeSeq: number, status: number, height: number | null, changedMs: number]

function numberOf(status: SettlementStatus): number {
  return SETTLEMENT_STATUSES.indexOf(status)
}

export class SettlementsTable {
  readonly #insertBlock: Statement<BlockRow>
  readonly #putTrade: Statement<TradeRow>
  #blocks: BlockRow[] = []
  #trades: TradeRow[] = []

  constructor(connection: Connection) {
    this.#insertBlock = connection.prepare(INSERT_BLOCK)
    this.#putTrade = connection.prepare(PUT_TRADE)
  }

  applied(command: SettlementCommand): void {
    const { nowMs } = command
    switch (command.kind) {
      case 'mineBlock':
        this.#blocks.push([command.height, command.chainId, command.throughSeq, nowMs])
        return
      case 'retrySettlement':
        this.#trades.push([command.tradeSeq, numberOf('RETRYING'), null, nowMs])
        return
      case 'settleTrade':
        this.#trades.push([command.tradeSeq, numberOf('MINED'), command.height, nowMs])
        return
      case 'failSettlement':
        this.#trades.push([command.tradeSeq, numberOf('FAILED'), null, nowMs])
    }
  }

  /** Inside the chunk's transaction. */
  flush(): void {
    for (const block of this.#blocks) this.#insertBlock.run(...block)
    for (const trade of this.#trades) this.#putTrade.run(...trade)
    this.#blocks = []
    this.#trades = []
  }
}
