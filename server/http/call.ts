import type { HttpRequest } from 'uWebSockets.js'
import type { ProfileId } from '../../engine/domain/ids.ts'
import type { Role } from '../../engine/domain/operator.ts'

/** One request, copied out of the socket before anything may wait: the native request dies then. */
export interface Call {
  /** Upper case. */
  readonly method: string
  /** As received, still percent-encoded, without the query. */
  readonly path: string
  /** Path and query exactly as received: what an HMAC signs. */
  readonly target: string
  /** What follows the question mark, or ''. */
  readonly query: string
  /** Lower-case names. A header sent twice is joined by a comma (a cookie by a semicolon). */
  readonly headers: ReadonlyMap<string, string>
  /** Empty until the body has arrived. */
  body: Uint8Array
  /** Address of the caller, on the lanes whose routes ask for it; else ''. */
  from: string
  /** When its first bytes came and when its handler had all of it, monotonic; 0 until then. */
  readonly receivedMs: number
  readMs: number
  /** Where the times of its order stand; 0 for none. */
  timesRow: number
  /** Its caller hung up: an answer is not wanted any more. */
  isGone?: boolean
}

export const NO_BYTES = new Uint8Array(0)

/** All of a request but its body. */
export function copied(request: HttpRequest, receivedMs: number): Call {
  const headers = new Map<string, string>()
  // Asked for first: the other getter lowers the letters in place.
  const method = request.getCaseSensitiveMethod()
  request.forEach((name, value) => {
    joinHeader(headers, name, value)
  })
  const path = request.getUrl()
  const query: string | undefined = request.getQuery()
  return {
    method,
    path,
    target: query === undefined ? path : `${path}?${query}`,
    query: query ?? '',
    headers,
    body: NO_BYTES,
    from: '',
    receivedMs,
    readMs: 0,
    timesRow: 0,
    isGone: false,
  }
}

export function header(call: Call, lowerCaseName: string): string {
  return call.headers.get(lowerCaseName) ?? ''
}

/** Who is speaking, once proven. */
export interface Caller {
  /** 0 for an operator, who has no profile. */
  readonly profileId: ProfileId
  readonly account: string
  readonly scopes: ReadonlySet<string>
  readonly tokenId: string | null
  readonly via: 'session' | 'hmac' | 'identity' | 'admin'
  /** Of an operator alone. */
  readonly operator?: OperatorName
}

export interface OperatorName {
  readonly name: string
  readonly role: Role
  /** Its calls are counted under it, as those of a profile under the profile's id. */
  readonly rateKey: number
}

/** A proven operator. */
export interface Acting extends Caller {
  readonly operator: OperatorName
}

/** The value of one cookie, or ''. */
export function cookie(call: Call, name: string): string {
  for (const pair of header(call, 'cookie').split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return ''
}

/** A header that comes twice must not pick one of two meanings, so it becomes a third. */
export function joinHeader(headers: Map<string, string>, name: string, value: string): void {
  const before = headers.get(name)
  if (before === undefined) headers.set(name, value)
  else headers.set(name, before + (name === 'cookie' ? '; ' : ', ') + value)
}

export function joinChunks(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const body = new Uint8Array(sizeBytes)
  let atBytes = 0
  for (const chunk of chunks) {
    body.set(chunk, atBytes)
    atBytes += chunk.length
  }
  return body
}

/**
 * Bytes of the body to come: Infinity when only its end will tell, NaN when it is told twice or in
 * a way that a proxy in front may read otherwise than the library, which takes any for chunked.
 */
export function announcedBytes(call: Call): number {
  const encoding = header(call, 'transfer-encoding').toLowerCase()
  if (encoding !== '') return encoding === 'chunked' ? Infinity : Number.NaN
  const length = header(call, 'content-length')
  if (length === '') return 0
  return /^[0-9]{1,15}$/.test(length) ? Number(length) : Number.NaN
}

/** Whether its body is compressed, or said to be. */
export function isEncoded(call: Call): boolean {
  const encoding = header(call, 'content-encoding').trim().toLowerCase()
  return encoding !== '' && encoding !== 'identity'
}
