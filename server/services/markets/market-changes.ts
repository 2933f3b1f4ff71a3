// What an operator does to markets and balances. Each act is an ordinary command.

import { decideAdjust, decideMarket, decideResolve } from '../../../engine/core/decide/accounts.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { MarketSpec } from '../../../engine/domain/market.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { IntakePool } from '../../intake/intake-pool.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import type { Shards } from '../../pipeline/spine/shard-map.ts'

/** Whether a market ever had the slug; undefined when the tables did not answer in time. */
export type IsSlugUsed = (slug: string) => Promise<boolean | undefined>

export class MarketChanges {
  readonly #pipeline: Pipeline
  readonly #intake: IntakePool
  readonly #shards: Shards
  readonly #isSlugUsed: IsSlugUsed
  /** Slugs that the tables are asked about. No other market may take one meanwhile. */
  readonly #asked = new Set<string>()

  constructor(pipeline: Pipeline, intake: IntakePool, shards: Shards, isSlugUsed: IsSlugUsed) {
    this.#pipeline = pipeline
    this.#intake = intake
    this.#shards = shards
    this.#isSlugUsed = isSlugUsed
  }

  async create(market: MarketSpec, by?: string): Promise<PublishedMarket | Reject> {
    const { catalogue } = this.#pipeline.clearing
    // While all markets that ever were are in memory, the tables know no more.
    if (catalogue.lastId === catalogue.count) return this.#create(market, by)
    const { slug } = market
    if (this.#asked.has(slug)) return this.#pipeline.refused(REJECT.SLUG_TAKEN)
    this.#asked.add(slug)
    try {
      // A market of this slug may have left memory by a command that is not durable yet.
      await this.#pipeline.durable()
      const isUsed = catalogue.bySlug(slug) !== undefined || (await this.#isSlugUsed(slug))
      if (isUsed === undefined) return REJECT.READ_TIMEOUT
      return await (isUsed ? this.#pipeline.refused(REJECT.SLUG_TAKEN) : this.#create(market, by))
    } finally {
      this.#asked.delete(slug)
    }
  }

  async #create(market: MarketSpec, by?: string): Promise<PublishedMarket | Reject> {
    const { clearing, published } = this.#pipeline
    let marketId = 0
    let book = 0
    const refused = await this.#pipeline.change(() => {
      const { booksMax } = this.#shards
      const reject = decideMarket(clearing, market, booksMax)
      if (reject !== null) return reject
      marketId = clearing.catalogue.lastId + 1
      book = clearing.catalogue.freeBook(booksMax)
      // The market's deadline may pass, and need room in its shard, before the command is durable.
      // So its shard is started here.
      this.#shards.of(book)
      return { kind: 'createMarket', marketId, book, market }
    }, by)
    if (refused !== null) return refused
    this.#pipeline.publishMarket(marketId)
    this.#intake.addMarket({ ...market, marketId, book })
    return published.byId(marketId) ?? REJECT.MARKET_NOT_FOUND
  }

  async resolve(
    published: PublishedMarket,
    payoutNumerators: readonly [number, number],
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { market } = published
    const { marketId } = market
    const refused = await this.#pipeline.change(() => {
      const reject = decideResolve(market, payoutNumerators)
      return reject ?? { kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] }
    }, by)
    if (refused !== null) return refused
    this.#pipeline.published.refresh(market, market.status, market.updatedMs)
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
