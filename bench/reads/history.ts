// The commands of an exchange with a history, as a core applied them.

import type { ProfileFields } from '../../engine/domain/command.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import type { Seal } from '../../persistence/seal.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import { ExchangeDriver, type Placed, type Wanted } from '../../test/support/exchange-driver.ts'
import { profileFields } from '../../test/support/specs.ts'
import { tokenOf } from '../workload/setting.ts'

/** Raw shares of one share. */
export const SHARE = 1_000_000
/** The maker buys at the lower price and sells at the higher. */
export const BID_TICKS = 480
export const ASK_TICKS = 500

export class History {
  readonly driver = new ExchangeDriver(1 << 18)
  readonly #seal: Seal
  #records: Uint8Array[] = []

  constructor(seal: Seal, nowMs: number) {
    this.#seal = seal
    this.driver.onCommand = (command) => this.#records.push(encodeCommand(command))
    this.driver.nowMs = nowMs
    this.driver.control({ kind: 'rules', version: 1 })
  }

  /** The records since the last call. */
  taken(): Uint8Array[] {
    const records = this.#records
    this.#records = []
    return records
  }

  addProfile(
    profileId: ProfileId,
    depositRaw: number,
    changes: Partial<ProfileFields> = {},
    referredBy?: ProfileId,
  ): void {
    const profile = profileFields(profileId, changes)
    const token = tokenOf(profileId, this.#seal)
    const referred = referredBy === undefined ? {} : { referredBy }
    this.driver.control({ kind: 'createProfile', profileId, profile, token, ...referred })
    this.driver.deposit(profileId, depositRaw)
  }

  place(order: Wanted): Placed {
    const placed = this.driver.place(order)
    if (placed.refused !== null) throw new Error(`an order was refused: ${placed.refused}`)
    return placed
  }

  /** Lets a maker buy and sell up to `sizeRaw` of YES. */
  quote(account: number, marketId: number, sizeRaw: number): void {
    const quote = { account, marketId, side: 0, type: 'GTC', sizeRaw } as const
    this.place({ ...quote, outcome: 1, priceTicks: 1000 - ASK_TICKS })
    this.place({ ...quote, outcome: 0, priceTicks: BID_TICKS })
  }

  /** Trades with the maker: buys in even rounds, and sells one share in odd rounds. */
  trade(account: number, marketId: number, round: number, boughtShares: number): void {
    const isBuy = round % 2 === 0
    const { result } = this.place({
      account,
      marketId,
      outcome: 0,
      type: 'FAK',
      side: isBuy ? 0 : 1,
      priceTicks: isBuy ? ASK_TICKS : BID_TICKS,
      sizeRaw: (isBuy ? boughtShares : 1) * SHARE,
    })
    if (result !== 'FILLED') throw new Error(`a trade was not filled: ${result}`)
  }
}
