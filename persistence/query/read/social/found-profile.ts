import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { shownName } from '../profiles.ts'

// A profile as shown publicly in a list.

const BY_ID = `
SELECT p.account, p.username, p.display_name AS displayName, p.pfp_url AS pfpUrl,
  p.rank_name AS rankName, s.followers, s.volume_raw AS volumeRaw, s.has_traded AS hasTraded
FROM profiles p JOIN profile_standings s ON s.profile_id = p.profile_id
WHERE p.profile_id = ?`

interface Row {
  readonly account: string
  readonly username: string | null
  readonly displayName: string | null
  readonly pfpUrl: string | null
  readonly rankName: string | null
  readonly followers: number
  readonly volumeRaw: number
  readonly hasTraded: number
}

export interface FoundProfile {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  readonly displayName: string
  readonly pfpUrl: string | null
  readonly rankName: string | null
  readonly followersCount: number
  /** Collateral of all its order-book trades. */
  readonly volumeRaw: number
  readonly hasTraded: boolean
}

export class FoundProfiles {
  readonly #byId: Statement<[ProfileId], Row>

  constructor(connection: Connection) {
    this.#byId = connection.prepare(BY_ID)
  }

  /** In the order of the ids, without ids that are not in the tables. */
  of(profileIds: readonly ProfileId[]): FoundProfile[] {
    return profileIds.flatMap((profileId) => {
      const row = this.#byId.get(profileId)
      if (row === undefined) return []
      const { account, username, pfpUrl, rankName, followers, volumeRaw, hasTraded } = row
      return {
        profileId,
        account,
        username,
        displayName: shownName(row),
        pfpUrl,
        rankName,
        followersCount: followers,
        volumeRaw,
        hasTraded: hasTraded === 1,
      }
    })
  }
}
