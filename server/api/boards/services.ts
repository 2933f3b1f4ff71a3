import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { MARK_SOURCES, type Mark } from '../../../engine/domain/markets/mark.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { BIGGEST_ROW, PNL_ROW } from '../../../persistence/follower/boards/projection.ts'
import { boardPlace } from '../../../persistence/query/read/boards/board-place.ts'
import {
  type BoardSums,
  type Face,
  faces,
} from '../../../persistence/query/read/boards/leaderboard.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { ShownPage } from '../pages/page-directory.ts'
import type { PageServices } from '../pages/services.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import type { PageSelection } from './page-selection.ts'
import { type BoardSlices, KeptProjections, type Projected } from './projections.ts'

// Boards of market pages, and the biggest positions with their markets and owners.

/** Number of pages whose boards are cached. */
const PAGES_MAX = 64

interface Parts {
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
  readonly #parts: Parts
  readonly #pnl = new KeptProjections(PAGES_MAX)
  readonly #biggest = new KeptProjections(PAGES_MAX)

  constructor(parts: Parts) {
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
