import type { MarketId, ProfileId } from '../ids.ts'

// Relations of profiles to each other and to markets, outside trading.

/**
 * What a bookmark refers to: a market with a book, a group under either of its names, or a pool.
 */
export const BOOKMARK_KINDS = ['clob', 'negrisk', 'ladder', 'amm'] as const
export type BookmarkKind = (typeof BOOKMARK_KINDS)[number]

export type SocialBody =
  | { kind: 'followProfile'; profileId: ProfileId; followedId: ProfileId }
  | { kind: 'unfollowProfile'; profileId: ProfileId; followedId: ProfileId }
  /** The seq of this command is the bookmark's id. */
  | {
      kind: 'putBookmark'
      profileId: ProfileId
      marketId: MarketId
      targetKind: BookmarkKind
    }
  | { kind: 'removeBookmark'; profileId: ProfileId; marketId: MarketId }
  | { kind: 'clearBookmarks'; profileId: ProfileId }
  /** Whether the profile's bookmarks are public. */
  | { kind: 'showBookmarks'; profileId: ProfileId; isPublic: boolean }
