// What the exchange sends by itself: books, trades, news of markets, and the visitor's own events.
// One connection serves the whole page. A repeated subscribe replaces the set of its channel, so
// this file knows what every view listens to, and says it again after each reconnect.

import { io, type Socket } from 'socket.io-client'
import { Signal, type Unwatch } from '../page/signal.ts'
import { isSessionOver } from './api.ts'
import { BookCopy } from './book-copy.ts'
import type { BookFrame, BustFrame, DeltaFrame, PoolFrame, TradeFrame } from './shapes.ts'

export type Link = 'connecting' | 'live' | 'lost'

/** The exchange takes so many markets in one subscription. */
const MARKETS_MAX = 100
/** Subscriptions that change together are said once. */
const SAY_AFTER_MS = 30
/** A refused subscription is said again after so long. */
const AGAIN_AFTER_MS = 2000

type Listener<T> = (value: T) => void

interface Watched {
  readonly copy: BookCopy
  readonly listeners: Set<Listener<BookCopy>>
}

interface OraclePrice {
  readonly symbol: string
  readonly value: number
  readonly timestamp: number
}

export interface OrderEvent {
  readonly type: string
  readonly orderId: string
  readonly marketSlug?: string
}

class Listeners<T> {
  readonly #byName = new Map<string, Set<Listener<T>>>()

  get names(): string[] {
    return [...this.#byName.keys()]
  }

  add(name: string, listener: Listener<T>): void {
    const known = this.#byName.get(name) ?? new Set()
    this.#byName.set(name, known.add(listener))
  }

  drop(name: string, listener: Listener<T>): void {
    const known = this.#byName.get(name)
    known?.delete(listener)
    if (known?.size === 0) this.#byName.delete(name)
  }

  report(name: string, value: T): void {
    for (const listener of [...(this.#byName.get(name) ?? [])]) listener(value)
  }
}

/** What a tape tells: a trade, or that one was taken back. */
export type TapeUpdate = { readonly trade: TradeFrame } | { readonly busted: BustFrame }

export class Streams {
  readonly link = new Signal<Link>('connecting')
  readonly #socket: Socket
  readonly #books = new Map<string, Watched>()
  readonly #tapes = new Listeners<TapeUpdate>()
  readonly #symbols = new Listeners<OraclePrice>()
  readonly #pools = new Listeners<PoolFrame>()
  readonly #updates = new Set<Listener<string>>()
  readonly #orders = new Set<Listener<OrderEvent>>()
  readonly #doubts = new Set<() => void>()
  readonly #unstated = new Set<() => void>()
  #timer = 0
  /** Books that lost a frame since the page was opened, for its foot and for tests. */
  gapCount = 0

  constructor() {
    this.#socket = io('/markets', { transports: ['websocket'], reconnectionDelayMax: 5000 })
    this.#socket.on('connect', () => this.#connected())
    this.#socket.on('disconnect', () => this.#lost())
    this.#socket.on('connect_error', () => this.link.set('lost'))
    this.#socket.on('orderbookUpdate', (frame: BookFrame) => this.#whole(frame))
    this.#socket.on('orderbookDelta', (frame: DeltaFrame) => this.#changes(frame))
    this.#socket.on('trade', (trade: TradeFrame) => this.#tapes.report(trade.marketSlug, { trade }))
    this.#socket.on('trade_busted', (busted: BustFrame) => {
      this.#tapes.report(busted.marketSlug, { busted })
    })
    this.#socket.on('oraclePriceData', (price: OraclePrice) => {
      this.#symbols.report(price.symbol, price)
    })
    this.#socket.on('newPriceData', (frame: PoolFrame) => {
      this.#pools.report(frame.marketAddress.toLowerCase(), frame)
    })
    for (const event of ['marketCreated', 'marketResolved']) {
      this.#socket.on(event, ({ slug }: { slug: string }) => this.#publishEvents(slug))
    }
    this.#socket.on('orderEvent', (event: OrderEvent) => {
      for (const listener of [...this.#orders]) listener(event)
    })
    this.#socket.on('exception', (why?: { readonly code?: unknown }) => {
      setTimeout(() => this.#sayAll(), AGAIN_AFTER_MS)
      if (isSessionOver(why?.code)) this.#doubt()
    })
  }

  /** Follows the book of a market; called at once with what is known, and for each change. */
  book(slug: string, listener: Listener<BookCopy>): Unwatch {
    const watched = this.#books.get(slug) ?? { copy: new BookCopy(), listeners: new Set() }
    const isNew = !this.#books.has(slug)
    this.#books.set(slug, watched)
    watched.listeners.add(listener)
    if (watched.copy.isCurrent) listener(watched.copy)
    if (isNew) this.#say(this.#sayPrices)
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size > 0) return
      this.#books.delete(slug)
      this.#say(this.#sayPrices)
    }
  }

  tape(slug: string, listener: Listener<TapeUpdate>): Unwatch {
    this.#tapes.add(slug, listener)
    this.#say(this.#sayTapes)
    return () => {
      this.#tapes.drop(slug, listener)
      this.#say(this.#sayTapes)
    }
  }

  symbol(symbol: string, listener: Listener<OraclePrice>): Unwatch {
    this.#symbols.add(symbol, listener)
    this.#say(this.#sayPrices)
    return () => {
      this.#symbols.drop(symbol, listener)
      this.#say(this.#sayPrices)
    }
  }

  /** Follows the prices of a pool by its address. */
  pool(address: string, listener: Listener<PoolFrame>): Unwatch {
    const name = address.toLowerCase()
    this.#pools.add(name, listener)
    this.#say(this.#sayPrices)
    return () => {
      this.#pools.drop(name, listener)
      this.#say(this.#sayPrices)
    }
  }

  /** Tells the slug of each market that is made or resolved. */
  updates(listener: Listener<string>): Unwatch {
    this.#updates.add(listener)
    this.#say(this.#emitUpdates)
    return () => void this.#updates.delete(listener)
  }

  /** The visitor's own orders and trades; nothing comes before a login. */
  orders(listener: Listener<OrderEvent>): Unwatch {
    this.#orders.add(listener)
    this.#say(this.#sayOrders)
    return () => void this.#orders.delete(listener)
  }

  /** Calls when the visitor may be known no more: at a new connection, and when one says so. */
  doubts(listener: () => void): Unwatch {
    this.#doubts.add(listener)
    return () => void this.#doubts.delete(listener)
  }

  /** The visitor logged in or out: a new handshake carries the new cookie. */
  renew(): void {
    this.#socket.disconnect().connect()
  }

  /** Asks for a whole book, as after a loss. */
  again(slug: string): void {
    if (this.link.value !== 'live') return
    this.#socket.emit('subscribe_market_prices', { marketSlugs: [slug], snapshot: true })
  }

  #connected(): void {
    this.link.set('live')
    this.#sayAll()
    this.#doubt()
  }

  #doubt(): void {
    for (const listener of [...this.#doubts]) listener()
  }

  #lost(): void {
    this.link.set('lost')
    for (const { copy, listeners } of this.#books.values()) {
      copy.lose()
      for (const listener of [...listeners]) listener(copy)
    }
  }

  #whole(frame: BookFrame): void {
    const watched = this.#books.get(frame.marketSlug)
    if (watched === undefined) return
    watched.copy.takeWhole(frame)
    for (const listener of [...watched.listeners]) listener(watched.copy)
  }

  #changes(frame: DeltaFrame): void {
    const watched = this.#books.get(frame.marketSlug)
    if (watched === undefined) return
    const taken = watched.copy.takeChanges(frame)
    if (taken === 'ignored') return
    if (taken === 'gap') {
      this.gapCount++
      this.again(frame.marketSlug)
    }
    for (const listener of [...watched.listeners]) listener(watched.copy)
  }

  #publishEvents(slug: string): void {
    for (const listener of [...this.#updates]) listener(slug)
  }

  #say(what: () => void): void {
    this.#unstated.add(what)
    if (this.#timer !== 0) return
    this.#timer = setTimeout(() => {
      this.#timer = 0
      const all = [...this.#unstated]
      this.#unstated.clear()
      // A connection that comes back says everything.
      if (this.link.value === 'live') for (const each of all) each()
    }, SAY_AFTER_MS)
  }

  #sayAll(): void {
    for (const each of [this.#sayPrices, this.#sayTapes, this.#emitUpdates, this.#sayOrders]) each()
  }

  readonly #sayPrices = (): void => {
    const symbols = this.#symbols.names
    const marketAddresses = this.#pools.names
    const booksMax = Math.max(0, MARKETS_MAX - symbols.length - marketAddresses.length)
    const marketSlugs = [...this.#books.keys()].slice(0, booksMax)
    const requested = { marketSlugs, symbols, marketAddresses, mode: 'delta' }
    this.#socket.emit('subscribe_market_prices', requested)
  }

  readonly #sayTapes = (): void => {
    const marketSlugs = this.#tapes.names
    this.#socket.emit('subscribe_trades', { marketSlugs })
  }

  readonly #emitUpdates = (): void => {
    if (this.#updates.size > 0) this.#socket.emit('subscribe_market_lifecycle')
  }

  readonly #sayOrders = (): void => {
    if (this.#orders.size > 0) this.#socket.emit('subscribe_order_events')
  }
}
