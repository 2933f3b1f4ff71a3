// What operators of a simulated world do to groups, to series and to markets that live, and what
// its oracle reports: on time, late, or not at all.

import assert from 'node:assert/strict'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import { REJECT, Reject } from '../../engine/domain/reject-precedence.ts'
import type { PublishedMarket } from '../../server/exchange/read-model/published.ts'
import { rejectName } from '../support/reject-name.ts'
import { marketSpec, seriesSpec } from '../support/specs.ts'
import type { Life } from './life.ts'
import { OPEN_MAX } from './operators.ts'
import type { Step } from './script.ts'

const SERIES_MAX = 3
const SYMBOLS = ['BTC', 'ETH'] as const
/** The oracle says nothing of one boundary in so many. */
const SILENT = 6
const MINUTE_MS = 60_000
const PRICE_E8 = 9_500_000_000_000

/** Refusals that depend on the moment at which an operator acts. */
const STALE = new Set([
  REJECT.MARKET_STATUS,
  REJECT.MARKET_RESOLVED,
  REJECT.OVERLOADED,
  REJECT.SLUG_TAKEN,
  REJECT.READ_TIMEOUT,
  REJECT.SERIES_EXISTS,
])

export class Curators {
  readonly #life: Life

  constructor(life: Life) {
    this.#life = life
  }

  #pick(dice: number, which: (each: PublishedMarket) => boolean): PublishedMarket | undefined {
    const found = this.#life.published.all().filter(which)
    return found[Math.floor(dice * found.length)]
  }

  /** The act is done, or refused because the market changed meanwhile. */
  #ends(answer: Promise<unknown>): void {
    this.#life.reportsLater(answer)
    // It may ask the tables before it is stamped.
    this.#life.opening++
    const compare = (result: unknown) => {
      this.#life.opening--
      if (!(result instanceof Reject)) return
      assert(STALE.has(result), `an operator may do this, not ${rejectName(result)}`)
    }
    this.#life.follow(answer.then(compare))
  }

  /** Makes a group of two to four children. */
  bunch({ dice }: Step): void {
    const { changes, model, pipeline } = this.#life
    if (pipeline.clearing.catalogue.openBooks().length >= OPEN_MAX) return
    const first = model.markets.length + 1
    const group: MarketSpec = {
      ...marketSpec(first, { negRiskId: `0x${'a'.repeat(64)}` }),
      kind: 'group',
      conditionId: '',
      yesTokenId: '',
      noTokenId: '',
    }
    const deadlineMs =
      dice[0] < 0.3 ? pipeline.sequencer.nowMs() + Math.floor(dice[1] * 120_000) : null
    const children = Array.from({ length: 2 + Math.floor(dice[1] * 3) }, (_each, index) => {
      const rules = { feeEnabled: dice[1] < 0.5, deadlineMs, orderInGroup: index }
      return marketSpec(first + 1 + index, rules)
    })
    this.#ends(changes.createGroup(group, children))
  }

  /** Resolves a group: one of its children wins. */
  crown({ dice }: Step): void {
    const { changes } = this.#life
    const group = this.#pick(dice[0], ({ market, status }) => {
      return market.kind === 'group' && status !== 'RESOLVED'
    })
    if (group === undefined) return
    const winner = group.children[Math.floor(dice[1] * group.children.length)]
    this.#ends(changes.resolveGroup(group, winner.market.slug))
  }

  /** Edits the description of a market, whatever its status is. */
  amend({ dice }: Step): void {
    const market = this.#pick(dice[0], () => true)
    if (market === undefined) return
    const words = { title: `Title ${Math.floor(dice[1] * 100)}`, tags: ['new'] }
    const change = dice[1] < 0.5 ? words : { dailyRewardRaw: 1_000_000, categories: ['Weather'] }
    this.#ends(this.#life.changes.edit(market, change))
  }

  lock({ dice }: Step): void {
    const market = this.#pick(dice[0], ({ status }) => status !== 'LOCKED')
    if (market !== undefined) this.#ends(this.#life.changes.lock(market))
  }

  unlock({ dice }: Step): void {
    const market = this.#pick(dice[0], ({ status }) => status === 'LOCKED')
    if (market !== undefined) this.#ends(this.#life.changes.unlock(market))
  }

  flag({ dice }: Step): void {
    const market = this.#pick(dice[0], () => true)
    if (market !== undefined) this.#ends(this.#life.changes.flag(market, dice[1] < 0.5))
  }

  /** Makes a series of one-minute or five-minute slots. */
  series({ dice }: Step): void {
    const { all } = this.#life.model.venue.series
    if (all.filter(({ isEnded }) => !isEnded).length >= SERIES_MAX) return
    const symbol = SYMBOLS[Math.floor(dice[0] * SYMBOLS.length)]
    const name = `series-${all.length + 1}`
    const spec = seriesSpec({
      symbol,
      stableSlug: `${name}-now`,
      slugPrefix: name,
      feeEnabled: dice[1] < 0.5,
      subFrequency: dice[1] < 0.8 ? 'minutes_1' : 'minutes_5',
      slotsAhead: 1 + (Math.floor(dice[0] * 7) % 3),
      ...(dice[1] < 0.3 ? { takerDelayMs: 700 } : {}),
    })
    this.#ends(this.#life.series.create(spec, 0))
  }

  retire({ dice }: Step): void {
    const { all } = this.#life.model.venue.series
    const live = all.flatMap(({ isEnded }, index) => (isEnded ? [] : index + 1))
    const seriesId = live[Math.floor(dice[0] * live.length)]
    if (seriesId === undefined) return
    const { series } = this.#life
    // Most that would end a series change its description instead.
    const title = `Up or down, ${dice[1]}`
    this.#ends(dice[1] < 0.5 ? series.edit(seriesId, { title }) : series.end(seriesId))
  }

  /** The report for a boundary that has begun, or of the present. */
  quote({ dice }: Step): void {
    const { model, pipeline, series } = this.#life
    const nowMs = pipeline.sequencer.nowMs()
    const { boundaries, all } = model.venue.series
    const due = [...boundaries.values()].filter(({ atMs, valueE8 }) => {
      const isSilent = (atMs / MINUTE_MS) % SILENT === 0
      return atMs <= nowMs && valueE8 === null && !isSilent
    })
    const boundary = due[Math.floor(dice[0] * due.length)]
    const symbol = boundary?.symbol ?? all[0]?.symbol
    if (symbol === undefined) return
    const behindMs = dice[1] < 0.4 ? 0 : Math.floor((dice[1] - 0.4) * 10_000)
    const atMs = boundary === undefined ? nowMs - behindMs : boundary.atMs + behindMs
    const priceE8 = PRICE_E8 + Math.floor(dice[0] * 101) - 50
    const answer = series.report(symbol, atMs, priceE8)
    const known = [REJECT.OVERLOADED, REJECT.REPORT_NOT_TIMELY, REJECT.SYMBOL_UNKNOWN]
    this.#life.reportsLater(answer)
    const compare = (result: Reject | null) => {
      assert(result === null || known.includes(result), 'a report in time is taken')
    }
    this.#life.follow(answer.then(compare))
  }
}
