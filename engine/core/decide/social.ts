// Gates of follows and bookmarks. Each returns the refusal, or null if the command may be stamped
// for a new follow or bookmark.

import type { ProfileId } from '../../domain/ids.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import { SHARED_TABLES } from '../../domain/shared-tables.ts'
import type { Clearing } from '../clearing.ts'

export function decideFollow(
  { accounts, social: { follows } }: Clearing,
  profileId: ProfileId,
  followedId: ProfileId,
): Reject | null {
  if (accounts.accountOf(followedId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (followedId === profileId) return REJECT.FOLLOW_OF_SELF
  const bound = follows.owners.boundOf(SHARED_TABLES.follows, profileId)
  if (bound === 'table') return REJECT.SOCIAL_CAPACITY
  return bound === null ? null : REJECT.FOLLOW_LIMIT
}

export function decideBookmark(
  { social: { bookmarks } }: Clearing,
  profileId: ProfileId,
): Reject | null {
  const bound = bookmarks.owners.boundOf(SHARED_TABLES.bookmarks, profileId)
  if (bound === 'table') return REJECT.SOCIAL_CAPACITY
  return bound === null ? null : REJECT.BOOKMARK_LIMIT
}
