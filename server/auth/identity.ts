import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { parseAddress } from './address.ts'

// Identity tokens: JWTs of an identity provider the operator trusts (design §5). The only importer
// of jose.

/** Where the provider's keys are. None of the three: no identity token is ever valid. */
export interface IdentitySettings {
  /** URL or file of a JWK set. */
  readonly jwks?: string
  /** File of one public key, PEM or JWK. */
  readonly publicKey?: string
  readonly issuer?: string
  readonly audience?: string
}

/** Gives the twenty bytes of the account a token names, or undefined when it proves nothing. */
export type IdentityCheck = (token: string, nowMs: number) => Promise<Uint8Array | undefined>

/** Only signatures that a public key can check: with HMAC the public key would be the secret. */
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

function isKeySet(value: unknown): value is JSONWebKeySet {
  return typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys)
}

function readPublicKey(path: string): KeyObject {
  const text = readFileSync(path, 'utf8')
  if (!text.trimStart().startsWith('{')) return createPublicKey(text)
  return createPublicKey({ key: JSON.parse(text), format: 'jwk' })
}

function readKeySet(source: string): JWTVerifyGetKey {
  if (/^https?:\/\//.test(source)) return createRemoteJWKSet(new URL(source))
  const set: unknown = JSON.parse(readFileSync(source, 'utf8'))
  if (!isKeySet(set)) throw new Error(`${source} is not a JWK set: it has no array "keys"`)
  return createLocalJWKSet(set)
}

/** Reads the keys once; throws when a configured file cannot be read, so that the start refuses. */
export function identityCheck(settings: IdentitySettings): IdentityCheck {
  const options: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SEC,
    requiredClaims: ['exp', 'account'],
    ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
    ...(settings.audience === undefined ? {} : { audience: settings.audience }),
  }
  const keys = settings.jwks === undefined ? undefined : readKeySet(settings.jwks)
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
      // Whoever sends a token chooses what its check stumbles over: an algorithm that is not of the
      // key fails in the cryptography below jose, with errors of any class. None of it is a fault.
      return undefined
    }
  }
}
