import { timingSafeEqual } from 'node:crypto'
import { assert } from '../../engine/domain/assert.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { REJECT } from '../../engine/domain/reject-precedence.ts'
import { lowercaseAddress } from '../crypto/address.ts'
import {
  type Call,
  type Caller,
  cookieValues,
  header,
  type OperatorName,
} from '../messages/call.ts'
import { Refusal, refuse } from '../messages/refusal.ts'
import type { Guarded } from './auth-scheme.ts'
import { checkTokenCall, hmacRefusal, isTokenSecret } from './hmac-signature.ts'
import type { IdentityCheck } from './identity.ts'
import { digestOf } from './session.ts'
import { SESSION_COOKIES, sessionCookieNames } from './session-names.ts'

// Authenticates the caller of every route except order entry, which the intake pool does.

export interface TokenState {
  readonly profileId: ProfileId
  readonly account: string
  readonly scopes: readonly string[]
  /** The decrypted secret of the token. */
  readonly secret: Uint8Array
}

/** An operator, and the digest of its token. */
export interface ProvenBy extends OperatorName {
  /** The lowercase hex SHA-256 of the token, as ASCII bytes. */
  readonly digest: Uint8Array
}

/** The state of the exchange that the guard reads. */
export interface AuthState {
  tokenById(tokenId: string): TokenState | undefined
  sessionByDigest(digest: string): { profileId: ProfileId; expiresMs: number } | undefined
  accountOf(profileId: ProfileId): string | undefined
  /** Accepts an address in any letter case. */
  profileByAddress(address: string): { profileId: ProfileId; account: string } | undefined
  operators(): readonly ProvenBy[]
}

export interface GuardOptions {
  readonly state: AuthState
  /** Prefixes of the api-key, timestamp and signature headers, like `svc-` and `lmts-`. */
  readonly headerPrefixes: readonly string[]
  /** Like `https://exchange.example`. When absent, the `Host` header of the call applies. */
  readonly publicUrl?: string | undefined
  /** True when users reach the exchange over TLS; defaults to false. */
  readonly isSecure?: boolean
  /** Names of the session cookie, without `__Host-`; the defaults when absent. */
  readonly sessionCookies?: readonly string[]
  /** Other origins whose pages may use the visitor's cookie. */
  readonly trustedOrigins?: readonly string[]
  /** When absent, no identity token is valid. */
  readonly identity?: IdentityCheck
}

/** The three headers of an API token call, each '' when absent. */
export interface ApiHeaders {
  readonly apiKey: string
  readonly timestamp: string
  readonly signature: string
}

type Accepted = Guarded['accepts'][number]
type Scheme = Accepted['scheme']
type Proof = Caller | Refusal
type Check = (call: Call, accepted: Accepted, nowMs: number) => Proof | Promise<Proof>

const NO_SCOPES: ReadonlySet<string> = new Set()
const BEARER = /^Bearer +([^ ]+)$/i
const OFFERS_BEARER = /^Bearer /i
/** The comparison value for an unknown token, so that it takes as long to reject as a known one. */
const NO_SECRET = new Uint8Array(32)
/** One sentence for all cases: it must not reveal whether the token exists. */
const BEARER_INVALID = {
  message:
    'The bearer token is unknown, revoked or wrong; send the id of an API token, a dot and its ' +
    'secret.',
}

/** The refusal of a caller without credentials, by the first scheme of the route. */
const MISSING = {
  hmac: REJECT.UNAUTHENTICATED,
  bearer: REJECT.UNAUTHENTICATED,
  session: REJECT.COOKIE_REQUIRED,
  identity: REJECT.UNAUTHENTICATED,
  admin: REJECT.ADMIN_TOKEN_INVALID,
} as const

/** The header of the static keys that exchanges of this API accepted before tokens signed calls. */
const STATIC_KEY_HEADER = 'x-api-key'

interface MissingProof {
  readonly plain: Refusal
  readonly ofStaticKey: Refusal
}

/** The refusals of calls without credentials: each names the schemes that its route accepts. */
export class MissingProofs {
  readonly #prefix: string
  readonly #cookieName: string
  /** Keyed by the accepted schemes, so a flood of calls without credentials encodes nothing. */
  readonly #known = new WeakMap<readonly Accepted[], MissingProof>()

  constructor(headerPrefixes: readonly string[], cookieName: string) {
    this.#prefix = headerPrefixes[0] ?? ''
    this.#cookieName = cookieName
  }

  of(call: Call, accepts: readonly Accepted[]): Refusal {
    let refusals = this.#known.get(accepts)
    if (refusals === undefined) {
      refusals = missingProof(accepts, this.#prefix, this.#cookieName)
      this.#known.set(accepts, refusals)
    }
    return header(call, STATIC_KEY_HEADER) === '' ? refusals.plain : refusals.ofStaticKey
  }
}

function missingProof(
  accepts: readonly Accepted[],
  prefix: string,
  cookieName: string,
): MissingProof {
  const scheme = accepts.length === 0 ? 'hmac' : accepts[0].scheme
  const ways = accepts.map((way) => proofWords(way, prefix, cookieName)).join(', or ')
  const message = `This call needs ${ways === '' ? 'authentication' : ways}.`
  const isOld = `Static API keys (the header ${STATIC_KEY_HEADER}) are no longer accepted.`
  return {
    plain: refuse(MISSING[scheme], { message }),
    ofStaticKey: refuse(MISSING[scheme], { message: `${isOld} ${message}` }),
  }
}

function proofWords({ scheme, scopes }: Accepted, prefix: string, cookieName: string): string {
  const withScopes = scopes.length === 0 ? '' : ` with the scope ${scopes.join(' and ')}`
  switch (scheme) {
    case 'hmac':
      return (
        `an API token${withScopes}, in the headers ${prefix}api-key, ${prefix}timestamp and ` +
        `${prefix}signature`
      )
    case 'bearer':
      return 'Authorization: Bearer with the id of an API token, a dot and its secret'
    case 'session':
      return `the cookie ${cookieName} that POST /auth/login sets`
    case 'identity':
      return 'the header identity with Bearer and an identity token'
    case 'admin':
      return 'Authorization: Bearer with the token of an operator'
  }
}

function bearer(text: string): string {
  return BEARER.exec(text)?.[1] ?? ''
}

function byToken(token: TokenState, tokenId: string, via: 'hmac' | 'bearer'): Caller {
  const { profileId, account, scopes } = token
  return { profileId, account, scopes: new Set(scopes), tokenId, via }
}

/** The first prefix with an API key applies: two sets of headers must not mean two callers. */
export function apiHeaders(call: Call, prefixes: readonly string[]): ApiHeaders {
  for (const prefix of prefixes) {
    const apiKey = header(call, `${prefix}api-key`)
    if (apiKey === '') continue
    const timestamp = header(call, `${prefix}timestamp`)
    return { apiKey, timestamp, signature: header(call, `${prefix}signature`) }
  }
  return { apiKey: '', timestamp: '', signature: '' }
}

export class Guard {
  readonly #options: GuardOptions
  readonly #cookieNames: readonly string[]
  readonly #missing: MissingProofs
  readonly #checks: Readonly<Record<Scheme, Check>> = {
    hmac: (call, accepted, nowMs) => this.#hmac(call, accepted, nowMs),
    bearer: (call) => this.#bearer(call),
    session: (call, _accepted, nowMs) => this.#session(call, nowMs),
    identity: (call, _accepted, nowMs) => this.#identity(call, nowMs),
    admin: (call) => this.#admin(call),
  }

  constructor(options: GuardOptions) {
    this.#options = options
    const { isSecure = false, sessionCookies: names = SESSION_COOKIES } = options
    this.#cookieNames = sessionCookieNames({ isSecure, names })
    this.#missing = new MissingProofs(options.headerPrefixes, this.#cookieNames[0])
  }

  /** Authenticates the caller; returns a promise only for an identity token. */
  authenticate(call: Call, auth: Guarded, nowMs: number): Proof | Promise<Proof> {
    let shown: Accepted | undefined
    for (const accepted of auth.accepts) {
      if (!this.#offers(call, accepted.scheme)) continue
      // A browser sends its cookie with every call, even after the session has ended, so
      // credentials in a header take precedence over the cookie.
      if (shown === undefined || shown.scheme === 'session') shown = accepted
    }
    if (shown !== undefined) return this.#checks[shown.scheme](call, shown, nowMs)
    return this.#missing.of(call, auth.accepts)
  }

  /** The caller of an open route that accepts optional credentials; null without credentials. */
  welcome(call: Call, { welcomes = [] }: Guarded, nowMs: number): Proof | null | Promise<Proof> {
    if (!welcomes.some(({ scheme }) => this.#offers(call, scheme))) return null
    const proof = this.authenticate(call, { accepts: welcomes }, nowMs)
    // A browser also sends the cookie of a session that has ended.
    const isEnded = proof instanceof Refusal && proof.name === 'SESSION_INVALID'
    return isEnded ? null : proof
  }

  /** Whether a call carries credentials of this scheme, valid or not. */
  #offers(call: Call, scheme: Scheme): boolean {
    switch (scheme) {
      case 'hmac':
        return apiHeaders(call, this.#options.headerPrefixes).apiKey !== ''
      case 'bearer':
        return OFFERS_BEARER.test(header(call, 'authorization'))
      case 'session':
        return cookieValues(call, ...this.#cookieNames).some((value) => value !== '')
      case 'identity':
        return header(call, 'identity') !== ''
      case 'admin':
        return header(call, 'authorization') !== ''
    }
  }

  #hmac(call: Call, accepted: Accepted, nowMs: number): Proof {
    const { apiKey, timestamp, signature } = apiHeaders(call, this.#options.headerPrefixes)
    const token = this.#options.state.tokenById(apiKey)
    const { method, target: pathWithQuery, body } = call
    const signed = { timestamp, signature, method, pathWithQuery, body, nowMs }
    const reject = checkTokenCall(token, apiKey, signed, accepted.scopes)
    if (reject === REJECT.HMAC_INVALID) return refuse(reject, hmacRefusal(signed))
    if (reject !== null) return refuse(reject)
    assert(token !== undefined, 'an authenticated call has a token')
    return byToken(token, apiKey, 'hmac')
  }

  #bearer(call: Call): Proof {
    const given = bearer(header(call, 'authorization'))
    const [tokenId, ...rest] = given.split('.')
    const token = this.#options.state.tokenById(tokenId)
    const isRight = isTokenSecret(rest.join('.'), token?.secret ?? NO_SECRET)
    if (token === undefined || !isRight) return refuse('API_KEY_INVALID', BEARER_INVALID)
    return byToken(token, tokenId, 'bearer')
  }

  #session(call: Call, nowMs: number): Proof {
    const { state } = this.#options
    const [token = '', ...others] = cookieValues(call, ...this.#cookieNames)
    // It is unknown which of them the user meant.
    if (others.length > 0) return refuse(REJECT.COOKIE_AMBIGUOUS)
    const session = state.sessionByDigest(digestOf(token))
    if (session === undefined || nowMs >= session.expiresMs) return refuse(REJECT.SESSION_INVALID)
    const { profileId } = session
    const account = state.accountOf(profileId)
    if (account === undefined) return refuse(REJECT.SESSION_INVALID)
    // SameSite=Lax also allows pages of the same site, such as another port or subdomain.
    const isForeign = header(call, 'origin') !== '' && !this.isOwnOrigin(call)
    if (isForeign && call.method !== 'GET' && call.method !== 'HEAD') {
      return refuse('ORIGIN_NOT_ALLOWED')
    }
    return { profileId, account, scopes: NO_SCOPES, tokenId: null, via: 'session' }
  }

  /** Whether the `Origin` header names this exchange or a trusted origin. */
  isOwnOrigin(call: Call): boolean {
    const reported = header(call, 'origin')
    if (!URL.canParse(reported)) return false
    const { origin } = new URL(reported)
    const { publicUrl, isSecure, trustedOrigins = [] } = this.#options
    if (trustedOrigins.includes(origin)) return true
    if (publicUrl !== undefined) return origin === publicUrl
    const own = `${isSecure === true ? 'https' : 'http'}://${header(call, 'host')}`
    return URL.canParse(own) && origin === new URL(own).origin
  }

  async #identity(call: Call, nowMs: number): Promise<Proof> {
    const { identity, state } = this.#options
    const token = bearer(header(call, 'identity'))
    if (identity === undefined || token === '') return refuse(REJECT.IDENTITY_INVALID)
    const address = await identity(token, nowMs)
    if (address === undefined) return refuse(REJECT.IDENTITY_INVALID)
    const profile = state.profileByAddress(lowercaseAddress(address))
    // An account that never logged in has no profile: the proof is valid, but the call is
    // forbidden.
    if (profile === undefined) return refuse(REJECT.FORBIDDEN)
    const { profileId, account } = profile
    return { profileId, account, scopes: NO_SCOPES, tokenId: null, via: 'identity' }
  }

  #admin(call: Call): Proof {
    const token = bearer(header(call, 'authorization'))
    const given = Buffer.from(digestOf(token), 'latin1')
    let operator: OperatorName | undefined
    // Compares with every operator, so timing does not reveal which token was close.
    for (const { digest, name, role, rateKey } of this.#options.state.operators()) {
      const isToken = given.length === digest.length && timingSafeEqual(given, digest)
      if (isToken) operator = { name, role, rateKey }
    }
    if (token === '' || operator === undefined) return refuse(REJECT.ADMIN_TOKEN_INVALID)
    return { profileId: 0, account: '', scopes: NO_SCOPES, tokenId: null, via: 'admin', operator }
  }
}
