/** Bounds on follows, bookmarks and searches. The code that checks a bound says what happens. */
export const SOCIAL_LIMITS = {
  /** Follows in all, and of one profile. */
  followsMax: 1 << 22,
  followsPerProfileMax: 10_000,
  /** Profiles on one page of those that a profile follows. */
  followingLimitMax: 100,
  /** Bookmarks in all, and of one profile. */
  bookmarksMax: 1 << 22,
  bookmarksPerProfileMax: 100,
  /** Markets that one list of bookmarks shows in full; behind it a bookmark has no market. */
  bookmarkBytesMax: 1 << 22,
  /** Markets of groups that left memory, which one list reads. */
  bookmarkChildrenMax: 1000,
} as const
