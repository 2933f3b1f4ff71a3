import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import {
  fieldsOfRow,
  PROFILE_BY_ID,
  type ProfileRow,
} from '../../../follower/tables/accounts/profile-row.ts'
import { query } from '../query.ts'
import { type FoundProfile, FoundProfiles } from './found-profile.ts'

// Public lists of profiles, and the public view of one profile.

const MOST_FOLLOWED = `
SELECT profile_id AS profileId FROM profile_standings WHERE is_machine = 0
ORDER BY followers DESC, shown_raw DESC, profile_id LIMIT ?`
const FOLLOWED = `
SELECT followed AS profileId FROM follows WHERE owner = ? AND followed > ?
ORDER BY followed LIMIT ?`

/** The profiles with the most followers, without those run by programs. */
export const socialProfiles = query({
  name: 'socialProfiles',
  prepare: (db) => ({
    most: db.prepare<[number], { profileId: ProfileId }>(MOST_FOLLOWED),
    found: new FoundProfiles(db),
  }),
  run: ({ most, found }, limit: number): FoundProfile[] =>
    found.of(most.all(limit).map(({ profileId }) => profileId)),
})

export interface FollowingParams {
  readonly owner: ProfileId
  /** Lists ids above this one. */
  readonly after: ProfileId
  readonly limit: number
}

/** The profiles that one follows, by ascending id. */
export const following = query({
  name: 'following',
  prepare: (db) => ({
    followed: db.prepare<[ProfileId, ProfileId, number], { profileId: ProfileId }>(FOLLOWED),
    found: new FoundProfiles(db),
  }),
  run: ({ followed, found }, { owner, after, limit }: FollowingParams): FoundProfile[] =>
    found.of(followed.all(owner, after, limit).map(({ profileId }) => profileId)),
})

/** The public fields of a profile. */
export interface PublicProfile extends FoundProfile {
  readonly bio: string | null
  readonly socialUrl: string | null
  readonly xHandle: string | null
  readonly rank: { readonly id: number; readonly name: string; readonly feeRateBps: number } | null
  readonly createdMs: TimeMs
}

/** null for an id that is not in the tables. */
export const publicProfile = query({
  name: 'publicProfile',
  prepare: (db) => ({
    byId: db.prepare<[ProfileId], ProfileRow>(PROFILE_BY_ID),
    found: new FoundProfiles(db),
  }),
  run: ({ byId, found }, profileId: ProfileId): PublicProfile | null => {
    const row = byId.get(profileId)
    const [shown] = found.of([profileId])
    if (row === undefined || shown === undefined) return null
    const { bio, socialUrl, xHandle, rank } = fieldsOfRow(row)
    return { ...shown, bio, socialUrl, xHandle, rank, createdMs: row.createdMs }
  },
})
