import assert from 'node:assert/strict'
import { accountOf } from '../../server/edge/intake/order/client-order.ts'
import {
  type ExchangeClient,
  keyOf,
  orderShape,
  shaped,
  type TestMarket,
} from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import type { Actor } from './actors.ts'
import { type Holder, type Holdings, holdingsOf } from './holdings.ts'
import { type Operated, operatedOf } from './operated.ts'
import { type PackSetting, packSettingOf } from './packs.ts'
import type { Role } from './speaker.ts'

// What a fresh exchange holds before the fuzz: markets in each state, sub-accounts, and resting
// orders of the owner in a market where nobody else trades.

/** The values of marks; a number past the end of a pool wraps around. */
export interface Pools extends Holdings, Operated {
  readonly markets: string[]
  /** Markets of either kind that are traded. */
  readonly tradables: readonly string[]
  readonly orders: string[]
  readonly clients: string[]
  readonly tokens: string[]
  readonly accounts: string[]
  /** Addresses that belong to nobody here. */
  readonly wallets: string[]
  readonly profiles: string[]
  /** Sub-accounts of the partner; `wards` are sub-accounts of the owner. */
  readonly children: string[]
  readonly wards: string[]
  /** Trading windows that the operator made. */
  readonly windows: string[]
  /** Slugs of the series that there always is. */
  readonly stables: string[]
  readonly slots: string[]
  /** Names of the files of the console. */
  readonly assets: string[]
  /** Ids and client order ids of what rests for the owner's sub-account. */
  readonly wardorders: string[]
  readonly wardclients: string[]
}

/** Orders of an actor that it can still cancel. */
export interface Live {
  readonly orders: string[]
  readonly clients: string[]
}

export interface Setting {
  readonly actors: ReadonlyMap<Role, Actor>
  readonly pools: Pools
  /** Fuzzed orders go to `markets`; the owner's own orders rest in `quiet`. */
  readonly markets: readonly TestMarket[]
  readonly quiet: TestMarket
  readonly live: Map<Role, Live>
  /** The same for the first sub-account of each actor. */
  readonly childLive: Map<Role, Live>
  readonly packs: PackSetting
  /** Numbers of the bookmarks of each actor. */
  readonly bookmarks: Map<Role, string[]>
  /** Order groups of each actor. */
  readonly orderGroups: ReadonlyMap<Role, string[]>
  /** Addresses that each actor listed for withdrawals. */
  readonly listed: ReadonlyMap<Role, string[]>
  readonly operatorTokens: readonly string[]
}

const SHARE = 1_000_000
const OWNERS = 'owners-own-'
const DELAY_MS = 100
/** Longer than a round may last: a held order is canceled, or the end of the round shows it. */
const HELD_MS = 60_000

export function isOwners(name: string): boolean {
  return name.startsWith(OWNERS)
}

/** Makes a sub-account with a server wallet and something to trade with. */
async function makeChild(client: ExchangeClient, partner: Actor): Promise<string> {
  const requested = JSON.stringify({ displayName: 'Child', createServerWallet: true })
  const { body } = await client.call(
    partner.trader,
    'POST',
    '/profiles/partner-accounts',
    requested,
  )
  const profileId = at(body, 'profileId')
  assert.equal(typeof profileId, 'number', JSON.stringify(body))
  await client.admin('/admin/balances', { profileId, collateralRaw: 1_000 * SHARE })
  return `${profileId}`
}

/** The first markets of the list are open for trade: nine of ten orders go there. */
export const OPEN_MARKETS = 4

async function makeMarkets(client: ExchangeClient): Promise<TestMarket[]> {
  const markets = [
    await client.makeMarket('fuzz-plain', false),
    await client.makeMarket('fuzz-fee', true),
    await client.makeMarket('fuzz-delayed', true, DELAY_MS),
    await client.makeMarket('fuzz-held', false, HELD_MS),
    await client.makeMarket('fuzz-over', false),
    await client.makeMarket('fuzz-split', true),
    await client.makeMarket('fuzz-even', false),
  ]
  return markets
}

/** What the markets pay that are resolved before the fuzz. */
const ENDING = [
  { slug: 'fuzz-over', payoutNumerators: [1, 0] },
  { slug: 'fuzz-split', payoutNumerators: [1, 2] },
  { slug: 'fuzz-even', payoutNumerators: [1, 1] },
]

/** The owner and the partner, each with its first sub-account, and the stranger. */
function holdersOf(actors: ReadonlyMap<Role, Actor>, ward: string, child: string): Holder[] {
  const own = (role: Role) => actorOf(actors, role).trader
  const [owner, partner, stranger] = [own('owner'), own('partner'), own('stranger')]
  return [
    { trader: owner, profileId: owner.profileId, tradesPools: true },
    { trader: owner, profileId: Number(ward), tradesPools: true },
    { trader: partner, profileId: partner.profileId, tradesPools: true },
    { trader: partner, profileId: Number(child), tradesPools: true },
    { trader: stranger, profileId: stranger.profileId, tradesPools: false },
  ]
}

/** Bookmarks a market for each actor, for everybody to read. */
async function bookmarksOf(
  client: ExchangeClient,
  actors: ReadonlyMap<Role, Actor>,
  slug: string,
): Promise<Map<Role, string[]>> {
  const all = new Map<Role, string[]>()
  const shown = JSON.stringify({ isPublic: true })
  for (const [role, { trader }] of actors) {
    const put = await client.call(trader, 'PUT', `/market-bookmarks/clob/${slug}`)
    all.set(role, [String(at(put.body, 'bookmarkId'))])
    await client.call(trader, 'PATCH', '/market-bookmarks/visibility', shown)
  }
  return all
}

const STABLE_SLUG = 'fuzz-now'

/** Makes a series that begins with the slot of now, and gives the slug of that slot. */
async function makeSeries(client: ExchangeClient): Promise<string> {
  await client.admin('/admin/series', {
    symbol: 'BTC',
    frequency: 'minutely',
    subFrequency: 'minutes_5',
    slotsAhead: 2,
    stableSlug: STABLE_SLUG,
    slugPrefix: 'fuzz-slot',
    strikePrice: '95000',
    title: 'Bitcoin up or down',
    assetName: 'Bitcoin',
  })
  const slot = at(await client.get(`/markets/stable/${STABLE_SLUG}`), 'slug')
  assert.ok(typeof slot === 'string', 'a series with a strike has a slot')
  return slot
}

/** Names of the files that the console loads. */
async function assetsOf({ baseUrl }: ExchangeClient): Promise<string[]> {
  const page = await (await fetch(baseUrl)).text()
  const names = [...page.matchAll(/\/assets\/([^"]+)"/g)].map(([, name]) => name)
  assert.ok(names.length > 0, 'the console has files')
  return names
}

export function actorOf(actors: ReadonlyMap<Role, Actor>, role: Role): Actor {
  const actor = actors.get(role)
  assert.ok(actor !== undefined, `a stage has a ${role}`)
  return actor
}

export async function settingOf(
  client: ExchangeClient,
  actors: ReadonlyMap<Role, Actor>,
): Promise<Setting> {
  const deadline = Date.now() + 300
  await client.admin('/admin/markets', {
    kind: 'clob',
    slug: 'fuzz-locked',
    title: 'Ends at once',
    deadline,
  })
  const quiet = await client.makeMarket('fuzz-quiet', false)
  const markets = await makeMarkets(client)
  const open = markets.slice(0, OPEN_MARKETS).map(({ slug }) => slug)
  const { pools: operated, operatorTokens } = await operatedOf(client, open)
  const slot = await makeSeries(client)
  const packs = await packSettingOf(client, actors)
  const slugs = [...markets.map(({ slug }) => slug), 'fuzz-locked']
  const traders = [...actors.values()].map(({ trader }) => trader)
  const wards = [await makeChild(client, actorOf(actors, 'owner'))]
  const children = [await makeChild(client, actorOf(actors, 'partner'))]
  const holders = holdersOf(actors, wards[0], children[0])
  const holdings = await holdingsOf(client, { holders, open, ending: ENDING })
  const pools: Pools = {
    ...holdings,
    ...operated,
    markets: [quiet.slug, ...slugs],
    tradables: [...open, ...holdings.poolmarkets],
    orders: [],
    clients: ['mine-1', 'mine-2', 'mine-3', 'mine-4'],
    tokens: traders.map(({ tokenId }) => tokenId),
    accounts: traders.map(({ account }) => account),
    wallets: [1, 2, 3, 4].map((number) => accountOf(keyOf(`fuzz address ${number}`))),
    profiles: [...traders.map(({ profileId }) => `${profileId}`), ...wards],
    children,
    wards,
    windows: [],
    stables: [STABLE_SLUG],
    slots: [slot],
    assets: await assetsOf(client),
    wardorders: [],
    wardclients: [],
  }
  const lives = { live: new Map(), childLive: new Map() }
  const bookmarks = await bookmarksOf(client, actors, quiet.slug)
  const ownLists = () => new Map([...actors.keys()].map((role): [Role, string[]] => [role, []]))
  const own = { bookmarks, orderGroups: ownLists(), listed: ownLists(), ...lives }
  const setting = { actors, pools, markets, quiet, packs, operatorTokens, ...own }
  await rest(client, setting)
  return setting
}

/** Places orders of the owner and its sub-account that stay unchanged while only others act. */
async function rest(client: ExchangeClient, { actors, pools, quiet }: Setting): Promise<void> {
  const { trader } = actorOf(actors, 'owner')
  for (const [index, outcome] of (['yes', 'no', 'yes', 'no'] as const).entries()) {
    const clientOrderId = `${OWNERS}${index}`
    const size = { ticks: 300 + index, sizeRaw: 10 * SHARE }
    const wanted = { isBuy: true, outcome, ...size, type: 'GTC', clientOrderId } as const
    const { order } = await client.placed(trader, quiet, { ...wanted, salt: 2 ** 40 + index })
    pools.orders.push(order.id)
    pools.clients.push(clientOrderId)
  }
  for (const index of [0, 1]) {
    const clientOrderId = `${OWNERS}ward-${index}`
    const reply = await client.call(
      trader,
      'POST',
      '/orders',
      JSON.stringify({
        order: {
          salt: 2 ** 41 + index,
          taker: '0x0000000000000000000000000000000000000000',
          tokenId: quiet.tokens.yes,
          makerAmount: 1_000_000,
          takerAmount: 10_000_000,
          expiration: 0,
          nonce: 0,
          side: 0,
          signatureType: 0,
        },
        orderType: 'GTC',
        marketSlug: quiet.slug,
        clientOrderId,
        onBehalfOf: Number(pools.wards[0]),
      }),
    )
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    const { id } = shaped(orderShape, reply.body).order
    for (const pool of [pools.orders, pools.wardorders]) pool.push(id)
    for (const pool of [pools.clients, pools.wardclients]) pool.push(clientOrderId)
  }
}
