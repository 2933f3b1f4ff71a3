// What an operator does to markets and balances: commands like any other.

import { decideAdjust, decideMarket, decideResolve } from '../../../engine/core/decide/accounts.ts'
import type { MarketSpec } from '../../../engine/domain/market.ts'
import { REJECT } from '../../../engine/domain/reject.ts'
import type { IntakePool } from '../../intake/intake-pool.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import { byOperator } from '../../pipeline/spine/rare-body.ts'
import type { Shards } from '../../pipeline/spine/shards.ts'

export class MarketChanges {
  readonly #pipeline: Pipeline
  readonly #intake: IntakePool
  readonly #shards: Shards

  constructor(pipeline: Pipeline, intake: IntakePool, shards: Shards) {
    this.#pipeline = pipeline
    this.#intake = intake
    this.#shards = shards
  }

  async create(market: MarketSpec, by?: string): Promise<PublishedMarket | number> {
    const { clearing, published } = this.#pipeline
    const reject = decideMarket(clearing, market)
    if (reject !== 0) return this.#pipeline.refused(reject)
    if (clearing.catalogue.count >= this.#shards.marketsMax)
      return this.#pipeline.refused(REJECT.MARKET_LIMIT)
    const marketId = clearing.catalogue.count + 1
    // Before the first wait: its deadline may come, and ask its shard for room, within it.
    this.#shards.of(marketId)
    const refused = await this.#pipeline.change({ kind: 'createMarket', marketId, market }, by)
    if (refused !== 0) return refused
    this.#pipeline.publishMarket(marketId)
    this.#intake.addMarket({ ...market, marketId })
    return published.byId(marketId) ?? REJECT.MARKET_NOT_FOUND
  }

  async resolve(
    published: PublishedMarket,
    payoutNumerators: readonly [number, number],
    by?: string,
  ): Promise<PublishedMarket | number> {
    const { marketId } = published.market
    const market = this.#pipeline.clearing.catalogue.existing(marketId)
    const reject = decideResolve(market, payoutNumerators)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const body = byOperator({ kind: 'resolveMarket', marketId, payoutNumerators }, by)
    const refused = await this.#pipeline.close(marketId, body, 'MARKET_RESOLVED')
    if (refused !== 0) return refused
    this.#pipeline.refreshMarket(marketId)
    return published
  }

  /** Credits (positive) or debits (negative) free collateral; the balances after it. */
  async adjustBalance(
    profileId: number,
    collateralRaw: number,
    by?: string,
  ): Promise<{ freeRaw: number; reservedRaw: number } | number> {
    const { clearing } = this.#pipeline
    const reject = decideAdjust(clearing, profileId, collateralRaw)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const body = { kind: 'adjustBalance' as const, profileId, collateralRaw }
    const change = this.#pipeline.change(body, by)
    // Before the wait: what later commands do to the balance may not be durable when this one is.
    const freeRaw = clearing.ledger.collateralFreeRaw[profileId]
    const reservedRaw = clearing.ledger.collateralReservedRaw[profileId]
    const refused = await change
    return refused === 0 ? { freeRaw, reservedRaw } : refused
  }
}
