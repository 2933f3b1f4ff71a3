// The channel `subscribe_positions` (rules §12.8): the caller's positions in the markets that it
// names, first a snapshot, then a frame after each trade that changed them. They are read from the
// tables after the barrier of private reads, so a frame is never older than the previous order
// event. They are read and encoded once for all sockets of an account.
// Invariant: an account has at most one read in progress, however often its sockets subscribe.
// Changes and subscriptions that arrive meanwhile are read after it.

import { exitRaw } from '../../../../engine/core/amm/pool-price.ts'
import type { MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { fillPriceRaw } from '../../../../engine/domain/markets/mark.ts'
import { poolFeeBpsOf } from '../../../../engine/domain/moves/move-limits.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { PositionRow } from '../../../../persistence/query/read/positions.ts'
import { positions } from '../../../../persistence/query/read/positions.ts'
import type { Streams } from '../../../edge/sockets/account-stream.ts'
import type { Channel, SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { ConnectionCounts } from '../../../edge/sockets/connection-counts.ts'
import type { Member, Place, Receivers } from '../../../edge/sockets/member.ts'
import { packetOf } from '../../../edge/sockets/packets.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { OrderEvent } from '../../../exchange/read-model/order-event-feed.ts'
import type { PoolFigures } from '../../../exchange/read-model/pool-views.ts'
import { marketValueRaw } from '../../../exchange/read-model/position-views.ts'
import type { PublishedMarket } from '../../../exchange/read-model/published.ts'
import { invalid, type Refusal, refuse } from '../../../messages/refusal.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'
import { tapesOf } from '../market/market-topics.ts'
import type { Audience } from './audience.ts'

const CHANNEL = 'subscribe_positions'
const EVENT = 'positions'

/** One market of one account. */
class Watch implements Receivers {
  /** It stays readable when the market leaves memory. */
  readonly published: PublishedMarket
  readonly members = new Set<Member>()
  /** Members with a snapshot, each with the number of the newest frame posted before it. */
  readonly #since = new Map<Member, number>()
  /** Members whose snapshot is not being read yet. */
  fresh = new Set<Member>()
  isChanged = false

  constructor(published: PublishedMarket) {
    this.published = published
  }

  get marketId(): MarketId {
    return this.published.market.marketId
  }

  get isShown(): boolean {
    return this.#since.size > 0
  }

  add(member: Member): void {
    this.members.add(member)
    this.#since.delete(member)
    this.fresh.add(member)
  }

  drop(member: Member): void {
    this.members.delete(member)
    this.#since.delete(member)
    this.fresh.delete(member)
  }

  shown(member: Member): void {
    this.#since.set(member, member.stream?.postedNumber ?? 0)
  }

  receives(member: Member, { number }: Place): boolean {
    const since = this.#since.get(member)
    return since !== undefined && since < number
  }
}

/** The markets of one subscription, and whether the earlier ones stay. */
interface Wanted {
  readonly markets: ReadonlyMap<number, PublishedMarket>
  readonly isAdded: boolean
}

/** The subscriptions of all sockets of one account. */
class AccountWatch {
  readonly profileId: ProfileId
  readonly account: string
  readonly watches = new Map<number, Watch>()
  /** The markets that each member named. */
  readonly marketIds = new Map<Member, Set<number>>()
  readonly due = new Set<Watch>()
  isReading = false
  /** The total of the markets of all members. */
  count = 0

  constructor(profileId: ProfileId, account: string) {
    this.profileId = profileId
    this.account = account
  }

  countOf(member: Member): number {
    return this.marketIds.get(member)?.size ?? 0
  }

  /** The earlier markets of a member that stay when it adds the named ones. */
  kept(member: Member, { markets, isAdded }: Wanted): readonly number[] {
    if (!isAdded) return []
    return [...(this.marketIds.get(member) ?? [])].filter((id) => !markets.has(id))
  }

  /** Replaces the markets of a member, or adds to them. */
  set(member: Member, wanted: Wanted): void {
    const { markets } = wanted
    const ids = new Set([...this.kept(member, wanted), ...markets.keys()])
    for (const id of this.marketIds.get(member) ?? []) if (!ids.has(id)) this.drop(member, id)
    this.count += ids.size - this.countOf(member)
    this.marketIds.set(member, ids)
    for (const [id, shown] of markets) {
      const watch = this.watches.get(id) ?? new Watch(shown)
      this.watches.set(id, watch)
      watch.add(member)
      this.due.add(watch)
    }
  }

  drop(member: Member, marketId: MarketId): void {
    if (this.marketIds.get(member)?.delete(marketId) !== true) return
    this.count--
    const watch = this.watches.get(marketId)
    watch?.drop(member)
    if (watch === undefined || watch.members.size > 0) return
    this.watches.delete(marketId)
    this.due.delete(watch)
  }
}

export interface PositionParts {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly clock: () => TimeMs
  readonly connectionCounts: ConnectionCounts
  readonly streams: Streams
}

export class PositionsFeed implements Channel {
  readonly isPrivate = true
  readonly #parts: PositionParts
  readonly audience: Audience
  readonly #accounts = new Map<number, AccountWatch>()

  constructor(audience: Audience, parts: PositionParts) {
    this.audience = audience
    this.#parts = parts
  }

  subscribe(member: Member, requested: SubscriptionRequest): Refusal | null {
    const { marketSlugs, marketAddresses, isAdded = false } = requested
    if (marketSlugs === undefined && marketAddresses === undefined) {
      return invalid({ field: 'marketSlugs', message: 'must name the markets' })
    }
    const { published } = this.#parts.pipeline
    const markets = new Map<number, PublishedMarket>()
    const named = [
      ...(marketSlugs ?? []).map((slug) => published.bySlug(slug)),
      ...(marketAddresses ?? []).map((address) => published.byAddress(address)),
    ]
    for (const shown of named) {
      if (shown === undefined) return refuse('MARKET_NOT_FOUND')
      // The shares of a group are held in its children.
      for (const each of tapesOf(published, shown)) markets.set(each.market.marketId, each)
    }
    assert(member.caller !== null, 'a private channel has proven members only')
    const { profileId, account } = member.caller
    const own = this.#accounts.get(profileId) ?? new AccountWatch(profileId, account)
    const { connectionCounts } = this.#parts
    const wanted = { markets, isAdded }
    const ownCount = own.kept(member, wanted).length + markets.size
    if (own.count - own.countOf(member) + ownCount > connectionCounts.bounds.marketsPerProfileMax) {
      connectionCounts.refuse('markets')
      return refuse('SUBSCRIPTION_LIMIT')
    }
    this.#accounts.set(profileId, own)
    own.set(member, wanted)
    this.audience.subscribe(member)
    void this.#read(own)
    return null
  }

  unsubscribe(member: Member, { marketSlugs, marketAddresses }: SubscriptionRequest): void {
    const own = this.#accounts.get(member.caller?.profileId ?? 0)
    if (own === undefined) return
    const names = new Set([...(marketSlugs ?? []), ...(marketAddresses ?? [])])
    const lowered = new Set([...names].map((name) => name.toLowerCase()))
    for (const { published, marketId } of [...own.watches.values()]) {
      const { slug, poolAddress = '' } = published.market
      const isNamed = names.has(slug) || names.has(published.group?.market.slug ?? '')
      if (isNamed || lowered.has(poolAddress.toLowerCase())) own.drop(member, marketId)
    }
    const isAll = marketSlugs === undefined && marketAddresses === undefined
    if (isAll || own.countOf(member) === 0) this.left(member)
  }

  left(member: Member): void {
    this.audience.left(member)
    const own = this.#accounts.get(member.caller?.profileId ?? 0)
    if (own === undefined) return
    for (const id of [...(own.marketIds.get(member) ?? [])]) own.drop(member, id)
    own.marketIds.delete(member)
    this.#forget(own)
  }

  /** Keeps an account while its read is in progress, so that there is only one read. */
  #forget(own: AccountWatch): void {
    if (own.marketIds.size === 0 && !own.isReading) this.#accounts.delete(own.profileId)
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  publish(events: readonly OrderEvent[]): void {
    for (const { type, accountId, marketId } of events) {
      if (type === 'MATCHED') this.#mayChange(accountId, marketId)
    }
  }

  /** Also called by the pipeline. */
  moved(events: readonly MoveEvent[]): void {
    for (const { owner, marketId, converted } of events) {
      for (const each of converted ?? [{ marketId }]) this.#mayChange(owner, each.marketId)
    }
  }

  #mayChange(profileId: ProfileId, marketId: MarketId): void {
    try {
      this.changed(profileId, marketId)
    } catch (error) {
      const members = this.#accounts.get(profileId)?.marketIds.keys() ?? []
      this.#parts.streams.fail(error, [...members])
    }
  }

  /** Called when a profile's position in a market changed; the next read includes it. */
  changed(profileId: ProfileId, marketId: MarketId): void {
    const own = this.#accounts.get(profileId)
    const watch = own?.watches.get(marketId)
    if (own === undefined || watch === undefined) return
    watch.isChanged = true
    own.due.add(watch)
    void this.#read(own)
  }

  async #read(own: AccountWatch): Promise<void> {
    if (own.isReading) return
    own.isReading = true
    try {
      while (own.due.size > 0) await this.#readDue(own)
    } catch (error) {
      const members = [...own.marketIds.keys()]
      for (const member of members) this.left(member)
      this.#parts.streams.fail(error, members)
    }
    own.isReading = false
    this.#forget(own)
  }

  async #readDue(own: AccountWatch): Promise<void> {
    const requested = [...own.due].slice(0, LIMITS.positionsReadMax).map((watch) => {
      own.due.delete(watch)
      const { isChanged, fresh } = watch
      watch.isChanged = false
      watch.fresh = new Set()
      return { watch, isChanged, fresh }
    })
    const marketIds = requested.map(({ watch }) => watch.marketId)
    const rows = await this.#parts.reads.readForFrame(
      positions,
      { accountId: own.profileId, marketIds },
      own,
    )
    edgePoint('at-socket-read')
    for (const { watch, isChanged, fresh } of requested) {
      if (rows === undefined) this.#giveUp(watch)
      else this.#show(own, { watch, isChanged, fresh }, rows)
    }
  }

  /** The tables lag too far behind. Clients are notified, and retry as after any 503. */
  #giveUp(watch: Watch): void {
    for (const member of [...watch.members]) {
      // A member that subscribed again meanwhile waits for another read.
      if (watch.fresh.has(member)) continue
      this.left(member)
      member.except(refuse('READ_TIMEOUT'), CHANNEL)
    }
  }

  #show(
    own: AccountWatch,
    requested: { watch: Watch; isChanged: boolean; fresh: ReadonlySet<Member> },
    rows: readonly PositionRow[],
  ): void {
    const { watch, isChanged, fresh } = requested
    const { published, marketId } = watch
    const held = rows.filter((row) => row.marketId === marketId)
    const frame = positionsFrame(own.account, published, held)
    if (isChanged && watch.isShown) {
      const timestamp = this.#parts.clock()
      const payload = () => ({ ...frame, timestamp })
      this.#parts.streams.of(own.profileId)?.post({ to: watch, seq: null, event: EVENT, payload })
    }
    const packet = fresh.size > 0 ? packetOf(EVENT, frame) : null
    for (const member of fresh) {
      // A member that left gets nothing. One that subscribed again waits for a later read.
      const isWanted = watch.members.has(member) && !watch.fresh.has(member)
      if (packet === null || !isWanted) continue
      this.#snapshot(watch, member, packet)
    }
  }

  #snapshot(watch: Watch, member: Member, packet: Uint8Array): void {
    watch.shown(member)
    try {
      member.sendLater(packet)
    } catch (error) {
      this.#parts.streams.fail(error, [member])
    }
  }
}

/** An account's holdings in a market with a book or a pool. */
function positionsFrame(account: string, shown: PublishedMarket, rows: readonly PositionRow[]) {
  const { market, pool } = shown
  if (pool !== null) {
    return {
      type: 'AMM',
      account,
      marketAddress: market.poolAddress ?? '',
      positions: rows.map((row) => poolPositionView(row, shown, pool)),
    }
  }
  return {
    type: 'CLOB',
    account,
    marketSlug: market.slug,
    positions: rows.map((row) => positionView(row, shown)),
    tokenIds: [market.yesTokenId, market.noTokenId],
  }
}

/** The pool's quote for all shares at once, and their number; raw, as text. */
function poolPositionView(row: PositionRow, { market }: PublishedMarket, pool: PoolFigures) {
  const { outcome, sizeRaw } = row
  const outRaw = exitRaw(pool.reservesRaw, outcome, sizeRaw, poolFeeBpsOf(market))
  return {
    tokenId: outcome === 0 ? market.yesTokenId : market.noTokenId,
    balance: String(sizeRaw),
    outcomeIndex: outcome,
    collateralOutOnSell: String(outRaw),
  }
}

/** Raw amounts as text; the price is that of one share, also raw (rules §9.1). */
export function positionView(row: PositionRow, shown: PublishedMarket) {
  const { market } = shown
  return {
    tokenId: row.outcome === 0 ? market.yesTokenId : market.noTokenId,
    ctfBalance: String(row.sizeRaw),
    averageFillPrice: String(fillPriceRaw(row)),
    costBasis: String(row.costRaw),
    marketValue: String(marketValueRaw(row, shown)),
    marketId: market.marketId,
  }
}
