// What an operator does to markets and balances. Each act is an ordinary command.

import { decideAdjust, decideMarket, decideResolve } from '../../../engine/core/decide/accounts.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { MarketSpec } from '../../../engine/domain/market.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { IntakePool } from '../../intake/intake-pool.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import type { Shards } from '../../pipeline/spine/shard-map.ts'

export class MarketChanges {
  readonly #pipeline: Pipeline
  readonly #intake: IntakePool
  readonly #shards: Shards

  constructor(pipeline: Pipeline, intake: IntakePool, shards: Shards) {
    this.#pipeline = pipeline
    this.#intake = intake
    this.#shards = shards
  }

  async create(market: MarketSpec, by?: string): Promise<PublishedMarket | Reject> {
    const { clearing, published } = this.#pipeline
    let marketId = 0
    const refused = await this.#pipeline.change(() => {
      const reject = decideMarket(clearing, market)
      if (reject !== null) return reject
      if (clearing.catalogue.count >= this.#shards.marketsMax) return REJECT.MARKET_LIMIT
      marketId = clearing.catalogue.count + 1
      // The market's deadline may pass, and need room in its shard, before the command is durable.
      // So its shard is started here.
      this.#shards.of(marketId)
      return { kind: 'createMarket', marketId, market }
    }, by)
    if (refused !== null) return refused
    this.#pipeline.publishMarket(marketId)
    this.#intake.addMarket({ ...market, marketId })
    return published.byId(marketId) ?? REJECT.MARKET_NOT_FOUND
  }

  async resolve(
    published: PublishedMarket,
    payoutNumerators: readonly [number, number],
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { marketId } = published.market
    const market = this.#pipeline.clearing.catalogue.existing(marketId)
    const refused = await this.#pipeline.change(() => {
      const reject = decideResolve(market, payoutNumerators)
      return reject ?? { kind: 'resolveMarket', marketId, payoutNumerators }
    }, by)
    if (refused !== null) return refused
    this.#pipeline.refreshMarket(marketId)
    return published
  }

  /** Credits (positive) or debits (negative) free collateral. Gives the balances after it. */
  async adjustBalance(
    profileId: ProfileId,
    collateralRaw: number,
    by?: string,
  ): Promise<{ freeRaw: number; reservedRaw: number } | Reject> {
    const { clearing } = this.#pipeline
    const changing = this.#pipeline.change(() => {
      const reject = decideAdjust(clearing, profileId, collateralRaw)
      return reject ?? { kind: 'adjustBalance', profileId, collateralRaw }
    }, by)
    // Read before the wait: after it, the balance may include later commands that are not durable.
    const freeRaw = clearing.ledger.collateralFreeRaw[profileId]
    const reservedRaw = clearing.ledger.collateralReservedRaw[profileId]
    return (await changing) ?? { freeRaw, reservedRaw }
  }
}
