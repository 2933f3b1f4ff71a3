// Everything that moves by itself in a demo: prices, matches, quotes, trades and packs.

import { MARKET_STATUSES, takesOrders } from '../../engine/domain/markets/market.ts'
import { boolean, oneOf, text } from '../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../edge/http/schema/schema.ts'
import { DemoClient, type DemoMarket, type DemoTrader } from './demo-client.ts'
import { PERSON_FUNDS_RAW } from './demo-company.ts'
import { BOT_FUNDS_RAW, slugsOf } from './demo-fill.ts'
import type { Filling } from './demo-profiles.ts'
import { FIRST_PRICES, GROUP, MARKETS, POOL, SERIES } from './demo-text.ts'
import type { OwnServer } from './own-server.ts'
import { pick } from './play/chance.ts'
import { startCrowd } from './play/crowd.ts'
import { startMarketMaker } from './play/market-maker.ts'
import { startMatchPlay } from './play/match-play.ts'
import { startPackMaker } from './play/pack-maker.ts'
import { startPackTrader } from './play/pack-trader.ts'
import { startPoolTrader } from './play/pool-trader.ts'
import { startPriceWalk } from './play/price-walk.ts'
import { startPurseKeeper } from './play/purse.ts'
import { type BotOptions, startRounds } from './play/rounds.ts'

export interface Play {
  /** Resolves when every book has its first quotes. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

export interface PlayOptions extends BotOptions {
  readonly filling: Filling
  /** The maker and the taker. */
  readonly bots: readonly DemoTrader[]
  /** Creates or finds the people; none when the demo is stopped before. */
  readonly people: () => Promise<readonly DemoClient[]>
}

const AGAIN_MS = 5000

const status = () => oneOf(...MARKET_STATUSES)

const knownGroup = compile(
  openObject({ markets: list(openObject({ slug: text(), status: status() })) }),
)

const knownMarket = compile(
  openObject({
    slug: text(),
    status: status(),
    tokens: openObject({ yes: text(), no: text() }),
    venue: openObject({ exchange: text() }),
    metadata: openObject({ fee: boolean() }),
    automationType: text(),
  }),
)

/** Null when the market does not exist or accepts no orders. */
async function readOpen(server: OwnServer, path: string): Promise<DemoMarket | null> {
  const { body: market } = await server.call('GET', `/markets/${path}`, {})
  if (!knownMarket.holds(market) || !takesOrders(market.status)) return null
  const { slug, tokens, venue, metadata } = market
  const pair = [tokens.yes, tokens.no] as const
  const isSlot = market.automationType === 'lumy'
  return { slug, tokens: pair, exchange: venue.exchange, hasFee: metadata.fee, isSlot }
}

/** The slugs that accept orders. A list shows a group as one, so its markets are read from it. */
async function openSlugs(server: OwnServer): Promise<ReadonlySet<string>> {
  const listed = await slugsOf(server)
  if (!listed.has(GROUP.slug)) return listed
  const { body: group } = await server.call('GET', `/markets/${GROUP.slug}`, {})
  const children = knownGroup.holds(group) ? group.markets : []
  const open = children.filter((child) => takesOrders(child.status)).map(({ slug }) => slug)
  return new Set([...listed, ...open])
}

/**
 * Reads the markets that trade now: the permanent ones, and a slot of each series. Operators lock,
 * resolve and unlock them while the demo runs.
 */
function tradedMarkets(server: OwnServer): () => Promise<readonly DemoMarket[]> {
  const lasting = [...MARKETS, ...GROUP.markets].map(({ slug }) => slug)
  const known = new Map<string, DemoMarket>()
  return async () => {
    const open = await openSlugs(server)
    const found: DemoMarket[] = []
    for (const slug of lasting) {
      const market = known.get(slug)
      known.delete(slug)
      const read = open.has(slug) ? (market ?? (await readOpen(server, slug))) : null
      if (read === null) continue
      known.set(slug, read)
      found.push(read)
    }
    const slots = SERIES.map(({ stableSlug }) => readOpen(server, `stable/${stableSlug}`))
    for (const slot of await Promise.all(slots)) if (slot !== null) found.push(slot)
    return found
  }
}

const isSlot = (slug: string) => SERIES.some(({ slugPrefix }) => slug.startsWith(`${slugPrefix}-`))

/** Creates the people after the first quotes, so that a start does not wait for them. */
function inviteCompany({ people, warn, audience }: PlayOptions, ready: Promise<unknown>) {
  let here: readonly DemoClient[] = []
  const invite = async () => {
    if (here.length > 0) return
    here = await people()
    if (here.length > 0) audience.whole()
  }
  const rounds = startRounds({
    name: "the demo's company",
    warn,
    audience,
    first: () => ready.then(invite),
    round: invite,
    pauseMs: () => AGAIN_MS,
    awayMs: () => AGAIN_MS,
  })
  return { rounds, here: () => here }
}

export async function startPlay(options: PlayOptions): Promise<Play> {
  const { filling, warn, audience } = options
  const bot = { warn, audience }
  const { venue, operators, adminToken } = filling
  const [maker, taker] = options.bots.map((trader) => new DemoClient(trader, venue))
  const markets = tradedMarkets(venue.server)
  const walk = startPriceWalk({ operators, adminToken, prices: FIRST_PRICES, ...bot })
  const matches = startMatchPlay({ operators, adminToken, ...bot })
  const quotes = startMarketMaker({ maker, taker, markets, ...bot })
  const { ready } = quotes
  const company = inviteCompany(options, ready)
  const anybody = () => pick(company.here()) ?? taker
  const purses = () => [
    ...[maker, taker].map((owner) => ({ owner, fundsRaw: BOT_FUNDS_RAW })),
    ...company.here().map((owner) => ({ owner, fundsRaw: PERSON_FUNDS_RAW })),
  ]
  // A demo created by an older version has no pool.
  const hasPool = async () => (await slugsOf(venue.server)).has(POOL.slug)
  const bots = [
    walk,
    matches,
    quotes,
    company.rounds,
    startCrowd({ people: company.here, markets, ...bot }),
    startPackTrader({ trader: anybody, isSlot, ready, ...bot }),
    startPackMaker({ maker, taker: anybody, isSlot, ready, ...bot }),
    startPurseKeeper({ operators, adminToken, purses, ...bot }),
    startPoolTrader({ trader: taker, market: POOL.slug, isOpen: hasPool, ...bot }),
  ]
  return {
    ready,
    async stop() {
      await Promise.all(bots.map((bot) => bot.stop()))
    },
  }
}
