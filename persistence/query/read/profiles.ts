import type { ProfileFields } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import {
  fieldsOfRow,
  PROFILE_BY_ID,
  type ProfileRow,
} from '../../follower/tables/accounts/profile-row.ts'
import { query } from './query.ts'

// Profiles as seen by their owners and the operator.

/** A profile with all its fields. */
export interface ShownProfile extends Required<ProfileFields> {
  readonly profileId: ProfileId
  readonly createdMs: TimeMs
  /** Whether the profile ever traded, as taker or maker. */
  readonly hasTraded: boolean
}

/** The display name; if none is set, the username, or else the address. */
export function shownName(profile: {
  readonly account: string
  readonly username: string | null
  readonly displayName: string | null
}): string {
  return profile.displayName ?? profile.username ?? profile.account
}

/** In the order of the ids; null for an id that is not in the tables. */
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
