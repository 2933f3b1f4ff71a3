import type { MarketId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Connection, Statement } from '../../../database.ts'
import { MarketVectors } from '../../../search/market-vectors.ts'
import { Meaning } from '../../../search/meaning.ts'

// The query thread's data for searches: the meanings of words, and one vector per active market.
// Both are read at the first search, because most exchanges get other requests first after a start.
// Later only changed markets are read again.

const NEWEST = 'SELECT change FROM search_changes ORDER BY change DESC LIMIT 1'
const OLDEST = 'SELECT change FROM search_changes ORDER BY change LIMIT 1'
const SINCE = 'SELECT market_id AS marketId FROM search_changes WHERE change > ?'
const COLUMNS = 'market_id AS marketId, group_id AS groupId, categories, vector'
const ONE = `SELECT ${COLUMNS} FROM search_markets WHERE market_id = ?`
const ALL = `SELECT ${COLUMNS} FROM search_markets ORDER BY market_id DESC LIMIT ?`

interface MarketRow {
  readonly marketId: MarketId
  readonly groupId: number | null
  readonly categories: string
  readonly vector: Uint8Array
}

interface Change {
  readonly change: number
}

const indices = new WeakMap<Connection, SearchIndex>()

/** The one index of a connection, shared by all search reads. */
export function searchIndexOf(connection: Connection): SearchIndex {
  const known = indices.get(connection) ?? new SearchIndex(connection)
  indices.set(connection, known)
  return known
}

export class SearchIndex {
  readonly connection: Connection
  readonly #newest: Statement<[], Change>
  readonly #oldest: Statement<[], Change>
  readonly #since: Statement<[number], { readonly marketId: MarketId }>
  readonly #one: Statement<[MarketId], MarketRow>
  readonly #all: Statement<[number], MarketRow>
  #meaning: Meaning | null = null
  /** null before the first search. */
  #vectors: MarketVectors | null = null
  /** The newest change included in `#vectors`. */
  #change = 0

  constructor(connection: Connection) {
    this.connection = connection
    this.#newest = connection.prepare(NEWEST)
    this.#oldest = connection.prepare(OLDEST)
    this.#since = connection.prepare(SINCE)
    this.#one = connection.prepare(ONE)
    this.#all = connection.prepare(ALL)
  }

  get meaning(): Meaning {
    this.#meaning ??= new Meaning()
    return this.#meaning
  }

  /** The markets as of the tables, and the change that they include. */
  current(): { readonly vectors: MarketVectors; readonly change: number } {
    const newest = this.#newest.get()?.change ?? 0
    const oldest = this.#oldest.get()?.change ?? 0
    const isGap = this.#change < oldest - 1 || this.#change > newest
    if (this.#vectors === null || isGap) this.#vectors = this.#readAll()
    else if (newest !== this.#change) this.#readSince(this.#vectors)
    this.#change = newest
    return { vectors: this.#vectors, change: newest }
  }

  #readAll(): MarketVectors {
    const vectors = new MarketVectors(this.meaning.dimensions)
    for (const row of this.#all.all(LIMITS.searchedMarketsMax)) put(vectors, row)
    return vectors
  }

  #readSince(vectors: MarketVectors): void {
    const changed = this.#since.all(this.#change).map(({ marketId }) => marketId)
    for (const marketId of new Set(changed)) {
      const row = this.#one.get(marketId)
      if (row === undefined) vectors.remove(marketId)
      else if (vectors.count < LIMITS.searchedMarketsMax) put(vectors, row)
    }
  }
}

function put(vectors: MarketVectors, { marketId, groupId, categories, vector }: MarketRow): void {
  const { buffer, byteOffset, length } = vector
  const labels = { groupId, categories: JSON.parse(categories) }
  vectors.put(marketId, new Int8Array(buffer, byteOffset, length), labels)
}
