import { SESSION_COOKIES } from '../auth/session-names.ts'
import type { Origins } from '../edge/http/access/cors.ts'
import {
  type AnySetting,
  type Given,
  type Kind,
  maybe,
  readSetting,
  setting,
  WrongUse,
} from './flags.ts'
import { commaList, itemsOf, path, plain } from './kinds.ts'

// Settings of the public address, and of the identity provider that the exchange trusts.

const publicUrl: Kind<string> = {
  shape: 'URL',
  wants: 'an address like https://exchange.example: http or https, a host, nothing behind it',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
    return `${url.origin}/` === url.href ? url.origin : undefined
  },
}

const PUBLIC_URL = maybe(
  'public-url',
  publicUrl,
  'The address that users type; https makes cookies Secure behind a proxy too.',
)

/** A longer list belongs into the proxy in front. */
const ORIGINS_MAX = 64

/** As a browser writes it: in lower case, without the port that the scheme has anyway. */
function isOrigin(text: string): boolean {
  return (
    /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
  )
}

const corsOrigins: Kind<Origins> = {
  shape: 'ORIGIN,ORIGIN',
  wants: `* or up to ${ORIGINS_MAX} origins like https://app.example, without a path`,
  read(text) {
    if (text.trim() === '*') return '*'
    const items = itemsOf(text)
    const isGood = items.length <= ORIGINS_MAX && items.every(isOrigin)
    return isGood && new Set(items).size === items.length ? items : undefined
  },
}

const CORS_ORIGIN = maybe(
  'cors-origin',
  corsOrigins,
  'Pages of these origins may call, with cookies too; * lets all pages call, without cookies.',
)

const SESSION_COOKIE = setting(
  'session-cookie',
  commaList(
    'NAME,NAME',
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'up to 64 letters, digits, - and _ for each name, beginning with a letter or digit',
  ),
  SESSION_COOKIES,
  'Names of the session cookie: a login sets each, any is read; over TLS each gets __Host-.',
)

/** The value that accepts any issuer, or any audience. */
const ANY = 'any'

const IDENTITY = {
  key: maybe(
    'identity-key',
    path('FILE|URL', 'a file or an https URL'),
    'Keys of the identity provider: a JWK set (file or URL), or a public key (PEM or JWK file).',
  ),
  issuer: maybe(
    'identity-issuer',
    plain('TEXT', 'a text'),
    'Issuer of identity tokens; any accepts all.',
  ),
  audience: maybe(
    'identity-audience',
    plain('TEXT', 'a text'),
    'Audience of identity tokens; any accepts all.',
  ),
} as const

export const EDGE_ROWS: readonly AnySetting[] = [
  PUBLIC_URL,
  CORS_ORIGIN,
  SESSION_COOKIE,
  ...Object.values(IDENTITY),
]

/** The settings that `identityCheck` takes. */
export interface IdentityRequest {
  readonly jwks?: string
  readonly publicKey?: string
  readonly issuer?: string
  readonly audience?: string
}

/** Like `https://exchange.example`; undefined when none is given. */
export function publicUrlOf(given: readonly Given[]): string | undefined {
  return readSetting(PUBLIC_URL, given)
}

/** The value that a claim must have; undefined when the operator accepts any. */
function claimOf(flag: string, text: string | undefined): string | undefined {
  if (text !== undefined) return text === ANY ? undefined : text
  throw new WrongUse(
    `--identity-key needs --${flag}: else a token made for another service opens this one; ` +
      `--${flag} ${ANY} accepts every token of that key`,
  )
}

/** Undefined when pages of other hosts may not call. */
export function corsOriginsOf(given: readonly Given[]): Origins | undefined {
  return readSetting(CORS_ORIGIN, given)
}

export function sessionCookiesOf(given: readonly Given[]): readonly string[] {
  return readSetting(SESSION_COOKIE, given)
}

/** Undefined when no identity token is accepted. `readText` gives the text of a file or throws. */
export function identityOf(
  given: readonly Given[],
  readText: (path: string) => string,
): IdentityRequest | undefined {
  const source = readSetting(IDENTITY.key, given)
  const claims = {
    issuer: readSetting(IDENTITY.issuer, given),
    audience: readSetting(IDENTITY.audience, given),
  }
  if (source === undefined) {
    if (claims.issuer !== undefined) throw new WrongUse('--identity-issuer needs --identity-key')
    if (claims.audience === undefined) return undefined
    throw new WrongUse('--identity-audience needs --identity-key')
  }
  const keys = isKeySet(source, readText) ? { jwks: source } : { publicKey: source }
  const issuer = claimOf('identity-issuer', claims.issuer)
  const audience = claimOf('identity-audience', claims.audience)
  return {
    ...keys,
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  }
}

/** True for a URL or a JSON file with "keys"; false for one public key. */
function isKeySet(source: string, readText: (path: string) => string): boolean {
  if (/^https?:\/\//i.test(source)) {
    if (!URL.canParse(source)) {
      throw new WrongUse(`--identity-key must be a file or a URL, not '${source}'`)
    }
    if (new URL(source).protocol === 'https:') return true
    throw new WrongUse(
      `--identity-key must be a file or an https URL, not '${source}': ` +
        'over http anybody on the way could replace the keys',
    )
  }
  const text = readText(source)
  if (/PRIVATE KEY-----/.test(text)) {
    throw new WrongUse(`The identity key file ${source} holds a private key; give the public one`)
  }
  if (/^\s*-----BEGIN /.test(text)) return false
  if (/^\s*\{/.test(text)) return /"keys"\s*:/.test(text)
  throw new WrongUse(`The identity key file ${source} is neither a JWK set nor a public key`)
}
