// Markets that a profile bookmarks, for itself and optionally for others.

import { BOOKMARK_KINDS } from '../../../engine/domain/social/social-command.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { account, addressOrSlug, isoTime } from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { Refusal, refuse, refusedOr } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import { checksummed, market, message } from '../shapes.ts'
import type { SocialServices } from './services.ts'
import { AVAILABILITIES, isOfKind } from './services.ts'

const BOOKMARK_MAX = SOCIAL_LIMITS.bookmarksPerProfileMax

const bookmarkId = () => means(integer(1), 'Id of the bookmark; it is never reused.')

const bookmark = () =>
  object({
    bookmarkId: bookmarkId(),
    targetKind: means(
      oneOf(...BOOKMARK_KINDS),
      'Kind given when it was created: clob, amm, or negrisk or ladder for a group.',
    ),
    targetId: means(text(), 'Id of the market as text.'),
    slug: means(nullable(text()), 'Slug of the market; null if it is not found.'),
    availability: means(
      oneOf(...AVAILABILITIES),
      'active for an announced or trading market, resolved for a resolved one, ' +
        'unavailable for any other.',
    ),
    createdAt: means(isoTime(), 'When the bookmark was created.'),
    market: means(
      anyOf(market(), schemaOf<null>({ type: 'null' })),
      'The current market; null if the markets before it fill 4 MB, then read it by ' + 'its slug.',
    ),
  })

const bookmarkList = () =>
  object({
    data: means(list(bookmark()), 'The bookmarks, newest first.'),
    isPublic: means(boolean(), 'Whether the bookmarks are public.'),
    total: means(integer(0, BOOKMARK_MAX), 'Number of bookmarks.'),
  })

const BOOKMARK_EXAMPLE = {
  bookmarkId: 42,
  targetKind: 'clob' as const,
  targetId: '1',
  slug: MARKET_EXAMPLE.slug,
  availability: 'active' as const,
  createdAt: MARKET_EXAMPLE.createdAt,
  market: MARKET_EXAMPLE,
}

const owners = () => eitherOf(hmac(), sessionOrIdentity())

export const putBookmark = route({
  method: 'PUT',
  path: '/market-bookmarks/:targetKind/:targetId',
  auth: owners(),
  rateClass: 'auth',
  about: 'Bookmarks a market; an existing bookmark stays as it is.',
  params: {
    targetKind: means(
      oneOf(...BOOKMARK_KINDS),
      'Kind of the market: clob with a book, amm with a pool, negrisk or ladder for a group.',
    ),
    targetId: means(
      addressOrSlug(),
      'Id or slug of the market, or address of the pool; digits are tried as an id first.',
    ),
  },
  reply: bookmark(),
  means: 'The bookmark of the market.',
  links: {
    remove: {
      to: 'DELETE /market-bookmarks/:bookmarkId',
      about: 'Removes the bookmark.',
      params: { bookmarkId: '/bookmarkId' },
    },
  },
  rejects: [
    'OVERLOADED',
    'MARKET_NOT_FOUND',
    'BOOKMARK_KIND',
    'BOOKMARK_LIMIT',
    'SOCIAL_CAPACITY',
    'READ_TIMEOUT',
  ],
  example: {
    params: { targetKind: 'clob', targetId: MARKET_EXAMPLE.slug },
    reply: BOOKMARK_EXAMPLE,
  },
  handle: async ({ params, caller, call }, { social, bookmarks }: SocialServices) => {
    const target = await bookmarks.target(params.targetId, requesterOf({ caller, call }))
    if (target === undefined) return refuse('READ_TIMEOUT')
    if (target === null) return refuse('MARKET_NOT_FOUND')
    if (!isOfKind(target, params.targetKind)) return refuse('BOOKMARK_KIND')
    const { marketId } = target.market
    const put = await social.bookmark(caller.profileId, marketId, params.targetKind)
    return refusedOr(put, (bookmark) => bytes(bookmarks.one(bookmark, target)))
  },
})

export const ownBookmarks = route({
  method: 'GET',
  path: '/market-bookmarks/me',
  auth: owners(),
  rateClass: 'private',
  about: "Lists the caller's bookmarks with their markets, newest first.",
  reply: bookmarkList(),
  means: 'All bookmarks of the caller.',
  rejects: ['READ_TIMEOUT'],
  example: { reply: { data: [BOOKMARK_EXAMPLE], isPublic: false, total: 1 } },
  handle: async ({ caller, call }, { bookmarks }: SocialServices) => {
    const shown = await bookmarks.listOf(caller.profileId, requesterOf({ caller, call }))
    return shown === undefined ? refuse('READ_TIMEOUT') : bytes(shown)
  },
})

export const publicBookmarks = route({
  method: 'GET',
  path: '/market-bookmarks/public/:account',
  auth: open(),
  rateClass: 'public',
  // Caches revalidate each time, so that hidden bookmarks are hidden at once.
  cache: cached(REVALIDATE),
  about: 'Lists the bookmarks of an account that made them public, newest first.',
  params: { account: account() },
  reply: bookmarkList(),
  means: 'All bookmarks of the account.',
  rejects: ['VALIDATION', 'BOOKMARKS_NOT_SHOWN', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    reply: { data: [BOOKMARK_EXAMPLE], isPublic: true, total: 1 },
  },
  handle: async ({ params, call }, { pipeline, bookmarks }: SocialServices) => {
    const address = checksummed('account', params.account)
    if (address instanceof Refusal) return address
    const { accounts, social } = pipeline.clearing
    // An account without a profile and one without public bookmarks get the same reply.
    const profileId = accounts.byAddress(address)?.profileId ?? 0
    if (!social.bookmarks.isShown(profileId)) {
      await pipeline.durable()
      return refuse('BOOKMARKS_NOT_SHOWN')
    }
    const shown = await bookmarks.listOf(profileId, publicRequester(call))
    return shown === undefined ? refuse('READ_TIMEOUT') : bytes(shown)
  },
})

export const removeBookmark = route({
  method: 'DELETE',
  path: '/market-bookmarks/:bookmarkId',
  auth: owners(),
  rateClass: 'auth',
  about: 'Removes one bookmark of the caller.',
  params: { bookmarkId: bookmarkId() },
  reply: message(),
  means: 'The bookmark is removed.',
  rejects: ['OVERLOADED', 'BOOKMARK_NOT_FOUND'],
  example: { params: { bookmarkId: 42 }, reply: { message: 'Bookmark removed' } },
  handle: async ({ params, caller }, { social }: SocialServices) => {
    const refused = await social.removeBookmark(caller.profileId, params.bookmarkId)
    return refused === null ? { message: 'Bookmark removed' } : refuse(refused)
  },
})

export const clearBookmarks = route({
  method: 'DELETE',
  path: '/market-bookmarks',
  auth: owners(),
  rateClass: 'auth',
  about: 'Removes all bookmarks of the caller; their visibility stays as it is.',
  reply: message(),
  means: 'The caller has no bookmarks.',
  rejects: ['OVERLOADED'],
  example: { reply: { message: 'Bookmarks cleared' } },
  handle: async ({ caller }, { social }: SocialServices) => {
    const refused = await social.clearBookmarks(caller.profileId)
    return refused === null ? { message: 'Bookmarks cleared' } : refuse(refused)
  },
})

export const showBookmarks = route({
  method: 'PATCH',
  path: '/market-bookmarks/visibility',
  auth: owners(),
  rateClass: 'auth',
  about: "Makes the caller's bookmarks public or private (the default).",
  body: object({
    isPublic: means(boolean(), 'True to make them public, false to make them private.'),
  }),
  reply: object({ isPublic: means(boolean(), 'Whether the bookmarks are public now.') }),
  means: 'The visibility of the bookmarks is set.',
  rejects: ['OVERLOADED'],
  example: { body: { isPublic: true }, reply: { isPublic: true } },
  handle: async ({ body, caller }, { social }: SocialServices) => {
    const { isPublic } = body
    const refused = await social.showBookmarks(caller.profileId, isPublic)
    return refused === null ? { isPublic } : refuse(refused)
  },
})
