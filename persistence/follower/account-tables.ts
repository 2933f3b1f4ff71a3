// The tables of profiles and of money that moved outside trading: everything that control commands
// change in accounts.

import { reservesRaw } from '../../engine/core/amm/pool-commands.ts'
import type { Clearing } from '../../engine/core/clearing.ts'
import type { ControlCommand } from '../../engine/domain/command.ts'
import { isOf } from '../../engine/domain/command-kinds.ts'
import type { Connection } from '../database.ts'
import { PacksTable } from './packs/packs.ts'
import type { PositionCosts } from './tables/accounts/average-cost.ts'
import { MovesTable } from './tables/accounts/moves.ts'
import { isOfRewards, RewardsTable } from './tables/accounts/rewards.ts'
import type { CandlesTable } from './tables/candles.ts'
import type { Pace } from './tables/pace.ts'
import { isOfProfiles, ProfileTables } from './tables/social/profile-tables.ts'

/** The tables that every trade changes. */
interface OfTrades {
  readonly positions: PositionCosts
  readonly candles: CandlesTable
}

export class AccountTables {
  /** The tables that are notified of every trade. */
  readonly listeners: OfTrades & Pick<ProfileTables, 'standings' | 'links'>
  readonly #clearing: Clearing
  readonly #moves: MovesTable
  readonly #profiles: ProfileTables
  readonly #rewards: RewardsTable
  readonly #packs: PacksTable

  constructor(connection: Connection, clearing: Clearing, ofTrades: OfTrades) {
    const { accounts, catalogue, ledger, social } = clearing
    this.#clearing = clearing
    this.#profiles = new ProfileTables(connection, {
      followersOf: (profileId) => social.follows.followersOf(profileId),
      nowMs: () => clearing.lastNowMs,
      familyOf: (profileId) => accounts.partners.shareOwnerOf(profileId),
    })
    const { standings, links } = this.#profiles
    this.listeners = { ...ofTrades, standings, links }
    this.#moves = new MovesTable(connection, this.listeners, {
      reservesRaw: (marketId) => reservesRaw(ledger, marketId),
      childrenOf: (groupId) => catalogue.childrenOf(groupId).map(({ marketId }) => marketId),
      payoutOf: (marketId) => catalogue.existing(marketId).payoutNumerators,
    })
    this.#rewards = new RewardsTable(connection)
    this.#packs = new PacksTable(connection)
  }

  /** Called after the command was applied to the state. */
  applied(command: ControlCommand): void {
    if (isOf('moves', command)) this.#moves.applied(command)
    else if (isOf('transactions', command)) this.#moves.transacted(command)
    else if (isOfProfiles(command)) this.#profiles.applied(command)
    else if (isOfRewards(command)) this.#rewards.applied(command)
    else if (isOf('settlement', command)) this.#profiles.settled(command)
    else if (command.kind === 'postPayouts') this.#paidOut(command)
    else if (isOf('packs', command)) this.#packs.applied(command, this.#clearing)
  }

  #paidOut({ marketIds, nowMs }: Extract<ControlCommand, { kind: 'postPayouts' }>): void {
    const { catalogue } = this.#clearing
    for (const marketId of marketIds) {
      const { payoutNumerators } = catalogue.existing(marketId)
      const paid = { marketId, payoutNumerators }
      this.listeners.positions.paidOut(paid, nowMs)
      this.#profiles.paidOut(paid)
      this.#rewards.paidOut(paid, nowMs)
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    this.#moves.flush(pace)
    this.#profiles.flush(pace)
    this.#rewards.flush(pace)
    this.#packs.flush(pace)
  }
}
