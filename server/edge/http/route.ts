import type { Reach } from '../../../engine/core/decide/partners.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { BulkheadName } from '../../../engine/domain/limits.ts'
import type { RejectName } from '../../../engine/domain/reject-precedence.ts'
import type { Accepted, Auth, Guarded } from '../../auth/auth-scheme.ts'
import type { OwnerOfCall } from '../../auth/delegation.ts'
import type { Call, Caller } from '../../messages/call.ts'
import type { Issue } from '../../messages/refusal.ts'
import { type Extra, invalid, Refusal } from '../../messages/refusal.ts'
import { keyIssue } from './access/idempotency-key.ts'
import { headerIssue, ON_BEHALF_HEADER, onBehalfOf } from './access/on-behalf.ts'
import type { RateClass } from './access/rate-limit.ts'
import { type Cache, NOT_KEPT, PRIVATE } from './caching/cache.ts'
import type { OwnFields } from './refusal-schemas.ts'
import { type Bytes, type Pending, type Reply, shared } from './reply.ts'
import { compilePrinted } from './schema/printed-text.ts'
import {
  type Checker,
  compile,
  compileFields,
  type Fields,
  type Infer,
  type Schema,
  type Values,
} from './schema/schema.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The same type, read-only: a handler may return data that it must not change. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T

type Settled<T> = T | Reply<T> | Bytes | Refusal
type Later<T> = Pick<Pending<T>, 'whenDone'>
/** A plain value is answered in the same event-loop tick, a promise later. */
export type Result<T> = Settled<T> | Promise<Settled<T>> | Later<Settled<T>>

type NoFields = Record<never, Schema>
type NoBody = Schema & { '~unsafe': undefined }

/** A header with its meaning and, for documents, its form. */
export interface HeaderField {
  readonly about: string
  /** Any text when absent. */
  readonly schema?: Schema
  readonly isRequired?: boolean
}

type Headers = Readonly<Record<string, string | HeaderField>>

/** A call that accepts values of a reply. */
export interface Link {
  /** Method and path of a route, as in `GET /orders/:orderId`. */
  readonly to: `${Method} /${string}`
  readonly about: string
  /** For each path parameter, a JSON pointer to its value in the reply. */
  readonly params: Readonly<Record<string, string>>
}

type Links = Readonly<Record<string, Link>>
type RefusalFields = Readonly<Partial<Record<RejectName, OwnFields>>>

interface Described<P extends Fields, Q extends Fields, B extends Schema, R extends Schema> {
  readonly method: Method
  /** `/orders/:orderId`; each `:name` has a schema in `params`. */
  readonly path: string
  readonly rateClass: RateClass
  /** The bulkhead of its calls; derived from method and rate class when absent. */
  readonly bulkhead?: 'vital' | 'frees' | 'searches'
  readonly about: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly reply: R
  /** A sentence that describes the plain reply. */
  readonly means: string
  /** Request headers that the route reads, each with its meaning. */
  readonly headers?: Headers
  /** Status of the plain reply; 200 when absent. */
  readonly status?: number
  /** Other statuses that a reply of the same shape may have, each with its meaning. */
  readonly others?: Readonly<Record<number, string>>
  /** Statuses of replies without a body. */
  readonly bodiless?: readonly number[]
  /** Calls that accept values of the reply, each under a name. */
  readonly links?: Links
  /** Fields that the body of a refusal has in this call only. */
  readonly refusalFields?: RefusalFields
  /** Added to the refusal of a malformed call, before the handler runs. */
  readonly ofWrongForm?: Extra
  /** Content types of a reply that is not JSON. */
  readonly produces?: string | readonly string[]
  /** The cache policy of replies; absent for none. For open routes that only read. */
  readonly cache?: Cache
  /**
   * The queries whose replies are the same for all callers, or for all without credentials, and
   * their cache policy. For an open read with optional credentials. Its handler does not learn the
   * caller of such a query.
   */
  readonly shared?: {
    readonly cache: Cache
    readonly when: (query: Values<Q>, isProven: boolean) => boolean
  }
  readonly rejects?: readonly RejectName[]
  readonly example: {
    readonly params?: Values<P>
    readonly query?: Partial<Values<Q>>
    readonly body?: Infer<B>
    readonly reply: Frozen<Infer<R>>
  }
}

export interface Input<P extends Fields, Q extends Fields, B extends Schema, C, O> {
  readonly params: Values<P>
  readonly query: Values<Q>
  readonly body: Infer<B>
  readonly caller: C
  /** The profile that the call acts for, when the auth has a reach; otherwise null. */
  readonly owner: O
  readonly call: Call
}

/** A request that its route has not checked yet. */
export interface Unchecked {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly caller: Caller | null
  readonly call: Call
}

/**
 * Calls another route on behalf of the same caller, through every check of that route. Resolves to
 * the encoded body of the reply, or the refusal.
 */
export type CallWithin<S> = (
  route: Route<S>,
  request: Unchecked,
) => Promise<Refusal | Uint8Array | string>

/** A route without the types of its input, for routers and documents. */
export interface Route<S> {
  readonly method: Method
  readonly path: string
  readonly auth: Guarded
  readonly rateClass: RateClass
  readonly bulkhead: BulkheadName
  readonly about: string
  readonly params: Fields
  readonly query: Fields
  readonly body: Schema | null
  readonly reply: Schema
  readonly headers: Headers
  readonly links: Links
  readonly refusalFields: RefusalFields
  readonly ofWrongForm: Extra | null
  readonly status: number
  readonly bodiless: readonly number[]
  readonly others: readonly number[]
  /** The meaning of each status of a reply. */
  readonly means: Readonly<Record<number, string>>
  /** The possible content types of the plain reply. */
  readonly produces: readonly string[]
  readonly cache: Cache
  /** The cache policy of replies shared by all callers; null when there are none. */
  readonly sharedCache: Cache | null
  readonly rejects: readonly RejectName[]
  readonly example: {
    readonly params?: unknown
    readonly query?: unknown
    readonly body?: unknown
    readonly reply: unknown
  }
  /** True when the handler authenticates the caller and parses the body itself. */
  readonly raw: boolean
  /** When false, a call is refused as overloaded before its body is read. */
  readonly hasCapacity: (services: S) => boolean
  /** Checks the request and calls the handler. */
  readonly run: (
    request: Unchecked,
    services: S,
    ownerOfCall: OwnerOfCall,
    within: CallWithin<S>,
  ) => unknown
  /** The points where a reply violates its schema. */
  readonly replyIssues: (value: unknown) => Issue[]
}

type Doc = Omit<Route<never>, 'auth' | 'raw' | 'run' | 'hasCapacity'>

function groupOf({
  method,
  rateClass,
}: {
  readonly method: Method
  readonly rateClass: RateClass
}): BulkheadName {
  if (method === 'GET') return 'reads'
  return rateClass === 'trade' ? 'orders' : 'others'
}

function documented<P extends Fields, Q extends Fields, B extends Schema, R extends Schema>(
  spec: Described<P, Q, B, R>,
  accepts: readonly Accepted[],
): Doc {
  // Only tests use it, so a start does not pay for a hundred of these.
  let replies: Checker<Infer<R>> | undefined
  const { status = 200, others = {}, cache } = spec
  const isRead = spec.method === 'GET' && accepts.length === 0
  assert(cache === undefined || isRead, 'only open reads may be cached')
  return {
    method: spec.method,
    path: spec.path,
    rateClass: spec.rateClass,
    bulkhead: spec.bulkhead ?? groupOf(spec),
    about: spec.about,
    params: spec.params ?? {},
    query: spec.query ?? {},
    body: spec.body ?? null,
    reply: spec.reply,
    headers: spec.headers ?? {},
    links: spec.links ?? {},
    refusalFields: spec.refusalFields ?? {},
    ofWrongForm: spec.ofWrongForm ?? null,
    status,
    bodiless: spec.bodiless ?? [],
    others: Object.keys(others).map(Number),
    means: { [status]: spec.means, ...others },
    produces: [spec.produces ?? 'application/json'].flat(),
    cache: cache ?? (accepts.length === 0 ? NOT_KEPT : PRIVATE),
    sharedCache: spec.shared?.cache ?? null,
    rejects: spec.rejects ?? [],
    example: spec.example,
    replyIssues: (value) => {
      replies ??= compile(spec.reply)
      return replies.holds(value) ? [] : replies.issues(value)
    },
  }
}

/** Adds the fields that name a sub-account, and the refusals of a profile that may not be named. */
function forSubAccounts(doc: Doc, reach: Reach): Doc {
  const ofWallets: readonly RejectName[] = reach === 'serverWallets' ? ['NO_SERVER_WALLET'] : []
  return {
    ...doc,
    query: { ...doc.query, onBehalfOf: onBehalfOf() },
    headers: { ...doc.headers, ...ON_BEHALF_HEADER },
    rejects: ['NOT_SUB_ACCOUNT', ...ofWallets, ...doc.rejects],
  }
}

/** Explaining a body costs thirty times its check, so a longer body gets one sentence only. */
const EXPLAINED_BYTES_MAX = 16 * 1024

function bodyIssues<T>(checker: Checker<T>, body: unknown, call: Call): Issue[] {
  if (call.body.length <= EXPLAINED_BYTES_MAX) return checker.issues(body)
  return [{ field: '', message: 'does not match the schema of this call; see GET /openapi.json' }]
}

/** Declares one endpoint: its path, its callers, its input and reply, and its handler. */
export function route<
  S,
  C extends Caller | null,
  O,
  R extends Schema,
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Schema = NoBody,
>(
  spec: Described<P, Q, B, R> & {
    readonly auth: Auth<C, O>
    /** The sub-account named in the body; absent for a route whose body names none. */
    readonly onBehalfIn?: (body: Infer<B>) => number | undefined
    readonly handle: (
      input: Input<P, Q, B, C, O>,
      services: S,
      within: CallWithin<S>,
    ) => Result<Frozen<Infer<R>>>
  },
): Route<S> {
  const checkParams = compileFields(spec.params)
  const { auth, handle, onBehalfIn } = spec
  assert(spec.shared === undefined || auth.welcomes !== undefined, 'only such reads are shared')
  const { reach } = auth
  const own: Fields = reach === null ? {} : { onBehalfOf: onBehalfOf() }
  const checkQuery = compileFields(spec.query, own)
  const checkBody = compilePrinted(spec.body)
  const plain = documented(spec, auth.accepts)
  // The reply depends on the caller.
  const doc = auth.welcomes === undefined ? plain : { ...plain, cache: PRIVATE }
  const whole = reach === null ? doc : forSubAccounts(doc, reach)
  return {
    ...whole,
    auth,
    raw: false,
    hasCapacity: () => true,
    run: (unchecked, services, ownerOfCall, within) => {
      const { params, query, body, caller: proven, call } = unchecked
      const foreign = headerIssue(call, whole.headers)
      if (foreign !== null) return invalid(foreign)
      if (!checkParams.holds(params)) return invalid(...checkParams.issues(params))
      if (!checkQuery.holds(query)) return invalid(...checkQuery.issues(query))
      if (!checkBody.holds(body)) return invalid(...bodyIssues(checkBody, body, call))
      const kept = spec.shared?.when(query, proven !== null) === true ? spec.shared.cache : null
      const caller = kept === null ? proven : null
      assert(auth.admits(caller), 'the gateway authenticates the caller that a route requires')
      const named = [unchecked.query.onBehalfOf, onBehalfIn?.(body)]
      const isOther = reach !== null && caller !== null
      const profileId = isOther ? ownerOfCall(call, caller, named, reach) : 0
      if (profileId instanceof Refusal) return profileId
      const owner = auth.ownerOf(profileId)
      const outcome = handle({ params, query, body, caller, owner, call }, services, within)
      return kept === null ? outcome : shared(outcome, kept)
    },
  }
}

export interface RawInput<P extends Fields, Q extends Fields> {
  readonly params: Values<P>
  readonly query: Values<Q>
  /** Its body is the received bytes, valid until the handler returns. */
  readonly call: Call
}

/** Declares an endpoint whose handler authenticates and reads the body itself, off this thread. */
export function rawRoute<
  S,
  R extends Schema,
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Schema = NoBody,
>(
  spec: Described<P, Q, B, R> & {
    readonly auth: Auth<Caller>
    /** Whether one more call can be accepted; called before its body is read. */
    readonly hasCapacity: (services: S) => boolean
    /** The refusal of a call without a proof, which comes before that of its parameters. */
    readonly unproven?: (call: Call, services: S) => Refusal | null
    readonly handle: (input: RawInput<P, Q>, services: S) => Result<Frozen<Infer<R>>>
  },
): Route<S> {
  const checkParams = compileFields(spec.params)
  const checkQuery = compileFields(spec.query)
  const { auth, hasCapacity, unproven, handle } = spec
  const doc = documented(spec, auth.accepts)
  return {
    ...doc,
    auth,
    raw: true,
    hasCapacity,
    run: ({ params, query, call }, services) => {
      const foreign = headerIssue(call, doc.headers) ?? keyIssue(call, doc.headers)
      if (foreign !== null) return invalid(foreign)
      if (!checkParams.holds(params)) {
        return unproven?.(call, services) ?? invalid(...checkParams.issues(params))
      }
      if (!checkQuery.holds(query)) return invalid(...checkQuery.issues(query))
      return handle({ params, query, call }, services)
    },
  }
}

/** The outcome of a request. Metrics use the route's path, because a client can send any path. */
export interface Seen {
  readonly call: Call
  /** Null when no route has the path and the method. */
  readonly route: Pick<Route<never>, 'method' | 'path' | 'rateClass'> | null
  /** Null until the gateway has authenticated it; a raw route does that itself. */
  readonly caller: Caller | null
  /** 0 when the client left before its reply. */
  readonly status: number
  readonly refusal: string | null
  readonly endedMs: number
  /** Address of an operator; '' for all other callers. */
  readonly from: string
}
