/** Limits of follows, bookmarks and searches. The code that checks a limit defines the effect. */
export const SOCIAL_LIMITS = {
  /** Follows in total, and of one profile. */
  followsMax: 1 << 22,
  followsPerProfileMax: 10_000,
  /** Profiles per page of the followed profiles. */
  followingLimitMax: 100,
  /** Bookmarks in total, and of one profile. */
  bookmarksMax: 1 << 22,
  bookmarksPerProfileMax: 100,
  /** Bytes of the markets that a bookmark list shows in full; later bookmarks have no market. */
  bookmarkBytesMax: 1 << 22,
  /** Children of archived groups that one list reads. */
  bookmarkChildrenMax: 1000,
} as const
