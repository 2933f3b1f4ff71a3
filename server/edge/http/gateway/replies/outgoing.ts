// Turns the outcome of a handler into a status, headers and bytes; it touches no socket.
import { STATUS_CODES } from 'node:http'
import { assert } from '../../../../../engine/domain/assert.ts'
import type { Header } from '../../../../messages/call.ts'
import type { Payload } from '../../../../messages/payload.ts'
import { Refusal } from '../../../../messages/refusal.ts'
import type { Cache } from '../../caching/cache.ts'
import type { Coding } from '../../caching/compressed.ts'
import { ownFieldsOf } from '../../refusal-schemas.ts'
import { Bytes, JSON_TYPE, Reply, Shared } from '../../reply.ts'
import type { Route } from '../../route.ts'
import { compileFields } from '../../schema/schema.ts'

const STATUS_LINES = new Map(
  Object.entries(STATUS_CODES).map(([code, text]) => [+code, `${code} ${text}`]),
)

export function statusLine(status: number): string {
  return STATUS_LINES.get(status) ?? `${status}`
}

export interface Outgoing {
  readonly status: number
  readonly type: string
  readonly payload: Payload
  readonly headers: readonly Header[]
  readonly refusal: string | null
  /** The RateLimit headers of a refusal that knows its limit; '' for any other reply. */
  readonly limitLines: string
  /** Also closes the connection: later bytes on it are not worth reading. */
  readonly close: boolean
  /** Status and headers as one text, once joined; '' before. */
  head: string
}

/** The coding of the bytes; null for plain bytes. */
export function codingOf({ headers }: Outgoing): Coding | null {
  const coding = headers.find(([name]) => name === 'content-encoding')?.[1]
  return coding === 'br' || coding === 'gzip' ? coding : null
}

/** The outcome of the handler without its cache policy. */
export function statedBy(outcome: unknown): unknown {
  return outcome instanceof Shared ? outcome.outcome : outcome
}

export function cacheOf<S>(route: Route<S>, outcome: unknown): Cache {
  return outcome instanceof Shared ? outcome.cache : route.cache
}

const NO_HEADERS: readonly Header[] = []

/** Refusals of the gateway itself, which a route need not declare. */
const COMMON: ReadonlySet<string> = new Set([
  'OVERLOADED',
  'NOT_READY',
  'NO_LEADER',
  'LEADER_SILENT',
  'SEQ_TIMEOUT',
  'RATE_LIMITED',
  'VALIDATION',
  'BODY_MALFORMED',
  'READ_TIMEOUT',
])

export function encoded(
  outcome: unknown,
  status: number,
  headers: readonly Header[] = NO_HEADERS,
): Outgoing {
  if (outcome instanceof Bytes) {
    const { payload, contentType, headers: more } = outcome
    const all = more.length === 0 ? headers : [...headers, ...more]
    return outgoing(outcome.status, contentType, payload, all)
  }
  if (outcome instanceof Refusal) {
    const { retryAfterSec, body } = outcome
    const retry: Header[] = retryAfterSec > 0 ? [['retry-after', `${retryAfterSec}`]] : []
    return outgoing(outcome.status, JSON_TYPE, body, [...headers, ...retry], outcome)
  }
  if (outcome instanceof Reply) {
    const all = [...headers, ...outcome.headers]
    return outgoing(outcome.status, JSON_TYPE, json(outcome.body), all)
  }
  return outgoing(status, JSON_TYPE, json(outcome), headers)
}

/** The same reply with these headers instead of its own. */
export function withHeaders(out: Outgoing, headers: readonly Header[]): Outgoing {
  const { refusal: name, limitLines } = out
  const refusal = name === null ? null : { name, limitLines }
  return outgoing(out.status, out.type, out.payload, headers, refusal)
}

/** Lists every field, because a spread cost each reply as much as deciding an order. */
export function outgoing(
  status: number,
  type: string,
  payload: Payload,
  headers: readonly Header[],
  refused: { readonly name: string; readonly limitLines: string } | null = null,
): Outgoing {
  const refusal = refused?.name ?? null
  const limitLines = refused?.limitLines ?? ''
  return { status, type, payload, headers, refusal, limitLines, close: false, head: '' }
}

function json(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function isJsonText({ payload, contentType }: Bytes): boolean {
  return typeof payload === 'string' && payload !== '' && contentType === JSON_TYPE
}

function bodyOf(outcome: unknown): unknown {
  if (outcome instanceof Bytes) return JSON.parse(String(outcome.payload))
  return outcome instanceof Reply ? outcome.body : outcome
}

/** Throws when a refusal has other fields than its documentation. */
function verifyFields<S>(route: Route<S>, { name, body }: Refusal): void {
  const { message: _, error: _name, statusCode: _status, code: _code, ...own } = JSON.parse(body)
  const { fields } = ownFieldsOf(name, route.refusalFields[name])
  const issues = compileFields(fields).issues(own)
  if (issues.length === 0) return
  throw new TypeError(`${route.method} ${route.path} ${name}: ${JSON.stringify(issues)}`)
}

/** Throws when a reply violates its route's schema, or when its status is undeclared. */
export function verify<S>(route: Route<S>, outcome: unknown): void {
  if (outcome instanceof Refusal) {
    const isNamed = COMMON.has(outcome.name) || route.rejects.some((name) => name === outcome.name)
    const isOfCaller = outcome.status === 401 || outcome.status === 403 || outcome.status === 415
    assert(isNamed || isOfCaller, 'a route declares the refusals that it returns')
    verifyFields(route, outcome)
    return
  }
  if (outcome instanceof Reply || outcome instanceof Bytes) {
    const { status } = outcome
    const isNamed = status === route.status || route.others.includes(status)
    assert(isNamed, 'a route declares the statuses that it returns')
  }
  // Shared bytes have their own tests; a text of one reply is checked like its value.
  if (outcome instanceof Bytes && !isJsonText(outcome)) return
  const value = bodyOf(outcome)
  const issues = route.replyIssues(value === undefined ? null : value)
  if (issues.length === 0) return
  throw new TypeError(`${route.method} ${route.path} reply: ${JSON.stringify(issues)}`)
}
