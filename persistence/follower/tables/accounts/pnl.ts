import type { MarketId, ProfileId } from '../../../../engine/domain/ids.ts'
import { HOUR_MS, type TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { MarketHours } from '../market-hours.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { type CountedSums, type MetPart, Spreads } from './spreads.ts'

// Each profile's realised gains and traded volume at the end of each hour in which they changed
// (rules §9.3, §9.5), and when it last realised something in each market. A reversed trade changes
// the realised gains in the hour of its reversal, and no volume: a past hour never changes. So a
// chart needs one search per point. The rows also have the counted parts of both for boards
// (spreads.ts), which change in the hour in which they are judged.

const NEWEST = `
SELECT total_raw AS totalRaw, volume_raw AS volumeRaw, counted_pnl_raw AS countedPnlRaw,
  counted_volume_raw AS countedVolumeRaw FROM pnl_hours WHERE owner = ?
ORDER BY hour DESC LIMIT 1`
const PUT = `
INSERT INTO pnl_hours (owner, hour, total_raw, volume_raw, counted_pnl_raw, counted_volume_raw)
VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET total_raw = excluded.total_raw,
  volume_raw = excluded.volume_raw, counted_pnl_raw = excluded.counted_pnl_raw,
  counted_volume_raw = excluded.counted_volume_raw`
const PUT_MARKET = `
INSERT INTO pnl_markets (owner, market_id, hour) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET hour = excluded.hour`

interface Total {
  hour: number
  totalRaw: number
  volumeRaw: number
  countedPnlRaw: number
  countedVolumeRaw: number
}

type TotalRow = [
  owner: ProfileId,
  hour: number,
  ...all: [number, number],
  ...counted: [number, number],
]

const NOTHING = { totalRaw: 0, volumeRaw: 0, countedPnlRaw: 0, countedVolumeRaw: 0 }

function rowOf(owner: ProfileId, total: Total): TotalRow {
  const { hour, totalRaw, volumeRaw, countedPnlRaw, countedVolumeRaw } = total
  return [owner, hour, totalRaw, volumeRaw, countedPnlRaw, countedVolumeRaw]
}

export class PnlTable {
  readonly #newest: Statement<[ProfileId], Omit<Total, 'hour'>>
  readonly #put: Statement<TotalRow>
  readonly #putMarket: Statement<[ProfileId, MarketId, hour: number]>
  readonly #marketHours: MarketHours
  readonly #spreads: Spreads
  /** The newest total of each profile that this chunk changed. */
  readonly #totals = new Map<ProfileId, Total>()
  readonly #markets = new Map<string, [ProfileId, MarketId, hour: number]>()
  /** Totals of hours that ended within this chunk. */
  #ended: TotalRow[] = []
  /** Profiles whose rows changed since the boards took them, without duplicates. */
  #changed = new Set<ProfileId>()
  /** The time of the current command. */
  nowMs: TimeMs = 0

  constructor(connection: Connection) {
    this.#newest = connection.prepare(NEWEST)
    this.#put = connection.prepare(PUT)
    this.#putMarket = connection.prepare(PUT_MARKET)
    this.#marketHours = new MarketHours(connection)
    this.#spreads = new Spreads(connection, (owner, marketId, sums) => {
      this.#counted(owner, marketId, sums)
    })
  }

  get #hour(): number {
    return Math.floor(this.nowMs / HOUR_MS)
  }

  realised(owner: ProfileId, marketId: MarketId, changeRaw: number): void {
    const hour = this.#hour
    this.#totalOf(owner, hour).totalRaw += changeRaw
    this.#markets.set(`${owner}:${marketId}`, [owner, marketId, hour])
    this.#marketHours.changed([marketId, hour, owner], {})
    this.#spreads.realised(owner, marketId, changeRaw)
  }

  /** The owner met a counterparty in a fill. The realised gain follows. */
  met(part: MetPart): void {
    this.#spreads.met(part)
  }

  #counted(owner: ProfileId, marketId: MarketId, { pnlRaw, volumeRaw }: CountedSums): void {
    const hour = this.#hour
    const total = this.#totalOf(owner, hour)
    total.countedPnlRaw += pnlRaw
    const sumRaw = total.countedVolumeRaw + volumeRaw
    total.countedVolumeRaw = Math.min(sumRaw, Number.MAX_SAFE_INTEGER)
    this.#marketHours.changed([marketId, hour, owner], { pnlRaw, volumeRaw })
  }

  /** The owner bought or sold this much, before fees. */
  traded(owner: ProfileId, marketId: MarketId, volumeRaw: number): void {
    const hour = this.#hour
    const total = this.#totalOf(owner, hour)
    total.volumeRaw = Math.min(total.volumeRaw + volumeRaw, Number.MAX_SAFE_INTEGER)
    this.#marketHours.changed([marketId, hour, owner], {})
  }

  /** Profiles whose rows changed since the last call, if they are written. */
  takeChanged(): ReadonlySet<ProfileId> {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  #totalOf(owner: ProfileId, hour: number): Total {
    const known = this.#totals.get(owner)
    if (known === undefined) {
      const total = this.#newest.get(owner) ?? NOTHING
      const now = { ...total, hour }
      this.#totals.set(owner, now)
      return now
    }
    if (known.hour !== hour) {
      this.#ended.push(rowOf(owner, known))
      known.hour = hour
    }
    return known
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#ended, pace, (row) => this.#put.run(...row))
    this.#spreads.flush(pace)
    eachPaced(this.#totals, pace, ([owner, total]) => {
      this.#put.run(...rowOf(owner, total))
      this.#changed.add(owner)
    })
    eachPaced(this.#markets.values(), pace, (row) => this.#putMarket.run(...row))
    this.#marketHours.flush(this.#hour, pace)
    this.#ended = []
    this.#totals.clear()
    this.#markets.clear()
  }
}
