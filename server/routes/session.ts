// Wallet sessions (api-spec "Session authentication", domain §12.1).

import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT } from '../../engine/domain/reject.ts'
import { formatAddress, parseAddress, ZERO_ADDRESS } from '../auth/address.ts'
import {
  digestOf,
  proveLogin,
  SESSION_COOKIE,
  sessionCookie,
  signingMessage,
} from '../auth/session.ts'
import { open, session, sessionOrIdentity } from '../http/auth-scheme.ts'
import { cookie, header } from '../http/call.ts'
import { address } from '../http/fields.ts'
import { invalid, Refusal, refuse } from '../http/refusal.ts'
import { reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { nullable, oneOf, text } from '../http/scalars.ts'
import { object, optional } from '../http/schema.ts'
import { ACCOUNT } from './examples.ts'
import type { Services } from './services.ts'
import { message } from './shapes.ts'

const LOGIN_HEADERS = ['x-account', 'x-signing-message', 'x-signature'] as const

export const signingMessageRoute = route({
  method: 'GET',
  path: '/auth/signing-message',
  auth: open(),
  lane: 'auth',
  about: 'A message to sign for a login; it holds for five minutes and one login.',
  reply: text(),
  example: { reply: 'Welcome to outcomex! … Nonce: 0x…' },
  // The sequencer's time never goes back, so a burned nonce is not forgotten before it ended.
  handle: (_input, { loginKey, pipeline }: Services) =>
    signingMessage(loginKey, pipeline.sequencer.nowMs()),
})

export const verifyAuth = route({
  method: 'GET',
  path: '/auth/verify-auth',
  auth: session(),
  lane: 'private',
  about: 'The account of the session.',
  reply: text(),
  example: { reply: ACCOUNT },
  handle: ({ caller }) => caller.account,
})

/** Its checksummed text. Nothing proves that it is the caller's: it must open nothing of others. */
function smartWalletOf(given: string): string | Refusal {
  const bytes = parseAddress(given)
  if (bytes === undefined) {
    return invalid({ field: 'smartWallet', message: 'has a wrong EIP-55 checksum' })
  }
  const smartWallet = formatAddress(bytes)
  if (smartWallet !== ZERO_ADDRESS) return smartWallet
  return invalid({ field: 'smartWallet', message: 'must not be the zero address' })
}

export const login = route({
  method: 'POST',
  path: '/auth/login',
  auth: open(),
  lane: 'auth',
  about: 'Opens a session for the account that signed the message, and sets its cookie.',
  headers: {
    'x-account': 'Address of the wallet.',
    'x-signing-message': 'The signed message, as text or as 0x-hex of its UTF-8 bytes.',
    'x-signature': 'The EIP-191 signature, 0x-hex.',
  },
  body: object({
    client: optional(oneOf('eoa', 'etherspot', 'base')),
    smartWallet: optional(nullable(address())),
    r: optional(text(128)),
  }),
  reply: object({
    account: address(),
    displayName: text(),
    smartWallet: nullable(address()),
    client: text(),
  }),
  rejects: ['OVERLOADED', 'VALIDATION', 'LOGIN_INVALID', 'SMART_WALLET_REQUIRED', 'CAPACITY'],
  example: {
    body: { client: 'eoa' },
    reply: { account: ACCOUNT, displayName: ACCOUNT, smartWallet: null, client: 'eoa' },
  },
  handle: async ({ body, call }, { pipeline, accounts, loginKey, settings }: Services) => {
    const missing = LOGIN_HEADERS.filter((name) => header(call, name) === '')
    if (missing.length > 0) {
      return invalid(...missing.map((field) => ({ field, message: 'is a required header' })))
    }
    const [account, message, signature] = LOGIN_HEADERS.map((name) => header(call, name))
    const proven = proveLogin(
      { account, signingMessage: message, signature },
      {
        key: loginKey,
        nowMs: pipeline.sequencer.nowMs(),
        isNonceBurned: (nonce) => pipeline.clearing.accounts.isNonceBurned(nonce),
      },
    )
    // The nonce may be burned by a login that is not durable yet.
    if (proven === undefined) return refuse(await pipeline.refused(REJECT.LOGIN_INVALID))
    const named = body.smartWallet ? smartWalletOf(body.smartWallet) : null
    if (named instanceof Refusal) return named
    const client = body.client ?? 'eoa'
    if (client !== 'eoa' && named === null) return refuse('SMART_WALLET_REQUIRED')
    const proof = { ...proven, address: formatAddress(proven.account) }
    const opened = await accounts.login(proof, { client, smartWallet: named })
    if (typeof opened === 'number') return refuse(opened)
    const { profile, token } = opened
    const cookieText = sessionCookie(token, LIMITS.sessionMs, settings.isTls)
    const { displayName, smartWallet } = profile
    const result = { account: profile.account, displayName, smartWallet, client: profile.client }
    return reply(200, result, [['set-cookie', cookieText]])
  },
})

function loggedOut(message: string, isTls: boolean) {
  return reply(200, { message }, [['set-cookie', sessionCookie('', 0, isTls)]])
}

export const logout = route({
  method: 'POST',
  path: '/auth/logout',
  auth: session(),
  lane: 'auth',
  about: 'Ends the session and clears its cookie.',
  reply: message(),
  rejects: ['OVERLOADED'],
  example: { reply: { message: 'Logged out' } },
  handle: async ({ call }, { accounts, settings }: Services) => {
    const refused = await accounts.logout(digestOf(cookie(call, SESSION_COOKIE)))
    if (refused !== 0) return refuse(refused)
    return loggedOut('Logged out', settings.isTls)
  },
})

export const logoutEverywhere = route({
  method: 'DELETE',
  path: '/auth/sessions',
  auth: sessionOrIdentity(),
  lane: 'auth',
  about: 'Ends every session of the account, this one too, and clears the cookie.',
  reply: message(),
  rejects: ['OVERLOADED'],
  example: { reply: { message: 'Logged out everywhere' } },
  handle: async ({ caller }, { accounts, settings }: Services) => {
    const refused = await accounts.logoutEverywhere(caller.profileId)
    return refused === 0 ? loggedOut('Logged out everywhere', settings.isTls) : refuse(refused)
  },
})
