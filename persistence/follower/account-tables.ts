// The tables of what profiles say, and of money that moved outside trading: all that rare commands
// change of accounts.

import { reservesRaw } from '../../engine/core/amm/pool-commands.ts'
import type { Clearing } from '../../engine/core/clearing.ts'
import { isMove } from '../../engine/core/moves/move-commands.ts'
import type { RareCommand } from '../../engine/domain/command.ts'
import type { Connection } from '../database.ts'
import { isOfPacks, PacksTable } from './packs/packs.ts'
import type { CandlesTable } from './tables/candles.ts'
import { MovesTable } from './tables/moves.ts'
import type { Pace } from './tables/pace.ts'
import type { PositionsTable } from './tables/positions.ts'
import { isOfProfile, ProfilesTable } from './tables/profiles.ts'
import { isOfRewards, RewardsTable } from './tables/rewards.ts'

interface Listeners {
  readonly positions: PositionsTable
  readonly candles: CandlesTable
}

export class AccountTables {
  readonly #clearing: Clearing
  readonly #moves: MovesTable
  readonly #profiles: ProfilesTable
  readonly #rewards: RewardsTable
  readonly #packs: PacksTable

  constructor(connection: Connection, clearing: Clearing, listeners: Listeners) {
    const { catalogue, ledger } = clearing
    this.#clearing = clearing
    this.#moves = new MovesTable(connection, listeners, {
      reservesRaw: (marketId) => reservesRaw(ledger, marketId),
      childrenOf: (groupId) => catalogue.childrenOf(groupId).map(({ marketId }) => marketId),
      payoutOf: (marketId) => catalogue.existing(marketId).payoutNumerators,
    })
    this.#profiles = new ProfilesTable(connection)
    this.#rewards = new RewardsTable(connection)
    this.#packs = new PacksTable(connection)
  }

  /** The command is in the state. */
  applied(command: RareCommand): void {
    if (isMove(command)) this.#moves.applied(command)
    else if (isOfProfile(command)) this.#profiles.applied(command)
    else if (isOfRewards(command)) this.#rewards.applied(command)
    else if (isOfPacks(command)) this.#packs.applied(command, this.#clearing)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    this.#moves.flush(pace)
    this.#profiles.flush(pace)
    this.#rewards.flush(pace)
    this.#packs.flush(pace)
  }
}
