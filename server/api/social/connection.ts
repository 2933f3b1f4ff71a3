// The X account of a profile: connecting it with a code, disconnecting it, and applying its data.

import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { boolean, means, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
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
  about: "Connects the caller's X account, proven by a code from X.",
  body: object({
    code: means(
      text(CODE_CHARACTERS_MAX, 1),
      'Code that X gave the user; a demo accepts demo: followed by any handle.',
    ),
  }),
  reply: object({
    handle: means(text(), 'Handle of the account, without the @.'),
    avatarUrl: means(nullable(text()), "Link to the account's picture; null without one."),
  }),
  means: 'The account is connected, replacing any other.',
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
  about: "Disconnects the caller's X account; the username and picture that it gave stay.",
  reply: message(),
  means: 'No X account is connected.',
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
  about: 'Sets the username of the profile to the handle of its X account, and its picture.',
  body: object({
    username: means(
      optional(boolean()),
      'Whether to use the handle as username; false by default.',
    ),
    avatar: means(optional(boolean()), 'Whether to use the picture; false by default.'),
  }),
  reply: object({
    usernameApplied: means(boolean(), 'Whether the handle is the username now.'),
    avatarApplied: means(boolean(), 'Whether the picture of the account was applied.'),
    usernameSkippedReason: means(
      nullable(oneOf(...SKIP_REASONS)),
      'taken if another profile has that username, invalid if the handle does not begin ' +
        'with a letter; null if it was applied or not requested.',
    ),
  }),
  means: 'The profile has everything that could be applied.',
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
