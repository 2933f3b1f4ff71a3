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
import type { SharedServices } from '../shared-services.ts'
import type { Moved, MoveRequest, MovesOnce } from './moves-once.ts'
import type { Portfolio } from './portfolio.ts'
import type { RewardViews } from './rewards.ts'

// Money that profiles move outside trading (rules §6.2 to §6.5): pairs, redemptions, conversions
// and withdrawals.

export class Moves {
  readonly #pipeline: Pipeline
  readonly #once: MovesOnce

  constructor(pipeline: Pipeline, once: MovesOnce) {
    this.#pipeline = pipeline
    this.#once = once
  }

  split(request: MoveRequest, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['split', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideSplit(clearing, market, { profileId: request.owner, amountRaw, once })
    })
  }

  merge(request: MoveRequest, conditionId: string, amountRaw: number): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['merge', conditionId, amountRaw], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideMerge(clearing, market, { profileId: request.owner, amountRaw, once })
    })
  }

  redeem(request: MoveRequest, conditionId: string): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['redeem', conditionId], (_nowMs, once) => {
      const market = clearing.catalogue.byCondition(conditionId)
      if (market === undefined) return REJECT.MARKET_NOT_FOUND
      return decideRedeem(clearing, market, { profileId: request.owner, once })
    })
  }

  /** The conditions are those whose NO shares the owner gives. */
  convert(
    request: MoveRequest,
    conditionIds: readonly string[],
    amountRaw: number,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    return this.#once.make(request, ['convert', conditionIds, amountRaw], (_nowMs, once) => {
      const chosen: Market[] = []
      for (const conditionId of conditionIds) {
        const market = clearing.catalogue.byCondition(conditionId)
        if (market === undefined) return REJECT.MARKET_NOT_FOUND
        chosen.push(market)
      }
      const groupId = chosen[0]?.groupId
      if (groupId === undefined) return REJECT.MARKET_NOT_GROUP
      const group = clearing.catalogue.existing(groupId)
      return decideConvert(clearing, group, chosen, { profileId: request.owner, amountRaw, once })
    })
  }

  /** `destination` is undefined for the caller's default: its smart wallet, or else its account. */
  withdraw(
    request: MoveRequest,
    collateralRaw: number,
    destination: string | undefined,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const params = ['withdraw', collateralRaw, destination?.toLowerCase() ?? '']
    return this.#once.make(request, params, (_nowMs, once) => {
      const to = this.#destinationOf(request.callerId, destination)
      if (to === undefined) return REJECT.DESTINATION_NOT_ALLOWED
      const wanted = { profileId: request.owner, collateralRaw, destination: to, once }
      return decideWithdraw(clearing, wanted)
    })
  }

  /** The money of a caller's profiles may only be sent to the caller's own or listed addresses. */
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

/** What the routes of this folder need. */
export interface PortfolioServices extends SharedServices {
  readonly moves: Moves
  readonly portfolio: Portfolio
  readonly rewards: RewardViews
}
