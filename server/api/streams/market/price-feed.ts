// The channel `subscribe_market_prices` (rules §12.8): the books of the named markets, prices of
// pools by address or slug, and oracle values for a market or a symbol. A repeated subscription
// replaces the set, or adds to it (channels.ts); with `snapshot` it keeps the set and requests the
// newest books again.

import type { Seq } from '../../../../engine/domain/ids.ts'
import { kindOf } from '../../../../engine/domain/markets/market.ts'
import { type TimeMs, UNIT_RAW } from '../../../../engine/domain/units.ts'
import type { Channel, SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import { unitsOf } from '../../../edge/sockets/connection-counts.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import type { OraclePrice } from '../../../edge/sockets/outside-prices.ts'
import { packetOf } from '../../../edge/sockets/packets.ts'
import {
  BroadcastGroup,
  type BroadcastParts,
} from '../../../edge/sockets/shared/broadcast-group.ts'
import { Subscriptions } from '../../../edge/sockets/shared/subscriptions.ts'
import { type PoolFigures, poolYesE6 } from '../../../exchange/read-model/pool-views.ts'
import type { PublishedMarket, PublishedMarkets } from '../../../exchange/read-model/published.ts'
import type {
  BlockEvent,
  SettlementEvent,
  SettlementListener,
} from '../../../exchange/settlement/mining.ts'
import { isoText } from '../../../messages/iso-text.ts'
import { invalid, Refusal, refuse } from '../../../messages/refusal.ts'
import {
  type MarketTopics,
  marketsMissing,
  namesMissing,
  tapesNamed,
  tapesOf,
} from './market-topics.ts'

const IN_USD = '/USD'

interface PriceParts extends BroadcastParts {
  readonly published: PublishedMarkets
  readonly topics: MarketTopics
  /** The newest durable block. */
  readonly block: () => { readonly height: number; readonly ms: TimeMs }
}

export class PriceFeed implements Channel {
  readonly isPrivate = false
  readonly #parts: PriceParts
  readonly #subscriptions = new Subscriptions()
  /** Broadcast groups of pools by address, and of symbols. */
  readonly #named = new Map<string, BroadcastGroup>()
  /** The newest value of each symbol since the start. An operator reports few symbols. */
  readonly #values = new Map<string, Uint8Array>()

  constructor(parts: PriceParts) {
    this.#parts = parts
  }

  subscribe(member: Member, requested: SubscriptionRequest): Refusal | null {
    if (requested.snapshot === true) return this.#again(member, requested)
    const named = this.#namedBy(requested)
    if (named === undefined) return namesMissing()
    const { books, others, missing } = named
    if (missing.length > 0) return marketsMissing(this.#parts.published, missing)
    const { units } = named
    const isAdded = requested.isAdded === true
    const refusal = this.#subscriptions.refusalOf(member, [...books.keys(), ...others], {
      units,
      isAdded,
    })
    if (refusal !== null) return refusal
    const groups = new Map([...others].map((name) => [name, this.#groupOf(name)]))
    for (const [name, shown] of books) {
      groups.set(name, this.#bookGroup(shown, requested.mode === 'delta'))
    }
    this.#subscriptions.set(member, groups, isAdded)
    return null
  }

  unsubscribe(member: Member, requested: SubscriptionRequest): void {
    const named = this.#namedBy(requested)
    const names = named && [...named.books.keys(), ...named.others, ...named.missing.map(nameOf)]
    this.#subscriptions.drop(member, names ?? this.#subscriptions.namesOf(member))
  }

  left(member: Member): void {
    this.#subscriptions.drop(member, this.#subscriptions.namesOf(member))
  }

  /** A market left memory: it does not change any more. */
  ended(shown: PublishedMarket): void {
    const topic = this.#parts.topics.byId(shown.market.marketId)
    for (const member of topic?.book.members ?? [])
      this.#subscriptions.drop(member, [marketName(shown)])
    const pool = poolName(shown.market.poolAddress ?? '')
    for (const member of this.#named.get(pool)?.members ?? [])
      this.#subscriptions.drop(member, [pool])
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  poolPrices({ market }: PublishedMarket, frame: object): void {
    const group = this.#named.get(poolName(market.poolAddress ?? ''))
    if (group === undefined) return
    try {
      group.say(packetOf('newPriceData', frame))
    } catch (error) {
      this.#parts.fail(error, group.members)
    }
  }

  oraclePrice({ symbol, marketSlug, atMs, value }: OraclePrice): void {
    // The public client reads text here, whatever its subscription names.
    const payload = {
      marketAddress: null,
      marketSlug: marketSlug ?? '',
      symbol,
      timestamp: atMs,
      value,
    }
    if (marketSlug === null) {
      const packet = packetOf('oraclePriceData', payload)
      this.#values.set(symbolName(symbol), packet)
      this.#named.get(symbolName(symbol))?.say(packet)
      return
    }
    const shown = this.#parts.published.bySlug(marketSlug)
    const topic = shown && this.#parts.topics.byId(shown.market.marketId)
    topic?.book.publish('oraclePriceData', payload, false)
  }

  /** A member that detected a gap requests whole books of markets that it is subscribed to. */
  #again(member: Member, requested: SubscriptionRequest): Refusal | null {
    const received = this.#subscriptions.namesOf(member)
    const named = this.#namedBy(requested)
    const names = named === undefined ? received : [...named.books.keys(), ...named.others]
    const units = named?.units ?? this.#subscriptions.unitsOf(member)
    if (!member.connectionSlot.asks(units)) return refuse('RATE_LIMITED')
    const missing = named?.missing ?? []
    if (missing.length > 0) return marketsMissing(this.#parts.published, missing)
    if (names.some((name) => !received.includes(name))) return notReceived()
    this.#subscriptions.again(member, names)
    return null
  }

  /** The requested markets, by the names of broadcast groups; undefined when none is named. */
  #namedBy({ marketSlugs, marketAddresses, symbols }: SubscriptionRequest): Named | undefined {
    if ((marketSlugs ?? marketAddresses ?? symbols) === undefined) return undefined
    const { published } = this.#parts
    const books = new Map<string, PublishedMarket>()
    const others = new Set((symbols ?? []).map(symbolName))
    const missing: string[] = []
    for (const slug of marketSlugs ?? []) {
      const shown = published.bySlug(slug)
      const kind = shown && kindOf(shown.market)
      // A group has no book, as over REST. A pool has prices instead.
      if (shown === undefined || kind === 'group') missing.push(slug)
      else if (kind === 'amm') others.add(poolName(shown.market.poolAddress ?? ''))
      else books.set(nameOf(slug), shown)
    }
    for (const address of marketAddresses ?? []) {
      if (published.byAddress(address) === undefined) missing.push(address)
      else others.add(poolName(address))
    }
    const count = [marketSlugs, marketAddresses, symbols].flatMap((each) => each ?? []).length
    let units = Math.max(1, count)
    for (const { frameBytes } of books.values()) units += unitsOf(frameBytes) - 1
    return { units, books, others, missing }
  }

  #bookGroup(shown: PublishedMarket, isDelta: boolean): BroadcastGroup {
    const { book } = this.#parts.topics.open(shown)
    if (!isDelta) return book.whole
    book.watchChanges()
    return book.changes
  }

  /** The first frame for a new listener of a pool. */
  #poolPacket(name: string): Uint8Array | undefined {
    const shown = this.#parts.published.byAddress(name.slice(poolName('').length))
    if (!shown?.pool) return undefined
    return packetOf('newPriceData', pricesFrame(shown, shown.pool, this.#parts.block()))
  }

  #groupOf(name: string): BroadcastGroup {
    const known = this.#named.get(name)
    if (known !== undefined) return known
    const left = () => {
      if (group.isEmpty) this.#named.delete(name)
    }
    const since = () => {
      const newest = this.#values.get(name) ?? this.#poolPacket(name)
      return newest === undefined ? [] : [newest]
    }
    const group: BroadcastGroup = new BroadcastGroup(name, this.#parts, {
      since,
      left,
      pace: 'newest',
    })
    this.#named.set(name, group)
    return group
  }
}

interface Named {
  /** The cost of its first frames, including repeated names (connection-counts.ts). */
  readonly units: number
  /** Markets with a book, by the names of their broadcast groups. */
  readonly books: ReadonlyMap<string, PublishedMarket>
  /** The names of the broadcast groups of pools and of symbols. */
  readonly others: ReadonlySet<string>
  /** Slugs and addresses of no market. */
  readonly missing: readonly string[]
}

function notReceived(): Refusal {
  return invalid({ field: 'snapshot', message: 'requires markets that are in the subscription' })
}

const nameOf = (slug: string) => `market ${slug}`
const marketName = ({ market }: PublishedMarket) => nameOf(market.slug)
const poolName = (address: string) => `pool ${address.toLowerCase()}`
/** BTC and BTC/USD are the same symbol, with the name that series and candles use. */
const symbolName = (symbol: string) =>
  `symbol ${symbol.endsWith(IN_USD) ? symbol : symbol + IN_USD}`

// The prices that blocks leave in pools (rules §12.8). A change of a pool is published with the
// block that contains its command. Invariant: `#moved` has the changes that are in no published
// block, oldest first; an account has one trade with a pool between two blocks.

interface Moved {
  readonly published: PublishedMarket
  readonly pool: PoolFigures
  readonly seq: Seq
}

/** Publishes the prices of one pool. It must not throw. */
type PublishPrices = (published: PublishedMarket, frame: object) => void

export class PoolMoves implements SettlementListener {
  readonly #publish: PublishPrices
  #moved: Moved[] = []

  constructor(publish: PublishPrices) {
    this.#publish = publish
  }

  moved(published: PublishedMarket, seq: Seq): void {
    const { pool } = published
    if (pool !== null) this.#moved.push({ published, pool, seq })
  }

  onBlock({ height, throughSeq, ms }: BlockEvent): void {
    if (this.#moved.length === 0) return
    const newest = new Map<PublishedMarket, Moved>()
    const later = this.#moved.filter((each) => {
      if (each.seq > throughSeq) return true
      newest.set(each.published, each)
      return false
    })
    this.#moved = later
    for (const { published, pool } of newest.values()) {
      this.#publish(published, pricesFrame(published, pool, { height, ms }))
    }
  }

  onSetback(): void {
    // A trade with a pool is never reversed.
  }
}

/** The prices of a pool after a block. */
function pricesFrame(
  { market }: PublishedMarket,
  pool: PoolFigures,
  block: { readonly height: number; readonly ms: number },
): object {
  const marketAddress = market.poolAddress ?? ''
  const yesE6 = poolYesE6(pool)
  const [yesPrice, noPrice] = [yesE6 / UNIT_RAW, (UNIT_RAW - yesE6) / UNIT_RAW]
  return {
    marketAddress,
    updatedPrices: [{ marketId: market.marketId, marketAddress, yesPrice, noPrice }],
    blockNumber: block.height,
    timestamp: isoText(block.ms),
  }
}

// The channel `subscribe_trades`: the public tapes of the named markets. A group represents its
// children, each with its own tape.

export class TradeFeed implements Channel, SettlementListener {
  readonly isPrivate = false
  readonly #published: PublishedMarkets
  readonly #topics: MarketTopics
  readonly #subscriptions = new Subscriptions()

  constructor(published: PublishedMarkets, topics: MarketTopics) {
    this.#published = published
    this.#topics = topics
  }

  subscribe(member: Member, { marketSlugs, isAdded = false }: SubscriptionRequest): Refusal | null {
    if (marketSlugs === undefined) return namesMissing()
    const markets = tapesNamed(this.#published, marketSlugs)
    if (markets instanceof Refusal) return markets
    const units = Math.max(1, markets.size)
    const refusal = this.#subscriptions.refusalOf(member, markets.keys(), { units, isAdded })
    if (refusal !== null) return refusal
    const groups = new Map<string, BroadcastGroup>()
    for (const [slug, shown] of markets) groups.set(slug, this.#topics.open(shown).tape.group)
    this.#subscriptions.set(member, groups, isAdded)
    return null
  }

  unsubscribe(member: Member, { marketSlugs }: SubscriptionRequest): void {
    const named = marketSlugs?.flatMap((slug) => {
      const shown = this.#published.bySlug(slug)
      if (shown === undefined) return [slug]
      return tapesOf(this.#published, shown).map(({ market }) => market.slug)
    })
    this.#subscriptions.drop(member, named ?? this.#subscriptions.namesOf(member))
  }

  left(member: Member): void {
    this.#subscriptions.drop(member, this.#subscriptions.namesOf(member))
  }

  /** A market left memory: it does not trade any more. */
  ended({ market }: PublishedMarket): void {
    const topic = this.#topics.byId(market.marketId)
    for (const member of topic?.tape.group.members ?? [])
      this.#subscriptions.drop(member, [market.slug])
  }

  onBlock(): void {}

  onSetback({ tradeSeq, reversed, nowMs }: SettlementEvent): void {
    if (reversed === undefined) return
    this.#topics.byId(reversed.marketId)?.tape.busted(tradeSeq, reversed.seq, nowMs)
  }
}
