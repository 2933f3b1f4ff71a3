// The account on X of a profile: proven by a code, forgotten, and taken over.

import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { object, optional } from '../../edge/http/schema/schema.ts'
import { refuse, refusedOr } from '../../messages/refusal.ts'
import { message } from '../shapes.ts'
import type { SocialServices } from './services.ts'
import { SKIP_REASONS } from './social-connections.ts'

const CODE_CHARACTERS_MAX = 512

const owners = () => eitherOf(hmac(), sessionOrIdentity())

export const connectX = route({
  method: 'POST',
  path: '/profiles/x/connection',
  auth: owners(),
  rateClass: 'auth',
  about: "Connects the caller's account on X, which a code of X proves.",
  body: object({
    code: means(
      text(CODE_CHARACTERS_MAX, 1),
      'Code that X gave its user; a demo takes demo: and any handle.',
    ),
  }),
  reply: object({
    handle: means(text(), 'Handle of the account, without the @.'),
    avatarUrl: means(nullable(text()), 'Link to its picture; null without one.'),
  }),
  means: 'The account is connected, in place of any other.',
  rejects: [
    'OVERLOADED',
    'PROFILE_NOT_FOUND',
    'SOCIAL_CONNECTION_OFF',
    'SOCIAL_CODE_INVALID',
    'READ_TIMEOUT',
  ],
  example: {
    body: { code: 'demo:rainmaker' },
    reply: { handle: 'rainmaker', avatarUrl: 'https://pictures.example/rainmaker.png' },
  },
  handle: async ({ body, caller }, { connections }: SocialServices) => {
    const connected = await connections.connect(caller.profileId, body.code)
    return refusedOr(connected, (account) => account)
  },
})

export const disconnectX = route({
  method: 'DELETE',
  path: '/profiles/x/connection',
  auth: owners(),
  rateClass: 'auth',
  about: "Forgets the caller's account on X; name and picture that it gave stay.",
  reply: message(),
  means: 'No account on X is connected.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'READ_TIMEOUT'],
  example: { reply: { message: 'Account disconnected' } },
  handle: async ({ caller }, { connections }: SocialServices) => {
    const refused = await connections.disconnect(caller.profileId)
    return refused === null ? { message: 'Account disconnected' } : refuse(refused)
  },
})

export const applySocialData = route({
  method: 'POST',
  path: '/profiles/x/connection/social-data',
  auth: owners(),
  rateClass: 'auth',
  about: 'Gives the profile the handle of its account on X as username, and its picture.',
  body: object({
    username: means(
      optional(boolean()),
      'Whether to take the handle as username; absent is false.',
    ),
    avatar: means(optional(boolean()), 'Whether to take the picture; absent is false.'),
  }),
  reply: object({
    usernameApplied: means(boolean(), 'Whether the handle is the username now.'),
    avatarApplied: means(boolean(), 'Whether the picture of the account was taken.'),
    usernameSkippedReason: means(
      nullable(oneOf(...SKIP_REASONS)),
      'taken when another profile has that username, invalid when the handle does not begin ' +
        'with a letter; null when it was taken over or not asked for.',
    ),
  }),
  means: 'The profile has what could be applied.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'SOCIAL_NOT_CONNECTED', 'READ_TIMEOUT'],
  example: {
    body: { username: true, avatar: true },
    reply: { usernameApplied: true, avatarApplied: true, usernameSkippedReason: null },
  },
  handle: async ({ body, caller }, { connections }: SocialServices) => {
    const { username = false, avatar = false } = body
    const taken = await connections.takeOver(caller.profileId, { username, avatar })
    return refusedOr(taken, (reported) => reported)
  },
})
