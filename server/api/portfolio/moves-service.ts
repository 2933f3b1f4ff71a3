// Money that profiles move outside trading (rules §6.2 to §6.5): pairs, redemptions, conversions
// and withdrawals.

import {
  decideConvert,
  decideMerge,
  decideRedeem,
  decideSplit,
  decideWithdraw,
} from '../../../engine/core/decide/money/moves.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import { checksumAddress } from '../../crypto/address.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { MoveAsk, Moved, MovesOnce } from './moves-once.ts'

export class Moves {
  readonly #pipeline: Pipeline
  readonly #once: MovesOnce

  constructor(pipeline: Pipeline, once: MovesOnce) {
    this.#pipeline = pipeline
    this.#once = once
  }

  split(ask: MoveAsk, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(ask, ['split', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideSplit(clearing, market, { profileId: ask.owner, amountRaw, once })
    })
  }

  merge(ask: MoveAsk, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(ask, ['merge', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideMerge(clearing, market, { profileId: ask.owner, amountRaw, once })
    })
  }

  redeem(ask: MoveAsk, conditionId: string): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(ask, ['redeem', conditionId], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideRedeem(clearing, market, { profileId: ask.owner, once })
    })
  }

  /** The conditions are those whose NO the owner gives. */
  convert(
    ask: MoveAsk,
    conditionIds: readonly string[],
    amountRaw: number,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(ask, ['convert', conditionIds, amountRaw], (_nowMs, once) => {
      const chosen: Market[] = []
      for (const conditionId of conditionIds) {
        const market = clearing.catalogue.byCondition(conditionId)
        if (market === undefined) return REJECT.MARKET_NOT_FOUND
        chosen.push(market)
      }
      const groupId = chosen[0]?.groupId
      if (groupId === undefined) return REJECT.MARKET_NOT_GROUP
      const group = clearing.catalogue.existing(groupId)
      return decideConvert(clearing, group, chosen, { profileId: ask.owner, amountRaw, once })
    })
  }

  /** `destination` is undefined for the caller's own: its smart wallet, or else its account. */
  withdraw(
    ask: MoveAsk,
    collateralRaw: number,
    destination: string | undefined,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const params = ['withdraw', collateralRaw, destination?.toLowerCase() ?? '']
    return this.#once.make(ask, params, (_nowMs, once) => {
      const to = this.#destinationOf(ask.callerId, destination)
      if (to === undefined) return REJECT.DESTINATION_NOT_ALLOWED
      const wanted = { profileId: ask.owner, collateralRaw, destination: to, once }
      return decideWithdraw(clearing, wanted)
    })
  }

  /** Only an address of the caller, or one that it listed, may get the money of its profiles. */
  #destinationOf(callerId: ProfileId, wanted: string | undefined): string | undefined {
    const { accounts } = this.#pipeline.clearing
    const caller = accounts.byId(callerId)
    assert(caller !== undefined, 'a proven caller has a profile')
    const { account, smartWallet } = caller
    if (wanted === undefined) return eip55(smartWallet ?? account)
    const listed = accounts.withdrawalAddresses.find(callerId, wanted)?.address
    const own = [account, smartWallet, listed].find((address) => {
      return address?.toLowerCase() === wanted.toLowerCase()
    })
    return own ? eip55(own) : undefined
  }
}

function eip55(address: string): string {
  return checksumAddress(address.toLowerCase())
}
