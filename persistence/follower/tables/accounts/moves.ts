import { yesPriceOf, yesTicksOf } from '../../../../engine/core/amm/pool-price.ts'
import { redemptionRaw } from '../../../../engine/core/moves/conditions.ts'
import { eventsOfMove, type MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { type BothRaw, MOVE_KINDS } from '../../../../engine/domain/moves/move-command.ts'
import { type TimeMs, UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import type { CandlesTable } from '../candles.ts'
import { eachPaced, type Pace } from '../pace.ts'
import type { PositionCosts } from './average-cost.ts'

// Money that moved outside trading: one row for each profile affected by a command. Received
// amounts are positive, paid amounts negative. `detail` is JSON: the shares of each child for a
// conversion, the destination of a withdrawal, and the transaction of a move of its owner. A pool
// trade is such a row too, plus a row in `pool_prices` with the resulting price.

const PUT = `
INSERT OR REPLACE INTO moves
  (seq, leg, owner, kind, market_id, yes_raw, no_raw, collateral_raw, moved_ms, detail)
VALUES (@seq, @leg, @owner, @kind, @marketId, @yesRaw, @noRaw, @collateralRaw, @movedMs, @detail)`
const PUT_PRICE = `
INSERT OR REPLACE INTO pool_prices (market_id, traded_ms, seq, yes_e6) VALUES (?, ?, ?, ?)`

interface MoveRow {
  readonly seq: Seq
  readonly leg: number
  readonly owner: number
  readonly kind: number
  readonly marketId: MarketId
  readonly yesRaw: number
  readonly noRaw: number
  readonly collateralRaw: number
  readonly movedMs: number
  readonly detail: string | null
}

/** The collateral that an account spent on an outcome of a pool, and received for it. */
const ADD_TOTAL = `
INSERT INTO pool_totals (owner, market_id, outcome, bought_raw, sold_raw) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  bought_raw = min(bought_raw + excluded.bought_raw, ${Number.MAX_SAFE_INTEGER}),
  sold_raw = min(sold_raw + excluded.sold_raw, ${Number.MAX_SAFE_INTEGER})`

const PUT_TRANSACTION = `
INSERT OR REPLACE INTO move_transactions (seq, account, nonce, tx_hash) VALUES (?, ?, ?, ?)`
/** One of its attempts happened. */
const END_TRANSACTION = `
UPDATE move_transactions SET tx_hash = ? WHERE account = ? AND nonce = ?`

/** The state that the tables read. */
export interface MoveWorld {
  childrenOf(groupId: MarketId): readonly MarketId[]
  payoutOf(marketId: MarketId): readonly [number, number] | null
  /** The shares held by a market's pool. */
  reservesRaw(marketId: MarketId): BothRaw
}

type PoolTrade = Extract<CommandOf<'moves'>, { kind: 'buyFromPool' | 'sellToPool' }>
type TotalRow = [owner: number, marketId: MarketId, outcome: number, bought: number, sold: number]
type PriceRow = [marketId: MarketId, tradedMs: TimeMs, seq: Seq, yesE6: number]

/** The other tables changed by a move. */
interface Listeners {
  readonly positions: PositionCosts
  readonly candles: CandlesTable
}

export class MovesTable {
  readonly #put: Statement<[MoveRow]>
  readonly #putPrice: Statement<PriceRow>
  readonly #addTotal: Statement<TotalRow>
  readonly #positions: PositionCosts
  readonly #candles: CandlesTable
  readonly #world: MoveWorld
  readonly #putTransaction: Statement<[Seq, account: string, nonce: number, txHash: string]>
  readonly #endTransaction: Statement<[txHash: string, account: string, nonce: number]>
  #transactions: CommandOf<'transactions'>[] = []
  #rows: MoveRow[] = []
  #prices: PriceRow[] = []
  #totals: TotalRow[] = []

  constructor(connection: Connection, { positions, candles }: Listeners, world: MoveWorld) {
    this.#put = connection.prepare(PUT)
    this.#putTransaction = connection.prepare(PUT_TRANSACTION)
    this.#endTransaction = connection.prepare(END_TRANSACTION)
    this.#putPrice = connection.prepare(PUT_PRICE)
    this.#addTotal = connection.prepare(ADD_TOTAL)
    this.#positions = positions
    this.#candles = candles
    this.#world = world
  }

  transacted(command: CommandOf<'transactions'>): void {
    const isOfMoves = command.kind === 'endTransaction' || command.moves !== undefined
    if (isOfMoves) this.#transactions.push(command)
  }

  applied(command: CommandOf<'moves'>): void {
    const { seq, nowMs: movedMs, kind } = command
    if (kind === 'buyFromPool' || kind === 'sellToPool') this.#traded(command)
    const events = eventsOfMove(command, (groupId) => this.#world.childrenOf(groupId))
    for (const [leg, event] of events.entries()) {
      const { owner, marketId, yesRaw, noRaw, collateralRaw } = event
      const kind = MOVE_KINDS.indexOf(event.kind)
      const amounts = { yesRaw, noRaw, collateralRaw }
      this.#rows.push({
        seq,
        leg,
        owner,
        kind,
        marketId,
        ...amounts,
        movedMs,
        detail: textOf(event),
      })
      this.#changePositions(event)
    }
  }

  #traded(command: PoolTrade): void {
    const { kind, profileId, outcome, marketId, seq, nowMs, collateralRaw: valueRaw } = command
    const sums = kind === 'buyFromPool' ? ([valueRaw, 0] as const) : ([0, valueRaw] as const)
    this.#totals.push([profileId, marketId, outcome, ...sums])
    const reservesRaw = this.#world.reservesRaw(marketId)
    this.#prices.push([marketId, nowMs, seq, yesPriceOf(reservesRaw, UNIT_RAW)])
    const yesTicks = yesTicksOf(reservesRaw)
    this.#candles.filled({ marketId, yesTicks, valueRaw, nowMs })
  }

  #changePositions(event: MoveEvent): void {
    const { kind, owner, marketId } = event
    switch (kind) {
      case 'SPLIT':
        this.#positions.split(owner, marketId, event.yesRaw)
        return
      case 'MERGE':
        this.#positions.merged(owner, marketId, -event.yesRaw)
        return
      case 'REDEEM': {
        const payout = this.#world.payoutOf(marketId)
        assert(payout !== null, 'only a resolved market is redeemed')
        const ofYesRaw = redemptionRaw(payout, -event.yesRaw, 0)
        this.#positions.redeemed(owner, marketId, [ofYesRaw, event.collateralRaw - ofYesRaw])
        return
      }
      case 'CONVERT':
        this.#positions.converted(event)
        return
      case 'BUY':
      case 'SELL':
        this.#positions.tradedWithPool(event)
        return
      case 'FUND': {
        // The pool kept the rest. The returned shares are valued at the pool's price.
        const gaveRaw = -event.collateralRaw
        const keptRaw = [gaveRaw - event.yesRaw, gaveRaw - event.noRaw] as const
        this.#positions.cameFromPool({ ...event, collateralRaw: 0 }, yesPriceOf(keptRaw, UNIT_RAW))
        return
      }
      case 'DRAIN':
        this.#positions.cameFromPool(event, yesPriceOf([event.yesRaw, event.noRaw], UNIT_RAW))
        return
      case 'TRANSFER':
        this.#positions.transferred(event)
        return
      case 'WITHDRAW':
      case 'DEPOSIT':
        return
    }
  }

  #transact(command: CommandOf<'transactions'>): void {
    const { account, nonce, txHash } = command
    if (command.kind === 'endTransaction') {
      if (command.left === undefined) this.#endTransaction.run(txHash, account, nonce)
      return
    }
    for (const seq of command.moves ?? []) this.#putTransaction.run(seq, account, nonce, txHash)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#rows, pace, (row) => this.#put.run(row))
    this.#rows = []
    eachPaced(this.#transactions, pace, (command) => this.#transact(command))
    this.#transactions = []
    eachPaced(this.#prices, pace, (row) => this.#putPrice.run(...row))
    this.#prices = []
    eachPaced(this.#totals, pace, (row) => this.#addTotal.run(...row))
    this.#totals = []
  }
}

function textOf({ converted, destination, txHash }: MoveEvent): string | null {
  const detail = converted ?? destination ?? (txHash === undefined ? undefined : { txHash })
  return detail === undefined ? null : JSON.stringify(detail)
}
