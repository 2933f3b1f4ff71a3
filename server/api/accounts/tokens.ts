// API tokens (rules §12.1).

import type { Scope } from '../../../engine/domain/command.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { eitherOf, hmac, hmacOrSession, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { account, isoTime, profileId, scope } from '../../edge/http/schema/fields.ts'
import { boolean, line, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { ACCOUNT, ORDER_ID } from '../examples.ts'
import { message } from '../shapes.ts'
import { allowedScopes, scopes } from './profile-fields.ts'
import type { AccountServices } from './services.ts'

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
