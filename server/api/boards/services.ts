import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { MARK_SOURCES, type Mark } from '../../../engine/domain/markets/mark.ts'
import { MS_PER_SEC, type TimeMs } from '../../../engine/domain/units.ts'
import {
  BIGGEST_ROW,
  PNL_ROW,
  type ProjectionParams,
  type ProjectionRows,
} from '../../../persistence/follower/boards/projection.ts'
import { boardPlace } from '../../../persistence/query/read/boards/board-place.ts'
import {
  type BoardSums,
  type Face,
  faces,
} from '../../../persistence/query/read/boards/leaderboard.ts'
import { tradedMarkets } from '../../../persistence/query/read/boards/traded-markets.ts'
import type { Facets, Filter, Pair } from '../../exchange/read-model/lists/facets.ts'
import type { PublishedMarket, PublishedMarkets } from '../../exchange/read-model/published.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import { filterOf, type ShownPage } from '../pages/page-directory.ts'
import type { PageServices } from '../pages/services.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// Selects the markets of a market page for its boards (rules §9.5). Open markets are found in the
// lists of active markets. Most profit of the last day was realised in markets that are resolved by
// now, so the markets traded in that day are checked one by one.

/** Markets per batch: few enough that main does other work between two batches. */
const AT_ONCE = 128
/** Markets of one day that are checked, newest first. */
export const DAY_MARKETS_MAX = 1 << 14

interface SelectionParts {
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly facets: Facets
  readonly published: PublishedMarkets
  /** Increases when properties or their options change, and with them the properties of markets. */
  readonly wordsVersion: () => number
}

export class PageSelection {
  readonly #parts: SelectionParts
  /** Properties of markets that left memory; nothing else of them changes. */
  #ofArchived = new Map<MarketId, readonly Pair[]>()
  #wordsVersion = -1

  constructor(parts: SelectionParts) {
    this.#parts = parts
  }

  /** Whether the page has no filter. */
  isOfAll({ content }: ShownPage): boolean {
    return filterOf(content.baseFilter).size === 0
  }

  /** The active markets of a page with a filter. A group represents its markets. */
  open({ content }: ShownPage): MarketId[] {
    const filter = filterOf(content.baseFilter)
    const { facets, published } = this.#parts
    facets.catchUp()
    return [...facets.passing(filter).slots()].flatMap((slot) => {
      const found = published.active.ownerOf(slot)
      if (found === undefined) return []
      const { children, market } = found
      return children.length === 0
        ? [market.marketId]
        : children.map((each) => each.market.marketId)
    })
  }

  /** The markets of the page that were traded in the last day; undefined on a read timeout. */
  async traded({ content }: ShownPage): Promise<MarketId[] | null | undefined> {
    const filter = filterOf(content.baseFilter)
    if (filter.size === 0) return null
    const { reads } = this.#parts
    const found: MarketId[] = []
    let beforeId: MarketId = Number.MAX_SAFE_INTEGER
    for (let looked = 0; looked < DAY_MARKETS_MAX; looked += AT_ONCE) {
      const ids = await reads.read(tradedMarkets, { beforeId, limit: AT_ONCE })
      const passing = ids === undefined ? undefined : await this.#passing(ids, filter)
      if (ids === undefined || passing === undefined) return undefined
      found.push(...passing)
      beforeId = ids.at(-1) ?? 0
      if (ids.length < AT_ONCE) break
    }
    return found
  }

  async #passing(ids: readonly MarketId[], filter: Filter): Promise<MarketId[] | undefined> {
    this.#renew()
    const { archive, published } = this.#parts
    const unknown = ids.filter(
      (id) => !this.#ofArchived.has(id) || published.byId(id) !== undefined,
    )
    const markets = await archive.byIds(unknown)
    if (markets === undefined) return undefined
    return ids.filter((id) => {
      const market = markets.get(id)
      const pairs = market === undefined ? this.#ofArchived.get(id) : this.#pairsOf(market)
      return pairs !== undefined && passes(pairs, filter)
    })
  }

  #renew(): void {
    const version = this.#parts.wordsVersion()
    const isFull = this.#ofArchived.size > DAY_MARKETS_MAX
    if (version !== this.#wordsVersion || isFull) this.#ofArchived = new Map()
    this.#wordsVersion = version
  }

  /** A market of a group also has the properties of its group. */
  #pairsOf(published: PublishedMarket): readonly Pair[] {
    const { facets } = this.#parts
    const { group, market } = published
    const pairs = group === null ? [] : facets.pairsOf(group)
    const all = [...facets.pairsOf(published), ...pairs]
    if (this.#parts.published.byId(market.marketId) === undefined) {
      this.#ofArchived.set(market.marketId, all)
    }
    return all
  }
}

function passes(pairs: readonly Pair[], filter: Filter): boolean {
  return [...filter].every(([key, values]) =>
    pairs.some(([ofMarket, value]) => ofMarket === key && values.includes(value)),
  )
}

// Cached projections of market pages. A projection is made on request and is fresh for a minute.
// During the next minute it is still returned while a new one is made, so nobody waits for a
// popular page. Pages that are not requested cost nothing. Projections are made one after another.
// The cached pages and the waiting pages are bounded; the least recently requested page is evicted.

const FRESH_MS = 60 * MS_PER_SEC
/** A result up to this age is returned at once, and is rebuilt in the background. */
const NEARLY_FRESH_MS = 2 * FRESH_MS
/** A result up to this age is returned when a new one takes too long. */
const USABLE_MS = 5 * FRESH_MS

/** Returns undefined on a read timeout. */
type Make = () => Promise<Projected | undefined>

export class KeptProjections {
  readonly #max: number
  /** By name, least recently requested first. */
  readonly #kept = new Map<string, Projected>()
  readonly #underWay = new Map<string, Promise<void>>()
  #last: Promise<void> = Promise.resolve()

  constructor(max: number) {
    this.#max = max
  }

  /** A cached or new projection; undefined when neither is available in time. */
  async read(name: string, nowMs: TimeMs, make: Make): Promise<Projected | undefined> {
    const known = this.#found(name)
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs - known.atMs
    if (ageMs < FRESH_MS) return known
    const making = this.#making(name, make)
    if (ageMs < NEARLY_FRESH_MS) {
      // Callers that arrive when this result is too old get the same fault.
      making?.catch(() => {})
      return known
    }
    if (making !== null) await withinDeadline(making)
    const now = this.#found(name)
    return now !== undefined && nowMs - now.atMs < USABLE_MS ? now : undefined
  }

  #found(name: string): Projected | undefined {
    const found = this.#kept.get(name)
    if (found === undefined) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, found)
    return found
  }

  /** Null when too many wait. */
  #making(name: string, make: Make): Promise<void> | null {
    const known = this.#underWay.get(name)
    if (known !== undefined) return known
    if (this.#underWay.size >= this.#max) return null
    const making = this.#last.then(make).then((made) => {
      if (made !== undefined) this.#keep(name, made)
    })
    // A fault belongs to the calls that wait for it, not to later ones.
    const ended = making.finally(() => this.#underWay.delete(name))
    this.#last = ended.catch(() => {})
    this.#underWay.set(name, ended)
    return ended
  }

  #keep(name: string, made: Projected): void {
    this.#kept.delete(name)
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= this.#max) this.#kept.delete(oldest)
    this.#kept.set(name, made)
  }
}

async function withinDeadline(making: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMITS.privateReadDeadlineMs)
  })
  await Promise.race([making, late]).finally(() => clearTimeout(timer))
}

// Schedules the follower's updates of the leaderboards and of the biggest positions: every minute.
// Both are computed off the order path, so no trade waits for them.

const EVERY_MS = 60 * MS_PER_SEC

/** Results as of an instant. */
export interface Projected {
  readonly rows: ProjectionRows
  readonly atMs: TimeMs
}

interface Projecting {
  project(request: ProjectionParams): Promise<ProjectionRows>
}

export class BoardSlices {
  readonly #follower: Projecting
  #nextMs: TimeMs = 0
  #underWay: Promise<void> | null = null
  /** For all markets; null before the first pass. */
  #biggest: Projected | null = null
  #passes = 0

  constructor(follower: Projecting) {
    this.#follower = follower
  }

  /** Null before the first pass has ended. */
  get biggest(): Projected | null {
    return this.#biggest
  }

  /** Number of passes since the start. */
  get passes(): number {
    return this.#passes
  }

  /** Starts a pass when it is due. */
  tick(nowMs: TimeMs): void {
    if (this.#underWay === null && nowMs >= this.#nextMs) void this.pass(nowMs)
  }

  /** Resolves when the boards show the present tables, after a pass that is in progress. */
  async pass(nowMs: TimeMs): Promise<void> {
    while (this.#underWay !== null) await this.#underWay
    this.#nextMs = nowMs + EVERY_MS
    this.#underWay = this.#pass(nowMs).finally(() => {
      this.#underWay = null
    })
    await this.#underWay
  }

  async #pass(nowMs: TimeMs): Promise<void> {
    await this.#follower.project({ what: 'boards', nowMs, marketIds: null })
    const rows = await this.#follower.project({ what: 'biggest', nowMs, marketIds: null })
    this.#biggest = { rows, atMs: nowMs }
    this.#passes++
  }

  /** The rows of some markets only. */
  async of(request: ProjectionParams): Promise<Projected> {
    return { rows: await this.#follower.project(request), atMs: request.nowMs }
  }
}

// Boards of market pages, and the biggest positions with their markets and owners.

/** Number of pages whose boards are cached. */
const PAGES_MAX = 64

interface BoardParts {
  readonly rounds: BoardSlices
  readonly selection: PageSelection
  readonly archive: ArchivedMarkets
  readonly reads: PrivateReads
  readonly clock: () => number
}

/** The top places, which a private profile distinguishes from the rest. */
const TOP_PLACES = 100

/** The place of a profile on the board of all owners. */
export interface OwnPlace {
  /** Counted from 1; null for a profile that is not on the board, or too far down. */
  readonly leaderboardPosition: number | null
  readonly isTop100: boolean
}

/** A row of a board with its owner. */
export type BoardRow = BoardSums & { readonly face: Face | null }

export interface BigPosition {
  readonly market: PublishedMarket
  readonly face: Face | null
  readonly outcome: number
  readonly sizeRaw: number
  readonly costRaw: number
  readonly worthRaw: number
  readonly markE6: number
  readonly source: Mark['source']
}

export interface BigPositions {
  /** Null until they are first computed. */
  readonly atMs: TimeMs | null
  /** Number of computations since the start. */
  readonly version: number
  readonly rows: readonly BigPosition[]
}

type BigOrder = 'worth' | 'gain'

export class Boards {
  readonly #parts: BoardParts
  readonly #pnl = new KeptProjections(PAGES_MAX)
  readonly #biggest = new KeptProjections(PAGES_MAX)

  constructor(parts: BoardParts) {
    this.#parts = parts
  }

  /** What owners realised in the markets of a page in the last day; undefined on a read timeout. */
  async ofPage(
    page: ShownPage,
    { offset, limit }: { readonly offset: number; readonly limit: number },
    requester: Requester,
  ): Promise<{ readonly rows: readonly BoardRow[]; readonly count: number } | undefined> {
    const { rounds, selection, clock } = this.#parts
    const made = await this.#pnl.read(nameOf(page), clock(), async () => {
      const marketIds = await selection.traded(page)
      if (marketIds === undefined) return undefined
      return rounds.of({ what: 'pnl', nowMs: clock(), marketIds })
    })
    if (made === undefined) return undefined
    const { rows } = made
    const { owner, pnlRaw, volumeRaw, width } = PNL_ROW
    const count = rows.length / width
    const sums: BoardSums[] = []
    for (let at = offset * width; at < rows.length && sums.length < limit; at += width) {
      const row = rows.subarray(at, at + width)
      sums.push({ owner: row[owner], pnlRaw: row[pnlRaw], volumeRaw: row[volumeRaw] })
    }
    const found = await this.#facesOf(sums, requester)
    return found === undefined ? undefined : { rows: found, count }
  }

  /** A profile's all-time place on the board of realised profit; undefined on a read timeout. */
  async own(profileId: ProfileId): Promise<OwnPlace | undefined> {
    const place = await this.#parts.reads.read(boardPlace, profileId, { profileId })
    if (place === undefined) return undefined
    return { leaderboardPosition: place, isTop100: place !== null && place <= TOP_PLACES }
  }

  /** The biggest open positions of one page or of all markets; undefined on a read timeout. */
  async biggest(
    page: ShownPage | null,
    { order, limit }: { readonly order: BigOrder; readonly limit: number },
    requester: Requester,
  ): Promise<BigPositions | undefined> {
    const { rounds, clock, selection, archive } = this.#parts
    // A page without a filter shows the result for all markets, which already exists.
    const made =
      page === null || selection.isOfAll(page)
        ? rounds.biggest
        : await this.#biggest.read(nameOf(page), clock(), () =>
            rounds.of({ what: 'biggest', nowMs: clock(), marketIds: selection.open(page) }),
          )
    const version = rounds.passes
    if (made === null || made === undefined) return { atMs: null, version, rows: [] }
    const picked = picks(made, order === 'worth' ? 0 : 1).slice(0, limit)
    const markets = await archive.byIds(
      picked.map(({ marketId }) => marketId),
      requester,
    )
    const named = await this.#facesOf(picked, requester)
    if (markets === undefined || named === undefined) return undefined
    const rows = named.flatMap(({ marketId, ...row }) => {
      const market = markets.get(marketId)
      return market === undefined ? [] : [{ ...row, market }]
    })
    return { atMs: made.atMs, version, rows }
  }

  async #facesOf<Row extends { readonly owner: ProfileId }>(
    rows: readonly Row[],
    requester: Requester,
  ): Promise<(Row & { readonly face: Face | null })[] | undefined> {
    const found = await this.#parts.reads.read(
      faces,
      rows.map(({ owner }) => owner),
      requester,
    )
    return found && rows.map((row, index) => ({ ...row, face: found[index] }))
  }
}

/** The name changes with the filter of the page. */
function nameOf({ id, content }: ShownPage): string {
  return JSON.stringify([id, content.baseFilter])
}

interface Picked extends Omit<BigPosition, 'market' | 'face'> {
  readonly marketId: MarketId
  readonly owner: ProfileId
}

/** The rows of one of the two orders. */
function picks({ rows }: Projected, order: number): Picked[] {
  const found: Picked[] = []
  for (let at = 0; at < rows.length; at += BIGGEST_ROW.width) {
    const row = rows.subarray(at, at + BIGGEST_ROW.width)
    if (row[BIGGEST_ROW.order] !== order) continue
    found.push({
      marketId: row[BIGGEST_ROW.marketId],
      owner: row[BIGGEST_ROW.owner],
      outcome: row[BIGGEST_ROW.outcome],
      sizeRaw: row[BIGGEST_ROW.sizeRaw],
      costRaw: row[BIGGEST_ROW.costRaw],
      worthRaw: row[BIGGEST_ROW.worthRaw],
      markE6: row[BIGGEST_ROW.markE6],
      source: MARK_SOURCES[row[BIGGEST_ROW.source]],
    })
  }
  return found
}

/** What the routes of this folder need. */
export interface BoardServices extends SharedServices, Pick<PageServices, 'marketPages'> {
  readonly boards: Boards
}
