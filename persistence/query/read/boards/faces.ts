import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection } from '../../../database.ts'
import { shownName } from '../profiles.ts'
import { query } from '../query.ts'

// The public fields of a profile for lists.

const FACE = `
SELECT profile_id AS profileId, account, username, display_name AS displayName, pfp_url AS pfpUrl,
  rank_name AS rankName
FROM profiles WHERE profile_id = ?`

export interface Face {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  readonly displayName: string
  readonly pfpUrl: string | null
  readonly rankName: string | null
}

type FaceRow = Omit<Face, 'displayName'> & { readonly displayName: string | null }

export function faceOf(db: Connection): (profileId: ProfileId) => Face | null {
  const find = db.prepare<[ProfileId], FaceRow>(FACE)
  return (profileId) => {
    const row = find.get(profileId)
    return row === undefined ? null : { ...row, displayName: shownName(row) }
  }
}

/** In the order of the ids; null for an id that is not in the tables. */
export const faces = query({
  name: 'faces',
  prepare: faceOf,
  run: (find, profileIds: readonly ProfileId[]): (Face | null)[] => profileIds.map(find),
})
