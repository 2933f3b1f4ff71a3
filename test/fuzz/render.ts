import type { Json } from '../../server/edge/http/schema/schema.ts'
import { isOrderBody, isSigned } from '../../server/edge/intake/order/order-body.ts'
import { signedBy, signedOrder, type TestMarket } from '../support/exchange-client.ts'
import { type Actor, proofHeaders } from './actors.ts'
import { packMarks } from './packs.ts'
import type { Edit, Plan } from './plan.ts'
import { actorOf, OPEN_MARKETS, type Setting } from './setting.ts'
import { type Headers, SMUGGLES } from './smuggle.ts'
import { HOST } from './socket.ts'
import type { Role } from './speaker.ts'
import { type DocumentedMessages, talkIn } from './talk.ts'
import { BODY_TRICKS, type Bytes, PATH_TRICKS, type Parts, textOf, WIRE_TRICKS } from './tricks.ts'
import { MARK, type OrderRequest, WANTED } from './values.ts'

// Renders a plan as bytes: fills in the marks, makes the edits, and signs the call last.

export interface Rendered {
  readonly parts: Parts
  readonly bytes: Bytes
  /** The name of the trick that broke a rule of HTTP, or ''. */
  readonly wireTrick: string
  readonly pathTrick: string
}

type Tricks = Extract<Edit, { at: 'trick' }>

/** `wallet` holds the headers by which a wallet proves its address, where the plan has a wallet. */
export function render(plan: Plan, setting: Setting, wallet: Headers = []): Rendered {
  const { role, proof, flaw } = plan.speaker
  const actor = setting.actors.get(role)
  const tricks = plan.edits.filter((edit): edit is Tricks => edit.at === 'trick')
  const pools = marksOf(plan, setting)
  const path = pathOf(plan, pools)
  const pathTrick = tricks.find(({ name }) => Object.hasOwn(PATH_TRICKS, name))
  const bent = pathTrick === undefined ? path : PATH_TRICKS[pathTrick.name](path, pathTrick.number)
  const target = `${bent}${queryOf(plan, pools)}`
  const method = methodOf(plan)
  const body = tricks.reduce(
    (bytes, { name, number }) => BODY_TRICKS[name]?.(bytes, number) ?? bytes,
    bodyOf(plan, setting, actor),
  )
  const call = { method, target, body }
  const isJson = body.length > 0 || proof === 'session'
  const type: [string, string][] = isJson ? [['content-type', 'application/json']] : []
  const length: [string, string][] = body.length > 0 ? [['content-length', `${body.length}`]] : []
  const plain = [HOST, ...proofHeaders(actor, proof, flaw, call), ...wallet, ...type]
  const right = changedHeaders(plain, plan, pools)
  const headers = [...smuggled(right, plan, setting), ...length]
  const parts: Parts = { ...call, headers }
  const wire = tricks.find(({ name }) => Object.hasOwn(WIRE_TRICKS, name))
  const bytes =
    wire === undefined ? { bytes: textOf(parts) } : WIRE_TRICKS[wire.name](parts, wire.number)
  return { parts, bytes, wireTrick: wire?.name ?? '', pathTrick: pathTrick?.name ?? '' }
}

const HOUR_MS = 3_600_000

type Marks = Readonly<Record<string, readonly string[]>>

/** What the marks of this plan stand for. Operators get spare markets: they may end these alone. */
export function marksOf({ route, speaker }: Plan, setting: Setting): Marks {
  const { pools, actors, live, childLive } = setting
  const actor = actors.get(speaker.role)
  const own = live.get(speaker.role)
  const childs = childLive.get(speaker.role)
  const tokens = actor === undefined ? pools.tokens : [actor.weak.tokenId, actor.trader.tokenId]
  return {
    ...pools,
    ...packMarks(setting.packs, speaker.role),
    ...(route.includes(' /admin/') ? { markets: pools.spares } : {}),
    ...(speaker.role === 'owner' ? { children: pools.wards } : {}),
    liveorders: or(own?.orders, pools.orders),
    liveclients: or(own?.clients, pools.clients),
    childorders: or(childs?.orders, pools.orders),
    childclients: or(childs?.clients, pools.clients),
    owntokens: tokens,
    ownlisted: or(setting.listed.get(speaker.role), pools.wallets),
    ownbookmarks: setting.bookmarks.get(speaker.role) ?? [],
    owngroups: setting.orderGroups.get(speaker.role) ?? [],
    // Each actor's token and profile, at the same place.
    actortokens: [...actors.values()].map(({ trader }) => trader.tokenId),
    actorprofiles: [...actors.values()].map(({ trader }) => `${trader.profileId}`),
    ownaccount: actor === undefined ? pools.accounts : [actor.trader.account],
    later: [`${Date.now() + HOUR_MS}`],
    now: [`${Date.now()}`],
  }
}

function or(some: readonly string[] | undefined, all: readonly string[]): readonly string[] {
  return some === undefined || some.length === 0 ? all : some
}

/** Adds or changes the headers that the `smuggle` edits name. */
function smuggled(headers: Headers, { edits, speaker }: Plan, setting: Setting): Headers {
  const { actors, pools } = setting
  const other = actorOf(actors, speaker.role === 'partner' ? 'stranger' : 'partner')
  const [ward = ''] = pools.wards
  const [child = ''] = pools.children
  const own = actors.get(speaker.role)
  const cast = { own, other, victim: actorOf(actors, 'owner'), child, ward }
  return edits.reduce<Headers>((before, edit) => {
    if (edit.at !== 'smuggle') return before
    return SMUGGLES[edit.name](before, cast, edit.number)
  }, headers)
}

function methodOf({ route, edits }: Plan): string {
  const changed = edits.find((edit) => edit.at === 'method')
  return changed?.at === 'method' ? changed.method : route.split(' ')[0]
}

function changedHeaders(
  headers: [string, string][],
  { edits }: Plan,
  pools: Marks,
): [string, string][] {
  const changed = edits.flatMap((edit): [string, string][] =>
    edit.at === 'header' ? [[edit.name, filledText(edit.value, pools)]] : [],
  )
  const names = new Set(changed.map(([name]) => name))
  return [...headers.filter(([name]) => !names.has(name)), ...changed]
}

/** What the client of a socket sends; a plan that shrinking broke sends nothing. */
export function documentedMessages(plan: Plan, setting: Setting): DocumentedMessages {
  const stated = filled(plan.body ?? null, marksOf(plan, setting))
  return talkIn(stated) ?? { query: '', isPlain: true, hello: '', says: [], stays: false }
}

/** Text with its marks filled in. */
function filledText(text: string, pools: Marks): string {
  return text.replace(MARK, (_mark, _hash, name: string, number: string) => {
    const pool = Object.hasOwn(pools, name) ? pools[name] : []
    return pool.length === 0 ? 'none' : String(pool[Number(number) % pool.length])
  })
}

/** A number, or an object as JSON. */
function wholeOf(text: string): Json {
  return text.startsWith('{') ? JSON.parse(text) : Number(text)
}

export function filled(value: Json, pools: Marks): Json {
  if (typeof value === 'string') {
    const text = filledText(value, pools)
    return /^\{\{#[a-z]+\.\d+\}\}$/.test(value) ? wholeOf(text) : text
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: Json) => filled(each, pools))
  const entries = Object.entries(value).map(([name, each]): [string, Json] => [
    name,
    filled(each, pools),
  ])
  return Object.fromEntries(entries)
}

function pathOf({ route, params, edits }: Plan, pools: Marks): string {
  return route
    .slice(route.indexOf(' ') + 1)
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment
      const name = segment.slice(1)
      const raw = edits.find((edit) => edit.at === 'param' && edit.name === name)
      if (raw?.at === 'param') return raw.raw
      return encoded(filled(params[name], pools))
    })
    .join('/')
}

function encoded(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}

function queryOf({ query, edits }: Plan, pools: Marks): string {
  const right = Object.entries(query).flatMap(([name, given]) => {
    const value = filled(given, pools)
    // The fields of an object are parameters of their own.
    const pairs = isRecord(value) ? Object.entries(value) : [[name, value] as const]
    return pairs.flatMap(([key, stated]) => {
      const each: readonly Json[] = Array.isArray(stated) ? stated : [stated]
      return each.map((one) => `${key}=${encoded(one)}`)
    })
  })
  const wrong = edits.flatMap((edit) => (edit.at === 'query' ? [edit.pair] : []))
  const pairs = [...right, ...wrong]
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function bodyOf(plan: Plan, setting: Setting, actor: Actor | undefined): Buffer {
  if (plan.body === undefined) return Buffer.alloc(0)
  const base = filled(plan.body, marksOf(plan, setting))
  const whole = withOrders(base, setting, actor)
  const edited = plan.edits.reduce<Json>(withEdit, whole)
  return Buffer.from(JSON.stringify(plan.resigned ? resigned(edited, setting, actor) : edited))
}

function isRecord(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value with `change` applied to each object in it, innermost first. */
function mapped(value: Json, change: (fields: Readonly<Record<string, Json>>) => Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: Json) => mapped(each, change))
  const entries = Object.entries(value).map(([name, each]): [string, Json] => [
    name,
    mapped(each, change),
  ])
  return change(Object.fromEntries(entries))
}

/** Makes each wanted order an order of the actor, signed unless the server signs it. */
function withOrders(body: Json, setting: Setting, actor: Actor | undefined): Json {
  return mapped(body, (fields) => {
    const wanted = fields[WANTED]
    const { [WANTED]: _, ...extras } = fields
    if (!isRequest(wanted)) return fields
    if (actor === undefined) return extras
    return {
      ...forChild(wanted, setting, actor),
      ...orderFields(wanted, setting, actor),
      ...extras,
    }
  })
}

function isRequest(value: unknown): value is OrderRequest {
  return typeof value === 'object' && value !== null && 'sizeRaw' in value && 'salt' in value
}

/** Whether the server signs the order, for a sub-account of the partner or of the owner. */
function isDelegated({ child }: OrderRequest, { role }: Actor): boolean {
  return child >= 0 && (role === 'partner' || role === 'owner')
}

function forChild(wanted: OrderRequest, { pools }: Setting, actor: Actor): Record<string, Json> {
  const isTrespass = actor.role === 'partner' && wanted.child % 6 === 5
  const children = actor.role === 'owner' || isTrespass ? pools.wards : pools.children
  if (!isDelegated(wanted, actor)) return {}
  return { onBehalfOf: Number(children[wanted.child % children.length]) }
}

function orderFields(
  wanted: OrderRequest,
  { quiet, markets, orderGroups }: Setting,
  actor: Actor,
): Record<string, Json> {
  const { role, trader } = actor
  const market = marketOf(wanted, role, { quiet, markets })
  const { price: _, ...signed } = signedOrder(trader, market, wanted)
  const { type: orderType } = wanted
  if (isDelegated(wanted, actor)) {
    const { maker: _1, signer: _2, signature: _3, feeRateBps: _4, ...order } = signed
    return { order, orderType, marketSlug: market.slug }
  }
  const fields = { order: signed, ownerId: trader.profileId, orderType, marketSlug: market.slug }
  const group = orderGroups.get(role)?.at(-1)
  const joins = wanted.salt % 3 === 0 && group !== undefined
  return joins ? { ...fields, orderGroupId: Number(group) } : fields
}

/** The owner sometimes trades in the quiet market, where nobody else trades. */
function marketOf(
  { market }: OrderRequest,
  role: Role,
  { quiet, markets }: Pick<Setting, 'quiet' | 'markets'>,
): TestMarket {
  if (role === 'owner' && market % 8 === 0) return quiet
  return market % 10 === 9 ? markets[market % markets.length] : markets[market % OPEN_MARKETS]
}

/** Signs edited orders again, where they still can be signed. */
function resigned(body: Json, { quiet, markets }: Setting, actor: Actor | undefined): Json {
  if (actor === undefined) return body
  return mapped(body, (fields) => {
    const market = [quiet, ...markets].find(({ slug }) => slug === fields.marketSlug)
    const { order } = fields
    if (market === undefined || !isRecord(order)) return fields
    if (!isOrderBody(fields) || !isSigned(fields)) return fields
    try {
      const { signature } = signedBy(actor.trader, market, fields.order)
      return { ...fields, order: { ...order, signature } }
    } catch {
      return fields
    }
  })
}

function withEdit(body: Json, edit: Edit): Json {
  if (edit.at === 'whole') return edit.value
  return edit.at === 'body' ? changed(body, edit.path, edit.value) : body
}

function changed(node: Json, path: readonly (string | number)[], value: Json | undefined): Json {
  const [name, ...rest] = path
  if (name === undefined) return value ?? null
  const entries = new Map(Object.entries(Array.isArray(node) || isRecord(node) ? node : {}))
  if (rest.length === 0 && value === undefined) entries.delete(`${name}`)
  else if (rest.length === 0) entries.set(`${name}`, value ?? null)
  else entries.set(`${name}`, changed(entries.get(`${name}`) ?? {}, rest, value))
  return Array.isArray(node) ? [...entries.values()] : Object.fromEntries(entries)
}
