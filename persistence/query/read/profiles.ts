import type { ProfileFields } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { fieldsOfRow, PROFILE_BY_ID, type ProfileRow } from '../../follower/tables/profile-row.ts'
import { query } from './query.ts'

// Profiles as their owners and the operator see them.

/** A profile with all that it says of itself. */
export interface ShownProfile extends Required<ProfileFields> {
  readonly profileId: ProfileId
  readonly createdMs: TimeMs
  /** Whether it ever took or made a trade. */
  readonly hasTraded: boolean
}

/** A profile that never chose a display name shows its username, or else its address. */
export function shownName(profile: {
  readonly account: string
  readonly username: string | null
  readonly displayName: string | null
}): string {
  return profile.displayName ?? profile.username ?? profile.account
}

/** Asked by their ids, and answered in their order; null for each that the tables do not show. */
export const profiles = query({
  name: 'profiles',
  prepare: (db) => db.prepare<[number], ProfileRow>(PROFILE_BY_ID),
  run: (byId, profileIds: readonly ProfileId[]): (ShownProfile | null)[] =>
    profileIds.map((profileId) => {
      const row = byId.get(profileId)
      if (row === undefined) return null
      const { createdMs, hasTraded } = row
      return { ...fieldsOfRow(row), profileId, createdMs, hasTraded: hasTraded === 1 }
    }),
})
