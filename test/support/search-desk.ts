import type { ControlCommand } from '../../engine/domain/command.ts'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import { encodeControl } from '../../engine/wire/codec.ts'
import { type Connection, openReadOnly } from '../../persistence/database.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import { readPath } from '../../persistence/follower/read-database.ts'
import { nearMarkets } from '../../persistence/query/read/markets/near-markets.ts'
import { type SearchAnswer, searchMarkets } from '../../persistence/query/read/markets/search.ts'
import { keyed, newFolder } from './data-folder.ts'
import { fillJournal } from './journal-fill.ts'
import { marketSpec } from './specs.ts'

// A journal of markets, the follower that reads it, and the reads that search, on one thread.

const NOW_MS = 1_700_000_000_000

type Body<C> = C extends unknown ? Omit<C, 'seq' | 'nowMs'> : never

export class SearchDesk {
  readonly dataDir = newFolder()
  readonly slugs: string[] = ['']
  /** For tests that end markets at random. */
  readonly alive: string[] = []
  #records: Uint8Array[] = []
  #seq = 0
  #connection: Connection | null = null
  #search: ReturnType<typeof searchMarkets.open> | null = null
  #near: ReturnType<typeof nearMarkets.open> | null = null

  constructor() {
    this.send({ kind: 'rules', version: 1 })
  }

  send(body: Body<ControlCommand>): void {
    this.#seq++
    this.#records.push(encodeControl({ ...body, seq: this.#seq, nowMs: NOW_MS + this.#seq }))
  }

  /** Makes a market, and gives its id. */
  market(slug: string, title: string, changes: Partial<MarketSpec> = {}): number {
    const marketId = this.slugs.length
    this.slugs.push(slug)
    const market = marketSpec(marketId, { slug, title, ...changes })
    this.send({ kind: 'createMarket', marketId, book: marketId, market })
    return marketId
  }

  lock(slug: string): void {
    this.send({ kind: 'lockMarket', marketId: this.slugs.indexOf(slug) })
  }

  resolve(slug: string): void {
    const marketId = this.slugs.indexOf(slug)
    this.send({ kind: 'resolveMarkets', resolutions: [{ marketId, payoutNumerators: [1, 0] }] })
  }

  /** The seq of the newest command. */
  get seq(): number {
    return this.#seq
  }

  /** Writes what was sent into the journal. */
  fill(): void {
    fillJournal(this.dataDir, this.#records)
    this.#records = []
  }

  /** Writes what was sent into the journal, and from there into the tables. */
  follow(): void {
    this.fill()
    const follower = new Follower(keyed(this.dataDir))
    while (follower.step(this.#seq));
    follower.close()
  }

  get connection(): Connection {
    this.#connection ??= openReadOnly(readPath(this.dataDir))
    return this.#connection
  }

  search(text: string, similarityMin = 0.5, skip = 0, limit = 50): SearchAnswer {
    this.#search ??= searchMarkets.open(this.connection)
    return this.#search({ text, similarityMin, skip, limit })
  }

  /** The slugs of the markets found, best first. */
  found(text: string, similarityMin = 0.5): string[] {
    return this.search(text, similarityMin).marketIds.map((marketId) => this.slugs[marketId])
  }

  near(slug: string): string[] | null {
    this.#near ??= nearMarkets.open(this.connection)
    const marketIds = this.#near({ slug, countMax: 5 })
    return marketIds?.map((marketId) => this.slugs[marketId]) ?? null
  }

  close(): void {
    this.#connection?.close()
  }
}
