// What the exchange sends by itself: books, trades, events of markets and of the visitor.
// One connection serves the whole page. A repeated subscribe replaces the set of its channel, so
// this file knows what every view listens to, and subscribes again after each reconnect.

import { io, type Socket } from 'socket.io-client'
import { signal } from '../page/preact.ts'
import { isSessionOver } from './api.ts'
import { BookCopy } from './book-copy.ts'
import type { BookFrame, BustFrame, DeltaFrame, PoolFrame, TradeFrame } from './shapes.ts'

export type Link = 'connecting' | 'live' | 'lost'
export type Unsubscribe = () => void

/** The exchange takes so many markets in one subscription. */
const MARKETS_MAX = 100
/** Subscriptions that change together are sent once. */
const SUBSCRIBE_AFTER_MS = 30
/** A refused subscription is sent again after so long. */
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

  notify(name: string, value: T): void {
    for (const listener of [...(this.#byName.get(name) ?? [])]) listener(value)
  }
}

/** What a tape sends: a trade, or that one was taken back. */
export type TapeEvent = { readonly trade: TradeFrame } | { readonly busted: BustFrame }

export class Streams {
  readonly link = signal<Link>('connecting')
  readonly #socket: Socket
  readonly #books = new Map<string, Watched>()
  readonly #tapes = new Listeners<TapeEvent>()
  readonly #symbols = new Listeners<OraclePrice>()
  readonly #pools = new Listeners<PoolFrame>()
  readonly #lifecycle = new Set<Listener<string>>()
  readonly #orders = new Set<Listener<OrderEvent>>()
  readonly #doubts = new Set<() => void>()
  readonly #due = new Set<() => void>()
  #timer = 0
  /** Books that lost a frame since the page was opened, for its foot and for tests. */
  gapCount = 0

  constructor() {
    this.#socket = io('/markets', { transports: ['websocket'], reconnectionDelayMax: 5000 })
    this.#socket.on('connect', () => this.#connected())
    this.#socket.on('disconnect', () => this.#lost())
    this.#socket.on('connect_error', () => (this.link.value = 'lost'))
    this.#socket.on('orderbookUpdate', (frame: BookFrame) => this.#whole(frame))
    this.#socket.on('orderbookDelta', (frame: DeltaFrame) => this.#changes(frame))
    this.#socket.on('trade', (trade: TradeFrame) => this.#tapes.notify(trade.marketSlug, { trade }))
    this.#socket.on('trade_busted', (busted: BustFrame) => {
      this.#tapes.notify(busted.marketSlug, { busted })
    })
    this.#socket.on('oraclePriceData', (price: OraclePrice) => {
      this.#symbols.notify(price.symbol, price)
    })
    this.#socket.on('newPriceData', (frame: PoolFrame) => {
      this.#pools.notify(frame.marketAddress.toLowerCase(), frame)
    })
    for (const event of ['marketCreated', 'marketResolved']) {
      this.#socket.on(event, ({ slug }: { slug: string }) => this.#notifyLifecycle(slug))
    }
    this.#socket.on('orderEvent', (event: OrderEvent) => {
      for (const listener of [...this.#orders]) listener(event)
    })
    this.#socket.on('exception', (why?: { readonly code?: unknown }) => {
      setTimeout(() => this.#subscribeAll(), AGAIN_AFTER_MS)
      if (isSessionOver(why?.code)) this.#doubt()
    })
  }

  /** Follows the book of a market; called at once with what is known, and for each change. */
  book(slug: string, listener: Listener<BookCopy>): Unsubscribe {
    const watched = this.#books.get(slug) ?? { copy: new BookCopy(), listeners: new Set() }
    const isNew = !this.#books.has(slug)
    this.#books.set(slug, watched)
    watched.listeners.add(listener)
    if (watched.copy.isCurrent) listener(watched.copy)
    if (isNew) this.#subscribeSoon(this.#subscribePrices)
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size > 0) return
      this.#books.delete(slug)
      this.#subscribeSoon(this.#subscribePrices)
    }
  }

  tape(slug: string, listener: Listener<TapeEvent>): Unsubscribe {
    this.#tapes.add(slug, listener)
    this.#subscribeSoon(this.#subscribeTapes)
    return () => {
      this.#tapes.drop(slug, listener)
      this.#subscribeSoon(this.#subscribeTapes)
    }
  }

  symbol(symbol: string, listener: Listener<OraclePrice>): Unsubscribe {
    this.#symbols.add(symbol, listener)
    this.#subscribeSoon(this.#subscribePrices)
    return () => {
      this.#symbols.drop(symbol, listener)
      this.#subscribeSoon(this.#subscribePrices)
    }
  }

  /** Follows the prices of a pool by its address. */
  pool(address: string, listener: Listener<PoolFrame>): Unsubscribe {
    const name = address.toLowerCase()
    this.#pools.add(name, listener)
    this.#subscribeSoon(this.#subscribePrices)
    return () => {
      this.#pools.drop(name, listener)
      this.#subscribeSoon(this.#subscribePrices)
    }
  }

  /** Gives the slug of each market that is made or resolved. */
  lifecycle(listener: Listener<string>): Unsubscribe {
    this.#lifecycle.add(listener)
    this.#subscribeSoon(this.#subscribeLifecycle)
    return () => void this.#lifecycle.delete(listener)
  }

  /** The visitor's own orders and trades; nothing comes before a login. */
  orders(listener: Listener<OrderEvent>): Unsubscribe {
    this.#orders.add(listener)
    this.#subscribeSoon(this.#subscribeOrders)
    return () => void this.#orders.delete(listener)
  }

  /** Calls when a connection that was lost is back: events in between were missed. */
  returns(listener: () => void): Unsubscribe {
    let wasLost = false
    return this.link.subscribe((link) => {
      if (link === 'live' && wasLost) listener()
      wasLost = link === 'lost'
    })
  }

  /** Calls when the session may be over: at a new connection, and when one is refused for it. */
  doubts(listener: () => void): Unsubscribe {
    this.#doubts.add(listener)
    return () => void this.#doubts.delete(listener)
  }

  /** The visitor logged in or out: a new handshake carries the new cookie. */
  renew(): void {
    this.#socket.disconnect().connect()
  }

  /** Requests a whole book, as after a loss. */
  again(slug: string): void {
    if (this.link.value !== 'live') return
    this.#socket.emit('subscribe_market_prices', { marketSlugs: [slug], snapshot: true })
  }

  #connected(): void {
    this.link.value = 'live'
    this.#subscribeAll()
    this.#doubt()
  }

  #doubt(): void {
    for (const listener of [...this.#doubts]) listener()
  }

  #lost(): void {
    this.link.value = 'lost'
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

  #notifyLifecycle(slug: string): void {
    for (const listener of [...this.#lifecycle]) listener(slug)
  }

  #subscribeSoon(what: () => void): void {
    this.#due.add(what)
    if (this.#timer !== 0) return
    this.#timer = setTimeout(() => {
      this.#timer = 0
      const all = [...this.#due]
      this.#due.clear()
      // A connection that comes back subscribes to everything.
      if (this.link.value === 'live') for (const each of all) each()
    }, SUBSCRIBE_AFTER_MS)
  }

  #subscribeAll(): void {
    for (const each of [
      this.#subscribePrices,
      this.#subscribeTapes,
      this.#subscribeLifecycle,
      this.#subscribeOrders,
    ])
      each()
  }

  readonly #subscribePrices = (): void => {
    const symbols = this.#symbols.names
    const marketAddresses = this.#pools.names
    const booksMax = Math.max(0, MARKETS_MAX - symbols.length - marketAddresses.length)
    const marketSlugs = [...this.#books.keys()].slice(0, booksMax)
    const params = { marketSlugs, symbols, marketAddresses, mode: 'delta' }
    this.#socket.emit('subscribe_market_prices', params)
  }

  readonly #subscribeTapes = (): void => {
    const marketSlugs = this.#tapes.names
    this.#socket.emit('subscribe_trades', { marketSlugs })
  }

  readonly #subscribeLifecycle = (): void => {
    if (this.#lifecycle.size > 0) this.#socket.emit('subscribe_market_lifecycle')
  }

  readonly #subscribeOrders = (): void => {
    if (this.#orders.size > 0) this.#socket.emit('subscribe_order_events')
  }
}
