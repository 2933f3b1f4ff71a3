import { type Call, type Caller, header } from '../../../messages/call.ts'
import { invalid, Refusal, refuse } from '../../../messages/refusal.ts'
import type { RateLimiter } from '../access/rate-limit.ts'
import { type Field, readingOf, readJson, readParams, readQuery } from '../request-text.ts'
import type { Route, Unchecked } from '../route.ts'
import { assertNames, pathNames } from '../router.ts'

/** A route with the parsers of its path and query, built once. */
export interface Entry<S> {
  readonly route: Route<S>
  readonly params: readonly Field[]
  readonly query: ReadonlyMap<string, Field>
  /** Its calls change state for an authenticated caller, and a client cannot simply retry them. */
  readonly changes: boolean
}

export function entryOf<S>(route: Route<S>): Entry<S> {
  assertNames(route.path, route.params)
  const reading = readingOf(route.params)
  const params = pathNames(route.path).flatMap((name) => reading.get(name) ?? [])
  return { route, params, query: readingOf(route.query), changes: isChange(route) }
}

/** A raw route authenticates later, and a call that only frees something is safe to retry. */
function isChange<S>({ method, raw, bulkhead, auth }: Route<S>): boolean {
  const isOpen = auth.accepts.length === 0 && auth.welcomes === undefined
  return method !== 'GET' && !raw && bulkhead !== 'frees' && !isOpen
}

/** Reads a call into plain values; a raw route reads its body itself. */
export function readCall<S>(
  { route, params, query }: Entry<S>,
  values: readonly string[],
  call: Call,
  caller: Caller | null,
): Unchecked | Refusal {
  const isRead = route.body !== null && !route.raw
  const json = isRead ? readJson(call.body) : { value: undefined }
  if (json === null) return refuse('BODY_MALFORMED')
  const inPath = readParams(params, values)
  const inQuery = readQuery(query, call.query)
  const issues = [...inPath.issues, ...inQuery.issues]
  if (issues.length > 0) return invalid(...issues)
  return { params: inPath.values, query: inQuery.values, body: json.value, caller, call }
}

/** The outcome of a call, with the extra fields of its route for a malformed request. */
export function ofForm<S>({ ofWrongForm }: Route<S>, outcome: unknown): unknown {
  if (ofWrongForm === null || !(outcome instanceof Refusal)) return outcome
  const { name } = outcome
  return name === 'VALIDATION' || name === 'BODY_MALFORMED' ? outcome.with(ofWrongForm) : outcome
}

/** A form on another site can send a cookie and a body, but never a body of this type. */
export function needsJsonType<S>({ method }: Route<S>, call: Call, { via }: Caller): boolean {
  if (via !== 'session' || method === 'GET' || call.body.length === 0) return false
  return header(call, 'content-type').split(';')[0].trim().toLowerCase() !== 'application/json'
}

/** The key under which an authenticated caller is limited. */
export function rateKeyOf({ operator, profileId }: Caller): number {
  return operator?.rateKey ?? profileId
}

/** A private read costs tokens by the length of its body: a list of ids is many reads in one. */
const BODY_BYTES_PER_TOKEN = 512

/**
 * Takes the tokens of a call from the key's bucket; returns 0, or seconds for `Retry-After`. The
 * time is that of the take: a body may arrive long after the first bytes of its call.
 */
export function profileWaitSec<S>(
  limiter: RateLimiter<number> | null,
  key: number,
  { rateClass }: Route<S>,
  { body, isOwn }: Call,
  nowMs: number,
): number {
  if (isOwn === true) return 0
  const more = rateClass === 'private' ? Math.floor(body.length / BODY_BYTES_PER_TOKEN) : 0
  return limiter?.take(key, rateClass, nowMs, 1 + more) ?? 0
}
