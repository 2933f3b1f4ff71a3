import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN } from '../support/server-process.ts'
import type { Actor } from './actors.ts'
import { parsed, textsIn } from './answers.ts'
import { learnPacks } from './packs.ts'
import type { Plan } from './plan.ts'
import { actorOf, isOwners, type Live, type Setting } from './setting.ts'
import type { Answer } from './socket.ts'
import type { Role, Speaker } from './speaker.ts'

// What the fuzz learns from answers: names for later requests, and texts that no reply may show.

const POOL_MAX = 64
const LIVE_MAX = 24
const SECRET_CHARACTERS_MIN = 20
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MADE_CHILD = 'POST /profiles/partner-accounts'
const CANCEL_ALL = new Set(['DELETE /orders/all/:slug', 'DELETE /sports-markets/:slug/user-orders'])
const NAMED_OPERATOR = 'POST /admin/operators'
type Ended = 'keys' | 'pages' | 'madepages' | 'series' | 'groups' | 'spares' | 'locked' | 'unlocked'
/** Pools that lose what these routes end. */
const ENDS: ReadonlyMap<string, readonly Ended[]> = new Map<string, readonly Ended[]>([
  ['DELETE /admin/property-keys/:id', ['keys']],
  ['DELETE /admin/market-pages/:id', ['pages', 'madepages']],
  ['DELETE /admin/series/:seriesId', ['series']],
  ['POST /admin/groups/:slug/resolve', ['groups']],
  ['POST /admin/markets/:slug/resolve', ['spares', 'locked', 'unlocked']],
  ['POST /admin/markets/:slug/lock', ['unlocked']],
  ['POST /admin/markets/:slug/unlock', ['locked']],
])
const OPEN = new Set(['LIVE', 'DELAYED'])

export class Known {
  readonly always = new Set<string>([ADMIN_TOKEN])
  readonly owned = new Set<string>()
  readonly families = new Map<Role, Set<number>>()
  readonly #setting: Setting

  constructor(setting: Setting) {
    this.#setting = setting
    const { actors, pools } = setting
    for (const actor of actors.values()) {
      this.learnActor(actor)
      this.families.set(actor.role, new Set([actor.trader.profileId]))
    }
    for (const token of setting.operatorTokens) this.always.add(token)
    for (const id of pools.children) this.families.get('partner')?.add(Number(id))
    for (const id of pools.wards) this.families.get('owner')?.add(Number(id))
    for (const name of pools.clients.filter(isOwners)) this.owned.add(name)
    for (const id of pools.orders) this.owned.add(id)
  }

  /** Learns the keys of the server. */
  learnFolder(dataDir: string): void {
    for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.key'))) {
      const key = readFileSync(join(dataDir, name))
      for (const form of ['hex', 'base64', 'utf8'] as const) {
        this.always.add(key.toString(form).trim())
      }
    }
  }

  learnActor({ role, trader, weak, cookie }: Actor): void {
    const { secret, key, tokenId } = trader
    for (const each of [secret, weak.secret, cookie.slice(cookie.indexOf('=') + 1)]) {
      this.always.add(each)
    }
    this.always.add(Buffer.from(key).toString('hex'))
    if (role === 'owner') for (const id of [tokenId, weak.tokenId]) this.owned.add(id)
  }

  /** `requested` is the request as it was sent. */
  learn({ speaker, route }: Plan, requested: string, answer: Answer): void {
    if (answer.status !== 401 && answer.status !== 403) this.#forget(speaker, route, requested)
    if (answer.status < 200 || answer.status >= 300) return
    const { orders, tokens } = this.#setting.pools
    const { role, proof } = speaker
    this.#drop(role, route, requested)
    const byOwner = role === 'owner' && proof !== 'none'
    const set = answer.headers.get('set-cookie') ?? ''
    const cookie = set.split(';')[0].split('=')[1] ?? ''
    if (cookie.length >= SECRET_CHARACTERS_MIN) this.always.add(cookie)
    const body = parsed(answer)
    for (const [name, text] of textsIn(body)) {
      const isSecret = name === 'secret' || (name === 'token' && route === NAMED_OPERATOR)
      if (isSecret && text.length >= SECRET_CHARACTERS_MIN) this.always.add(text)
      if (name === 'tokenId' && UUID.test(text)) addTo(tokens, text)
      if (name === 'tokenId' && UUID.test(text) && byOwner) this.owned.add(text)
      if (name === 'id' && UUID.test(text)) addTo(orders, text)
    }
    if (proof === 'admin') this.#learnMade(route, requested, body)
    else if (proof !== 'none') learnPacks(this.#setting.packs, route, role, body)
    this.#learnOwn(role, body)
    if (route === MADE_CHILD) this.#learnChild(role, at(body, 'profileId'))
    this.#learnOrders(role, body)
  }

  /** Learns what the operator made, for its later requests to change and end. */
  #learnMade(route: string, requested: string, body: unknown): void {
    const { spares, windows, pages, madepages, paths, ...made } = this.#setting.pools
    // The operator may see any market, but later requests end only markets that it made.
    if (route === 'POST /admin/markets') {
      for (const [name, text] of textsIn(body)) if (name === 'slug') addTo(spares, text)
    }
    const id = at(body, 'id')
    if (typeof id === 'number' && at(body, 'mode') !== undefined) addTo(windows, `${id}`)
    if (typeof id === 'string') {
      if (route === 'POST /admin/market-pages')
        for (const pool of [pages, madepages]) addTo(pool, id)
      if (route === 'POST /admin/property-keys') addTo(made.keys, id)
      if (route === 'POST /admin/packs') addTo(this.#setting.packs.madeCurated, id)
    }
    const group = at(body, 'slug')
    if (route === 'POST /admin/groups' && typeof group === 'string') addTo(made.groups, group)
    const seriesId = at(body, 'seriesId')
    if (route === 'POST /admin/series') addTo(made.series, `${seriesId}`)
    const path = at(body, 'fullPath')
    if (typeof path === 'string') addTo(paths, path)
    const locked = /^POST \/admin\/markets\/([^/ ]+)\/lock /.exec(requested)?.[1]
    if (locked !== undefined) addTo(made.locked, locked)
  }

  /** Learns what belongs to the caller alone. */
  #learnOwn(role: Role, body: unknown): void {
    const bookmarkId = at(body, 'bookmarkId')
    const own = this.#setting.bookmarks.get(role)
    if (typeof bookmarkId === 'number' && own !== undefined) addTo(own, `${bookmarkId}`)
    const orderGroupId = at(body, 'orderGroupId')
    const groups = this.#setting.orderGroups.get(role)
    if (typeof orderGroupId === 'number' && groups !== undefined) {
      addTo(groups, `${orderGroupId}`)
    }
    const address = at(body, 'destinationAddress')
    const addresses = this.#setting.listed.get(role)
    if (typeof address === 'string' && addresses !== undefined) addTo(addresses, address)
  }

  /** What a request ended is no longer there for others. */
  #drop(role: Role, route: string, requested: string): void {
    const { pools, bookmarks, orderGroups, listed } = this.#setting
    const [method, path = ''] = requested.split(' ', 2)
    if (!route.startsWith(`${method} `)) return
    const segments = path.split('?')[0].split('/')
    const place = route
      .split(' ')[1]
      .split('/')
      .findIndex((segment) => segment.startsWith(':'))
    const ended = segments.at(place) ?? ''
    const from = (ENDS.get(route) ?? []).map((name) => pools[name])
    const isBookmark = route.startsWith('DELETE /market-bookmarks/')
    const isListed = route.startsWith('DELETE /portfolio/withdrawal-addresses/')
    const isGroup = route.startsWith('DELETE /order-groups/')
    const own = [
      isBookmark ? bookmarks.get(role) : [],
      isGroup ? orderGroups.get(role) : [],
      isListed ? listed.get(role) : [],
    ]
    for (const pool of [...from, ...own]) {
      const found = pool?.indexOf(ended) ?? -1
      if (found !== -1) pool?.splice(found, 1)
    }
  }

  /** An order that a cancel names is gone from then on, or was gone before. */
  #forget({ role }: Speaker, route: string, requested: string): void {
    const isAll = CANCEL_ALL.has(route)
    const isCancel = isAll || route.startsWith('DELETE /orders/') || route.includes('cancel')
    if (!isCancel) return
    const { live, childLive } = this.#setting
    for (const own of [live.get(role), childLive.get(role)]) {
      for (const pool of own === undefined ? [] : [own.orders, own.clients]) {
        const kept = isAll ? [] : pool.filter((id) => !requested.includes(id))
        pool.splice(0, pool.length, ...kept)
      }
    }
  }

  /** Only the partner and the owner make sub-accounts. */
  #learnChild(role: Role, profileId: unknown): void {
    if ((role !== 'partner' && role !== 'owner') || typeof profileId !== 'number') return
    const { children, wards } = this.#setting.pools
    this.families.get(role)?.add(profileId)
    addTo(role === 'owner' ? wards : children, `${profileId}`)
  }

  /** The caller may cancel its open orders. The owner's orders in the quiet market are secret. */
  #learnOrders(role: Role, body: unknown): void {
    const { live, childLive, quiet, actors, pools } = this.#setting
    if (!actors.has(role)) return
    const { profileId } = actorOf(actors, role).trader
    const [child] = role === 'owner' ? pools.wards : pools.children
    for (const order of ordersIn(body)) {
      const id = at(order, 'id')
      const name = at(order, 'clientOrderId')
      if (typeof id !== 'string') continue
      if (role === 'owner' && at(order, 'marketId') === quiet.id) this.owned.add(id)
      if (!OPEN.has(String(at(order, 'status')))) continue
      const ownerId = at(order, 'ownerId')
      const whose = ownerId === profileId ? live : ownerId === Number(child) ? childLive : null
      if (whose === null) continue
      const own: Live = whose.get(role) ?? { orders: [], clients: [] }
      whose.set(role, own)
      renew(own.orders, id)
      if (typeof name === 'string') renew(own.clients, name)
    }
  }
}

/** Every `order` in a body, at any depth. */
function ordersIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'order' ? [each] : ordersIn(each),
  )
}

function addTo(pool: string[], text: string): void {
  if (pool.length < POOL_MAX && !pool.includes(text)) pool.push(text)
}

/** Keeps the newest: the oldest orders are more likely to be gone. */
function renew(pool: string[], text: string): void {
  if (pool.includes(text)) return
  pool.push(text)
  if (pool.length > LIVE_MAX) pool.shift()
}
