// `--demo`: fills an empty data folder with a lively exchange, and keeps its books alive.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountOf } from '../auth/client-order.ts'
import { boolean, integer, text } from '../http/scalars.ts'
import { compile, list, openObject } from '../http/schema.ts'
import {
  adminCall,
  DemoClient,
  type DemoMarket,
  type DemoTrader,
  type Venue,
} from './demo-client.ts'
import { type MarketMaker, startMarketMaker } from './market-maker.ts'

const MARKETS = [
  { slug: 'rain-tomorrow', title: 'Will it rain in Lisbon tomorrow?', fee: true },
  { slug: 'btc-above-100k', title: 'Will BTC close above $100,000 this week?', fee: true },
  { slug: 'home-team-wins', title: 'Will the home team win on Saturday?', fee: false },
  { slug: 'rates-cut-in-march', title: 'Will rates be cut in March?', fee: false },
] as const
const TRADERS = 3
const TRADER_FUNDS_RAW = 10_000_000_000
const BOT_FUNDS_RAW = 1_000_000_000_000

export interface DemoOptions {
  readonly dataDir: string
  readonly baseUrl: string
  /** Known when this start made or was given it; else demo.json holds it. */
  readonly adminToken: string | null
  readonly config: {
    readonly headerPrefixes: readonly string[]
    readonly domain: { readonly name: string; readonly chainId: number }
  }
  readonly log: { warn(sentence: string): void; info(sentence: string): void }
}

const knownProfile = compile(
  openObject({ profileId: integer(1), account: text(), tokenId: text(), secret: text() }),
)
const knownMarket = compile(
  openObject({
    slug: text(),
    tokens: openObject({ yes: text(), no: text() }),
    venue: openObject({ exchange: text() }),
    metadata: openObject({ fee: boolean() }),
  }),
)
const knownTrader = openObject({
  profileId: integer(1),
  account: text(),
  privateKey: text(),
  tokenId: text(),
  secret: text(),
})
const knownDemo = compile(openObject({ adminToken: text(), traders: list(knownTrader) }))

async function makeTrader(
  venue: Venue,
  adminToken: string,
  key: Uint8Array,
  fundsRaw: number,
): Promise<DemoTrader> {
  const made = await adminCall(venue.baseUrl, adminToken, '/admin/profiles', {
    account: accountOf(key),
    rank: 'Bronze',
    apiToken: { scopes: ['trading'] },
  })
  if (!knownProfile.holds(made)) throw new Error('a new profile comes with a token')
  const { profileId, account, tokenId, secret } = made
  if (fundsRaw > 0) {
    const credit = { profileId, collateralRaw: fundsRaw }
    await adminCall(venue.baseUrl, adminToken, '/admin/balances', credit)
  }
  const privateKey = `0x${Buffer.from(key).toString('hex')}`
  return { profileId, account, privateKey, tokenId, secret }
}

async function readMarket(baseUrl: string, slug: string): Promise<DemoMarket | null> {
  const response = await fetch(`${baseUrl}/markets/${slug}`)
  const market: unknown = response.ok ? await response.json() : null
  if (!knownMarket.holds(market)) return null
  const { tokens, venue, metadata } = market
  const pair = [tokens.yes, tokens.no] as const
  return { slug, tokens: pair, exchange: venue.exchange, hasFee: metadata.fee }
}

/** Keys of the demo's own two bots follow from the admin token, so a restart finds them again. */
function botKey(adminToken: string, name: string): Buffer {
  return createHash('sha256').update(`outcomex demo ${name} ${adminToken}`).digest()
}

/** A bot's fresh token; those of earlier starts are revoked, so that they never pile up. */
async function startBot(
  venue: Venue,
  adminToken: string,
  name: string,
  isNew: boolean,
): Promise<DemoClient> {
  const key = botKey(adminToken, name)
  const trader = await makeTrader(venue, adminToken, key, isNew ? BOT_FUNDS_RAW : 0)
  const bot = new DemoClient(trader, venue)
  const tokens = await bot.call('GET', '/auth/api-tokens')
  const known = compile(list(openObject({ tokenId: text() })))
  if (!known.holds(tokens)) throw new Error('a token list is a list')
  for (const { tokenId } of tokens) {
    if (tokenId !== trader.tokenId) await bot.call('DELETE', `/auth/api-tokens/${tokenId}`)
  }
  return bot
}

async function fill(venue: Venue, adminToken: string): Promise<DemoTrader[]> {
  for (const market of MARKETS) {
    const body = { kind: 'clob', ...market, categories: ['demo'] }
    await adminCall(venue.baseUrl, adminToken, '/admin/markets', body)
  }
  const traders: DemoTrader[] = []
  for (let index = 0; index < TRADERS; index++) {
    traders.push(await makeTrader(venue, adminToken, randomBytes(32), TRADER_FUNDS_RAW))
  }
  return traders
}

function readDemo(path: string): { adminToken: string; traders: readonly DemoTrader[] } | null {
  if (!existsSync(path)) return null
  const demo: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return knownDemo.holds(demo) ? demo : null
}

async function isEmpty(baseUrl: string): Promise<boolean> {
  const slugs: unknown = await (await fetch(`${baseUrl}/markets/active/slugs`)).json()
  return Array.isArray(slugs) && slugs.length === 0
}

/** Makes or finds the demo and starts its bots; resolves when the books have their first quotes. */
export async function startDemo(options: DemoOptions): Promise<MarketMaker> {
  const { baseUrl, config, log } = options
  const path = join(options.dataDir, 'demo.json')
  const known = readDemo(path)
  const adminToken = options.adminToken ?? known?.adminToken ?? ''
  const idle = { stop: async () => {} }
  const isNew = known === null
  if (adminToken === '' || (isNew && !(await isEmpty(baseUrl)))) {
    log.warn('the data folder holds an exchange that is no demo; it is served as it is')
    return idle
  }
  const venue = { baseUrl, headerPrefix: config.headerPrefixes[0], domain: config.domain }
  const traders = known?.traders ?? (await fill(venue, adminToken))
  writeFileSync(path, `${JSON.stringify({ baseUrl, adminToken, traders }, null, 2)}\n`, {
    mode: 0o600,
  })
  const maker = await startBot(venue, adminToken, 'maker', isNew)
  const taker = await startBot(venue, adminToken, 'taker', isNew)
  const found = await Promise.all(MARKETS.map(({ slug }) => readMarket(baseUrl, slug)))
  const markets = found.flatMap((market) => (market === null ? [] : [market]))
  return startMarketMaker({ maker, taker, markets, warn: (sentence) => log.warn(sentence) })
}
