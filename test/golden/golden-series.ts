import assert from 'node:assert/strict'
import { decideReport, decideSeries } from '../../engine/core/decide/series.ts'
import type { Market } from '../../engine/core/markets/catalogue.ts'
import type { Boundary } from '../../engine/core/markets/oracle.ts'
import type { Series } from '../../engine/core/markets/series-table.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import {
  BOUNDARY_REPORT_MS,
  BOUNDARY_WAIT_MS,
  slotMsOf,
} from '../../engine/domain/markets/series.ts'
import { marketSpec, seriesSpec } from '../support/specs.ts'
import { type GoldenCast, MINUTE_MS } from './golden-cast.ts'

const SERIES_MAX = 2
const SYMBOLS = ['BTC', 'ETH'] as const
const SUB_FREQUENCIES = ['minutes_1', 'minutes_5'] as const
/** At one boundary in so many the oracle says nothing. */
const SILENT = 6
const PRICE_E8 = 9_500_000_000_000

/** Series, their slots and the oracle, in a golden flow. */
export class GoldenSeries {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#create(),
    () => this.#create(),
    () => this.#edit(),
    () => this.#end(),
    () => this.#resolveFailed(),
  ]

  #create(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    if ([...clearing.series.all()].filter(({ isEnded }) => !isEnded).length >= SERIES_MAX) return
    const symbol = random.pick(SYMBOLS)
    const subFrequency = random.pick(SUB_FREQUENCIES)
    const name = `${symbol.toLowerCase()}-${this.#cast.hex(1)}`
    const delays = random.chance(0.3) ? { takerDelayMs: 1500 } : {}
    const series = seriesSpec({
      symbol,
      subFrequency,
      stableSlug: `${name}-now`,
      slugPrefix: name,
      ...delays,
      slotsAhead: random.between(1, 2),
      feeEnabled: random.chance(0.5),
      imageUrl: 'https://i',
    })
    if (decideSeries(clearing, series) !== null) return
    const seriesId = clearing.series.lastId + 1
    driver.control({ kind: 'createSeries', seriesId, series, by: 'root' })
  }

  #edit(): void {
    const { driver, random } = this.#cast
    const [series] = [...driver.clearing.series.all()].filter(({ isEnded }) => !isEnded)
    if (series === undefined) return
    const { seriesId } = series
    const change = random.chance(0.5)
      ? { title: `Up or down, again ${this.#cast.hex(1)}`, tags: ['again'] }
      : { logo: 'https://l', dailyRewardRaw: 1_000_000, properties: { length: ['short'] } }
    driver.control({ kind: 'editSeries', seriesId, change, by: 'root' })
  }

  #end(): void {
    const { driver, random } = this.#cast
    const live = [...driver.clearing.series.all()].filter(({ isEnded }) => !isEnded)
    if (live.length < SERIES_MAX || random.chance(0.5)) return
    driver.control({ kind: 'endSeries', seriesId: random.pick(live).seriesId, by: 'root' })
  }

  /** An operator resolves a slot whose end has no value. */
  #resolveFailed(): void {
    const { driver } = this.#cast
    const failed = driver.clearing.catalogue.all().find(({ status, isFailed }) => {
      return isFailed && status === 'LOCKED'
    })
    if (failed === undefined) return
    const resolutions = [{ marketId: failed.marketId, payoutNumerators: [1, 1] as const }]
    driver.control({ kind: 'resolveMarkets', resolutions, by: 'root' })
  }

  /** Stamps as the slot clock does: reports, boundaries, slots that meet there, new slots. */
  meetDeadlines(): void {
    const { series, oracle } = this.#cast.driver.clearing
    for (const boundary of [...oracle.boundaries()]) this.#report(boundary)
    for (const boundary of [...oracle.boundaries()]) {
      if (oracle.boundary(boundary.symbol, boundary.atMs) !== boundary) continue
      this.#decide(boundary)
      if (boundary.isDecided) this.#follow(boundary)
    }
    for (const each of series.all()) this.#createSlots(each)
  }

  /** Stamped at the boundary, soon behind it, or too late to stand for it. */
  #report({ symbol, atMs, isDecided }: Boundary): void {
    const { driver, random } = this.#cast
    const { nowMs } = driver
    const isSilent = (atMs / MINUTE_MS) % SILENT === 0
    if (isDecided || atMs > nowMs || isSilent || random.chance(0.5)) return
    const stampMs = atMs + random.pick([0, 0, random.below(BOUNDARY_REPORT_MS), 5001])
    if (decideReport(driver.clearing, symbol, stampMs, nowMs) !== null) return
    const priceE8 = PRICE_E8 + random.between(-50, 50)
    driver.control({ kind: 'reportPrice', symbol, atMs: stampMs, priceE8 })
  }

  #decide({ symbol, atMs, report, isDecided }: Boundary): void {
    const { driver } = this.#cast
    const waitMs = report === null ? BOUNDARY_WAIT_MS : BOUNDARY_REPORT_MS
    const dueMs = report?.atMs === atMs ? atMs : atMs + waitMs
    if (isDecided || dueMs > driver.nowMs) return
    driver.control({ kind: 'decideBoundary', symbol, atMs, priceE8: report?.priceE8 ?? 0 })
  }

  #follow({ symbol, atMs, priceE8 }: Boundary): void {
    const { driver } = this.#cast
    const { catalogue, series } = driver.clearing
    for (const each of [...series.all()].filter((one) => one.symbol === symbol)) {
      const closing = catalogue.byId(each.slots.get(atMs - slotMsOf(each)) ?? 0)
      if (closing?.status === 'LOCKED' && !closing.isFailed) this.#close(closing, priceE8)
      const opening = catalogue.byId(each.slots.get(atMs) ?? 0)
      if (opening?.status === 'CREATED' && !opening.isFailed) this.#open(opening, priceE8)
    }
  }

  #close({ marketId, strikeE8 }: Market, closeE8: number): void {
    const { driver } = this.#cast
    if (closeE8 === 0) {
      driver.control({ kind: 'failSlot', marketId })
      return
    }
    const payoutNumerators = closeE8 >= strikeE8 ? ([1, 0] as const) : ([0, 1] as const)
    const resolutions = [{ marketId, payoutNumerators, closeE8 }]
    driver.control({ kind: 'resolveMarkets', resolutions })
  }

  #open({ marketId }: Market, strikeE8: number): void {
    const { driver } = this.#cast
    if (strikeE8 === 0) {
      driver.control({ kind: 'failSlot', marketId })
      return
    }
    const book = driver.clearing.catalogue.freeBook(LIMITS.booksMax)
    driver.control({ kind: 'openSlot', marketId, book, strikeE8 })
  }

  #createSlots(series: Series): void {
    const { driver } = this.#cast
    const { seriesId, slugPrefix, takerDelayMs, slotsAhead } = series
    const slotMs = slotMsOf(series)
    while (!series.isEnded && series.lastEndMs - slotsAhead * slotMs <= driver.nowMs) {
      const nextMs = Math.ceil(driver.nowMs / slotMs) * slotMs
      const startMs = Math.max(series.lastEndMs, nextMs)
      const marketId = driver.clearing.catalogue.lastId + 1
      const slug = `${slugPrefix}-${startMs / 1000}`
      const slot = { seriesId, startMs }
      const rules = { deadlineMs: startMs + slotMs, feeEnabled: series.feeEnabled }
      const delays = takerDelayMs === undefined ? {} : { takerDelayMs }
      const market = marketSpec(marketId, { slug, slot, ...rules, ...delays })
      assert.equal(driver.clearing.catalogue.bySlug(slug), undefined)
      driver.control({ kind: 'createMarket', marketId, book: 0, market })
    }
  }
}
