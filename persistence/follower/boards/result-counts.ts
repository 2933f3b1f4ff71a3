import { redemptionRaw } from '../../../engine/core/moves/conditions.ts'
import { isSystemAccount, type MarketId, type ProfileId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'

// The number of markets in which each owner won or lost (rules §9.4). A market is counted once its
// payout is posted, because its trades can no longer fail. Positions count at their payout, so a
// redemption changes nothing, and the count may happen later than the payout. Each owner is counted
// in the transaction that moves `after_owner` past it, so never twice, whenever the process ends.

const DUE = `
SELECT market_id AS marketId, yes_part AS yesPart, no_part AS noPart, paid_ms AS paidMs,
  after_owner AS afterOwner FROM results_due ORDER BY market_id LIMIT 1`
const OWNERS = `
SELECT p.owner, outcome, size_raw AS sizeRaw, cost_raw AS costRaw, realised_raw AS realisedRaw,
  coalesce(is_counted, 1) AS isCounted
FROM positions p LEFT JOIN board_spreads s ON s.market_id = p.market_id AND s.owner = p.owner
WHERE p.market_id = ? AND p.owner > ? ORDER BY p.owner, outcome LIMIT ?`
const COUNT = `
INSERT INTO accuracy (owner, won_count, lost_count, since_ms) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET won_count = won_count + excluded.won_count,
  lost_count = lost_count + excluded.lost_count, since_ms = min(since_ms, excluded.since_ms)`
const GO_ON = 'UPDATE results_due SET after_owner = ? WHERE market_id = ?'
const DONE = 'DELETE FROM results_due WHERE market_id = ?'
/**
 * An owner has at most two rows, so a page contains all rows of its owners except possibly the
 * last.
 */
const PAGE_ROWS = 64

interface Due {
  readonly marketId: MarketId
  readonly yesPart: number
  readonly noPart: number
  readonly paidMs: TimeMs
  readonly afterOwner: ProfileId
}

interface Row {
  readonly owner: ProfileId
  readonly outcome: number
  readonly sizeRaw: number
  readonly costRaw: number
  readonly realisedRaw: number
  readonly isCounted: 0 | 1
}

export class ResultCounts {
  readonly #due: Statement<[], Due>
  readonly #owners: Statement<[MarketId, afterOwner: ProfileId, limit: number], Row>
  readonly #count: Statement<[ProfileId, won: number, lost: number, TimeMs]>
  readonly #goOn: Statement<[afterOwner: ProfileId, MarketId]>
  readonly #done: Statement<[MarketId]>

  constructor(connection: Connection) {
    this.#due = connection.prepare(DUE)
    this.#owners = connection.prepare(OWNERS)
    this.#count = connection.prepare(COUNT)
    this.#goOn = connection.prepare(GO_ON)
    this.#done = connection.prepare(DONE)
  }

  get isDue(): boolean {
    return this.#due.get() !== undefined
  }

  /** Counts some owners; returns false when all are counted. Runs inside a transaction. */
  step(): boolean {
    const due = this.#due.get()
    if (due === undefined) return false
    const rows = this.#owners.all(due.marketId, due.afterOwner, PAGE_ROWS)
    const isLast = rows.length < PAGE_ROWS
    const whole = isLast ? rows : rows.filter(({ owner }) => owner !== rows.at(-1)?.owner)
    const byOwner = new Map<ProfileId, Row[]>()
    for (const row of whole) byOwner.set(row.owner, [...(byOwner.get(row.owner) ?? []), row])
    for (const [owner, ofOwner] of byOwner) this.#countOne(due, owner, ofOwner)
    if (isLast) this.#done.run(due.marketId)
    else this.#goOn.run(Math.max(...byOwner.keys()), due.marketId)
    return true
  }

  #countOne({ yesPart, noPart, paidMs }: Due, owner: ProfileId, rows: readonly Row[]): void {
    // Gains that boards do not count are not evidence of accuracy.
    if (isSystemAccount(owner) || rows.some(({ isCounted }) => isCounted === 0)) return
    const sharesRaw = (outcome: number) => rows.find((row) => row.outcome === outcome)?.sizeRaw ?? 0
    const worthRaw = redemptionRaw([yesPart, noPart], sharesRaw(0), sharesRaw(1))
    const earnedRaw = rows.reduce((sum, row) => sum + row.realisedRaw - row.costRaw, worthRaw)
    if (earnedRaw > 0) this.#count.run(owner, 1, 0, paidMs)
    else if (earnedRaw < 0) this.#count.run(owner, 0, 1, paidMs)
  }
}
