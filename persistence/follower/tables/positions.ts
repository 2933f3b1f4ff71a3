import type { ReversedLeg } from '../../../engine/domain/command.ts'
import { isSystemAccount, type MarketId, type Seq } from '../../../engine/domain/ids.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { mulDivFloor } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from './pace.ts'

// What each outcome token cost its owner, at average cost (rules §9.1). The cost follows from the
// trades; it is no part of the ledger. `sold_costs` keeps the cost that a sale removed, because a
// failed trade gives it back. Invariant: `#held` has every row that this chunk touched, and no
// other row.

const FIND =
  'SELECT size_raw AS sizeRaw, cost_raw AS costRaw, realised_raw AS realisedRaw ' +
  'FROM positions WHERE owner = ? AND market_id = ? AND outcome = ?'
const PUT = `
INSERT INTO positions (owner, market_id, outcome, size_raw, cost_raw, realised_raw)
VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  size_raw = excluded.size_raw, cost_raw = excluded.cost_raw, realised_raw = excluded.realised_raw`
const FIND_SOLD =
  'SELECT cost_raw AS costRaw FROM sold_costs WHERE trade_seq = ? AND owner = ? AND outcome = ?'
const PUT_SOLD = `
INSERT INTO sold_costs (trade_seq, owner, outcome, cost_raw) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET cost_raw = cost_raw + excluded.cost_raw`

/** One owner's part in a trade. Its fee is already taken from what the owner received. */
export interface TradedPart {
  readonly tradeSeq: Seq
  readonly owner: number
  readonly marketId: MarketId
  readonly outcome: number
  readonly side: number
  readonly sharesRaw: number
  readonly collateralRaw: number
}

interface Held {
  sizeRaw: number
  costRaw: number
  realisedRaw: number
}

interface HeldRow extends Held {
  readonly owner: number
  readonly marketId: MarketId
  readonly outcome: number
}

type Key = [owner: number, marketId: MarketId, outcome: number]
type SoldRow = [tradeSeq: Seq, owner: number, outcome: number, costRaw: number]

export class PositionsTable {
  readonly #find: Statement<Key, Held>
  readonly #put: Statement<[...Key, number, number, number]>
  readonly #findSold: Statement<[number, number, number], { costRaw: number }>
  readonly #putSold: Statement<SoldRow>
  readonly #held = new Map<string, HeldRow>()
  #sold: SoldRow[] = []

  constructor(connection: Connection) {
    this.#find = connection.prepare(FIND)
    this.#put = connection.prepare(PUT)
    this.#findSold = connection.prepare(FIND_SOLD)
    this.#putSold = connection.prepare(PUT_SOLD)
  }

  traded(part: TradedPart): void {
    const held = this.#heldOf(part.owner, part.marketId, part.outcome)
    const { sharesRaw, collateralRaw } = part
    if (part.side === SIDE.BUY) {
      held.sizeRaw += sharesRaw
      held.costRaw += collateralRaw
      return
    }
    // The last share takes all of the remaining cost, so that no remainder is left.
    const isAll = sharesRaw >= held.sizeRaw
    const removedRaw = isAll ? held.costRaw : mulDivFloor(held.costRaw, sharesRaw, held.sizeRaw)
    held.costRaw -= removedRaw
    held.sizeRaw -= sharesRaw
    held.realisedRaw += collateralRaw - removedRaw
    this.#sold.push([part.tradeSeq, part.owner, part.outcome, removedRaw])
  }

  /** Reverses a trade: sold shares come back at their cost, bought shares go with their cost. */
  reversed(tradeSeq: Seq, legs: readonly ReversedLeg[]): void {
    for (const { accountId, marketId, outcome, collateralRaw, sharesRaw } of legs) {
      if (isSystemAccount(accountId)) continue
      const held = this.#heldOf(accountId, marketId, outcome)
      held.sizeRaw += sharesRaw
      if (sharesRaw > 0) {
        const costRaw = this.#soldCostRaw(tradeSeq, accountId, outcome)
        held.costRaw += costRaw
        held.realisedRaw -= -collateralRaw - costRaw
        continue
      }
      // The owner may have sold some of these shares. What comes back beyond the cost is realised.
      const backRaw = Math.min(collateralRaw, held.costRaw)
      held.costRaw -= backRaw
      held.realisedRaw += collateralRaw - backRaw
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#held.values(), pace, (row) => {
      const { owner, marketId, outcome, sizeRaw, costRaw, realisedRaw } = row
      this.#put.run(owner, marketId, outcome, sizeRaw, costRaw, realisedRaw)
    })
    eachPaced(this.#sold, pace, (row) => this.#putSold.run(...row))
    this.#held.clear()
    this.#sold = []
  }

  #heldOf(owner: number, marketId: MarketId, outcome: number): HeldRow {
    const key = `${owner}:${marketId}:${outcome}`
    const known = this.#held.get(key)
    if (known !== undefined) return known
    const found = this.#find.get(owner, marketId, outcome)
    const none: Held = { sizeRaw: 0, costRaw: 0, realisedRaw: 0 }
    const row = { ...(found ?? none), owner, marketId, outcome }
    this.#held.set(key, row)
    return row
  }

  #soldCostRaw(tradeSeq: Seq, owner: number, outcome: number): number {
    let costRaw = this.#findSold.get(tradeSeq, owner, outcome)?.costRaw ?? 0
    for (const sold of this.#sold) {
      if (sold[0] === tradeSeq && sold[1] === owner && sold[2] === outcome) costRaw += sold[3]
    }
    return costRaw
  }
}
