// Oracle prices, and the slot boundaries that wait for one (rules §13 row 37). Only commands change
// it. A boundary is an instant at which slots start or end. It exists from the first slot that
// needs it until the last one has its value.
// Invariant: an undecided boundary has the report that would decide it.

import { assert } from '../../domain/assert.ts'
import { BOUNDARY_REPORT_MS, BOUNDARY_WAIT_MS } from '../../domain/markets/series.ts'
import type { PriceE8, TimeMs } from '../../domain/units.ts'
import { hashedFieldsOf } from '../cells/hashed-fields.ts'

export interface PriceReport {
  readonly atMs: TimeMs
  readonly priceE8: PriceE8
}

export interface Boundary {
  readonly symbol: string
  readonly atMs: TimeMs
  /** Slots that start or end here and do not have the value yet. */
  needs: number
  /** The earliest report after the boundary that may decide it; null if none. */
  report: PriceReport | null
  isDecided: boolean
  /** Once decided: the value, or 0 for none. */
  priceE8: PriceE8
}

export interface CapturedOracle {
  readonly newest: readonly (readonly [symbol: string, report: PriceReport])[]
  readonly boundaries: readonly Boundary[]
}

export class Oracle {
  readonly #newest = new Map<string, PriceReport>()
  readonly #boundaries = new Map<string, Map<TimeMs, Boundary>>()

  /** The report with the latest instant; undefined before the first. */
  newest(symbol: string): PriceReport | undefined {
    return this.#newest.get(symbol)
  }

  boundary(symbol: string, atMs: TimeMs): Boundary | undefined {
    return this.#boundaries.get(symbol)?.get(atMs)
  }

  /** All boundaries that slots wait for. */
  *boundaries(): Iterable<Boundary> {
    for (const ofSymbol of this.#boundaries.values()) yield* ofSymbol.values()
  }

  /** A slot starts or ends at this instant. */
  need(symbol: string, atMs: TimeMs): void {
    const ofSymbol = this.#boundaries.get(symbol) ?? new Map<TimeMs, Boundary>()
    const known = ofSymbol.get(atMs)
    if (known !== undefined) known.needs++
    else {
      ofSymbol.set(atMs, { symbol, atMs, needs: 1, report: null, isDecided: false, priceE8: 0 })
    }
    this.#boundaries.set(symbol, ofSymbol)
  }

  /** A slot has the boundary's value or no longer needs it. */
  drop(symbol: string, atMs: TimeMs): void {
    const ofSymbol = this.#boundaries.get(symbol)
    const known = ofSymbol?.get(atMs)
    assert(ofSymbol !== undefined && known !== undefined, 'only a needed boundary is dropped')
    known.needs--
    if (known.needs > 0) return
    ofSymbol.delete(atMs)
    if (ofSymbol.size === 0) this.#boundaries.delete(symbol)
  }

  /**
   * Applies a report to the boundaries it may decide: the earliest report within five seconds
   * counts, after that the first one, and after a minute none.
   */
  reported(symbol: string, report: PriceReport, nowMs: TimeMs): void {
    const { atMs } = report
    const newest = this.#newest.get(symbol)
    if (newest === undefined || newest.atMs < atMs) this.#newest.set(symbol, report)
    for (const boundary of this.#boundaries.get(symbol)?.values() ?? []) {
      const isNear = atMs >= boundary.atMs && atMs - boundary.atMs <= BOUNDARY_REPORT_MS
      const lateMs = nowMs - boundary.atMs
      if (!isNear || boundary.isDecided || lateMs > BOUNDARY_WAIT_MS) continue
      const known = boundary.report
      const isEarlier = known !== null && known.atMs > atMs && lateMs <= BOUNDARY_REPORT_MS
      if (known === null || isEarlier) boundary.report = report
    }
  }

  decided(symbol: string, atMs: TimeMs, priceE8: PriceE8): void {
    const boundary = this.boundary(symbol, atMs)
    assert(boundary !== undefined && !boundary.isDecided, 'a boundary is decided once')
    boundary.isDecided = true
    boundary.priceE8 = priceE8
  }

  /** Removes a symbol that no series has any more. */
  forget(symbol: string): void {
    this.#newest.delete(symbol)
  }

  capture(): CapturedOracle {
    const boundaries = Array.from(this.boundaries(), (boundary) => ({ ...boundary }))
    return { newest: [...this.#newest], boundaries }
  }

  restore({ newest, boundaries }: CapturedOracle): void {
    for (const [symbol, report] of newest) this.#newest.set(symbol, report)
    for (const boundary of boundaries) {
      const ofSymbol = this.#boundaries.get(boundary.symbol) ?? new Map<TimeMs, Boundary>()
      this.#boundaries.set(boundary.symbol, ofSymbol.set(boundary.atMs, { ...boundary }))
    }
  }

  /** The full state by symbol, then time, for the state hash; empty if there is none. */
  *hashedFields(): Iterable<unknown> {
    for (const symbol of [...this.#newest.keys()].sort()) {
      yield ['oracle', symbol, hashedFieldsOf(this.#newest.get(symbol) ?? {})]
    }
    const all = [...this.boundaries()].sort((a, b) =>
      a.symbol === b.symbol ? a.atMs - b.atMs : a.symbol < b.symbol ? -1 : 1,
    )
    for (const boundary of all) yield ['boundary', hashedFieldsOf(boundary)]
  }
}
