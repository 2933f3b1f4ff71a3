import type { ControlCommand } from '../../../../engine/domain/command.ts'
import { type CommandOf, isOf } from '../../../../engine/domain/command-kinds.ts'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection } from '../../../database.ts'
import { Links } from '../accounts/links.ts'
import type { PaidMarket } from '../accounts/paid-market.ts'
import {
  isOfProfile,
  madeFields,
  type ProfileCommand,
  ProfilesTable,
} from '../accounts/profiles.ts'
import type { Pace } from '../pace.ts'
import { FollowsTable } from './follows.ts'
import { StandingsTable, type StandingsWorld } from './standings.ts'

// Data of profiles and relations between profiles.

export function isOfProfiles(
  command: ControlCommand,
): command is ProfileCommand | CommandOf<'social'> {
  return isOfProfile(command) || isOf('social', command)
}

export interface ProfilesWorld extends StandingsWorld {
  /** The partner of a sub-account; for any other profile, itself. */
  familyOf(profileId: ProfileId): ProfileId
}

export class ProfileTables {
  readonly standings: StandingsTable
  readonly links: Links
  readonly #profiles: ProfilesTable
  readonly #follows: FollowsTable

  constructor(connection: Connection, world: ProfilesWorld) {
    this.links = new Links(connection, (profileId) => world.familyOf(profileId))
    this.standings = new StandingsTable(connection, world)
    this.#profiles = new ProfilesTable(connection)
    this.#follows = new FollowsTable(connection)
  }

  applied(command: ProfileCommand | CommandOf<'social'>): void {
    if (isOf('social', command)) {
      this.#social(command)
      return
    }
    this.#profiles.applied(command)
    this.links.applied(command)
    const { profileId } = command
    if (command.kind === 'editProfile') this.standings.edited(profileId, command.profile.isMachine)
    else this.standings.made(profileId, madeFields(command).isMachine === true)
  }

  /** Fees of mined trades count for their takers' referrers. */
  settled(command: CommandOf<'settlement'>): void {
    this.#profiles.settled(command)
  }

  /** Fees in shares of referred profiles now have a value in collateral. */
  paidOut(market: PaidMarket): void {
    this.#profiles.paidOut(market)
  }

  /** Bookmarks are read from memory, because a profile has few. */
  #social(command: CommandOf<'social'>): void {
    if (command.kind !== 'followProfile' && command.kind !== 'unfollowProfile') return
    this.#follows.applied(command)
    this.standings.changed(command.followedId)
  }

  /** Runs inside the chunk's transaction. Standings read the names of profiles. */
  flush(pace: Pace): void {
    this.#profiles.flush(pace)
    this.#follows.flush(pace)
    this.standings.flush(pace)
    this.links.flushed()
  }
}
