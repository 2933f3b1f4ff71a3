import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from './pace.ts'

// What each profile had realised at the end of each hour in which that changed (rules §9.3), and
// when it last changed in each market. A trade that is taken back changes the hour in which it is
// taken back: a past hour never changes. So a chart is one search for each of its points.

const NEWEST =
  'SELECT total_raw AS totalRaw FROM pnl_hours WHERE owner = ? ORDER BY hour DESC LIMIT 1'
const PUT = `
INSERT INTO pnl_hours (owner, hour, total_raw) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET total_raw = excluded.total_raw`
const PUT_MARKET = `
INSERT INTO pnl_markets (owner, market_id, hour) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET hour = excluded.hour`

export const HOUR_MS = 3_600_000

interface Total {
  hour: number
  totalRaw: number
}

export class PnlTable {
  readonly #newest: Statement<[ProfileId], { totalRaw: number }>
  readonly #put: Statement<[ProfileId, hour: number, totalRaw: number]>
  readonly #putMarket: Statement<[ProfileId, MarketId, hour: number]>
  /** The newest total of each profile that this chunk touched. */
  readonly #totals = new Map<ProfileId, Total>()
  readonly #markets = new Map<string, [ProfileId, MarketId, hour: number]>()
  /** Totals of hours that ended within this chunk. */
  #ended: [ProfileId, hour: number, totalRaw: number][] = []
  /** The time of the command that is applied now. */
  nowMs: TimeMs = 0

  constructor(connection: Connection) {
    this.#newest = connection.prepare(NEWEST)
    this.#put = connection.prepare(PUT)
    this.#putMarket = connection.prepare(PUT_MARKET)
  }

  realised(owner: ProfileId, marketId: MarketId, changeRaw: number): void {
    const hour = Math.floor(this.nowMs / HOUR_MS)
    const total = this.#totalOf(owner, hour)
    if (total.hour !== hour) {
      this.#ended.push([owner, total.hour, total.totalRaw])
      total.hour = hour
    }
    total.totalRaw += changeRaw
    this.#markets.set(`${owner}:${marketId}`, [owner, marketId, hour])
  }

  #totalOf(owner: ProfileId, hour: number): Total {
    const known = this.#totals.get(owner)
    if (known !== undefined) return known
    const total = { hour, totalRaw: this.#newest.get(owner)?.totalRaw ?? 0 }
    this.#totals.set(owner, total)
    return total
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#ended, pace, (row) => this.#put.run(...row))
    eachPaced(this.#totals, pace, ([owner, { hour, totalRaw }]) => {
      this.#put.run(owner, hour, totalRaw)
    })
    eachPaced(this.#markets.values(), pace, (row) => this.#putMarket.run(...row))
    this.#ended = []
    this.#totals.clear()
    this.#markets.clear()
  }
}
