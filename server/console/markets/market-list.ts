// The list of markets as it is shown: what was read of it, what a search found, and when it is read
// again.

import type { Context } from '../context.ts'
import { messageOf } from '../exchange/api.ts'
import { deadlineOf } from '../exchange/market-format.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { batch, signal } from '../page/preact.ts'
import { LiveSearch } from './live-search.ts'
import {
  type NavigationNode,
  nodeOf,
  PAGE_SIZE,
  readCounts,
  readNavigation,
  readPart,
  type Sort,
  searchMarkets,
} from './market-source.ts'

/** Many markets may be made at once: the list is read once for them. */
const RELOAD_AFTER_MS = 700
const TICK_MS = 1000
/** The exchange may close a market a little later than this page sees its deadline. */
const OVER_MS = 4000

interface Navigation {
  readonly nodes: readonly NavigationNode[]
  readonly totalCount: number
  /** Where the list is; null for all markets. */
  readonly place: NavigationNode | null
}

interface Listed {
  readonly markets: readonly MarketView[]
  readonly totalCount: number
}

export class MarketList {
  readonly navigation = signal<Navigation | null>(null)
  readonly listed = signal<Listed | null>(null)
  /** Null while nothing is searched for. */
  readonly found = signal<{ query: string; markets: readonly MarketView[] } | null>(null)
  readonly fault = signal('')
  readonly pages = signal(1)
  readonly sort = signal<Sort>('newest')
  readonly nowMs = signal(Date.now())
  readonly search: LiveSearch<readonly MarketView[]>
  readonly #name: string | undefined
  readonly #ended = new AbortController()
  readonly #ends: readonly (() => void)[]
  #reading = 0
  #reload = 0

  /** `name` is the slug or the id of a category, undefined for all markets. */
  constructor({ streams, notices }: Context, name: string | undefined) {
    this.#name = name
    let query = ''
    this.search = new LiveSearch({
      search(wanted, signal) {
        query = wanted
        return searchMarkets(wanted, signal)
      },
      show: (markets) => {
        this.found.value = markets === null ? null : { query, markets }
      },
      fail: (error) => notices.failure(error),
      later: (work, ms) => {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
    })
    const reload = () => this.#reloadSoon()
    const ticking = setInterval(() => this.#tick(), TICK_MS)
    const stopTicking = () => clearInterval(ticking)
    this.#ends = [streams.lifecycle(reload), streams.returns(reload), stopTicking]
    void this.#readAll()
  }

  showMore(): void {
    this.pages.value++
    void this.#try(() => this.#read())
  }

  sortBy(sort: Sort): void {
    this.sort.value = sort
    this.pages.value = 1
    void this.#try(() => this.#read())
  }

  stop(): void {
    this.#ended.abort()
    clearTimeout(this.#reload)
    for (const end of this.#ends) end()
    this.search.stop()
  }

  #readAll(): Promise<void> {
    return this.#try(async () => {
      await this.#readNavigation()
      await this.#read()
    })
  }

  async #try(read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!this.#ended.signal.aborted) this.fault.value = messageOf(error)
    }
  }

  async #readNavigation(): Promise<void> {
    const { signal } = this.#ended
    const [nodes, { totalCount }] = await Promise.all([readNavigation(signal), readCounts(signal)])
    const place = this.#name === undefined ? null : (nodeOf(nodes, this.#name) ?? null)
    if (this.#name !== undefined && place === null) throw new Error('No such category.')
    this.navigation.value = { nodes, totalCount, place }
  }

  async #read(): Promise<void> {
    const reading = ++this.#reading
    const { signal } = this.#ended
    const place = this.navigation.peek()?.place ?? null
    const sort = this.sort.peek()
    const pages = Array.from({ length: this.pages.peek() }, (_, index) => index + 1)
    const parts = await Promise.all(pages.map((page) => readPart(place, sort, page, signal)))
    if (reading !== this.#reading) return
    // A market that moved between two pages while they were read is shown once.
    const known = new Map(parts.flatMap(({ markets }) => markets).map((each) => [each.id, each]))
    batch(() => {
      const totalCount = parts.at(-1)?.totalCount ?? 0
      this.listed.value = { markets: [...known.values()], totalCount }
      this.fault.value = ''
    })
  }

  #reloadSoon(): void {
    if (this.#reload !== 0) return
    this.#reload = setTimeout(() => {
      this.#reload = 0
      void this.#readAll()
    }, RELOAD_AFTER_MS)
  }

  /** A market that ended with this second is no active one any more. */
  #tick(): void {
    if (document.visibilityState !== 'visible') return
    const nowMs = Date.now()
    this.nowMs.value = nowMs
    const markets = this.found.peek()?.markets ?? this.listed.peek()?.markets ?? []
    const all = markets.flatMap((market) => [market, ...(market.markets ?? [])])
    const isAnyOver = all.some((market) => {
      const deadlineMs = deadlineOf(market)
      return deadlineMs !== null && deadlineMs <= nowMs && deadlineMs > nowMs - OVER_MS
    })
    if (isAnyOver) this.#reloadSoon()
  }

  get isMore(): boolean {
    const { totalCount = 0 } = this.listed.value ?? {}
    return this.found.value === null && this.pages.value * PAGE_SIZE < totalCount
  }
}
