// Gates of follows and bookmarks. Each returns the refusal, or null when the command may be stamped
// for a follow or a bookmark that is new.

import type { ProfileId } from '../../domain/ids.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SOCIAL_LIMITS } from '../../domain/social/social-limits.ts'
import type { Clearing } from '../clearing.ts'

export function decideFollow(
  { accounts, social: { follows } }: Clearing,
  profileId: ProfileId,
  followedId: ProfileId,
): Reject | null {
  if (accounts.accountOf(followedId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (followedId === profileId) return REJECT.FOLLOW_OF_SELF
  if (follows.countOf(profileId) >= SOCIAL_LIMITS.followsPerProfileMax) return REJECT.FOLLOW_LIMIT
  return follows.count >= SOCIAL_LIMITS.followsMax ? REJECT.SOCIAL_CAPACITY : null
}

export function decideBookmark(
  { social: { bookmarks } }: Clearing,
  profileId: ProfileId,
): Reject | null {
  const has = bookmarks.countOf(profileId)
  if (has >= SOCIAL_LIMITS.bookmarksPerProfileMax) return REJECT.BOOKMARK_LIMIT
  return bookmarks.count >= SOCIAL_LIMITS.bookmarksMax ? REJECT.SOCIAL_CAPACITY : null
}
