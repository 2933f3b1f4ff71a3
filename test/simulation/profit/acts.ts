import { textAt } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import { type OrderRequest, orderBody } from '../../support/live-orders.ts'
import { unsignedBody } from '../../support/live-partners.ts'
import type { Reply } from '../../support/replies.ts'
import type { Act, Colluder } from './plan.ts'
import { idAt, publishEvents, type Table, UNIT, winnerOf } from './table.ts'

// Carries out one act by calls of the API, as its owner would. A refusal is an answer like another:
// the act then did nothing.

const SIZE_RAW = 50_000 * UNIT
const STAKE_RAW = 70 * UNIT
const OFFER_RAW = 100 * UNIT
const POOL_SPEND_RAW = 1000 * UNIT
const STEP_RAW = 1000

type Order = OrderRequest & { readonly orderType: 'GTC' | 'FAK' }

class Player {
  readonly #live: LiveExchange
  readonly #table: Table

  constructor(live: LiveExchange, table: Table) {
    this.#live = live
    this.#table = table
  }

  call(who: Colluder, method: string, path: string, body?: object): Promise<Reply> {
    const trader = this.#table.traders[who]
    const headers = { 'x-on-behalf-of': String(trader.profileId) }
    return this.#live.call(trader, method, path, body, who === 'sub' ? { headers } : {})
  }

  freeRaw(trader: Trader): number {
    return this.#live.exchange.pipeline.clearing.ledger.freeRaw(trader.profileId)
  }

  sharesRaw(who: Colluder, act: Act, outcome: number): number {
    const { clearing, published } = this.#live.exchange.pipeline
    const market = published.bySlug(this.#table.markets[act.market].slug)
    if (market === undefined) return 0
    const { profileId } = this.#table.traders[who]
    return Math.max(0, clearing.ledger.freeSharesRaw(profileId, market.market.marketId, outcome))
  }

  async order(
    who: Colluder,
    { market: index }: Act,
    { orderType, ...wanted }: Order,
  ): Promise<void> {
    const { traders, markets } = this.#table
    const market = markets[index]
    const body =
      who === 'sub'
        ? unsignedBody(traders.pat, traders.sub.profileId, market, wanted)
        : orderBody(traders[who], market, wanted)
    const reply = await this.call(who, 'POST', '/orders', { ...body, orderType })
    const trade = idAt(reply, 'execution', 'tradeEventId')
    if (trade !== '') this.#table.newestTrade = trade
  }

  async withdraw(who: Colluder, part: number): Promise<void> {
    const trader = this.#table.traders[who]
    const raw = Math.floor(this.freeRaw(trader) * part)
    if (raw <= 0) return
    const destination = who === 'sub' ? {} : { destination: trader.account }
    const body = { amount: String(raw), ...destination }
    const { status } = await this.call(who, 'POST', '/portfolio/withdraw', body)
    if (status < 300) this.#table.withdrawnRaw += raw
  }

  /** The partner takes what its sub-account has, which signs for itself. */
  async takeFromKim(part: number): Promise<void> {
    const { traders, kim } = this.#table
    const amount = String(Math.max(1, Math.floor(this.freeRaw(kim) * part)))
    const headers = { 'x-on-behalf-of': String(kim.profileId) }
    const path = '/portfolio/withdraw'
    const reply = await this.#live.call(traders.pat, 'POST', path, { amount }, { headers })
    if (reply.status < 300) this.#table.withdrawnRaw += Number(amount)
  }

  /** One quote, and as many packs of it as the exchange makes. */
  async pack(who: Colluder, act: Act): Promise<void> {
    const legs = this.#legs(act)
    const stake = String(Math.max(UNIT, Math.floor(STAKE_RAW * act.part)))
    const quoted = await this.call(who, 'POST', '/parlay/quote', { legs, stake })
    const quoteId = idAt(quoted, 'quoteId')
    if (quoteId === '') return
    for (const idempotencyKey of ['first', 'second']) {
      await this.call(who, 'POST', '/parlay/create', { quoteId, legs, stake, idempotencyKey })
    }
  }

  /** Once the winners are published, the outcomes that win. */
  #legs({ market, second, outcome }: Act) {
    return [market, second].map((index) => ({
      marketSlug: this.#table.markets[index].slug,
      outcomeIndex: this.#table.isPublished ? winnerOf(this.#table, index) : outcome,
    }))
  }

  async offer(who: Colluder, act: Act): Promise<void> {
    const { other, ticks, part } = act
    const legs = this.#legs(act)
    const stakeMax = Math.max(UNIT, Math.floor((OFFER_RAW * ticks) / 1000))
    const body = { legs, stakeMax: String(stakeMax), payout: String(OFFER_RAW + 1) }
    const made = await this.call(who, 'POST', '/parlay/offers', body)
    if (made.status >= 300) return
    const stake = String(Math.max(1, Math.floor(stakeMax * part)))
    await this.call(other, 'POST', `/parlay/offers/${textAt(made.body, 'id')}/accept`, { stake })
  }

  async pool(who: Colluder, { kind, outcome: outcomeIndex, part }: Act): Promise<void> {
    const { pool } = this.#table
    const market = pool.slug
    const raw = String(Math.max(1, Math.floor(POOL_SPEND_RAW * part)))
    const side = kind === 'poolBuy' ? 'BUY' : 'SELL'
    await this.call(who, 'POST', '/amm/allowances/approve', { market, side })
    const body = { market, outcomeIndex, slippageBps: 1000 }
    if (side === 'BUY') {
      await this.call(who, 'POST', '/amm/buy', { ...body, collateralAmount: raw })
    } else await this.call(who, 'POST', '/amm/sell', { ...body, collateralReturnAmount: raw })
  }

  /** Once the winners are published, outcome 0 of an act is the winner. */
  outcomeOf({ market, outcome }: Act): 0 | 1 {
    if (!this.#table.isPublished) return outcome
    const winner = winnerOf(this.#table, market)
    return outcome === 0 ? winner : winner === 0 ? 1 : 0
  }
}

const sizeOf = (part: number) =>
  Math.max(STEP_RAW, Math.floor((SIZE_RAW * part) / STEP_RAW) * STEP_RAW)

/** An ask at a price is a bid for the other outcome. */
const requested = (outcome: 0 | 1, ticks: number) =>
  ({ outcome: outcome === 0 ? 1 : 0, ticks: 1000 - ticks }) as const

export async function carryOut(live: LiveExchange, table: Table, act: Act): Promise<void> {
  const player = new Player(live, table)
  const { kind, who, other, ticks, part } = act
  const outcome = player.outcomeOf(act)
  const sizeRaw = sizeOf(part)
  const condition = { conditionId: table.markets[act.market].conditionId }
  switch (kind) {
    case 'trade':
      await player.order(who, act, { ...requested(outcome, ticks), sizeRaw, orderType: 'GTC' })
      return player.order(other, act, { outcome, ticks, sizeRaw, orderType: 'FAK' })
    case 'ask':
      return player.order(who, act, { ...requested(outcome, ticks), sizeRaw, orderType: 'GTC' })
    case 'take':
      return player.order(who, act, { outcome, ticks, sizeRaw, orderType: 'FAK' })
    case 'sell': {
      const held = player.sharesRaw(who, act, outcome)
      const most = Math.floor((held * part) / STEP_RAW) * STEP_RAW
      if (most === 0) return
      return player.order(who, act, {
        side: 'sell',
        outcome,
        ticks,
        sizeRaw: most,
        orderType: 'FAK',
      })
    }
    case 'cancel':
      await player.call(who, 'DELETE', '/orders/all')
      return
    case 'split':
      await player.call(who, 'POST', '/portfolio/split', { ...condition, amount: String(sizeRaw) })
      return
    case 'merge': {
      const pairs = [0, 1].map((each) => player.sharesRaw(who, act, each))
      const amount = Math.min(...pairs)
      if (amount === 0) return
      await player.call(who, 'POST', '/portfolio/merge', { ...condition, amount: String(amount) })
      return
    }
    case 'poolBuy':
    case 'poolSell':
      return player.pool(who, act)
    case 'pack':
      return player.pack(who, act)
    case 'offer':
      return player.offer(who, act)
    case 'withdraw':
      return player.withdraw(who, part)
    case 'actFor':
      return player.takeFromKim(part)
    case 'publish':
      return publishEvents(live, table)
    case 'nothing':
      return
  }
}
