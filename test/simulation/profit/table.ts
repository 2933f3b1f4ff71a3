import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { accountOf } from '../../../server/edge/intake/order/client-order.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import type { LiveMarket } from '../../support/live-orders.ts'
import { ownWallet, serverWallet } from '../../support/live-partners.ts'
import type { Reply } from '../../support/replies.ts'
import { type Colluder, MARKETS, type MarketIndex } from './plan.ts'

// Accounts and markets of one plan under one pair of winners. Nobody else trades in these markets
// but the colluders and an honest maker, who quotes around one half and takes what is priced wrong.

export const UNIT = 1_000_000
export const FUNDS_RAW = 100_000 * UNIT
const HONEST_RAW = 200_000 * UNIT
const QUOTE = { ticks: 480, sizeRaw: 2_000 * UNIT } as const
const HONEST_SIZE_RAW = 100_000 * UNIT
/** The maker buys at these prices or better: before and after the winner is published. */
const FAIR_TICKS = 490
const KNOWN_TICKS = 980
/** In all samples that a plan can see, the rewards pay less than rounding may give. */
const DAILY_REWARD_RAW = 50_000
const MARKET_FIELDS = [
  { fee: true, rebateBps: 2500, dailyRewardRaw: DAILY_REWARD_RAW },
  {},
  {},
  { takerDelayMs: 3000 },
] as const
/** A leg of a pack closes a minute before its market. So late markets have no packs. */
const LATE_MS = 100_000
const EARLY_MS = 3_600_000
const POOL_RAW = 1_000 * UNIT
const SCOPES = ['trading', 'account_creation', 'delegated_signing', 'withdrawal'] as const

/** The winning outcomes of the markets 0 and 1. */
export type Winners = readonly [0 | 1, 0 | 1]
export const ALL_WINNERS: readonly Winners[] = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
]

export interface TradedMarket extends LiveMarket {
  readonly conditionId: string
}

export interface Table {
  readonly winners: Winners
  readonly markets: readonly TradedMarket[]
  /** When the markets close. */
  readonly deadlineMs: number
  readonly isLate: boolean
  /** A market with a pool, which pays both outcomes a half. */
  readonly pool: { readonly slug: string; readonly conditionId: string }
  readonly traders: Readonly<Record<Colluder, Trader>>
  readonly maker: Trader
  /** A sub-account of the partner that signs for itself and does nothing. */
  readonly kim: Trader
  /** The newest trade of the colluders; '' before the first. */
  newestTrade: string
  isPublished: boolean
  /** What left the exchange for addresses of the colluders. */
  withdrawnRaw: number
}

let opened = 0

export function done(reply: Reply): Reply {
  assert.ok(reply.status < 300, reply.text)
  return reply
}

async function referred(live: LiveExchange, by: Trader): Promise<Trader> {
  const key = randomBytes(32)
  const account = accountOf(key)
  const wanted = { account, scopes: SCOPES, referredBy: by.profileId }
  const made = await live.services.accounts.putProfile(wanted, SCOPES)
  assert(!(made instanceof Reject) && made.token !== null)
  const { profileId } = made.profile
  done(await live.admin('/admin/profiles', { account, rank: 'Bronze' }))
  done(await live.admin('/admin/balances', { profileId, collateralRaw: FUNDS_RAW }))
  return { key, account, profileId, ...made.token }
}

async function tradedMarket(
  live: LiveExchange,
  slug: string,
  fields: object,
): Promise<TradedMarket> {
  const market = await live.openMarket(slug, fields)
  const { body } = done(await live.send('GET', `/markets/${slug}`))
  return { ...market, conditionId: textAt(body, 'conditionId') }
}

async function openPool(live: LiveExchange, slug: string, { profileId }: Trader) {
  done(await live.admin('/admin/markets', { kind: 'amm', slug, title: slug }))
  const liquidity = { profileId, collateralRaw: POOL_RAW, hints: [1, 1] }
  done(await live.admin(`/admin/markets/${slug}/liquidity`, liquidity))
  const { body } = done(await live.send('GET', `/markets/${slug}`))
  return { slug, conditionId: textAt(body, 'conditionId') }
}

/** The winning outcome of a market. */
export function winnerOf({ winners }: Pick<Table, 'winners'>, market: MarketIndex): 0 | 1 {
  return winners[market === 1 || market === 3 ? 1 : 0]
}

export interface TableTerms {
  readonly winners: Winners
  readonly isLate: boolean
}

export async function openTable(
  live: LiveExchange,
  { winners, isLate }: TableTerms,
): Promise<Table> {
  const name = `table-${opened++}`
  const trader = () => live.trader(FUNDS_RAW, { apiToken: { scopes: SCOPES } })
  const [ann, pat, maker] = [await trader(), await trader(), await live.trader(HONEST_RAW)]
  const ben = await referred(live, ann)
  const wallet = await serverWallet(live, pat, FUNDS_RAW)
  const sub: Trader = { ...pat, profileId: wallet.profileId, account: wallet.account }
  const kim = await ownWallet(live, pat, FUNDS_RAW)
  const deadlineMs = live.nowMs() + (isLate ? LATE_MS : EARLY_MS)
  const markets: TradedMarket[] = []
  for (const [index, fields] of MARKET_FIELDS.entries()) {
    const tied = index % 2 === 0 ? { correlationKey: name } : {}
    const all = { ...fields, ...tied, deadline: deadlineMs }
    markets.push(await tradedMarket(live, `${name}-${index}`, all))
  }
  const pool = await openPool(live, `${name}-pool`, maker)
  const table: Table = {
    winners,
    isLate,
    markets,
    deadlineMs,
    pool,
    traders: { ann, ben, pat, sub },
    maker,
    kim,
    newestTrade: '',
    isPublished: false,
    withdrawnRaw: 0,
  }
  for (const index of QUOTED) {
    const market = markets[index]
    for (const outcome of [0, 1] as const) {
      done(await live.place(maker, market, { ...QUOTE, outcome }))
    }
  }
  return table
}

/** The honest maker takes what is offered for less than it is worth. */
export async function takeMispriced(live: LiveExchange, table: Table): Promise<void> {
  if (live.nowMs() >= table.deadlineMs) return
  for (const index of QUOTED) {
    const market = table.markets[index]
    for (const outcome of [0, 1] as const) {
      if (table.isPublished && winnerOf(table, index) !== outcome) continue
      const ticks = table.isPublished ? KNOWN_TICKS : FAIR_TICKS
      const wanted = { outcome, ticks, sizeRaw: HONEST_SIZE_RAW }
      done(await live.place(table.maker, market, wanted, { orderType: 'FAK' }))
    }
  }
}

/** Where the honest maker trades: a market with a taker delay has the colluders alone. */
const QUOTED = [0, 1, 2] as const

/** The winners are known; the honest maker withdraws its quotes. */
export async function publishEvents(live: LiveExchange, table: Table): Promise<void> {
  if (table.isPublished || !table.isLate) return
  table.isPublished = true
  done(await live.call(table.maker, 'DELETE', '/orders/all'))
}

/** Ends everything that is open, and resolves the markets; payouts follow with the next blocks. */
export async function resolve(live: LiveExchange, table: Table): Promise<void> {
  for (const who of ['ann', 'ben', 'pat', 'sub'] as const) {
    done(await live.call(table.traders[who], 'DELETE', `/orders/all${ofSub(table, who)}`))
  }
  for (const index of MARKETS) {
    const winningOutcomeIndex = winnerOf(table, index)
    const path = `/admin/markets/${table.markets[index].slug}/resolve`
    done(await live.admin(path, { winningOutcomeIndex }))
  }
  const halves = { payoutNumerators: [1, 1] }
  done(await live.admin(`/admin/markets/${table.pool.slug}/resolve`, halves))
}

/** The query by which the partner acts for its sub-account. */
export function ofSub({ traders }: Table, who: Colluder): string {
  return who === 'sub' ? `?onBehalfOf=${traders.sub.profileId}` : ''
}

export async function redeemAll(live: LiveExchange, table: Table): Promise<void> {
  const { traders, markets, pool } = table
  for (const who of ['ann', 'ben', 'pat', 'sub'] as const) {
    for (const { conditionId } of [...markets, pool]) {
      const behalf = who === 'sub' ? { onBehalfOf: traders.sub.profileId } : {}
      const body = { conditionId, ...behalf }
      const { status, text } = await live.call(traders[who], 'POST', '/portfolio/redeem', body)
      assert.ok(status < 300 || text.includes('NOTHING_TO_REDEEM'), text)
    }
  }
}

/** What the colluders have, and what they took out. Nobody pays a debt that is left behind. */
export function wealthRaw(live: LiveExchange, { traders, withdrawnRaw }: Table): number {
  const { ledger } = live.exchange.pipeline.clearing
  const own = Object.values(traders).map(({ profileId }) => {
    return Math.max(0, ledger.freeRaw(profileId)) + ledger.reservedRaw(profileId)
  })
  return own.reduce((sum, raw) => sum + raw, withdrawnRaw)
}

export function idAt(reply: Reply, ...path: string[]): string {
  const found = at(reply.body, ...path)
  return typeof found === 'string' ? found : ''
}
