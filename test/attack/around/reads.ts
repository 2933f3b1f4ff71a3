import { api } from '../../../server/api/routes.ts'
import { type FuzzRoute, nameOf } from '../../fuzz/plan.ts'
import { asks } from '../attack.ts'
import type { Ground } from '../ground.ts'
import { plain, signed } from '../requests.ts'
import type { Scene } from '../scene.ts'

// Every read that is open or needs a profile, as a request. A new route is in it by itself: its
// example says what to ask for, and the names of the scene stand for those of the example.

export interface ReadParams {
  /** Like `GET /time`. */
  readonly route: string
  /** The caller must be a profile. */
  readonly isPrivate: boolean
  readonly request: () => string
}

/** Reads that no attack makes, each with the reason. */
export const EXEMPT: ReadonlyMap<string, string> = new Map([
  ['GET /auth/verify-auth', 'it takes the cookie of a session alone, and reads nothing but that'],
])

/** Reads that find nothing in a scene, and what they say. Files have an attack of their own. */
export const NOTHING: ReadonlyMap<string, string> = new Map([
  ['GET /assets/:file', '404 PATH_NOT_FOUND'],
  ['GET /demo/traders', '404 PATH_NOT_FOUND'],
  ['GET /orders/:orderId/queue', '400 ORDER_FILLED'],
  ['GET /parlay/partner/positions/:id', '404 PACK_NOT_FOUND'],
  ['GET /profiles/partner-accounts', '403 SCOPE_MISSING'],
  ['GET /profiles/partner-accounts/:profileId/allowances', '403 SCOPE_MISSING'],
])

function isRead({ method, auth, rateClass }: FuzzRoute): boolean {
  const isOperators = auth.accepts.some(({ scheme }) => scheme === 'admin')
  return method === 'GET' && !isOperators && (rateClass !== 'admin' || auth.accepts.length === 0)
}

/** The reads that attacks must know. */
export const READS: readonly FuzzRoute[] = api.filter(isRead)

type Values = Readonly<Record<string, unknown>>

const valuesOf = (given: unknown): Values =>
  typeof given === 'object' && given !== null ? { ...given } : {}

/** What a few routes ask for in place of a market or of an example. */
function namedIn({ things, quiet }: Scene): Readonly<Record<string, Values>> {
  const { pageId, keyId, stableSlug, slotSlug, matchSlug, packId, curatedId, orderGroupId } = things
  return {
    '/orders/queue': { market: quiet.slug },
    '/order-groups/:orderGroupId': { orderGroupId },
    '/parlay/positions/:id': { id: packId },
    '/parlay/packs/:id': { id: curatedId },
    '/property-keys/:id': { id: keyId },
    '/property-keys/:id/options': { id: keyId },
    '/market-pages/:id/markets': { id: pageId, filters: [] },
    '/market-pages/by-path': { path: '/all' },
    '/markets/:addressOrSlug/oracle-candles': { addressOrSlug: slotSlug },
    '/markets/stable/:slug': { slug: stableSlug },
    '/markets/:slug/timeline': { slug: slotSlug },
    '/markets/timeline': { symbol: 'BTC', frequency: 'daily', subFrequency: [] },
    '/sports-markets/:slug/user-orders': { slug: matchSlug },
  }
}

function pathOf(route: FuzzRoute, scene: Scene): string {
  const { attacker, quiet, statusIds } = scene
  const { slug } = quiet
  const known = { slug, addressOrSlug: slug, account: attacker.account, orderId: statusIds[0] }
  const named = namedIn(scene)[route.path] ?? {}
  const params: Values = { ...valuesOf(route.example.params), ...known, ...named }
  const path = route.path.replaceAll(/:([A-Za-z0-9_]+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const query = Object.entries(valuesOf(route.example.query)).flatMap(([name, example]) => {
    const value = named[name] ?? example
    const each: readonly unknown[] = Array.isArray(value) ? value : [value]
    return each.map((one) => `${name}=${encodeURIComponent(String(one))}`)
  })
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** The requests of all reads but the exempt ones. */
export function readsIn(scene: Scene): ReadParams[] {
  return READS.filter((route) => !EXEMPT.has(nameOf(route))).map((route) => {
    const path = pathOf(route, scene)
    const isPrivate = route.auth.accepts.length > 0
    const open = plain('GET', path)
    const request = () => (isPrivate ? signed(scene.attacker, 'GET', path) : open)
    return { route: nameOf(route), isPrivate, request }
  })
}

/** Requests all reads one after the other, again and again. */
export function everyRead(isPrivate: boolean) {
  return (on: Ground): Promise<void> => {
    const reads = readsIn(on.scene).filter((read) => read.isPrivate === isPrivate)
    const { length } = reads
    return asks(on, { perSecond: 400, connections: 32 }, (cycle) => reads[cycle % length].request())
  }
}
