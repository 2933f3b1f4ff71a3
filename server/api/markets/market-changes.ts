// The operator's changes to markets and balances. Each one is an ordinary command.

import { decideAdjust } from '../../../engine/core/decide/accounts.ts'
import {
  decideEdit,
  decideFlag,
  decideGroup,
  decideLock,
  decideMarkets,
  decideResolve,
  decideUnlock,
  newMarkets,
} from '../../../engine/core/decide/markets.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { NewMarket } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { MarketChange, MarketSpec } from '../../../engine/domain/markets/market.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import type { Shards } from '../../exchange/sequencer/shard-map.ts'

/** Whether a market ever had the slug; undefined on a read timeout. */
export type IsSlugUsed = (slug: string) => Promise<boolean | undefined>

type Change = (market: Market, nowMs: TimeMs) => ControlBody | Reject

export class MarketChanges {
  readonly #pipeline: Pipeline
  readonly #shards: Shards
  readonly #isSlugUsed: IsSlugUsed
  /** Slugs that are being looked up in the tables. No other market may take one meanwhile. */
  readonly #requested = new Set<string>()

  constructor(pipeline: Pipeline, shards: Shards, isSlugUsed: IsSlugUsed) {
    this.#pipeline = pipeline
    this.#shards = shards
    this.#isSlugUsed = isSlugUsed
  }

  create(market: MarketSpec, by?: string): Promise<PublishedMarket | Reject> {
    return this.#create([market], ([made]) => ({ kind: 'createMarket', ...made }), by)
  }

  /** Creates a group with its children, whose `groupId` is set here. */
  createGroup(
    group: MarketSpec,
    children: readonly MarketSpec[],
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    return this.#create(
      [group, ...children],
      ([first, ...rest]) => {
        const { marketId: groupId } = first
        const ofGroup = rest.map((made) => ({ ...made, market: { ...made.market, groupId } }))
        return { kind: 'createGroup', markets: [first, ...ofGroup] }
      },
      by,
    )
  }

  async #create(
    specs: readonly MarketSpec[],
    bodyOf: (made: readonly NewMarket[]) => ControlBody,
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { catalogue } = this.#pipeline.clearing
    // While memory holds every market ever created, the tables have no others.
    if (catalogue.lastId === catalogue.count) return this.#stamp(specs, bodyOf, by)
    const slugs = specs.map(({ slug }) => slug)
    if (slugs.some((slug) => this.#requested.has(slug))) {
      return this.#pipeline.refused(REJECT.SLUG_TAKEN)
    }
    for (const slug of slugs) this.#requested.add(slug)
    try {
      // A market of this slug may have left memory by a command that is not durable yet.
      await this.#pipeline.durable()
      for (const slug of slugs) {
        const isUsed = catalogue.bySlug(slug) !== undefined || (await this.#isSlugUsed(slug))
        if (isUsed === undefined) return REJECT.READ_TIMEOUT
        if (isUsed) return await this.#pipeline.refused(REJECT.SLUG_TAKEN)
      }
      return await this.#stamp(specs, bodyOf, by)
    } finally {
      for (const slug of slugs) this.#requested.delete(slug)
    }
  }

  async #stamp(
    specs: readonly MarketSpec[],
    bodyOf: (made: readonly NewMarket[]) => ControlBody,
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { clearing, published } = this.#pipeline
    const { booksMax } = this.#shards
    const refused = await this.#pipeline.change(() => {
      const reject = decideMarkets(clearing, specs, booksMax)
      return reject ?? bodyOf(newMarkets(clearing, specs, booksMax))
    }, by)
    return refused ?? published.bySlug(specs[0].slug) ?? REJECT.MARKET_NOT_FOUND
  }

  async edit(published: PublishedMarket, change: MarketChange, by?: string) {
    const { noDelayedCancel } = change
    // The orders of a group rest in its markets.
    const children = noDelayedCancel === undefined ? [] : published.children
    for (const child of children.filter((each) => each.payoutNumerators === null)) {
      const edited = await this.#edit(child, { noDelayedCancel }, by)
      if (edited instanceof Reject) return edited
    }
    return this.#edit(published, change, by)
  }

  #edit(published: PublishedMarket, change: MarketChange, by?: string) {
    const { clearing } = this.#pipeline
    return this.#change(published, by, ({ marketId }) => {
      return decideEdit(clearing, change) ?? { kind: 'editMarket', marketId, change }
    })
  }

  lock(published: PublishedMarket, by?: string) {
    return this.#change(published, by, (market) => {
      return decideLock(market) ?? { kind: 'lockMarket', marketId: market.marketId }
    })
  }

  unlock(published: PublishedMarket, by?: string) {
    return this.#change(published, by, (market, nowMs) => {
      return decideUnlock(market, nowMs) ?? { kind: 'unlockMarket', marketId: market.marketId }
    })
  }

  flag(published: PublishedMarket, isFlagged: boolean, by?: string) {
    return this.#change(published, by, (market) => {
      const { marketId } = market
      return decideFlag(market, isFlagged) ?? { kind: 'flagMarket', marketId, isFlagged }
    })
  }

  resolve(
    published: PublishedMarket,
    payoutNumerators: readonly [number, number],
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    return this.#change(published, by, (market) => {
      const { marketId } = market
      const reject = decideResolve(market, payoutNumerators)
      return reject ?? { kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators }] }
    })
  }

  /** Resolves all children of a group: the winner to YES, the others to NO. */
  resolveGroup(
    published: PublishedMarket,
    winnerSlug: string,
    by?: string,
  ): Promise<PublishedMarket | Reject> {
    const { clearing } = this.#pipeline
    return this.#change(published, by, (group) => {
      const resolutions = decideGroup(clearing, group, clearing.catalogue.bySlug(winnerSlug))
      return resolutions instanceof Reject ? resolutions : { kind: 'resolveMarkets', resolutions }
    })
  }

  /** Changes a market in memory. A market that left memory is resolved. */
  async #change(
    published: PublishedMarket,
    by: string | undefined,
    decide: Change,
  ): Promise<PublishedMarket | Reject> {
    const { catalogue } = this.#pipeline.clearing
    const refused = await this.#pipeline.change((nowMs) => {
      const market = catalogue.byId(published.market.marketId)
      return market === undefined ? REJECT.MARKET_RESOLVED : decide(market, nowMs)
    }, by)
    return refused ?? published
  }

  /** Credits (positive) or debits (negative) free collateral. Returns the balances after it. */
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
