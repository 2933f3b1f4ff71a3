import { inputFieldsOf, TOOLS } from '../../server/api/mcp/mcp.ts'
import { type Json, object } from '../../server/edge/http/schema/schema.ts'
import type { Random } from '../support/random.ts'
import { groupBody, MATCHES, matchBody, OPERATORS, seriesBody } from './operated.ts'
import { drawn, keywordsOf, listOf, requestOf, WANTED } from './values.ts'

// Requests that should succeed. No schema can say that exactly one of two fields is needed, or that
// an order must be the caller's own. This file says so for the routes concerned.

/** Bodies for the routes whose schema allows more than the route takes. */
const BODIES: Readonly<Record<string, (random: Random) => Json>> = {
  'POST /auth/login': () => ({ client: 'eoa' }),
  'POST /auth/api-tokens/derive': (random) => ({ label: `key ${random.below(99)}` }),
  'POST /profiles/partner-accounts': (random) => ({
    displayName: `Desk ${random.below(99)}`,
    createServerWallet: random.chance(0.7),
  }),
  'POST /orders/cancel': named,
  'POST /orders/batch-cancel': (random) => {
    const isByClient = random.chance(0.4)
    return { [isByClient ? 'clientOrderIds' : 'orderIds']: several(random, () => id(random)) }
    function id(from: Random): Json {
      return isByClient ? clientId(from) : orderId(from)
    }
  },
  'POST /mcp': toolCall,
  'POST /orders/cancel-batch': (random) => ({ orderIds: several(random, () => orderId(random)) }),
  'POST /orders/status/batch': (random) => ({ items: several(random, () => named(random)) }),
  'POST /orders/:orderId/amend': amendment,
  'POST /orders/amend/batch': (random) => ({
    operations: several(random, () => ({ order: named(random), ...amendment(random) })),
  }),
  'POST /orders/cancel-replace': replacement,
  'POST /orders/cancel-replace/batch': (random) => ({
    operations: several(random, () => replacement(random)),
  }),
  'POST /order-groups': (random): Json =>
    random.chance(0.3)
      ? { oneCancelsOther: true }
      : { maxFillRaw: raw(random, 1, 30), windowSec: random.between(1, 60) },
  'POST /admin/markets': (random) => ({
    kind: random.pick(['clob', 'clob', 'amm']),
    slug: `made-${random.below(2 ** 30)}`,
    title: 'Made while others trade',
    fee: random.chance(0.5),
  }),
  'POST /admin/operators': (random) => ({
    name: operatorName(random),
    role: random.pick(['read', 'support', 'money']),
  }),
  'POST /admin/markets/:slug/resolve': (random): Json =>
    random.chance(0.5)
      ? { winningOutcomeIndex: random.below(2) }
      : { payoutNumerators: [random.below(3), 1 + random.below(3)] },
  'POST /admin/settlement/faults': (random) => ({
    next: random.between(1, 3),
    outcome: random.pick(['RETRYING', 'FAILED']),
  }),
  // The window starts later: a window in force would leave the other requests nothing to try.
  'POST /profiles/x/connection': (random) => ({ code: `demo:fuzz_${random.below(9)}` }),
  'POST /admin/trading-modes': (random) => ({
    mode: random.pick(['post_only', 'cancel_only', 'disabled']),
    startsAt: '{{#later.0}}',
  }),
}

/** What a call names must exist and fit together. */
export interface AimedCall {
  readonly params?: Readonly<Record<string, Json>>
  readonly query?: Readonly<Record<string, Json>>
  readonly body?: Json
}

const SERIES = { symbol: 'BTC', frequency: 'minutely', subFrequency: 'minutes_5' }
const place = (random: Random) => random.below(64)
const ofKey = (random: Random): AimedCall => ({ params: { id: `{{keys.${place(random)}}}` } })
const ofPage = (random: Random): AimedCall => ({ params: { id: `{{madepages.${place(random)}}}` } })
const ofMatch = (random: Random): AimedCall => ({
  params: { slug: `match-${random.below(MATCHES)}` },
})
const ofAccount = (random: Random): AimedCall => ({
  params: { account: `{{accounts.${place(random)}}}` },
})
const ofGroup = (random: Random): AimedCall => ({
  params: { orderGroupId: `{{#owngroups.${place(random)}}}` },
})
const ofPosition = (): AimedCall => ({ params: { id: '{{ownpositions.0}}' } })
const ofSlot = (): AimedCall => ({ params: { slug: '{{slots.0}}' } })
const onPairs = (random: Random): AimedCall => ({
  body: {
    conditionId: `{{conditions.${place(random)}}}`,
    amount: parts(random),
    ...oncePerKey(random),
  },
})
const onPool = (random: Random): Readonly<Record<string, Json>> => ({
  market: random.chance(0.8) ? '{{poolmarkets.0}}' : '{{barepools.0}}',
})
const onTrade = (random: Random): Readonly<Record<string, Json>> => ({
  ...onPool(random),
  outcomeIndex: random.chance(0.8) ? 0 : 1,
  ...oncePerKey(random),
})
const onUnlocked = (random: Random): AimedCall => ({
  params: { slug: `{{unlocked.${place(random)}}}` },
})
const onApproval = (random: Random): AimedCall => ({
  body: { ...onPool(random), side: random.pick(['BUY', 'SELL']) },
})

const CALLS: Readonly<Record<string, (random: Random) => AimedCall>> = {
  'POST /portfolio/split': onPairs,
  'POST /portfolio/merge': onPairs,
  'POST /portfolio/convert': (random) => {
    const all = [0, 1, 2].map((child) => `{{childconditions.${child}}}`)
    const conditionIds = all.slice(random.below(2), random.between(2, 3))
    return { body: { conditionIds, amount: parts(random), ...oncePerKey(random) } }
  },
  'POST /portfolio/redeem': (random) => ({
    body: { conditionId: `{{paidconditions.${place(random)}}}`, ...oncePerKey(random) },
  }),
  'POST /portfolio/withdraw': (random) => ({
    body: { amount: parts(random), destination: '{{ownaccount.0}}', ...oncePerKey(random) },
  }),
  'POST /amm/allowances/approve': onApproval,
  'POST /amm/allowances/check': onApproval,
  'POST /amm/buy': (random) => ({
    body: { ...onTrade(random), collateralAmount: parts(random) },
  }),
  'POST /amm/sell': (random) => ({
    body: { ...onTrade(random), collateralReturnAmount: parts(random) },
  }),
  'POST /admin/markets/:slug/liquidity': (random) => {
    const body = { profileId: `{{#profiles.${place(random)}}}`, collateralRaw: raw(random, 1, 9) }
    if (random.chance(0.7)) return { params: { slug: '{{poolmarkets.0}}' }, body }
    const hints = [random.between(1, 9), random.between(1, 9)]
    return { params: { slug: `{{draftpools.${place(random)}}}` }, body: { ...body, hints } }
  },
  'POST /admin/markets/:slug/liquidity/remove': (random) => {
    const profileId = `{{#profiles.${place(random)}}}`
    const liquidityRaw = random.between(1, 1_000_000)
    const body: Json = random.chance(0.9) ? { profileId, liquidityRaw } : { profileId }
    return { params: { slug: '{{poolmarkets.0}}' }, body }
  },
  'DELETE /portfolio/withdrawal-addresses/:address': (random) => ({
    params: { address: `{{ownlisted.${place(random)}}}` },
  }),
  'POST /admin/markets/:slug/lock': onUnlocked,
  'PUT /admin/markets/:slug/flag': onUnlocked,
  'GET /order-groups/:orderGroupId': ofGroup,
  'POST /order-groups/:orderGroupId/reset': ofGroup,
  'DELETE /order-groups/:orderGroupId': ofGroup,
  'GET /markets/orderbooks': (random) => ({
    query: { slugs: `{{markets.${place(random)}}},{{markets.${place(random)}}}` },
  }),
  'GET /market-pages/by-path': (random) => ({ query: { path: `{{paths.${place(random)}}}` } }),
  'DELETE /admin/profiles/:profileId/tokens/:tokenId': (random) => {
    const actor = place(random)
    const params = { profileId: `{{#actorprofiles.${actor}}}`, tokenId: `{{actortokens.${actor}}}` }
    return { params }
  },
  'PUT /profiles/:account/follow': ofAccount,
  'DELETE /profiles/:account/follow': ofAccount,
  'GET /profiles/public/:account': ofAccount,
  'GET /market-bookmarks/public/:account': ofAccount,
  'PUT /market-bookmarks/:targetKind/:targetId': (random) => ({
    params: { targetKind: 'clob', targetId: `{{markets.${place(random)}}}` },
  }),
  'DELETE /market-bookmarks/:bookmarkId': (random) => ({
    params: { bookmarkId: `{{#ownbookmarks.${place(random)}}}` },
  }),
  'PATCH /market-bookmarks/visibility': (random) => ({ body: { isPublic: random.chance(0.8) } }),
  'POST /parlay/quote': (random) => ({
    body: { legs: packLegs(random), stake: units(random, 1, 20) },
  }),
  'POST /parlay/create': (random) => ({ body: `{{#quotes.${place(random)}}}` }),
  'POST /parlay/offers': (random) => {
    const stakeMax = units(random, 2, 20)
    return { body: { legs: packLegs(random), stakeMax, payout: `${3 * Number(stakeMax)}` } }
  },
  'POST /parlay/offers/:id/accept': (random) => ({
    params: { id: `{{offers.${place(random)}}}` },
    body: { stake: units(random, 1, 2) },
  }),
  'GET /parlay/packs/:id': () => ({ params: { id: '{{curated.0}}' } }),
  'POST /parlay/partner/quote': (random) => ({
    body: { packId: '{{curated.0}}', stakeAmount: units(random, 1, 20) },
  }),
  'POST /parlay/partner/buy': (random) => ({
    body: {
      packId: '{{curated.0}}',
      stakeAmount: units(random, 1, 5),
      minPayoutAmount: '1',
      deadline: '{{soon.0}}',
      idempotencyKey: `buy-${random.below(2 ** 30)}`,
    },
  }),
  'GET /parlay/partner/positions/:id': ofPosition,
  'POST /parlay/partner/positions/:id/claim': () => ({ ...ofPosition(), body: {} }),
  'POST /parlay/partner/positions/:id/claim/confirm': () => ({
    ...ofPosition(),
    body: { txHash: '{{ownclaims.0}}' },
  }),
  'POST /admin/packs': (random) => ({
    body: { name: `Fuzz ${random.below(2 ** 30)}`, legs: packLegs(random) },
  }),
  'DELETE /admin/packs/:id': (random) => ({
    params: { id: `{{madecurated.${place(random)}}}` },
  }),
  'DELETE /parlay/offers/:id': (random) => ({
    params: { id: `{{ownoffers.${place(random)}}}` },
  }),
  'GET /assets/:file': (random) => ({ params: { file: `{{assets.${place(random)}}}` } }),
  'GET /docs/:page': () => ({ params: { page: 'trading' } }),
  'GET /markets/:addressOrSlug/oracle-candles': () => ({
    params: { addressOrSlug: '{{slots.0}}' },
  }),
  'GET /markets/stable/:slug': () => ({ params: { slug: '{{stables.0}}' } }),
  'GET /markets/:slug/timeline': ofSlot,
  'GET /markets/timeline': () => ({ query: SERIES }),
  'GET /property-keys/:id': ofKey,
  'GET /property-keys/:id/options': ofKey,
  'PUT /admin/property-keys/:id': (random) => ({
    ...ofKey(random),
    body: { name: `Key ${random.below(99)}` },
  }),
  'DELETE /admin/property-keys/:id': ofKey,
  'PUT /admin/market-pages/:id': (random) => ({
    ...ofPage(random),
    body: { name: `Page ${random.below(99)}` },
  }),
  'DELETE /admin/market-pages/:id': ofPage,
  'POST /admin/groups': (random) => ({ body: groupBody(`group-${random.below(2 ** 30)}`) }),
  'POST /admin/groups/:slug/resolve': (random) => {
    const group = `{{groups.${place(random)}}}`
    return { params: { slug: group }, body: { winner: `${group}-a` } }
  },
  'POST /admin/markets/:slug/unlock': (random) => ({
    params: { slug: `{{locked.${place(random)}}}` },
  }),
  'POST /admin/series': (random) => ({ body: seriesBody(random.below(2 ** 30)) }),
  'PATCH /admin/series/:seriesId': (random) => ({
    params: { seriesId: `{{#series.${place(random)}}}` },
    body: { title: `Up or down ${random.below(9)}`, tags: ['again'] },
  }),
  'DELETE /admin/series/:seriesId': (random) => ({
    params: { seriesId: `{{#series.${place(random)}}}` },
  }),
  // Each match has a market and a fixture of its own, so that it may be put again.
  'PUT /admin/sports/matches/:slug': (random) => {
    const number = random.below(MATCHES)
    const body = matchBody(number, `{{gamemarkets.${number}}}`)
    return { params: { slug: `match-${number}` }, body }
  },
  'DELETE /admin/sports/matches/:slug': ofMatch,
  'GET /sports-markets/:slug/user-orders': ofMatch,
  'DELETE /sports-markets/:slug/user-orders': ofMatch,
  'POST /admin/sports/scores': (random) => {
    const sequence = random.below(2 ** 30) + 1
    const of = { fixtureId: random.below(MATCHES) + 1, sportType: 'football' }
    return { body: { events: [{ ...of, eventId: `${sequence}`, sequence, homeScore: 1 }] } }
  },
  'POST /admin/oracle/prices': (random) => ({
    body: { reports: [{ symbol: SERIES.symbol, price: `${1 + random.below(99_999)}` }] },
  }),
}

const packLegs = (random: Random) =>
  [0, 1].map((leg) => ({ marketSlug: `{{legs.${leg}}}`, outcomeIndex: random.below(2) }))

function units(random: Random, least: number, most: number): string {
  return `${raw(random, least, most)}`
}

function raw(random: Random, least: number, most: number): number {
  return random.between(least, most) * 1_000_000
}

/** A part of one unit in raw units: a hundred such calls do not use up what an actor holds. */
function parts(random: Random): string {
  return `${random.between(100_000, 500_000)}`
}

/** There are few keys, so that a key often names a call that was made before. */
function oncePerKey(random: Random): Readonly<Record<string, Json>> {
  return random.chance(0.2) ? { idempotencyKey: `key-${random.below(20)}` } : {}
}

export function aimedCall(route: string, random: Random): AimedCall {
  return Object.hasOwn(CALLS, route) ? CALLS[route](random) : {}
}

/** There are few names, so that a removed operator was often named before. */
export function operatorName(random: Random): Json {
  return random.pick(OPERATORS)
}

function orderId(random: Random): Json {
  return `{{liveorders.${random.below(64)}}}`
}

function clientId(random: Random): Json {
  return `{{liveclients.${random.below(64)}}}`
}

function named(random: Random): Json {
  return random.chance(0.6) ? { orderId: orderId(random) } : { clientOrderId: clientId(random) }
}

/** Orders have calls of their own, whose answers are followed up. */
const FUZZED_TOOLS = TOOLS.filter(({ route }) => !holdsOrder(route.body))

function toolCall(random: Random): Json {
  const { name, route } = random.pick(FUZZED_TOOLS)
  const given = drawn(object(inputFieldsOf(route)), '', random)
  const params = { name, arguments: given }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

function several(random: Random, one: () => Json): Json[] {
  const all = Array.from({ length: random.between(1, 3) }, one)
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
}

function amendment(random: Random): { readonly [field: string]: Json } {
  const filledSize = String(1000 * random.below(9_000))
  return random.chance(0.5)
    ? { remainingSize: String(1000 * random.below(20_000)), filledSize }
    : { replacement: { [WANTED]: { ...requestOf(random, false) } } }
}

function replacement(random: Random): Json {
  return {
    cancel: named(random),
    replacement: { [WANTED]: { ...requestOf(random, false) } },
    mode: random.pick(['STOP_ON_FAILURE', 'ALLOW_FAILURE']),
  }
}

export function aimedBody(route: string, drawn: Json, random: Random): Json {
  const make = Object.hasOwn(BODIES, route) ? BODIES[route] : undefined
  return aimed(make === undefined ? drawn : make(random), random)
}

/** Changes marks for anybody's things to marks for the caller's; orders lose their odd fields. */
export function aimed(value: Json, random: Random): Json {
  if (typeof value === 'string') {
    return value.replace('{{orders.', '{{liveorders.').replace('{{tokens.', '{{owntokens.')
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: Json) => aimed(each, random))
  const entries = Object.entries(value)
  const isOrder = entries.some(([name]) => name === WANTED)
  const kept = isOrder ? entries.filter(([name]) => !ODD_FIELDS.has(name)) : entries
  const fields = kept.map(([name, each]): [string, Json] => [name, aimed(each, random)])
  if (!isOrder) return Object.fromEntries(fields)
  return { ...Object.fromEntries(fields), ...timing(random), ...naming(random) }
}

/** Changes marks for the caller's things to marks for a sub-account's, of caller or owner. */
export function ofChild(value: Json, whose: 'child' | 'ward'): Json {
  if (typeof value === 'string') return value.replace('{{live', `{{${whose}`)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: Json) => ofChild(each, whose))
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([name, each]) => [name, ofChild(each, whose)]))
}

/** Fields of an order that are right only together with others. */
const ODD_FIELDS = new Set(['timestamp', 'recvWindow', 'onBehalfOf', 'clientOrderId', 'postOnly'])

function timing(random: Random): Record<string, Json> {
  return random.chance(0.1) ? { timestamp: '{{#now.0}}', recvWindow: 10_000 } : {}
}

function naming(random: Random): Record<string, Json> {
  return random.chance(0.4) ? { clientOrderId: `mine-${random.below(2 ** 30)}` } : {}
}

/** Whether a body schema has an order in it, at any depth. */
export function holdsOrder(schema: unknown): boolean {
  const { properties, items, anyOf } = keywordsOf(schema)
  const fields = Object.entries(keywordsOf(properties))
  if (fields.some(([name, field]) => name === 'order' && 'properties' in keywordsOf(field))) {
    return true
  }
  return [...fields.map(([, field]) => field), items, ...listOf(anyOf)].some(
    (each) => each !== undefined && holdsOrder(each),
  )
}
