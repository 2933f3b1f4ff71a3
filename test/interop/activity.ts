import { actorOf, type Setting } from '../fuzz/setting.ts'
import type { ExchangeClient } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'

// What happens on an exchange while a driver listens: prices of the oracle, scores of matches,
// orders of others, trades with the pool, and markets that begin and end. A refusal is no failure
// here: a driver may act as the operator, and a step that misses its frame fails anyway.

const SHARE = 1_000_000
const PAUSE_MS = 250
const ESPORTS_FIXTURE = 77

export const POOL = 'fuzz-pool'
export const ESPORTS_MATCH = 'interop-final'
export const CATEGORY = 'Weather'
const ESPORTS_MARKET = 'interop-final-winner'
export const SERIES = 'interop-week'

export class Activity {
  readonly #client: ExchangeClient
  readonly #setting: Setting
  #isOver = false
  #endPause: () => void = () => {}

  constructor(client: ExchangeClient, setting: Setting) {
    this.#client = client
    this.#setting = setting
  }

  /**
   * Makes what the setting does not have: a market with a category, a match of esports, and a slot
   * that trades for longer than a driver is built and runs.
   */
  async prepare(): Promise<void> {
    const week = { symbol: 'BTC', frequency: 'weekly', slotsAhead: 1, strikePrice: '95000' }
    const about = { title: 'Bitcoin this week', assetName: 'Bitcoin' }
    const slugs = { stableSlug: SERIES, slugPrefix: SERIES }
    await this.#client.admin('/admin/series', { ...week, ...about, ...slugs })
    const market = { kind: 'clob', slug: 'interop-weather', title: 'Will it rain?' }
    await this.#client.admin('/admin/markets', { ...market, categories: [CATEGORY] })
    await this.#client.makeMarket(ESPORTS_MARKET, false)
    const final = { title: 'Final', sportType: 'esports', esportType: 'cs2', startsAt: 0 }
    const sides = { home: { name: 'Reds' }, away: { name: 'Blues' } }
    const markets = [{ slug: ESPORTS_MARKET, esportsPropType: 'map_winner' }]
    const body = { ...final, ...sides, fixtureId: ESPORTS_FIXTURE, markets }
    await this.#client.admin(`/admin/sports/matches/${ESPORTS_MATCH}`, body, 'PUT')
  }

  /** Repeats everything until `end`. */
  async run(): Promise<void> {
    for (let round = 1; !this.#isOver; round++) {
      await this.#prices(round)
      await this.#scores(round)
      await this.#orders(round)
      await this.#poolTrade(round)
      await this.#markets(round)
      await this.#pause()
    }
  }

  end(): void {
    this.#isOver = true
    this.#endPause()
  }

  async #prices(round: number): Promise<void> {
    const reports = [{ symbol: 'BTC', price: `${95_000 + (round % 100)}` }]
    await this.#client.adminReply('/admin/oracle/prices', { reports })
  }

  async #scores(round: number): Promise<void> {
    const event = { eventId: `interop-${round}`, fixtureId: 1, sequence: round }
    const sport = { ...event, sportType: 'football', homeScore: round, awayScore: 0 }
    const named = { ...event, eventId: `final-${round}`, fixtureId: ESPORTS_FIXTURE }
    const matchScore = { home: round % 2, away: 0 }
    const esport = { ...named, sportType: 'esports', matchScore }
    await this.#client.adminReply('/admin/sports/scores', { events: [sport, esport] })
  }

  /** The stranger bids and cancels: the book of the market changes. */
  async #orders(round: number): Promise<void> {
    const { actors, markets } = this.#setting
    const { trader } = actorOf(actors, 'stranger')
    const market = markets[1]
    const common = { isBuy: true, outcome: 'yes', type: 'GTC' } as const
    const salt = 2 ** 43 + round
    const size = { ticks: 100 + (round % 50), sizeRaw: SHARE }
    const { body } = await this.#client.place(trader, market, { ...common, ...size, salt })
    await this.#client.call(trader, 'DELETE', `/orders/${at(body, 'order', 'id')}`)
  }

  async #poolTrade(round: number): Promise<void> {
    const { trader } = actorOf(this.#setting.actors, 'partner')
    const collateralAmount = `${SHARE + round}`
    const body = JSON.stringify({ market: POOL, outcomeIndex: round % 2, collateralAmount })
    // The block of the previous trade may not have come yet.
    await this.#client.call(trader, 'POST', '/amm/buy', body)
  }

  async #markets(round: number): Promise<void> {
    const slug = `interop-brief-${round}`
    await this.#client.adminReply('/admin/markets', { kind: 'clob', slug, title: 'Brief' })
    const outcome = { winningOutcomeIndex: round % 2 }
    await this.#client.adminReply(`/admin/markets/${slug}/resolve`, outcome)
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
      if (this.#isOver) this.#endPause()
    })
  }
}
