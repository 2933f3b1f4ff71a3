import type { MarketId, ProfileId } from '../ids.ts'

// What profiles say of each other and of markets, beside trading.

/** What a bookmark names: a market with a book, a group under either of its names, or a pool. */
export const BOOKMARK_KINDS = ['clob', 'negrisk', 'ladder', 'amm'] as const
export type BookmarkKind = (typeof BOOKMARK_KINDS)[number]

export type SocialBody =
  | { kind: 'followProfile'; profileId: ProfileId; followedId: ProfileId }
  | { kind: 'unfollowProfile'; profileId: ProfileId; followedId: ProfileId }
  /** The seq of this command is the id of the bookmark. */
  | {
      kind: 'putBookmark'
      profileId: ProfileId
      marketId: MarketId
      targetKind: BookmarkKind
    }
  | { kind: 'removeBookmark'; profileId: ProfileId; marketId: MarketId }
  | { kind: 'clearBookmarks'; profileId: ProfileId }
  /** Whether everybody may read the bookmarks of the profile. */
  | { kind: 'showBookmarks'; profileId: ProfileId; isPublic: boolean }
