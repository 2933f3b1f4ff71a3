import type { MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import type { ReversedLeg } from '../../../../engine/domain/command.ts'
import {
  isSystemAccount,
  type MarketId,
  type ProfileId,
  type Seq,
} from '../../../../engine/domain/ids.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { mulDivFloor, type TimeMs, UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { PARTY } from './links.ts'
import type { PaidMarket } from './paid-market.ts'
import { PnlTable } from './pnl.ts'
import type { MetPart } from './spreads.ts'

// The cost of each position, at average cost (rules §9.1). It is derived from the trades and is not
// part of the ledger. `sold_costs` keeps the cost removed by a sale, because a failed trade
// restores it. Invariant: `#held` has exactly the rows that this chunk touched.

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

/** One owner's part of a trade. Its fee is already deducted from what the owner received. */
export interface TradedPart {
  readonly tradeSeq: Seq
  readonly owner: number
  readonly marketId: MarketId
  readonly outcome: number
  readonly side: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  /** The fee deducted from a seller's collateral; absent = 0. */
  readonly feeRaw?: number
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

const PUT_DUE = `
INSERT OR REPLACE INTO results_due (market_id, yes_part, no_part, paid_ms, after_owner)
VALUES (?, ?, ?, ?, 0)`

type DueRow = [marketId: MarketId, yesPart: number, noPart: number, paidMs: TimeMs]
type PoolPart = Pick<MoveEvent, 'owner' | 'marketId' | 'yesRaw' | 'noRaw' | 'collateralRaw'>
type Converted = Pick<MoveEvent, 'owner' | 'collateralRaw' | 'converted'>

/** Removes shares and returns their cost. The last share takes all remaining cost. */
function removeFrom(held: Held, sharesRaw: number): number {
  const isAll = sharesRaw >= held.sizeRaw
  const removedRaw = isAll ? held.costRaw : mulDivFloor(held.costRaw, sharesRaw, held.sizeRaw)
  held.costRaw -= removedRaw
  held.sizeRaw -= sharesRaw
  return removedRaw
}

type Key = [owner: number, marketId: MarketId, outcome: number]
type SoldRow = [tradeSeq: Seq, owner: number, outcome: number, costRaw: number]

export class PositionCosts {
  readonly #find: Statement<Key, Held>
  readonly #put: Statement<[...Key, number, number, number]>
  readonly #findSold: Statement<[number, number, number], { costRaw: number }>
  readonly #putSold: Statement<SoldRow>
  readonly #putDue: Statement<DueRow>
  readonly #held = new Map<string, HeldRow>()
  readonly #pnl: PnlTable
  #sold: SoldRow[] = []
  /** The rows of the newest trade, by owner and outcome. */
  readonly #soldBy = new Map<number, SoldRow>()
  #soldIn: Seq = 0
  #due: DueRow[] = []
  /** Without duplicates. */
  #changedMarkets = new Set<MarketId>()

  constructor(connection: Connection) {
    this.#pnl = new PnlTable(connection)
    this.#find = connection.prepare(FIND)
    this.#put = connection.prepare(PUT)
    this.#findSold = connection.prepare(FIND_SOLD)
    this.#putSold = connection.prepare(PUT_SOLD)
    this.#putDue = connection.prepare(PUT_DUE)
  }

  /** Profiles that realised or traded something since the last call. */
  takeChanged(): ReadonlySet<ProfileId> {
    return this.#pnl.takeChanged()
  }

  /** Markets whose positions changed since the last call, if they are written. */
  takeChangedMarkets(): ReadonlySet<MarketId> {
    const changed = this.#changedMarkets
    this.#changedMarkets = new Set()
    return changed
  }

  /** An owner met a counterparty in a fill. Called before `traded`, for each fill of a trade. */
  met(part: MetPart): void {
    this.#pnl.met(part)
  }

  /** The following changes belong to a command of this time. */
  begin(nowMs: TimeMs): void {
    this.#pnl.nowMs = nowMs
  }

  traded(part: TradedPart): void {
    const held = this.#heldOf(part.owner, part.marketId, part.outcome)
    const { sharesRaw, collateralRaw, feeRaw = 0 } = part
    this.#pnl.traded(part.owner, part.marketId, collateralRaw + feeRaw)
    if (part.side === SIDE.BUY) {
      this.#came(held, sharesRaw, collateralRaw)
      return
    }
    const removedRaw = removeFrom(held, sharesRaw)
    this.#realise(held, collateralRaw - removedRaw)
    this.#noteSold([part.tradeSeq, part.owner, part.outcome, removedRaw])
  }

  /** One row for everything an owner sold in a trade, even as the maker of many orders. */
  #noteSold(row: SoldRow): void {
    const [tradeSeq, owner, outcome, costRaw] = row
    if (tradeSeq !== this.#soldIn) this.#soldBy.clear()
    this.#soldIn = tradeSeq
    const key = owner * 2 + outcome
    const known = this.#soldBy.get(key)
    if (known !== undefined) known[3] += costRaw
    else {
      this.#soldBy.set(key, row)
      this.#sold.push(row)
    }
  }

  /**
   * Reverses a trade or a part of it: sold shares return at their cost, bought shares leave with
   * their cost. The first part that returns shares returns all of their cost.
   */
  reversed(tradeSeq: Seq, legs: readonly ReversedLeg[]): void {
    for (const { accountId, marketId, outcome, collateralRaw, sharesRaw } of legs) {
      if (isSystemAccount(accountId)) continue
      const held = this.#heldOf(accountId, marketId, outcome)
      if (sharesRaw > 0) {
        const costRaw = this.#takeSoldCostRaw(tradeSeq, accountId, outcome)
        this.#came(held, sharesRaw, costRaw)
        this.#realise(held, collateralRaw + costRaw)
        continue
      }
      held.sizeRaw += sharesRaw
      // The owner may have sold some of these shares. The refund beyond the remaining cost is
      // realised.
      const backRaw = Math.min(collateralRaw, held.costRaw)
      held.costRaw -= backRaw
      this.#realise(held, collateralRaw - backRaw)
    }
  }

  /** Each side costs half of the collateral; the odd unit goes to NO. */
  split(owner: ProfileId, marketId: MarketId, amountRaw: number): void {
    const yesCostRaw = Math.floor(amountRaw / 2)
    this.#bought(owner, marketId, 0, amountRaw, yesCostRaw)
    this.#bought(owner, marketId, 1, amountRaw, amountRaw - yesCostRaw)
  }

  #bought(
    owner: ProfileId,
    marketId: MarketId,
    outcome: number,
    sharesRaw: number,
    costRaw: number,
  ): void {
    this.#came(this.#heldOf(owner, marketId, outcome), sharesRaw, costRaw)
  }

  /**
   * Adds shares. Those that fill a balance made negative by a reversal are gone at once: their part
   * of the cost is a loss, as their sale was a profit.
   */
  #came(held: HeldRow, sharesRaw: number, costRaw: number): void {
    const owedRaw = Math.min(sharesRaw, Math.max(0, -held.sizeRaw))
    const lostRaw = owedRaw === 0 ? 0 : mulDivFloor(costRaw, owedRaw, sharesRaw)
    held.sizeRaw += sharesRaw
    held.costRaw += costRaw - lostRaw
    this.#realise(held, -lostRaw)
  }

  /** Shares from outside cost nothing here, and those that leave take their cost along. */
  transferred({ owner, marketId, yesRaw, noRaw }: Omit<PoolPart, 'collateralRaw'>): void {
    for (const [outcome, sharesRaw] of [yesRaw, noRaw].entries()) {
      if (sharesRaw === 0) continue
      const held = this.#heldOf(owner, marketId, outcome)
      if (sharesRaw > 0) this.#came(held, sharesRaw, 0)
      else removeFrom(held, -sharesRaw)
    }
  }

  /** A trade of one outcome. Its collateral includes the fee. */
  tradedWithPool({ owner, marketId, yesRaw, noRaw, collateralRaw }: PoolPart): void {
    const outcome = yesRaw === 0 ? 1 : 0
    const sharesRaw = yesRaw + noRaw
    const costRaw = Math.abs(collateralRaw)
    const tradedRaw = Math.abs(sharesRaw)
    const riskRaw = Math.max(0, Math.min(costRaw, tradedRaw - costRaw))
    const { NONE: party } = PARTY
    this.#pnl.met({ marketId, owner, party, sharesRaw: tradedRaw, riskRaw, isPaid: false })
    this.#pnl.traded(owner, marketId, costRaw)
    if (sharesRaw > 0) this.#bought(owner, marketId, outcome, sharesRaw, -collateralRaw)
    if (sharesRaw >= 0) return
    const held = this.#heldOf(owner, marketId, outcome)
    this.#realise(held, collateralRaw - removeFrom(held, -sharesRaw))
  }

  /** A provider received shares, at the pool's price, and earned collateral. */
  cameFromPool(got: PoolPart, yesPriceE6: number): void {
    const { owner, marketId } = got
    const yesCostRaw = mulDivFloor(got.yesRaw, yesPriceE6, UNIT_RAW)
    const noCostRaw = mulDivFloor(got.noRaw, UNIT_RAW - yesPriceE6, UNIT_RAW)
    this.#bought(owner, marketId, 0, got.yesRaw, yesCostRaw)
    this.#bought(owner, marketId, 1, got.noRaw, noCostRaw)
    this.#realise(this.#heldOf(owner, marketId, 0), got.collateralRaw)
  }

  /**
   * Each side gets a part of the collateral in proportion to its removed cost; YES gets the rest.
   */
  merged(owner: ProfileId, marketId: MarketId, amountRaw: number): void {
    const [yes, no] = [0, 1].map((outcome) => this.#heldOf(owner, marketId, outcome))
    const yesRemovedRaw = removeFrom(yes, amountRaw)
    const noRemovedRaw = removeFrom(no, amountRaw)
    const removedRaw = yesRemovedRaw + noRemovedRaw
    const noPart = removedRaw === 0 ? [1, 2] : [noRemovedRaw, removedRaw]
    const noProceedsRaw = mulDivFloor(amountRaw, noPart[0], noPart[1])
    this.#realise(yes, amountRaw - noProceedsRaw - yesRemovedRaw)
    this.#realise(no, noProceedsRaw - noRemovedRaw)
  }

  /** All shares of both sides are redeemed for these proceeds. */
  redeemed(owner: ProfileId, marketId: MarketId, proceedsRaw: readonly [number, number]): void {
    for (const outcome of [0, 1]) {
      const held = this.#heldOf(owner, marketId, outcome)
      this.#realise(held, proceedsRaw[outcome] - held.costRaw)
      held.sizeRaw = 0
      held.costRaw = 0
    }
  }

  /**
   * The cost of the given NO, less the collateral received, becomes the cost of the YES in equal
   * parts. Collateral beyond that cost is realised by the first NO, and so is any cost that no YES
   * takes over.
   */
  converted({ owner, collateralRaw, converted = [] }: Converted): void {
    const given = converted.filter(({ noRaw }) => noRaw < 0)
    const got = converted.filter(({ yesRaw }) => yesRaw > 0)
    let costRaw = -collateralRaw
    for (const { marketId, noRaw } of given) {
      costRaw += removeFrom(this.#heldOf(owner, marketId, 1), -noRaw)
    }
    if (costRaw < 0 || got.length === 0) {
      this.#realise(this.#heldOf(owner, given[0].marketId, 1), -costRaw)
      costRaw = 0
    }
    for (const [index, { marketId, yesRaw }] of got.entries()) {
      const partRaw = Math.floor(costRaw / (got.length - index))
      this.#bought(owner, marketId, 0, yesRaw, partRaw)
      costRaw -= partRaw
    }
  }

  /** Counts the owners' results after this is written. The market's trades can no longer fail. */
  paidOut({ marketId, payoutNumerators: payout }: PaidMarket, nowMs: TimeMs): void {
    if (payout !== null) this.#due.push([marketId, payout[0], payout[1], nowMs])
  }

  #realise(held: HeldRow, changeRaw: number): void {
    if (changeRaw === 0) return
    held.realisedRaw += changeRaw
    this.#pnl.realised(held.owner, held.marketId, changeRaw)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#held.values(), pace, (row) => {
      const { owner, marketId, outcome, sizeRaw, costRaw, realisedRaw } = row
      this.#put.run(owner, marketId, outcome, sizeRaw, costRaw, realisedRaw)
      this.#changedMarkets.add(marketId)
    })
    eachPaced(this.#sold, pace, (row) => this.#putSold.run(...row))
    eachPaced(this.#due, pace, (row) => this.#putDue.run(...row))
    this.#pnl.flush(pace)
    this.#due = []
    this.#held.clear()
    this.#sold = []
    this.#soldBy.clear()
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

  #takeSoldCostRaw(tradeSeq: Seq, owner: number, outcome: number): number {
    let costRaw = this.#findSold.get(tradeSeq, owner, outcome)?.costRaw ?? 0
    for (const sold of this.#sold) {
      if (sold[0] === tradeSeq && sold[1] === owner && sold[2] === outcome) costRaw += sold[3]
    }
    if (costRaw !== 0) this.#sold.push([tradeSeq, owner, outcome, -costRaw])
    return costRaw
  }
}
