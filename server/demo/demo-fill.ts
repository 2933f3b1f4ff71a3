import type { ProfileId } from '../../engine/domain/ids.ts'
import { integer, text } from '../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../edge/http/schema/schema.ts'
import { accepted, adminCall, DemoClient, type DemoTrader } from './demo-client.ts'
import { type Filling, fund, signIn } from './demo-profiles.ts'
import { FIRST_PRICES, FUNDS_RAW, GROUP, MARKETS, PAGES, PAST, POOL, SERIES } from './demo-text.ts'
import type { OwnServer } from './own-server.ts'

// The matches of a demo, and their markets.

/** Matches in play; match-play.ts updates their scores. */
export const MATCHES = [
  {
    slug: 'reds-blues',
    title: 'The derby: Reds against Blues',
    sportType: 'football',
    fixtureId: 1,
    home: { name: 'Reds' },
    away: { name: 'Blues' },
    markets: [{ slug: 'home-team-wins' }, { slug: 'derby-draw' }],
  },
  {
    slug: 'north-south',
    title: 'North against South',
    sportType: 'esports',
    esportType: 'cs2',
    fixtureId: 2,
    home: { name: 'North' },
    away: { name: 'South' },
    markets: [
      { slug: 'north-beats-south' },
      { slug: 'north-wins-map-one', esportsPropType: 'map_winner' },
      { slug: 'three-maps', esportsPropType: 'total_maps' },
    ],
  },
] as const

/** Packs that the operator of a demo curates: the markets of a pack have different topics. */
const CURATED: readonly {
  readonly name: string
  readonly yes: readonly string[]
  readonly no: readonly string[]
}[] = [
  { name: 'Rain and a rate cut', yes: ['rain-tomorrow', 'rates-cut-in-march'], no: [] },
  { name: 'A summer of records', yes: ['hottest-summer', 'marathon-record'], no: [] },
  { name: 'News of the year', yes: ['moon-landing', 'gold-record'], no: ['early-election'] },
]

/** The bodies that list the packs whose markets are all open. */
function curatedBodies(open: ReadonlySet<string>): object[] {
  return CURATED.flatMap(({ name, yes, no }) => {
    // Operators may have resolved a market since an earlier start.
    if (![...yes, ...no].every((slug) => open.has(slug))) return []
    const legsOf = (slugs: readonly string[], outcomeIndex: number) =>
      slugs.map((marketSlug) => ({ marketSlug, outcomeIndex }))
    return [{ name, legs: [...legsOf(yes, 0), ...legsOf(no, 1)] }]
  })
}

// Creates the missing parts of a demo. It may be killed between any two calls, because the next
// start repeats them.

export const TRADERS = ['trader 0', 'trader 1', 'trader 2'] as const
export const BOTS = ['maker', 'taker'] as const
const CONFLICT = 409
const PAST_PAIRS_RAW = '100000000'
const POOL_FUNDS_RAW = 10_000_000_000
const POOL_HINTS = [40, 60]
const TRADER_FUNDS_RAW = 10_000_000_000
export const BOT_FUNDS_RAW = 1_000_000_000_000

const knownFunds = compile(openObject({ balanceRaw: integer() }))

/** Leaves existing funds of the exchange unchanged. */
async function fundOnce(
  { operators, adminToken }: Filling,
  path: '/admin/rewards' | '/admin/house',
  collateralRaw: number,
): Promise<void> {
  const funds = await adminCall(operators, adminToken, path)
  if (!knownFunds.holds(funds)) throw new Error('funds are a number')
  if (funds.balanceRaw > 0) return
  await adminCall(operators, adminToken, path, { collateralRaw })
}

const knownSlugs = compile(list(openObject({ slug: text() })))

/** The slugs of the active markets. */
export async function slugsOf(server: OwnServer): Promise<ReadonlySet<string>> {
  const { body } = await server.call('GET', '/markets/active/slugs', {})
  if (!knownSlugs.holds(body)) throw new Error('active markets are a list of slugs')
  return new Set(body.map(({ slug }) => slug))
}

const knownPage = compile(openObject({ id: text() }))

async function pageIdOf(server: OwnServer, path: string): Promise<string> {
  const { body } = await server.call('GET', `/market-pages/by-path?path=${path}`, {})
  if (!knownPage.holds(body)) throw new Error(`the page ${path} was created before`)
  return body.id
}

/** Creates markets, a group, matches, series, pages, funds and packs; existing ones stay. */
export async function fillMarkets(filling: Filling): Promise<void> {
  const { venue, isStopped } = filling
  const known = await slugsOf(venue.server)
  const headers = {
    authorization: `Bearer ${filling.adminToken}`,
    'content-type': 'application/json',
  }
  const make = async (path: string, body: unknown, method = 'POST') => {
    if (isStopped()) return
    const reply = await filling.operators.call(method, path, headers, JSON.stringify(body))
    // An earlier start has created it.
    if (reply.status !== CONFLICT) accepted(reply)
  }
  for (const market of MARKETS) {
    if (!known.has(market.slug)) await make('/admin/markets', { kind: 'clob', ...market })
  }
  if (!known.has(GROUP.slug)) await make('/admin/groups', GROUP)
  for (const { slug, ...match } of MATCHES) {
    await make(`/admin/sports/matches/${slug}`, { ...match, startsAt: Date.now() }, 'PUT')
  }
  for (const series of SERIES) {
    const strikePrice = String(FIRST_PRICES[series.symbol])
    await make('/admin/series', { ...series, strikePrice })
  }
  for (const [sortOrder, { children = [], ...page }] of PAGES.entries()) {
    await make('/admin/market-pages', { ...page, sortOrder })
    if (children.length === 0 || isStopped()) continue
    const parentId = await pageIdOf(venue.server, `/${page.slug}`)
    for (const child of children) await make('/admin/market-pages', { ...child, parentId })
  }
  if (!isStopped()) await fundOnce(filling, '/admin/rewards', FUNDS_RAW.rewards)
  if (!isStopped()) await fundOnce(filling, '/admin/house', FUNDS_RAW.house)
  const open = await slugsOf(venue.server)
  for (const body of curatedBodies(open)) await make('/admin/packs', body)
}

const knownCondition = compile(openObject({ conditionId: text(), status: text() }))

/** Creates the finished market; the trader gets pairs of it before it is resolved. */
export async function fillPast(filling: Filling, trader: DemoTrader): Promise<void> {
  const { venue, operators, adminToken } = filling
  const path = `/markets/${PAST.slug}`
  await makeMarket(filling, { kind: 'clob', ...PAST })
  const { body: market } = await venue.server.call('GET', path, {})
  if (!knownCondition.holds(market)) throw new Error('the market of yesterday was created before')
  if (market.status === 'RESOLVED' || filling.isStopped()) return
  const { conditionId } = market
  const pairs = { conditionId, amount: PAST_PAIRS_RAW, idempotencyKey: `pairs of ${PAST.slug}` }
  await new DemoClient(trader, venue).call('POST', '/portfolio/split', pairs)
  const winner = { winningOutcomeIndex: 0 }
  await adminCall(operators, adminToken, `/admin${path}/resolve`, winner)
}

/** Creates and funds profiles; only for names that have not traded yet. */
async function makeFunded(
  filling: Filling,
  names: readonly string[],
  fundsRaw: number,
): Promise<DemoTrader[]> {
  const made: DemoTrader[] = []
  for (const name of names) {
    if (filling.isStopped()) return made
    const trader = await signIn(filling, name)
    await fund(filling, trader.profileId, fundsRaw)
    made.push(trader)
  }
  return made
}

export function fillTraders(filling: Filling): Promise<DemoTrader[]> {
  return makeFunded(filling, TRADERS, TRADER_FUNDS_RAW)
}

/** The first of them funds the pool. */
export async function fillBots(filling: Filling): Promise<void> {
  const [maker] = await makeFunded(filling, BOTS, BOT_FUNDS_RAW)
  if (maker !== undefined) await fillPool(filling, maker.profileId)
}

async function makeMarket(filling: Filling, spec: object): Promise<void> {
  const { operators, adminToken } = filling
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const made = await operators.call('POST', '/admin/markets', headers, JSON.stringify(spec))
  // An earlier start has created it.
  if (made.status !== CONFLICT) accepted(made)
}

/** Creates the pool market. It is a draft until it is funded, so it is never funded twice. */
async function fillPool(filling: Filling, profileId: ProfileId): Promise<void> {
  const { venue, operators, adminToken, isStopped } = filling
  if (isStopped()) return
  await makeMarket(filling, { kind: 'amm', ...POOL })
  const { body: market } = await venue.server.call('GET', `/markets/${POOL.slug}`, {})
  if (!knownCondition.holds(market)) throw new Error('the pool market was created before')
  if (market.status !== 'DRAFT' || isStopped()) return
  const given = { profileId, collateralRaw: POOL_FUNDS_RAW, hints: POOL_HINTS }
  await adminCall(operators, adminToken, `/admin/markets/${POOL.slug}/liquidity`, given)
}
