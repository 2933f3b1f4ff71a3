import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../database.ts'
import { MARKET_SPAN_HOURS } from './board-spans.ts'
import { eachPaced, type Pace } from './pace.ts'

// Each owner's realised gains and trades in a market per hour. Only the last day is kept: the
// boards of market pages sum up the rows of the page's current markets.

const ADD = `
INSERT INTO market_hours (market_id, hour, owner, pnl_raw, volume_raw) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET pnl_raw = pnl_raw + excluded.pnl_raw,
  volume_raw = min(volume_raw + excluded.volume_raw, ${Number.MAX_SAFE_INTEGER})`
const OLD = `
SELECT market_id AS marketId, hour, owner FROM market_hours WHERE hour <= ?
ORDER BY hour, market_id, owner LIMIT ?`
const DELETE = 'DELETE FROM market_hours WHERE market_id = ? AND hour = ? AND owner = ?'

type Key = [marketId: MarketId, hour: number, owner: ProfileId]

interface OldRow {
  readonly marketId: MarketId
  readonly hour: number
  readonly owner: ProfileId
}

interface Change {
  readonly key: Key
  pnlRaw: number
  volumeRaw: number
}

export class MarketHours {
  readonly #add: Statement<[...Key, pnlRaw: number, volumeRaw: number]>
  readonly #old: Statement<[hour: number, limit: number], OldRow>
  readonly #delete: Statement<Key>
  readonly #changes = new Map<string, Change>()

  constructor(connection: Connection) {
    this.#add = connection.prepare(ADD)
    this.#old = connection.prepare(OLD)
    this.#delete = connection.prepare(DELETE)
  }

  changed(key: Key, { pnlRaw = 0, volumeRaw = 0 }: { pnlRaw?: number; volumeRaw?: number }): void {
    const name = key.join(' ')
    const known = this.#changes.get(name)
    const change = known ?? { key, pnlRaw: 0, volumeRaw: 0 }
    if (known === undefined) this.#changes.set(name, change)
    change.pnlRaw += pnlRaw
    change.volumeRaw = Math.min(change.volumeRaw + volumeRaw, Number.MAX_SAFE_INTEGER)
  }

  /** Runs inside the chunk's transaction; `hour` is the chunk's last one. */
  flush(hour: number, pace: Pace): void {
    eachPaced(this.#changes.values(), pace, ({ key, pnlRaw, volumeRaw }) => {
      this.#add.run(...key, pnlRaw, volumeRaw)
    })
    // More than were added: so old rows are removed soon, and no chunk waits for all of them.
    const old = this.#old.all(hour - MARKET_SPAN_HOURS, 2 * this.#changes.size)
    eachPaced(old, pace, ({ marketId, hour, owner }) => this.#delete.run(marketId, hour, owner))
    this.#changes.clear()
  }
}
