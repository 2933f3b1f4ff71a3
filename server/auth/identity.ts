import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { parseAddress } from '../crypto/address.ts'

// Identity tokens: JWTs of an identity provider that the operator trusts (design §5). This file is
// the only importer of jose.

/** The keys of the provider. With neither `jwks` nor `publicKey`, no identity token is valid. */
export interface IdentitySettings {
  /** An https URL, or the path of a JWK set. */
  readonly jwks?: string
  /** Path of one public key, PEM or JWK. */
  readonly publicKey?: string
  /** When absent, any issuer is accepted, if allowed (server/settings/edge-settings.ts). */
  readonly issuer?: string
  readonly audience?: string
  /** Replaces Node's `fetch` in tests. */
  readonly fetch?: FetchImplementation
  /** Called when the host returns no keys, at most once in a few seconds. */
  readonly onWarning?: (sentence: string) => void
}

/** Resolves to the account (20 bytes) that a token names; undefined for an invalid token. */
export type IdentityCheck = (token: string, nowMs: number) => Promise<Uint8Array | undefined>

/** Only algorithms with public keys: with HMAC, the public key would be the secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]
const TOKEN_CHARACTERS_MAX = 8192
const CLOCK_TOLERANCE_SEC = 5
const KEY_SET_BYTES_MAX = 256 * 1024
const KEY_SET_DEADLINE_MS = 5000
/** The pause after a failed key request, because each token would otherwise cause another. */
const KEY_SET_REST_MS = 5000

function isKeySet(value: unknown): value is JSONWebKeySet {
  return typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys)
}

/** Reads the body up to a limit, because a host may send without end. */
async function bounded(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > KEY_SET_BYTES_MAX) throw new Error('the key set is too large')
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status: response.status })
}

/**
 * jose requests an unknown key at most every thirty seconds, follows no redirect and enforces its
 * deadline. After a failure, the host is not queried again for a while.
 */
function remoteKeySet(url: URL, { fetch: given, onWarning }: IdentitySettings): JWTVerifyGetKey {
  if (url.protocol !== 'https:') throw new Error(`${url.href} is not https`)
  const fetchKeys = given ?? fetch
  let restsUntilMs = 0
  return createRemoteJWKSet(url, {
    timeoutDuration: KEY_SET_DEADLINE_MS,
    [customFetch]: async (...requested) => {
      if (performance.now() < restsUntilMs) throw new Error('the host failed a moment ago')
      try {
        const response = await bounded(await fetchKeys(...requested))
        if (response.status === 200) return response
        throw new Error(`its status is ${response.status}`)
      } catch (error) {
        restsUntilMs = performance.now() + KEY_SET_REST_MS
        const why = error instanceof Error ? error.message : String(error)
        onWarning?.(`identity tokens are refused: ${url.host} returns no keys (${why})`)
        throw error
      }
    },
  })
}

function readPublicKey(path: string): KeyObject {
  const text = readFileSync(path, 'utf8')
  if (!text.trimStart().startsWith('{')) return createPublicKey(text)
  return createPublicKey({ key: JSON.parse(text), format: 'jwk' })
}

function readKeySet(source: string, settings: IdentitySettings): JWTVerifyGetKey {
  if (/^https?:\/\//i.test(source)) return remoteKeySet(new URL(source), settings)
  const set: unknown = JSON.parse(readFileSync(source, 'utf8'))
  if (!isKeySet(set)) throw new Error(`${source} is not a JWK set: it has no array "keys"`)
  return createLocalJWKSet(set)
}

/** Reads the keys once. Throws when a configured file cannot be read, so that the start fails. */
export function identityCheck(settings: IdentitySettings): IdentityCheck {
  const options: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SEC,
    requiredClaims: ['exp', 'account'],
    ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
    ...(settings.audience === undefined ? {} : { audience: settings.audience }),
  }
  const keys = settings.jwks === undefined ? undefined : readKeySet(settings.jwks, settings)
  const key = settings.publicKey === undefined ? undefined : readPublicKey(settings.publicKey)
  return async (token, nowMs) => {
    if (token.length > TOKEN_CHARACTERS_MAX) return undefined
    const at = { ...options, currentDate: new Date(nowMs) }
    try {
      const verified =
        key !== undefined
          ? await jwtVerify(token, key, at)
          : keys !== undefined
            ? await jwtVerify(token, keys, at)
            : undefined
      const account = verified?.payload.account
      return typeof account === 'string' ? parseAddress(account) : undefined
    } catch {
      // A crafted token can make its check fail in many ways. An algorithm that does not fit the
      // key fails below jose, with an error of any class. None of these errors is a fault.
      return undefined
    }
  }
}
