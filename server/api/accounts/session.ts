// Wallet sessions (rules §12.1).

import type { Scope } from '../../../engine/domain/command.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { type ShownProfile, shownName } from '../../../persistence/query/read/profiles.ts'
import {
  eitherOf,
  hmac,
  hmacOrSession,
  open,
  session,
  sessionOrIdentity,
} from '../../auth/auth-scheme.ts'
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
import { account, address, isoTime, profileId, scope } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  line,
  means,
  nullable,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { type Call, cookieValues, header } from '../../messages/call.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, ORDER_ID } from '../examples.ts'
import { profileOfCode } from '../referrals/referrals.ts'
import { checksummed, message, smartWalletOf } from '../shapes.ts'
import { allowedScopes, nameToShow, scopes, tradeWalletOption } from './profile-fields.ts'
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
    'WALLET_IN_USE',
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

// API tokens (rules §12.1).

const AT = isoText(Date.UTC(2026, 0, 1))
const DEFAULT_SCOPES: readonly Scope[] = ['trading']

const tokenId = () => means(text(), 'Id of the API token.')
const tokenSince = () => means(isoTime(), 'When the token was created.')

export const deriveToken = route({
  method: 'POST',
  path: '/auth/api-tokens/derive',
  auth: sessionOrIdentity(),
  rateClass: 'auth',
  about: 'Creates an API token for the caller. The secret is returned only once.',
  body: object({
    label: means(
      optional(nullable(line(LIMITS.tokenLabelCharactersMax))),
      'Label of the token; null or absent for none.',
    ),
    scopes: means(optional(list(scope(), 1, 4)), 'Scopes of the token; trading by default.'),
  }),
  status: 201,
  reply: object({
    apiKey: means(text(), 'The token id again: the value of the header that ends in api-key.'),
    secret: means(text(), 'HMAC key in Base64. Store it: it is never shown again.'),
    tokenId: tokenId(),
    createdAt: tokenSince(),
    scopes: scopes(),
    profile: means(
      object({ id: profileId(), account: account() }),
      'Profile that the token acts for.',
    ),
  }),
  means: 'The token is created and can sign calls.',
  links: {
    revoke: {
      to: 'DELETE /auth/api-tokens/:tokenId',
      about: 'Revokes the token.',
      params: { tokenId: '/tokenId' },
    },
  },
  rejects: [
    'OVERLOADED',
    'PROFILE_FROZEN',
    'SCOPE_NEEDS_TRADING',
    'SCOPE_NOT_ALLOWED',
    'TOKEN_LIMIT',
    'PROFILE_NOT_FOUND',
  ],
  example: {
    body: { label: 'maker', scopes: ['trading'] },
    reply: {
      apiKey: ORDER_ID,
      secret: 'c2VjcmV0LWtleS1leGFtcGxlLWJhc2U2NC1lbmNvZGVk',
      tokenId: ORDER_ID,
      createdAt: AT,
      scopes: ['trading'],
      profile: { id: 1, account: ACCOUNT },
    },
  },
  handle: async ({ body, caller }, { accounts, pipeline }: AccountServices) => {
    const owner = pipeline.clearing.accounts.byId(caller.profileId)
    if (owner === undefined) return refuse('PROFILE_NOT_FOUND')
    const minted = await accounts.deriveToken(
      owner,
      [...new Set(body.scopes ?? DEFAULT_SCOPES)],
      body.label ?? null,
    )
    if (minted instanceof Reject) return refuse(minted)
    const { tokenId, secret, scopes } = minted
    const token = pipeline.clearing.accounts.tokenById(tokenId)
    return {
      apiKey: tokenId,
      secret,
      tokenId,
      createdAt: isoText(token?.createdMs ?? 0),
      scopes,
      profile: { id: owner.profileId, account: owner.account },
    }
  },
})

export const listTokens = route({
  method: 'GET',
  path: '/auth/api-tokens',
  auth: hmacOrSession(),
  rateClass: 'private',
  about: "Lists the caller's active API tokens, without their secrets.",
  reply: list(
    object({
      tokenId: tokenId(),
      label: means(nullable(text()), 'Label of the token; null for none.'),
      scopes: scopes(),
      createdAt: tokenSince(),
      lastUsedAt: means(nullable(isoTime()), 'When it last signed a call; null before that.'),
    }),
  ),
  means: 'Every active token of the caller; an empty list if there are none.',
  example: {
    reply: [
      { tokenId: ORDER_ID, label: null, scopes: ['trading'], createdAt: AT, lastUsedAt: null },
    ],
  },
  handle: async ({ caller }, { pipeline }: AccountServices) => {
    const tokens = pipeline.clearing.accounts.tokensOf(caller.profileId)
    const views = tokens.map(({ tokenId, label, scopes, createdMs, lastUsedMs }) => ({
      tokenId,
      label,
      scopes,
      createdAt: isoText(createdMs),
      lastUsedAt: lastUsedMs === null ? null : isoText(lastUsedMs),
    }))
    await pipeline.durable()
    return views
  },
})

export const tokenCapabilities = route({
  method: 'GET',
  path: '/auth/api-tokens/capabilities',
  auth: eitherOf(sessionOrIdentity(), hmac()),
  rateClass: 'private',
  about: 'Returns the scopes that the caller may give its tokens.',
  reply: object({
    partnerProfileId: means(profileId(), "Id of the caller's profile."),
    tokenManagementEnabled: means(
      boolean(),
      'Whether the caller may create tokens; always true here.',
    ),
    allowedScopes: allowedScopes(),
  }),
  means: 'The scopes that the caller may give its tokens now.',
  rejects: ['PROFILE_NOT_FOUND'],
  example: {
    reply: { partnerProfileId: 1, tokenManagementEnabled: true, allowedScopes: ['trading'] },
  },
  handle: async ({ caller }, { pipeline }: AccountServices) => {
    // A profile is an immutable value, so what is read here is durable after the wait.
    const owner = pipeline.clearing.accounts.byId(caller.profileId)
    if (owner === undefined) return refuse('PROFILE_NOT_FOUND')
    await pipeline.durable()
    return {
      partnerProfileId: owner.profileId,
      tokenManagementEnabled: true,
      allowedScopes: owner.scopes,
    }
  },
})

export const revokeToken = route({
  method: 'DELETE',
  path: '/auth/api-tokens/:tokenId',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'auth',
  about: 'Revokes one API token of the caller; it can no longer sign calls.',
  params: { tokenId: means(text(64, 1), 'Id of the API token to revoke.') },
  reply: message(),
  means: 'The token is revoked.',
  rejects: ['OVERLOADED', 'TOKEN_UNKNOWN'],
  example: {
    params: { tokenId: ORDER_ID },
    reply: { message: 'API token revoked successfully' },
  },
  handle: async ({ params, caller }, { accounts }: AccountServices) => {
    const refused = await accounts.revokeToken(caller.profileId, params.tokenId)
    return refused === null ? { message: 'API token revoked successfully' } : refuse(refused)
  },
})
