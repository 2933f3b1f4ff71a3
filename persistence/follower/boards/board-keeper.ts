import { isSystemAccount, type ProfileId } from '../../../engine/domain/ids.ts'
import { HOUR_MS, type TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { BOARD_SPANS, type SpanHours } from '../tables/board-spans.ts'

// Leaderboards: each owner's realised gains and trades within a span of hours (rules §9.5). A row
// is derived only from `pnl_hours`: the newest counted total less the one before the span. So an
// owner can be computed again at any time, and an interrupted pass is simply repeated.
// Invariant: after a pass for an hour, each row is its owner's row at that hour, and owners without
// activity in a span have no row.

const NEWEST = `
SELECT counted_pnl_raw AS pnlRaw, counted_volume_raw AS volumeRaw FROM pnl_hours WHERE owner = ?
ORDER BY hour DESC LIMIT 1`
const UNTIL = `
SELECT counted_pnl_raw AS pnlRaw, counted_volume_raw AS volumeRaw FROM pnl_hours
WHERE owner = ? AND hour <= ?
ORDER BY hour DESC LIMIT 1`
const NEXT_OWNER = 'SELECT owner FROM pnl_hours WHERE owner > ? ORDER BY owner LIMIT 1'
const WITHIN = `
SELECT hour, owner FROM pnl_hours WHERE (hour, owner) > (?, ?) AND hour <= ?
ORDER BY hour, owner LIMIT ?`
const FIND = `
SELECT pnl_raw AS pnlRaw, volume_raw AS volumeRaw FROM boards WHERE span_hours = ? AND owner = ?`
const PUT = `
INSERT INTO boards (span_hours, owner, pnl_raw, volume_raw) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET pnl_raw = excluded.pnl_raw, volume_raw = excluded.volume_raw`
const DELETE = 'DELETE FROM boards WHERE span_hours = ? AND owner = ?'
const COUNT = `
INSERT INTO board_counts (span_hours, owner_count, trader_count) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET owner_count = owner_count + excluded.owner_count,
  trader_count = trader_count + excluded.trader_count`
const PASS = 'SELECT hour, seen_hour AS seenHour FROM board_passes WHERE id = 1'
const PUT_PASS = `
INSERT INTO board_passes (id, hour, seen_hour) VALUES (1, ?, ?)
ON CONFLICT DO UPDATE SET hour = excluded.hour, seen_hour = excluded.seen_hour`
const PAGE_ROWS = 128

interface Sums {
  readonly pnlRaw: number
  readonly volumeRaw: number
}

interface Owner {
  readonly owner: ProfileId
}

interface HourOwner extends Owner {
  readonly hour: number
}

interface Pass {
  /** The spans of all rows end with this hour. */
  readonly hour: number
  /** Rows of `pnl_hours` up to this hour were processed. */
  readonly seenHour: number
}

const NOTHING: Sums = { pnlRaw: 0, volumeRaw: 0 }
const SPANS: readonly SpanHours[] = Object.values(BOARD_SPANS)

export class BoardKeeper {
  readonly #newest: Statement<[ProfileId], Sums>
  readonly #until: Statement<[ProfileId, hour: number], Sums>
  readonly #nextOwner: Statement<[ProfileId], Owner>
  readonly #within: Statement<
    [hour: number, afterOwner: ProfileId, toHour: number, limit: number],
    HourOwner
  >
  readonly #find: Statement<[SpanHours, ProfileId], Sums>
  readonly #put: Statement<[SpanHours, ProfileId, pnlRaw: number, volumeRaw: number]>
  readonly #delete: Statement<[SpanHours, ProfileId]>
  readonly #count: Statement<[SpanHours, owners: number, traders: number]>
  readonly #putPass: Statement<[hour: number, seenHour: number]>
  readonly #takeChanged: () => ReadonlySet<ProfileId>
  /** null before the first pass. */
  #last: Pass | null
  /** Changes made while no process counted them are searched once. */
  #knowsChanges = false

  constructor(connection: Connection, takeChanged: () => ReadonlySet<ProfileId>) {
    this.#newest = connection.prepare(NEWEST)
    this.#until = connection.prepare(UNTIL)
    this.#nextOwner = connection.prepare(NEXT_OWNER)
    this.#within = connection.prepare(WITHIN)
    this.#find = connection.prepare(FIND)
    this.#put = connection.prepare(PUT)
    this.#delete = connection.prepare(DELETE)
    this.#count = connection.prepare(COUNT)
    this.#putPass = connection.prepare(PUT_PASS)
    this.#takeChanged = takeChanged
    this.#last = connection.prepare<[], Pass>(PASS).get() ?? null
  }

  /** Updates the boards to the hour of `nowMs`. The tables are complete up to `seenMs` or later. */
  *pass(nowMs: TimeMs, seenMs: TimeMs): Generator<undefined, void> {
    const last = this.#last
    const hour = Math.max(Math.floor(nowMs / HOUR_MS), last?.hour ?? 0)
    const seenHour = Math.floor(seenMs / HOUR_MS)
    const changed = this.#takeChanged()
    if (last === null) yield* this.#everyone(hour)
    else {
      for (const owner of changed) {
        this.#look(owner, hour)
        yield
      }
      if (!this.#knowsChanges) yield* this.#lookWithin(last.seenHour, Number.MAX_SAFE_INTEGER, hour)
      yield* this.#ended(last.hour, hour)
    }
    this.#knowsChanges = true
    this.#last = { hour, seenHour }
    this.#putPass.run(hour, seenHour)
  }

  *#everyone(hour: number): Generator<undefined, void> {
    let owner = Number.MIN_SAFE_INTEGER
    for (;;) {
      const next = this.#nextOwner.get(owner)
      if (next === undefined) return
      owner = next.owner
      this.#look(owner, hour)
      yield
    }
  }

  /** Owners with rows in these hours, according to the tables. */
  *#lookWithin(fromHour: number, toHour: number, hour: number): Generator<undefined, void> {
    let at: HourOwner = { hour: fromHour, owner: Number.MIN_SAFE_INTEGER }
    for (;;) {
      const rows = this.#within.all(at.hour, at.owner, toHour, PAGE_ROWS)
      for (const row of rows) {
        this.#look(row.owner, hour)
        at = row
        yield
      }
      if (rows.length < PAGE_ROWS) return
    }
  }

  /** Owners who lose an hour at the end of a span. */
  *#ended(fromHour: number, toHour: number): Generator<undefined, void> {
    for (const span of SPANS) {
      if (span === 0) continue
      yield* this.#lookWithin(fromHour - span + 1, toHour - span, toHour)
    }
  }

  #look(owner: ProfileId, hour: number): void {
    if (isSystemAccount(owner)) return
    const now = this.#newest.get(owner) ?? NOTHING
    for (const span of SPANS) {
      const before = span === 0 ? NOTHING : (this.#until.get(owner, hour - span) ?? NOTHING)
      const pnlRaw = now.pnlRaw - before.pnlRaw
      // Volume that no longer counts was counted before the span.
      const volumeRaw = Math.max(0, now.volumeRaw - before.volumeRaw)
      this.#write(span, owner, { pnlRaw, volumeRaw })
    }
  }

  #write(span: SpanHours, owner: ProfileId, { pnlRaw, volumeRaw }: Sums): void {
    const known = this.#find.get(span, owner)
    if (known?.pnlRaw === pnlRaw && known.volumeRaw === volumeRaw) return
    const isThere = pnlRaw !== 0 || volumeRaw !== 0
    if (isThere) this.#put.run(span, owner, pnlRaw, volumeRaw)
    else if (known !== undefined) this.#delete.run(span, owner)
    const owners = Number(isThere) - Number(known !== undefined)
    const traders = Number(volumeRaw > 0) - Number((known?.volumeRaw ?? 0) > 0)
    if (owners !== 0 || traders !== 0) this.#count.run(span, owners, traders)
  }
}
