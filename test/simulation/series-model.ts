// Models series, slots and boundaries, by commands alone (rules §10, §13 row 37). A boundary keeps
// every report, and its value is looked for among all of them.

import assert from 'node:assert/strict'
import type { ControlCommand } from '../../engine/domain/command.ts'
import {
  BOUNDARY_REPORT_MS,
  BOUNDARY_WAIT_MS,
  seriesKeyText,
  slotMsOf,
} from '../../engine/domain/markets/series.ts'
import { type MarketModel, statusOf } from './market-model.ts'

interface OneSeries {
  readonly key: string
  readonly symbol: string
  readonly slotMs: number
  readonly slotsAhead: number
  readonly isEnded: boolean
  readonly lastEndMs: number
}

interface Report {
  readonly cameMs: number
  readonly stampMs: number
  readonly priceE8: number
}

interface BoundaryModel {
  readonly symbol: string
  readonly atMs: number
  readonly reports: readonly Report[]
  /** Null until it is decided; 0 for none. */
  readonly valueE8: number | null
}

type Resolve = Extract<ControlCommand, { kind: 'resolveMarkets' }>

/** The report that decides a boundary: the earliest of those in time, else the first to come. */
function reportFor({ atMs, reports }: BoundaryModel): Report | undefined {
  const near = reports.filter(({ stampMs, cameMs }) => {
    const isNear = stampMs >= atMs && stampMs <= atMs + BOUNDARY_REPORT_MS
    return isNear && cameMs <= atMs + BOUNDARY_WAIT_MS
  })
  const inTime = near.filter(({ cameMs }) => cameMs <= atMs + BOUNDARY_REPORT_MS)
  return inTime.sort((a, b) => a.stampMs - b.stampMs)[0] ?? near[0]
}

export class SeriesModel {
  readonly all: OneSeries[] = []
  readonly boundaries = new Map<string, BoundaryModel>()

  copy(): SeriesModel {
    const model = new SeriesModel()
    model.all.push(...this.all)
    for (const [key, boundary] of this.boundaries) model.boundaries.set(key, boundary)
    return model
  }

  /** Call it before the command changes the markets. */
  admit(command: ControlCommand, markets: readonly MarketModel[]): void {
    switch (command.kind) {
      case 'createSeries': {
        const { symbol, slotsAhead } = command.series
        const key = seriesKeyText(command.series)
        assert.equal(command.seriesId, this.all.length + 1, 'series ids count from 1')
        const isTaken = this.all.some((each) => each.key === key && !each.isEnded)
        assert(!isTaken, 'one live series has a key')
        const slotMs = slotMsOf(command.series)
        this.all.push({ key, symbol, slotMs, slotsAhead, isEnded: false, lastEndMs: 0 })
        return
      }
      case 'endSeries':
        assert(!this.#of(command.seriesId).isEnded, 'a series ends once')
        this.#change(command.seriesId, { isEnded: true })
        return
      case 'createMarket':
        this.#created(command)
        return
      case 'reportPrice':
        this.#reported(command)
        return
      case 'decideBoundary':
        this.#decided(command)
        return
      case 'openSlot':
      case 'failSlot':
      case 'resolveMarkets':
        this.#moved(command, markets)
    }
  }

  #of(seriesId: number): OneSeries {
    return this.all[seriesId - 1]
  }

  #change(seriesId: number, change: Partial<OneSeries>): void {
    this.all[seriesId - 1] = { ...this.#of(seriesId), ...change }
  }

  #created({ market, nowMs }: Extract<ControlCommand, { kind: 'createMarket' }>): void {
    if (market.slot === undefined) return
    const { seriesId, startMs } = market.slot
    const { symbol, slotMs, isEnded, lastEndMs } = this.#of(seriesId)
    assert(!isEnded, 'a series that ended makes no slots')
    assert(startMs % slotMs === 0 && startMs >= nowMs, 'a slot is aligned and begins later')
    assert(startMs >= lastEndMs, 'slots follow one another')
    assert.equal(market.deadlineMs, startMs + slotMs, 'a slot ends at its deadline')
    this.#change(seriesId, { lastEndMs: startMs + slotMs })
    for (const atMs of [startMs, startMs + slotMs]) {
      const key = `${symbol} ${atMs}`
      const known = this.boundaries.get(key)
      this.boundaries.set(key, known ?? { symbol, atMs, reports: [], valueE8: null })
    }
  }

  #reported(command: Extract<ControlCommand, { kind: 'reportPrice' }>): void {
    const { symbol, atMs, priceE8, nowMs } = command
    for (const [key, boundary] of this.boundaries) {
      if (boundary.symbol !== symbol || boundary.valueE8 !== null) continue
      const reports = [...boundary.reports, { cameMs: nowMs, stampMs: atMs, priceE8 }]
      this.boundaries.set(key, { ...boundary, reports })
    }
  }

  #decided({ symbol, atMs, priceE8, nowMs }: Extract<ControlCommand, { kind: 'decideBoundary' }>) {
    const key = `${symbol} ${atMs}`
    const boundary = this.boundaries.get(key)
    assert(boundary?.valueE8 === null, 'a boundary that slots wait for is decided once')
    const report = reportFor(boundary)
    assert.equal(priceE8, report?.priceE8 ?? 0, 'the value of a boundary is that of its report')
    const behindMs = report === undefined ? BOUNDARY_WAIT_MS : BOUNDARY_REPORT_MS
    const dueMs = report?.stampMs === atMs ? atMs : atMs + behindMs
    assert(nowMs >= dueMs, 'no boundary is decided before its time')
    this.boundaries.set(key, { ...boundary, valueE8: priceE8 })
  }

  #valueAt(symbol: string, atMs: number): number | null {
    return this.boundaries.get(`${symbol} ${atMs}`)?.valueE8 ?? null
  }

  #moved(
    command: Resolve | Extract<ControlCommand, { kind: 'openSlot' | 'failSlot' }>,
    markets: readonly MarketModel[],
  ): void {
    const marketId =
      command.kind === 'resolveMarkets' ? command.resolutions[0].marketId : command.marketId
    const market = markets[marketId - 1]
    const { slot } = market
    if (slot === null) return
    const { symbol, slotMs } = this.#of(slot.seriesId)
    const status = statusOf(market)
    const start = this.#valueAt(symbol, slot.startMs)
    const end = this.#valueAt(symbol, slot.startMs + slotMs)
    if (command.kind === 'openSlot') {
      assert(status === 'CREATED' && start !== 0, 'a slot opens once, and with a value')
      assert.equal(command.strikeE8, start, 'a slot opens with the value at its start')
    } else if (command.kind === 'failSlot') {
      const isRight = status === 'CREATED' ? start === 0 : status === 'LOCKED' && end === 0
      assert(isRight && !market.isFailed, 'a slot fails once, when a value is missing')
    } else this.#closed(command, market, end)
  }

  #closed({ resolutions }: Resolve, market: MarketModel, end: number | null): void {
    const [{ closeE8, payoutNumerators }] = resolutions
    // An operator may resolve a slot at any time.
    if (closeE8 === undefined) return
    assert.equal(statusOf(market), 'LOCKED', 'a slot is resolved behind its end')
    assert.equal(closeE8, end, 'a slot is resolved by the value at its end')
    const payouts = closeE8 >= market.strikeE8 ? [1, 0] : [0, 1]
    assert.deepEqual(payoutNumerators, payouts, 'YES wins when the price did not fall')
  }

  /** The slots that still wait for the value of a boundary. */
  waiting({ symbol, atMs }: BoundaryModel, markets: readonly MarketModel[]): MarketModel[] {
    return markets.filter((market) => {
      if (market.slot === null || market.isFailed || statusOf(market) === 'RESOLVED') return false
      const { symbol: own, slotMs } = this.#of(market.slot.seriesId)
      const starts = market.slot.startMs === atMs && statusOf(market) === 'CREATED'
      return own === symbol && (starts || market.slot.startMs + slotMs === atMs)
    })
  }

  /** A boundary is known only while a slot waits for it. */
  forget(markets: readonly MarketModel[]): void {
    for (const [key, boundary] of this.boundaries) {
      if (this.waiting(boundary, markets).length === 0) this.boundaries.delete(key)
    }
  }
}
