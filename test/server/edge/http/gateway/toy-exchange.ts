import { LIMITS } from '../../../../../engine/domain/limits.ts'
import { ROLES } from '../../../../../engine/domain/operator.ts'
import {
  admin,
  type Guarded,
  hmac,
  hmacOrSession,
  open,
} from '../../../../../server/auth/auth-scheme.ts'
import { Gateway } from '../../../../../server/edge/http/gateway/gateway.ts'
import type { GatewayOptions } from '../../../../../server/edge/http/gateway/gateway-options.ts'
import { bytes, Pending, reply } from '../../../../../server/edge/http/reply.ts'
import { type Route, rawRoute, route, type Seen } from '../../../../../server/edge/http/route.ts'
import { slug } from '../../../../../server/edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  number,
  oneOf,
  text,
} from '../../../../../server/edge/http/schema/scalars.ts'
import { list, object, optional, schemaOf } from '../../../../../server/edge/http/schema/schema.ts'
import {
  type Call,
  type Caller,
  cookieValues,
  header,
} from '../../../../../server/messages/call.ts'
import { Joined } from '../../../../../server/messages/payload.ts'
import { type Refusal, refuse } from '../../../../../server/messages/refusal.ts'

/** The services of the toy routes; a test decides by hand when a call goes on. */
export interface Toys {
  readonly placed: string[]
  /** Whether `/raw` has capacity. */
  readonly takesRaw: boolean
  /** Waits until the test lets the call go. */
  wait(): Promise<void>
}

export const echo = route({
  method: 'GET',
  path: '/markets/:slug/echo',
  auth: open(),
  rateClass: 'public',
  about: 'Gives back what it read.',
  params: { slug: slug() },
  query: {
    limit: defaulted(integer(1, 200), 50),
    ratio: optional(number(0, 1)),
    deep: optional(boolean()),
    statuses: optional(list(oneOf('LIVE', 'MATCHED'))),
    name: optional(text(20)),
  },
  reply: object({ slug: text(), query: schemaOf<object>({ type: 'object' }) }),
  means: 'What it read of the request.',
  rejects: ['MARKET_NOT_FOUND'],
  example: { params: { slug: 'btc' }, query: { limit: 5 }, reply: { slug: 'btc', query: {} } },
  handle: ({ params, query }) =>
    params.slug === 'none' ? refuse('MARKET_NOT_FOUND') : { slug: params.slug, query },
})

export const activeSlugs = route({
  method: 'GET',
  path: '/markets/active/slugs',
  auth: open(),
  rateClass: 'public',
  about: 'Slugs, encoded once.',
  reply: list(text()),
  means: 'Every slug, encoded once.',
  example: { reply: ['btc'] },
  handle: () => bytes(new TextEncoder().encode('["btc"]')),
})

const DOCUMENT = new TextEncoder().encode(JSON.stringify(['x'.repeat(400_000)]))

export const document = route({
  method: 'GET',
  path: '/document',
  auth: open(),
  rateClass: 'public',
  about: 'A long reply, encoded once.',
  reply: list(text()),
  means: 'The long text of this route.',
  example: { reply: ['x'] },
  handle: () => bytes(DOCUMENT),
})

export const wide = route({
  method: 'GET',
  path: '/wide',
  auth: open(),
  rateClass: 'public',
  about: 'A long reply, made for each caller.',
  query: { size: defaulted(integer(1, 1 << 24), 200_000) },
  reply: list(text()),
  means: 'The two texts of this caller.',
  example: { reply: ['x'] },
  handle: ({ query }) => ['é'.repeat(100_000), 'x'.repeat(query.size)],
})

const HALF = Buffer.from(`["${'é'.repeat(100_000)}","`)

export const joined = route({
  method: 'GET',
  path: '/joined',
  auth: open(),
  rateClass: 'public',
  about: 'A long reply, joined for each caller from a part of all and a text.',
  query: { size: defaulted(integer(1, 1 << 24), 200_000), fill: defaulted(text(1), 'x') },
  reply: list(text()),
  means: 'The two texts of this caller.',
  example: { reply: ['x'] },
  handle: ({ query }) => bytes(new Joined([HALF, `${query.fill.repeat(query.size)}"]`])),
})

export const health = route({
  method: 'GET',
  path: '/health',
  auth: open(),
  rateClass: 'public',
  bulkhead: 'vital',
  about: 'Always has capacity.',
  reply: object({ ok: boolean() }),
  means: 'The toys are at work.',
  example: { reply: { ok: true } },
  handle: () => ({ ok: true }),
})

export const free = route({
  method: 'DELETE',
  path: '/orders/:lot',
  auth: hmac('trading'),
  rateClass: 'trade',
  bulkhead: 'frees',
  about: 'Gives something up.',
  params: { lot: integer(1, 9) },
  reply: object({ ok: boolean() }),
  means: 'The lot is given up.',
  example: { params: { lot: 1 }, reply: { ok: true } },
  handle: () => ({ ok: true }),
})

export const slowOrder = route({
  method: 'POST',
  path: '/orders/:lot/slow',
  auth: hmac('trading'),
  rateClass: 'trade',
  about: 'Answers when the test lets it.',
  params: { lot: integer(1, 9) },
  reply: object({ done: boolean() }),
  means: 'The test let it go.',
  example: { params: { lot: 1 }, reply: { done: true } },
  handle: async (_input, { wait }: Toys) => {
    await wait()
    return { done: true }
  },
})

export const place = route({
  method: 'POST',
  path: '/orders/:lot',
  auth: hmacOrSession('trading'),
  rateClass: 'trade',
  about: 'Keeps a note.',
  params: { lot: integer(1, 9) },
  body: object({ note: text(8), count: optional(integer(0)), tags: optional(list(text(4), 0, 3)) }),
  reply: object({ by: integer(), note: text(), lot: integer() }),
  means: 'The note is kept.',
  status: 201,
  rejects: ['FEE_RATE_MISMATCH', 'TRADING_DISABLED'],
  example: {
    params: { lot: 1 },
    body: { note: 'hello' },
    reply: { by: 7, note: 'hello', lot: 1 },
  },
  handle: ({ params, body, caller }, { placed }: Toys) => {
    if (body.note === 'stale') return refuse('FEE_RATE_MISMATCH', { expectedFeeRateBps: 30 })
    if (body.note === 'later') return refuse('TRADING_DISABLED', { mode: 'disabled' })
    placed.push(body.note)
    return { by: caller.profileId, note: body.note, lot: params.lot }
  },
})

export const slow = route({
  method: 'POST',
  path: '/slow',
  auth: open(),
  rateClass: 'public',
  about: 'Answers when the test lets it.',
  reply: object({ done: boolean() }),
  means: 'The test let it go.',
  example: { reply: { done: true } },
  handle: async (_input, { wait }: Toys) => {
    await wait()
    return { done: true }
  },
})

export const rawOrder = rawRoute({
  method: 'POST',
  path: '/raw',
  auth: hmac('trading'),
  rateClass: 'trade',
  about: 'Counts the bytes of a body it does not parse.',
  body: object({ any: text() }),
  reply: object({ bytes: integer(), target: text() }),
  means: 'The bytes are counted.',
  example: { body: { any: 'x' }, reply: { bytes: 11, target: '/raw' } },
  hasCapacity: ({ takesRaw }: Toys) => takesRaw,
  handle: ({ call }) => ({ bytes: call.body.length, target: call.target }),
})

export const latePlace = rawRoute({
  method: 'POST',
  path: '/late',
  auth: hmac('trading'),
  rateClass: 'trade',
  about: 'Is settled by another part of the exchange, which must not feel a fault of the reply.',
  body: object({ any: text() }),
  reply: object({ bytes: integer() }),
  means: 'The bytes were counted elsewhere.',
  example: { body: { any: 'x' }, reply: { bytes: 11 } },
  hasCapacity: (_toys: Toys) => true,
  handle: ({ call }, { wait }) => {
    const bytes = call.body.length
    const pending = new Pending<{ bytes: number }>()
    const settle = () =>
      pending.doneBy(() => {
        if (bytes > 1000) throw new Error('bug')
        return { bytes: bytes > 100 ? 0.5 : bytes }
      })
    if (bytes === 1) settle()
    else wait().then(settle)
    return pending
  },
})

export const logIn = route({
  method: 'POST',
  path: '/auth/login',
  auth: open(),
  rateClass: 'auth',
  about: 'Sets two cookies.',
  body: object({ client: optional(oneOf('eoa')) }),
  others: { 207: 'Both cookies are set.' },
  reply: object({ ok: boolean() }),
  means: 'Never sent by this toy.',
  example: { reply: { ok: true } },
  handle: () =>
    reply(207, { ok: true }, [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]),
})

export const broken = route({
  method: 'GET',
  path: '/broken',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Has a bug.',
  query: { late: optional(boolean()), wrong: optional(boolean()) },
  reply: object({ ok: boolean() }),
  means: 'Never sent by this toy.',
  example: { reply: { ok: true } },
  handle: ({ query }) => {
    if (query.late === true) return Promise.reject(new Error('bug'))
    if (query.wrong === true) return refuse('SLUG_TAKEN')
    throw new Error('bug')
  },
})

export const TOY_ROUTES: readonly Route<Toys>[] = [
  echo,
  activeSlugs,
  document,
  wide,
  joined,
  health,
  free,
  slowOrder,
  place,
  slow,
  rawOrder,
  latePlace,
  logIn,
  broken,
]

/** Proves a caller by a plain word, so that the tests are easy to read. */
type Proof = Caller | Refusal | null

function authenticate(call: Call, auth: Guarded): Proof | Promise<Proof> {
  const base = { profileId: 7, account: '0xabc', scopes: new Set(['trading']), tokenId: null }
  if (cookieValues(call, 'session')[0] === 'alice') return { ...base, via: 'session' }
  const key = header(call, 'svc-api-key')
  if (key === '' && auth.welcomes !== undefined) return null
  if (key === 'bob') return { ...base, profileId: 8, via: 'hmac' }
  if (key === 'alice') return Promise.resolve({ ...base, via: 'hmac' as const })
  if (key === 'reader') return refuse('SCOPE_MISSING_TRADING')
  for (const role of ROLES) {
    if (header(call, 'authorization') !== `Bearer ${role}`) continue
    return { ...base, via: 'admin', operator: { name: role, role, rateKey: 0 } }
  }
  return refuse(auth.accepts[0].scheme === 'admin' ? 'ADMIN_TOKEN_INVALID' : 'API_KEY_INVALID')
}

export interface ToyExchange {
  readonly port: number
  readonly url: string
  readonly gateway: Gateway<Toys>
  readonly placed: string[]
  readonly faults: unknown[]
  readonly seen: Seen[]
  /** Lets every waiting call of `/slow` go. */
  release(): void
  /** Resolves when `count` calls wait in `/slow`. */
  waiting(count: number): Promise<void>
  /** Resolves when `count` requests have ended. */
  ended(count: number): Promise<void>
}

export async function startToys(options: Partial<GatewayOptions<Toys>> = {}): Promise<ToyExchange> {
  const placed: string[] = []
  const faults: unknown[] = []
  const seen: Seen[] = []
  const gates: (() => void)[] = []
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const look of watchers) look()
  }
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (holds()) resolve()
      }
      watchers.add(look)
      look()
    })
  const wait = () =>
    new Promise<void>((resolve) => {
      gates.push(resolve)
      changed()
    })
  const gateway = new Gateway<Toys>({
    routes: TOY_ROUTES,
    services: { placed, wait, takesRaw: true },
    authenticate,
    ownerOfCall: (_call, caller) => caller.profileId,
    onFault: (error) => `fault-${faults.push(error)}`,
    observe: (round) => {
      seen.push(round)
      changed()
    },
    verifyReplies: true,
    ...options,
  })
  const port = await gateway.listen('127.0.0.1', 0)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    gateway,
    placed,
    faults,
    seen,
    release: () => {
      for (const open of gates.splice(0)) open()
    },
    waiting: (count) => until(() => gates.length >= count),
    ended: (count) => until(() => seen.length >= count),
  }
}

export const BODY_MAX = LIMITS.bodyBytesMax
