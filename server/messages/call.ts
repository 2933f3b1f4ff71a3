import type { ProfileId } from '../../engine/domain/ids.ts'
import type { Role } from '../../engine/domain/operator.ts'

/**
 * One request, copied before anything awaits: the library's request is valid only until its
 * callback returns.
 */
export interface Call {
  /** Upper case. */
  readonly method: string
  /** As received, still percent-encoded, without the query. */
  readonly path: string
  /** Path and query exactly as received, because an HMAC signs them. */
  readonly target: string
  /** The text after the question mark, or ''. */
  readonly query: string
  /** Lower-case names. Repeated values are joined by a comma, those of a cookie by a semicolon. */
  readonly headers: ReadonlyMap<string, string>
  /** Empty until the body has arrived. */
  body: Uint8Array
  /** The results of an edge thread that checked the orders of the body; valid as long as it. */
  verdict?: Uint8Array | undefined
  /** Address of the caller for rate classes whose routes need it; otherwise ''. */
  from: string
  /** The key under which its address is counted; '' when addresses have no limit. */
  addressKey: string
  /** Whether this process made it; no rate limit counts it then. */
  isOwn?: boolean
  /** Monotonic times of its first bytes and of its whole body at the handler; 0 until then. */
  readonly receivedMs: number
  readMs: number
  /** Row of its times in `OrderTimes`; 0 for none. */
  timesRow: number
  /** The caller hung up, so nobody waits for the reply. */
  isGone?: boolean
  /** Charges the cost beyond the first token; absent for a call without further cost. */
  charges?: CallCharges
}

/** Charges the cost of a call beyond the token taken on arrival. */
export interface CallCharges {
  /** Query thread time of a read. */
  queryTook(ms: number): void
  /** Main thread time beyond what every call takes. */
  mainTook(ms: number): void
  /** Orders that a market counted. */
  counted(orders: number): void
  /** Bytes of the reply. */
  replied(bytes: number): void
  /** Messages in the body, each of which would have been a call. */
  messages(count: number): void
}

export const NO_BYTES = new Uint8Array(0)

export function header(call: Call, lowerCaseName: string): string {
  return call.headers.get(lowerCaseName) ?? ''
}

export type Header = readonly [name: string, value: string]

/** An authenticated caller. */
export interface Caller {
  /** 0 for an operator, who has no profile. */
  readonly profileId: ProfileId
  readonly account: string
  readonly scopes: ReadonlySet<string>
  readonly tokenId: string | null
  readonly via: 'session' | 'hmac' | 'bearer' | 'identity' | 'admin'
  /** Present for an operator only. */
  readonly operator?: OperatorName
}

export interface OperatorName {
  readonly name: string
  readonly role: Role
  /** The rate limit counts its calls under this key, as it counts a profile's under its id. */
  readonly rateKey: number
}

/** An authenticated operator. */
export interface Acting extends Caller {
  readonly operator: OperatorName
}

/** The distinct values of the cookies with these names, in order of appearance. */
export function cookieValues(call: Call, ...names: readonly string[]): readonly string[] {
  const values = new Set<string>()
  for (const pair of header(call, 'cookie').split(';')) {
    const equals = pair.indexOf('=')
    if (equals > 0 && names.includes(pair.slice(0, equals).trim()))
      values.add(pair.slice(equals + 1).trim())
  }
  return [...values]
}

/** Joins the values of a repeated header, so that neither overrides the other. */
export function joinHeader(headers: Map<string, string>, name: string, value: string): void {
  const before = headers.get(name)
  if (before === undefined) headers.set(name, value)
  else headers.set(name, before + (name === 'cookie' ? '; ' : ', ') + value)
}

/** The announced length of the body of a call whose framing was checked. */
export function announcedBytes(call: Call): number {
  return Number(header(call, 'content-length'))
}

/** Whether the headers declare a compressed body. */
export function isEncoded(call: Call): boolean {
  const encoding = header(call, 'content-encoding').trim().toLowerCase()
  return encoding !== '' && encoding !== 'identity'
}
