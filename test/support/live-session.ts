import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import type { LiveExchange } from './live-exchange.ts'
import type { Reply } from './replies.ts'

// A wallet that logs in as a browser does. viem signs, so that our own code does not check itself.

export function newWallet() {
  return privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
}

export type Wallet = ReturnType<typeof newWallet>

export interface LoginRequest {
  readonly message?: string
  readonly account?: string
  readonly signature?: string
  readonly asHex?: boolean
  readonly walletSignature?: string
  readonly body?: unknown
}

/** `query` names the purpose; without it, the message is for a login. */
export async function signingMessage(live: LiveExchange, query = ''): Promise<string> {
  const reply = await live.send('GET', `/auth/signing-message${query}`)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(typeof reply.body, 'string', 'the message is a JSON string')
  return String(reply.body)
}

/** The message that the owner of a wallet signs to become a sub-account of this partner. */
export function partnerMessage(live: LiveExchange, { profileId }: { profileId: number }) {
  return signingMessage(live, `?purpose=sub-account&partner=${profileId}`)
}

/** A login that names a smart wallet with a key, and proves that wallet. */
export async function loginWithWallet(
  live: LiveExchange,
  wallet: Wallet,
  smartWallet: Wallet,
  client = 'base',
): Promise<Reply> {
  const query = `?account=${wallet.address}&smartWallet=${smartWallet.address}`
  const message = await signingMessage(live, query)
  return login(live, wallet, {
    message,
    walletSignature: await smartWallet.signMessage({ message }),
    body: { client, smartWallet: smartWallet.address },
  })
}

export async function login(
  live: LiveExchange,
  wallet: Wallet,
  wanted: LoginRequest = {},
): Promise<Reply> {
  const message = wanted.message ?? (await signingMessage(live))
  const signature = wanted.signature ?? (await wallet.signMessage({ message }))
  const own = wanted.walletSignature
  const hex = `0x${Buffer.from(message).toString('hex')}`
  return live.send('POST', '/auth/login', {
    headers: {
      'x-account': wanted.account ?? wallet.address,
      'x-signing-message': wanted.asHex === false ? message : hex,
      'x-signature': signature,
      'content-type': 'application/json',
      ...(own === undefined ? {} : { 'x-smart-wallet-signature': own }),
    },
    body: JSON.stringify(wanted.body ?? { client: 'eoa' }),
  })
}

/** The cookie pair that a reply sets. */
export function cookieOf(reply: Reply): string {
  assert.equal(reply.status, 200, reply.text)
  const [cookie] = reply.headers.getSetCookie()
  assert.ok(cookie !== undefined, 'the login sets a cookie')
  return cookie.split(';')[0]
}

/** A call of a browser that holds `cookie`. */
export function withCookie(
  live: LiveExchange,
  cookie: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const headers = { cookie, 'content-type': 'application/json' }
  const isSent = body !== undefined
  return live.send(method, path, isSent ? { headers, body: JSON.stringify(body) } : { headers })
}
