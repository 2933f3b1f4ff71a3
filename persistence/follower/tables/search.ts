import type { Command } from '../../../engine/domain/command.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Connection, Statement } from '../../database.ts'
import {
  groupIdOf,
  isSearched,
  type MarketWords,
  partsOf,
  type SearchedMarket,
  wordsOf,
} from '../../search/market-text.ts'
import { Meaning } from '../../search/meaning.ts'
import { eachPaced, type Pace } from './pace.ts'

// The markets that a search finds: one row and one vector for each active market. A market that
// comes and ends within one chunk leaves no trace, and costs nothing. The vectors of words are read
// when the first market comes.
// Invariant: a market has a row in all three tables, or in none.

const ADD = `
INSERT INTO search_markets (market_id, title, slug, group_id, categories, vector)
VALUES (?, ?, ?, ?, ?, ?)`
const ADD_WORDS = `
INSERT INTO search_words (rowid, title, slug, labels, about) VALUES (?, ?, ?, ?, ?)`
const ADD_PARTS = 'INSERT INTO search_parts (rowid, title) VALUES (?, ?)'
const DROP = 'DELETE FROM search_markets WHERE market_id = ?'
const DROP_WORDS = 'DELETE FROM search_words WHERE rowid = ?'
const DROP_PARTS = 'DELETE FROM search_parts WHERE rowid = ?'
const NEWEST = 'SELECT coalesce(max(change), 0) AS change FROM search_changes'
const CHANGED = 'INSERT INTO search_changes (change, market_id) VALUES (?, ?)'
const FORGET = 'DELETE FROM search_changes WHERE change <= ?'
const MADE = 'SELECT fingerprint FROM search_made WHERE id = 1'
const MAKE = `
INSERT INTO search_made (id, fingerprint) VALUES (1, ?)
ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint`

type Names = [MarketId, title: string, slug: string]
type Row = [...Names, groupId: number | null, categories: string, vector: Uint8Array]
type WordsRow = [...Names, labels: string, about: string]

/** The markets whose rows a command changes. It names each command that edits a market's words. */
export function marketsToSearch(command: Command): readonly MarketId[] {
  if (command.kind === 'createMarket' || command.kind === 'lockMarket') return [command.marketId]
  if (command.kind !== 'resolveMarkets') return []
  return command.resolutions.map(({ marketId }) => marketId)
}

export class SearchTable {
  readonly #connection: Connection
  /** All markets in memory, for a change of what words mean. */
  readonly #all: () => readonly SearchedMarket[]
  readonly #add: Statement<Row>
  readonly #addWords: Statement<WordsRow>
  readonly #addParts: Statement<[MarketId, string]>
  readonly #drop: Statement<[MarketId]>
  readonly #dropWords: Statement<[MarketId]>
  readonly #dropParts: Statement<[MarketId]>
  readonly #changed: Statement<[change: number, MarketId]>
  readonly #forget: Statement<[change: number]>
  #meaning: Meaning | null = null
  #change: number
  #due = new Map<MarketId, SearchedMarket>()

  constructor(connection: Connection, all: () => readonly SearchedMarket[]) {
    this.#connection = connection
    this.#all = all
    this.#add = connection.prepare(ADD)
    this.#addWords = connection.prepare(ADD_WORDS)
    this.#addParts = connection.prepare(ADD_PARTS)
    this.#drop = connection.prepare(DROP)
    this.#dropWords = connection.prepare(DROP_WORDS)
    this.#dropParts = connection.prepare(DROP_PARTS)
    this.#changed = connection.prepare(CHANGED)
    this.#forget = connection.prepare(FORGET)
    this.#change = connection.prepare<[], { change: number }>(NEWEST).get()?.change ?? 0
  }

  /**
   * A market was made, or its texts or its status changed. The market is looked at when the chunk
   * is written, as it is then.
   */
  changed(market: SearchedMarket): void {
    this.#due.set(market.marketId, market)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    if (this.#due.size === 0) return
    const before = this.#change
    eachPaced(this.#due.values(), pace, (market) => this.#index(market))
    this.#due = new Map()
    if (this.#change > before) this.#forget.run(this.#change - LIMITS.searchChangesMax)
  }

  #index(market: SearchedMarket): void {
    const { marketId } = market
    const wasThere = this.#drop.run(marketId).changes > 0
    if (wasThere) {
      this.#dropWords.run(marketId)
      this.#dropParts.run(marketId)
    }
    const isThere = isSearched(market)
    if (isThere) this.#write(market, wordsOf(market))
    if (!isThere && !wasThere) return
    this.#change++
    this.#changed.run(this.#change, marketId)
  }

  #write(market: SearchedMarket, { title, slug, labels, about }: MarketWords): void {
    const { marketId, categories } = market
    const vector = this.#meant().of(partsOf(market))
    this.#add.run(
      marketId,
      title,
      slug,
      groupIdOf(market),
      JSON.stringify(categories),
      new Uint8Array(vector.buffer),
    )
    this.#addWords.run(marketId, title, slug, labels, about)
    this.#addParts.run(marketId, `${title} ${slug}`)
  }

  #meant(): Meaning {
    if (this.#meaning !== null) return this.#meaning
    const meaning = new Meaning()
    this.#meaning = meaning
    const made = this.#connection.prepare<[], { fingerprint: string }>(MADE).get()
    if (made?.fingerprint === meaning.fingerprint) return meaning
    this.#connection.prepare<[string]>(MAKE).run(meaning.fingerprint)
    // Vectors that an older version made do not compare with those of this one. A Map goes on to
    // what is put into it during its own walk.
    if (made !== undefined) for (const market of this.#all()) this.changed(market)
    return meaning
  }
}
