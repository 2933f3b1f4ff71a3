// Wallet sessions (rules §12.1).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { type ShownProfile, shownName } from '../../../persistence/query/read/profiles.ts'
import { open, session, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import {
  digestOf,
  type ProvenLogin,
  type Purpose,
  proveWallet,
  sessionCookies,
  signedMessage,
  signingMessage,
} from '../../auth/session.ts'
import { type CookieNaming, sessionCookieNames } from '../../auth/session-names.ts'
import { formatAddress, parseAddress } from '../../crypto/address.ts'
import { reply } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { account, address, profileId } from '../../edge/http/schema/fields.ts'
import { defaulted, means, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { object, optional } from '../../edge/http/schema/schema.ts'
import { type Call, cookieValues, header } from '../../messages/call.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { checksummed, smartWalletOf } from '../checksums.ts'
import { ACCOUNT } from '../examples.ts'
import { profileOfCode } from '../referrals/services.ts'
import { message } from '../shapes.ts'
import { nameToShow, tradeWalletOption } from './profile-fields.ts'
import type { AccountServices } from './services.ts'

const LOGIN_HEADERS = ['x-account', 'x-signing-message', 'x-signature'] as const

const WALLET_HEADER = 'x-smart-wallet-signature'

interface MessageRequest {
  readonly purpose: 'login' | 'sub-account'
  readonly partner?: number | undefined
  readonly account?: string | undefined
  readonly smartWallet?: string | undefined
}

function purposeOf({ purpose, partner, account, smartWallet }: MessageRequest): Purpose | Refusal {
  const wrong = (field: string, message: string) => invalid({ field, message })
  if (purpose === 'sub-account') {
    if (smartWallet !== undefined) return wrong('smartWallet', 'is only allowed for a login')
    if (partner !== undefined) return { kind: 'sub-account', partnerId: partner }
    return wrong('partner', 'is required: the profile id of the partner')
  }
  if (partner !== undefined) return wrong('partner', 'is only allowed for a sub-account')
  if (smartWallet === undefined) return { kind: 'login' }
  if (account === undefined) return wrong('account', 'is required: the owner of the smart wallet')
  const wallet = checksummed('smartWallet', smartWallet)
  return wallet instanceof Refusal ? wallet : { kind: 'login', smartWallet: wallet }
}

export const signingMessageRoute = route({
  method: 'GET',
  path: '/auth/signing-message',
  auth: open(),
  rateClass: 'auth',
  about:
    'Returns a message to sign, for a login by default; it is valid for five minutes and one use.',
  query: {
    purpose: means(
      defaulted(oneOf('login', 'sub-account'), 'login'),
      'What the signature proves: a login, or a sub-account of a partner.',
    ),
    partner: means(
      optional(profileId()),
      'Id of the partner of the new sub-account; only for that purpose.',
    ),
    account: means(
      optional(address()),
      'Wallet that signs, written into the message; required with smartWallet.',
    ),
    smartWallet: means(
      optional(address()),
      'Smart wallet that signs too, to become the smart wallet of the account.',
    ),
  },
  reply: text(),
  means: 'The exact message to sign.',
  rejects: ['VALIDATION'],
  example: { reply: 'exchange.example asks you to sign this message; … Nonce: 0x…' },
  handle: ({ query }, { signing, pipeline }: AccountServices) => {
    const purpose = purposeOf(query)
    if (purpose instanceof Refusal) return purpose
    const account = query.account === undefined ? '' : checksummed('account', query.account)
    if (account instanceof Refusal) return account
    // The sequencer's time never decreases, so a burned nonce is kept until it expires.
    return signingMessage(signing, purpose, account, pipeline.sequencer.nowMs())
  },
})

export const verifyAuth = route({
  method: 'GET',
  path: '/auth/verify-auth',
  auth: session(),
  rateClass: 'private',
  about: 'Returns the account of the session.',
  reply: text(),
  means: 'Address of the account of the session.',
  example: { reply: ACCOUNT },
  handle: ({ caller }) => caller.account,
})

interface Proven extends ProvenLogin {
  /** The smart wallet that signed too, or that is the account itself; null without one. */
  readonly smartWallet: string | null
}

/**
 * The account that logs in. A smart wallet counts only with its own signature of a message that
 * names it and its account. From then on its orders and its withdrawals belong to the account.
 */
function provenLogin(
  call: Call,
  named: string | null,
  { signing, pipeline }: AccountServices,
): Proven | undefined {
  const [account, message, signature] = LOGIN_HEADERS.map((name) => header(call, name))
  const prove = (purpose: Purpose) =>
    proveWallet(
      { account, signingMessage: message, signature },
      {
        signing,
        purpose,
        nowMs: pipeline.sequencer.nowMs(),
        isNonceBurned: (nonce) => pipeline.clearing.accounts.isNonceBurned(nonce),
      },
    )
  const own = header(call, WALLET_HEADER)
  const plain = own === '' ? prove({ kind: 'login' }) : undefined
  if (plain !== undefined) {
    const isItself = named !== null && named === formatAddress(plain.account)
    return { ...plain, smartWallet: isItself ? named : null }
  }
  const wallet = named === null ? undefined : parseAddress(named)
  if (named === null || wallet === undefined) return undefined
  const proven = prove({ kind: 'login', smartWallet: named })
  if (proven === undefined) return undefined
  if (own === '') return { ...proven, smartWallet: null }
  return signedMessage(message, own, wallet) ? { ...proven, smartWallet: named } : undefined
}

/** The profile of an account before a login; null before its first login. */
async function knownProfile(
  account: string,
  { pipeline, reads }: AccountServices,
): Promise<ShownProfile | null | undefined> {
  const known = pipeline.clearing.accounts.byAddress(account)
  return known === undefined ? null : reads.profile(known.profileId)
}

export const login = route({
  method: 'POST',
  path: '/auth/login',
  auth: open(),
  rateClass: 'auth',
  about: 'Opens a session for the account that signed the message, and sets its cookie.',
  headers: {
    'x-account': { about: 'Address of the wallet.', schema: address(), isRequired: true },
    'x-signing-message': {
      about: 'The signed message: text, with or without quotes, or 0x-hex of its UTF-8.',
      schema: text(undefined, 1),
      isRequired: true,
    },
    'x-signature': {
      about: 'The EIP-191 signature of the wallet, 0x-hex.',
      schema: text(undefined, 1),
      isRequired: true,
    },
    [WALLET_HEADER]: 'The signature of the smart wallet, over a message that names it.',
  },
  body: object({
    client: means(
      optional(oneOf('eoa', 'etherspot', 'base')),
      'Kind of wallet that logs in; eoa by default. The others need a smartWallet.',
    ),
    smartWallet: means(
      optional(nullable(address())),
      'Smart wallet of the account; it takes effect once it has signed too.',
    ),
    r: means(
      optional(text(128)),
      'Referral code of the profile that referred this one; used by the login that creates the ' +
        'profile. Unknown codes are ignored.',
    ),
  }),
  reply: object({
    account: account(),
    displayName: nameToShow(),
    smartWallet: means(
      nullable(address()),
      'Smart wallet that the account has proven; null without one.',
    ),
    client: means(text(), 'Kind of wallet that the profile logs in with.'),
    tradeWalletOption: tradeWalletOption(),
  }),
  means: 'The session is open, and its cookie is set.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'LOGIN_INVALID',
    'SMART_WALLET_REQUIRED',
    'REGISTRATION_CLOSED',
    'REGISTRATION_LIMIT',
    'PROFILE_LIMIT',
    'SESSION_LIMIT',
    'READ_TIMEOUT',
  ],
  example: {
    body: { client: 'eoa' },
    reply: {
      account: ACCOUNT,
      displayName: ACCOUNT,
      smartWallet: null,
      client: 'eoa',
      tradeWalletOption: null,
    },
  },
  handle: async ({ body, call }, services: AccountServices) => {
    const missing = LOGIN_HEADERS.filter((name) => header(call, name) === '')
    if (missing.length > 0) {
      return invalid(...missing.map((field) => ({ field, message: 'is a required header' })))
    }
    const { pipeline, accounts, registrations, settings } = services
    const named = body.smartWallet ? smartWalletOf(body.smartWallet) : null
    const proven = provenLogin(call, named instanceof Refusal ? null : named, services)
    // The nonce may be burned by a login that is not durable yet.
    if (proven === undefined) return refuse(await pipeline.refused(REJECT.LOGIN_INVALID))
    if (named instanceof Refusal) return named
    const client = body.client ?? 'eoa'
    if (client !== 'eoa' && named === null) return refuse('SMART_WALLET_REQUIRED')
    const address = formatAddress(proven.account)
    // Read before the login, so a caller that gets a 503 knows that nothing changed.
    const before = await knownProfile(address, services)
    if (before === undefined) return refuse('READ_TIMEOUT')
    // No await from here on: one synchronous step counts the registration and creates the profile.
    const { count } = pipeline.clearing.accounts
    const from = call.isOwn === true ? null : call.from
    const restricted =
      before === null ? registrations.take(from, count, pipeline.sequencer.nowMs()) : null
    if (restricted !== null) return restricted
    const { smartWallet } = proven
    const referredBy = profileOfCode(body.r ?? '')
    const wanted = { client, smartWallet, referredBy }
    const opened = await accounts.login({ ...proven, address }, wanted)
    if (opened instanceof Reject) return refuse(opened)
    const isNamed = before === null || (before.smartWallet === null && smartWallet !== null)
    const reported = isNamed ? { client, smartWallet } : before
    const result = {
      account: address,
      displayName: before === null ? address : shownName(before),
      smartWallet: reported.smartWallet,
      client: reported.client,
      tradeWalletOption: before?.tradeWalletOption ?? null,
    }
    return reply(200, result, sessionCookies(opened.token, LIMITS.sessionMs, settings.cookies))
  },
})

function loggedOut(message: string, naming: CookieNaming) {
  return reply(200, { message }, sessionCookies('', 0, naming))
}

export const logout = route({
  method: 'POST',
  path: '/auth/logout',
  auth: session(),
  rateClass: 'auth',
  about: 'Ends the session and clears its cookie.',
  reply: message(),
  means: 'The session has ended, and its cookie is cleared.',
  rejects: ['OVERLOADED'],
  example: { reply: { message: 'Logged out' } },
  handle: async ({ call }, { accounts, settings }: AccountServices) => {
    const [token = ''] = cookieValues(call, ...sessionCookieNames(settings.cookies))
    const refused = await accounts.logout(digestOf(token))
    if (refused !== null) return refuse(refused)
    return loggedOut('Logged out', settings.cookies)
  },
})

export const logoutEverywhere = route({
  method: 'DELETE',
  path: '/auth/sessions',
  auth: sessionOrIdentity(),
  rateClass: 'auth',
  about: 'Ends every session of the account, including this one, and clears the cookie.',
  reply: message(),
  means: 'The account has no open session.',
  rejects: ['OVERLOADED'],
  example: { reply: { message: 'Logged out everywhere' } },
  handle: async ({ caller }, { accounts, settings }: AccountServices) => {
    const refused = await accounts.logoutEverywhere(caller.profileId)
    return refused === null ? loggedOut('Logged out everywhere', settings.cookies) : refuse(refused)
  },
})
