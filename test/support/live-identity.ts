import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { newFolder } from './data-folder.ts'
import type { LiveExchange } from './live-exchange.ts'
import type { Reply } from './replies.ts'

// A provider of identity tokens, and calls that show one of its tokens.

const TOKEN_SEC = 600
const RIGHT = { iss: 'the-provider', aud: 'outcomex' }

export class IdentityProvider {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  /** The flags of an exchange that trusts this provider. */
  readonly flags: readonly string[]

  constructor() {
    const keyFile = join(newFolder(), 'provider.pem')
    writeFileSync(keyFile, this.#keys.publicKey.export({ type: 'spki', format: 'pem' }))
    const claims = ['--identity-issuer', RIGHT.iss, '--identity-audience', RIGHT.aud]
    this.flags = ['--identity-key', keyFile, ...claims]
  }

  token(
    live: LiveExchange,
    account: unknown,
    { forSec = TOKEN_SEC, claims = RIGHT }: { forSec?: number; claims?: object } = {},
  ): Promise<string> {
    const nowSec = Math.floor(live.nowMs() / 1000)
    return new SignJWT({ account, ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuedAt(nowSec)
      .setExpirationTime(nowSec + forSec)
      .sign(this.#keys.privateKey)
  }
}

export function byIdentity(
  live: LiveExchange,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const headers = { identity: `Bearer ${token}`, 'content-type': 'application/json' }
  const isSent = body !== undefined
  return live.send(method, path, isSent ? { headers, body: JSON.stringify(body) } : { headers })
}
