// The channel `subscribe_market_prices` (rules §12.8): the books of the named markets, prices of
// pools by their address, and values of oracles for a market or a symbol. A repeated subscribe
// replaces the set; with `snapshot` it leaves the set as it is and asks for the newest books again.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import { Refusal, refuse } from '../../../http/refusal.ts'
import type { PublishedMarket, PublishedMarkets } from '../../../pipeline/shown/published.ts'
import type { Channel, SubscriptionAsk } from '../../channels.ts'
import type { Member } from '../../member.ts'
import type { OraclePrice } from '../../outside-prices.ts'
import { packetOf } from '../../packets.ts'
import { Ears } from '../../shared/ears.ts'
import { Room, type RoomParts } from '../../shared/room.ts'
import { marketsNamed, namesMissing } from './market-names.ts'
import type { MarketTopics } from './market-topics.ts'
import { pricesFrame } from './pool-moves.ts'

export interface PriceParts extends RoomParts {
  readonly published: PublishedMarkets
  readonly topics: MarketTopics
  /** The newest durable block. */
  readonly block: () => { readonly height: number; readonly ms: TimeMs }
}

export class PriceFeed implements Channel {
  readonly isPrivate = false
  readonly #parts: PriceParts
  readonly #ears = new Ears()
  /** Rooms of pools by address, and of symbols. */
  readonly #named = new Map<string, Room>()
  /** The newest value of each symbol since the start. An operator reports few symbols. */
  readonly #values = new Map<string, Uint8Array>()

  constructor(parts: PriceParts) {
    this.#parts = parts
  }

  subscribe(member: Member, asked: SubscriptionAsk): Refusal | null {
    if (asked.snapshot === true) return this.#again(member, asked)
    const { marketSlugs, marketAddresses, symbols } = asked
    if ((marketSlugs ?? marketAddresses ?? symbols) === undefined) return namesMissing()
    const addresses = (marketAddresses ?? []).map((each) => each.toLowerCase())
    const { published } = this.#parts
    if (!addresses.every((each) => published.byAddress(each))) return refuse('MARKET_NOT_FOUND')
    const markets = marketsNamed(published, marketSlugs ?? [])
    if (markets instanceof Refusal) return markets
    const names = [...addresses.map(poolName), ...(symbols ?? []).map(symbolName)]
    const count = markets.size + new Set(names).size
    const refusal = this.#ears.refusalOf(member, Math.max(1, count), count)
    if (refusal !== null) return refusal
    const rooms = new Map(names.map((name) => [name, this.#roomOf(name)]))
    for (const shown of markets.values()) {
      rooms.set(marketName(shown), this.#bookRoom(shown, asked.mode === 'delta'))
    }
    this.#ears.set(member, rooms)
    return null
  }

  unsubscribe(member: Member, asked: SubscriptionAsk): void {
    this.#ears.drop(member, namedBy(asked) ?? this.#ears.namesOf(member))
  }

  left(member: Member): void {
    this.#ears.drop(member, this.#ears.namesOf(member))
  }

  /** A market left memory: nothing of it changes any more. */
  ended(shown: PublishedMarket): void {
    const topic = this.#parts.topics.byId(shown.market.marketId)
    for (const member of topic?.book.members ?? []) this.#ears.drop(member, [marketName(shown)])
    const pool = poolName((shown.market.poolAddress ?? '').toLowerCase())
    for (const member of this.#named.get(pool)?.members ?? []) this.#ears.drop(member, [pool])
  }

  /** The pipeline calls this, so a fault in a frame must not be thrown. */
  poolPrices({ market }: PublishedMarket, frame: object): void {
    const room = this.#named.get(poolName((market.poolAddress ?? '').toLowerCase()))
    if (room === undefined) return
    try {
      room.say(packetOf('newPriceData', frame))
    } catch (error) {
      this.#parts.fail(error, room.members)
    }
  }

  oraclePrice({ symbol, marketSlug, atMs, value }: OraclePrice): void {
    const payload = { marketAddress: null, marketSlug, symbol, timestamp: atMs, value }
    if (marketSlug === null) {
      const packet = packetOf('oraclePriceData', payload)
      this.#values.set(symbolName(symbol), packet)
      this.#named.get(symbolName(symbol))?.say(packet)
      return
    }
    const shown = this.#parts.published.bySlug(marketSlug)
    const topic = shown && this.#parts.topics.byId(shown.market.marketId)
    topic?.book.tell('oraclePriceData', payload, false)
  }

  /** A member that saw a gap asks for whole books of markets that it hears already. */
  #again(member: Member, asked: SubscriptionAsk): Refusal | null {
    const names = namedBy(asked) ?? this.#ears.namesOf(member)
    if (!member.seat.asks(Math.max(1, names.length))) return refuse('RATE_LIMITED')
    this.#ears.again(member, names)
    return null
  }

  #bookRoom(shown: PublishedMarket, isDelta: boolean): Room {
    const { book } = this.#parts.topics.open(shown)
    if (!isDelta) return book.whole
    book.watchChanges()
    return book.changes
  }

  /** What a new listener of a pool gets first. */
  #poolPacket(name: string): Uint8Array | undefined {
    const shown = this.#parts.published.byAddress(name.slice(poolName('').length))
    if (!shown?.pool) return undefined
    return packetOf('newPriceData', pricesFrame(shown, shown.pool, this.#parts.block()))
  }

  #roomOf(name: string): Room {
    const known = this.#named.get(name)
    if (known !== undefined) return known
    const left = () => {
      if (room.isEmpty) this.#named.delete(name)
    }
    const since = () => {
      const newest = this.#values.get(name) ?? this.#poolPacket(name)
      return newest === undefined ? [] : [newest]
    }
    const room: Room = new Room(name, this.#parts, { since, left })
    this.#named.set(name, room)
    return room
  }
}

const marketName = ({ market }: PublishedMarket) => `market ${market.slug}`
const poolName = (address: string) => `pool ${address}`
const symbolName = (symbol: string) => `symbol ${symbol}`

/** The names of rooms that a client means; undefined when it names none. */
function namedBy({ marketSlugs, marketAddresses, symbols }: SubscriptionAsk) {
  if ((marketSlugs ?? marketAddresses ?? symbols) === undefined) return undefined
  return [
    ...(marketSlugs ?? []).map((slug) => `market ${slug}`),
    ...(marketAddresses ?? []).map((address) => poolName(address.toLowerCase())),
    ...(symbols ?? []).map(symbolName),
  ]
}
