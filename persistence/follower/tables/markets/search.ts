import type { MarketId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Connection } from '../../../database.ts'
import {
  groupIdOf,
  isSearched,
  partsOf,
  type SearchedMarket,
  wordsOf,
} from '../../../search/market-text.ts'
import { Meaning } from '../../../search/meaning.ts'
import { eachPaced, type Pace } from '../pace.ts'

// The searchable markets: one row and one vector for each active market. A market that is created
// and ends within one chunk leaves no trace and has no cost. The word vectors are read when the
// first market is added.
// Invariant: a market has a row in all three tables or in none.

const ADD = `
INSERT INTO search_markets (market_id, title, slug, group_id, categories, vector)
VALUES (?, ?, ?, ?, ?, ?)`
const ADD_WORDS = `
INSERT INTO search_words (rowid, title, slug, labels, about) VALUES (?, ?, ?, ?, ?)`
const ADD_PARTS = 'INSERT INTO search_parts (rowid, title) VALUES (?, ?)'
const DROP = 'DELETE FROM search_markets WHERE market_id = ?'
const DROP_WORDS = 'DELETE FROM search_words WHERE rowid = ?'
const DROP_PARTS = 'DELETE FROM search_parts WHERE rowid = ?'
const NEWEST = 'SELECT change FROM search_changes ORDER BY change DESC LIMIT 1'
const CHANGED = 'INSERT INTO search_changes (change, market_id) VALUES (?, ?)'
const FORGET = 'DELETE FROM search_changes WHERE change <= ?'
const MADE = 'SELECT fingerprint FROM search_made WHERE id = 1'
const MAKE = `
INSERT INTO search_made (id, fingerprint) VALUES (1, ?)
ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint`

type Names = [MarketId, title: string, slug: string]
type Row = [...Names, groupId: number | null, categories: string, vector: Uint8Array]
type WordsRow = [...Names, labels: string, about: string]

/** The statements and the newest change; created at the first market, because FTS5 takes memory. */
function openTables(connection: Connection) {
  return {
    add: connection.prepare<Row>(ADD),
    addWords: connection.prepare<WordsRow>(ADD_WORDS),
    addParts: connection.prepare<[MarketId, string]>(ADD_PARTS),
    drop: connection.prepare<[MarketId]>(DROP),
    dropWords: connection.prepare<[MarketId]>(DROP_WORDS),
    dropParts: connection.prepare<[MarketId]>(DROP_PARTS),
    changed: connection.prepare<[change: number, MarketId]>(CHANGED),
    forget: connection.prepare<[change: number]>(FORGET),
    change: connection.prepare<[], { change: number }>(NEWEST).get()?.change ?? 0,
  }
}

type Tables = ReturnType<typeof openTables>

export class SearchTable {
  readonly #connection: Connection
  /** All markets in memory, for a change of the words' meanings. */
  readonly #all: () => readonly SearchedMarket[]
  #tables: Tables | null = null
  #meaning: Meaning | null = null
  #due = new Map<MarketId, SearchedMarket>()

  constructor(connection: Connection, all: () => readonly SearchedMarket[]) {
    this.#connection = connection
    this.#all = all
  }

  /**
   * A market was created, or its texts or status changed. The chunk writes the market as it is at
   * its end.
   */
  changed(market: SearchedMarket): void {
    this.#due.set(market.marketId, market)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    if (this.#due.size === 0) return
    this.#tables ??= openTables(this.#connection)
    const tables = this.#tables
    const before = tables.change
    eachPaced(this.#due.values(), pace, (market) => this.#index(market, tables))
    this.#due = new Map()
    if (tables.change > before) tables.forget.run(tables.change - LIMITS.searchChangesMax)
  }

  #index(market: SearchedMarket, tables: Tables): void {
    const { marketId } = market
    const wasThere = tables.drop.run(marketId).changes > 0
    if (wasThere) {
      tables.dropWords.run(marketId)
      tables.dropParts.run(marketId)
    }
    const isThere = isSearched(market)
    if (isThere) this.#write(market, tables)
    if (!isThere && !wasThere) return
    tables.change++
    tables.changed.run(tables.change, marketId)
  }

  #write(market: SearchedMarket, tables: Tables): void {
    const { marketId, categories } = market
    const { title, slug, labels, about } = wordsOf(market)
    const vector = new Uint8Array(this.#meant().of(partsOf(market)).buffer)
    const groupId = groupIdOf(market)
    tables.add.run(marketId, title, slug, groupId, JSON.stringify(categories), vector)
    tables.addWords.run(marketId, title, slug, labels, about)
    tables.addParts.run(marketId, `${title} ${slug}`)
  }

  #meant(): Meaning {
    if (this.#meaning !== null) return this.#meaning
    const meaning = new Meaning()
    this.#meaning = meaning
    const made = this.#connection.prepare<[], { fingerprint: string }>(MADE).get()
    if (made?.fingerprint === meaning.fingerprint) return meaning
    this.#connection.prepare<[string]>(MAKE).run(meaning.fingerprint)
    // Vectors of an older version are not comparable with those of this one. Iterating over a Map
    // includes entries added meanwhile.
    if (made !== undefined) for (const market of this.#all()) this.changed(market)
    return meaning
  }
}
