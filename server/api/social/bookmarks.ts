// Markets that a profile remembers, for itself and, if it likes, for others.

import { BOOKMARK_KINDS } from '../../../engine/domain/social/social-command.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { addressOrSlug } from '../../edge/http/schema/market-names.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { account } from '../../edge/http/schema/profile-fields.ts'
import { boolean, integer, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { Refusal, refuse, refusedOr } from '../../messages/refusal.ts'
import { checksummed } from '../checksums.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { publicRequester, requesterOf } from '../reads/private-reads.ts'
import { market, message } from '../shapes.ts'
import { AVAILABILITIES, isOfKind } from './bookmark-views.ts'
import type { SocialServices } from './services.ts'

const BOOKMARK_MAX = SOCIAL_LIMITS.bookmarksPerProfileMax

const bookmarkId = () =>
  means(integer(1), 'Number of the bookmark, which no other bookmark ever has.')

const bookmark = () =>
  object({
    bookmarkId: bookmarkId(),
    targetKind: means(
      oneOf(...BOOKMARK_KINDS),
      'Kind that was named when it was put: clob, amm, or negrisk or ladder for a group.',
    ),
    targetId: means(text(), 'Number of the market as text.'),
    slug: means(nullable(text()), 'Slug of the market; null when it is not found.'),
    availability: means(
      oneOf(...AVAILABILITIES),
      'active for a market that is announced or trades, resolved for one that is decided, ' +
        'unavailable for any other.',
    ),
    createdAt: means(isoTime(), 'When the bookmark was put.'),
    market: means(
      anyOf(market(), schemaOf<null>({ type: 'null' })),
      'The market as it stands now; null when the markets before it fill 4 MB, then read it by ' +
        'its slug.',
    ),
  })

const bookmarkList = () =>
  object({
    data: means(list(bookmark()), 'The bookmarks, newest first.'),
    isPublic: means(boolean(), 'Whether everybody may read them.'),
    total: means(integer(0, BOOKMARK_MAX), 'How many bookmarks there are.'),
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
  about: 'Bookmarks a market; one that is bookmarked already stays as it is.',
  params: {
    targetKind: means(
      oneOf(...BOOKMARK_KINDS),
      'Kind of the market: clob with a book, amm with a pool, negrisk or ladder for a group.',
    ),
    targetId: means(
      addressOrSlug(),
      'Number or slug of the market, or address of the pool; digits are taken as a number first.',
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
  about: "The caller's bookmarks with their markets, newest first.",
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
  // Caches ask each time: what is hidden is hidden at once.
  cache: cached(REVALIDATE),
  about: 'The bookmarks of an account that shows them, newest first.',
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
    // An account without a profile and one that shows nothing take the same way.
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
  means: 'The bookmark is gone.',
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
  about: 'Removes all bookmarks of the caller; who may read them stays as it is.',
  reply: message(),
  means: 'The caller has no bookmark.',
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
  about: "Says whether everybody may read the caller's bookmarks; at first nobody may.",
  body: object({ isPublic: means(boolean(), 'true to show them to all, false to hide them.') }),
  reply: object({ isPublic: means(boolean(), 'Whether everybody may read them now.') }),
  means: 'The bookmarks are shown or hidden from now on.',
  rejects: ['OVERLOADED'],
  example: { body: { isPublic: true }, reply: { isPublic: true } },
  handle: async ({ body, caller }, { social }: SocialServices) => {
    const { isPublic } = body
    const refused = await social.showBookmarks(caller.profileId, isPublic)
    return refused === null ? { isPublic } : refuse(refused)
  },
})
