import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import type { SpanHours } from '../../../follower/tables/board-spans.ts'
import { shownName } from '../profiles.ts'
import { query } from '../query.ts'

// The public fields of a profile for lists.

const FACE = `
SELECT profile_id AS profileId, account, username, display_name AS displayName, pfp_url AS pfpUrl,
  rank_name AS rankName
FROM profiles WHERE profile_id = ?`

export interface Face {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  readonly displayName: string
  readonly pfpUrl: string | null
  readonly rankName: string | null
}

type FaceRow = Omit<Face, 'displayName'> & { readonly displayName: string | null }

function faceOf(db: Connection): (profileId: ProfileId) => Face | null {
  const find = db.prepare<[ProfileId], FaceRow>(FACE)
  return (profileId) => {
    const row = find.get(profileId)
    return row === undefined ? null : { ...row, displayName: shownName(row) }
  }
}

/** In the order of the ids; null for an id that is not in the tables. */
export const faces = query({
  name: 'faces',
  prepare: faceOf,
  run: (find, profileIds: readonly ProfileId[]): (Face | null)[] => profileIds.map(find),
})

// A page of a leaderboard (rules §9.5): a range of an index in board order.

const BY_PNL = `
SELECT owner, pnl_raw AS pnlRaw, volume_raw AS volumeRaw FROM boards WHERE span_hours = ?
ORDER BY pnl_raw DESC, volume_raw DESC, owner LIMIT ? OFFSET ?`
/** Only owners who traded: a redemption alone has no volume. */
const BY_VOLUME = `
SELECT owner, pnl_raw AS pnlRaw, volume_raw AS volumeRaw FROM boards
WHERE span_hours = ? AND volume_raw > 0
ORDER BY volume_raw DESC, owner LIMIT ? OFFSET ?`
const COUNTS = `
SELECT owner_count AS ownerCount, trader_count AS traderCount FROM board_counts
WHERE span_hours = ?`

type BoardName = 'pnl' | 'volume'

interface LeaderboardParams {
  readonly board: BoardName
  readonly spanHours: SpanHours
  readonly offset: number
  readonly limit: number
}

/** An owner's results in the span of a board. */
export interface BoardSums {
  readonly owner: ProfileId
  readonly pnlRaw: number
  readonly volumeRaw: number
}

interface LeaderboardPage {
  readonly rows: readonly (BoardSums & { readonly face: Face | null })[]
  /** Rows of all pages. */
  readonly count: number
}

interface Counts {
  readonly ownerCount: number
  readonly traderCount: number
}

class Leaderboard {
  readonly #pages: Readonly<Record<BoardName, Statement<[SpanHours, number, number], BoardSums>>>
  readonly #counts: Statement<[SpanHours], Counts>
  readonly #faceOf: (profileId: ProfileId) => Face | null

  constructor(db: Connection) {
    this.#pages = { pnl: db.prepare(BY_PNL), volume: db.prepare(BY_VOLUME) }
    this.#counts = db.prepare(COUNTS)
    this.#faceOf = faceOf(db)
  }

  page({ board, spanHours, offset, limit }: LeaderboardParams): LeaderboardPage {
    const found = this.#pages[board].all(spanHours, limit, offset)
    const counts = this.#counts.get(spanHours)
    const count = (board === 'pnl' ? counts?.ownerCount : counts?.traderCount) ?? 0
    return { rows: found.map((row) => ({ ...row, face: this.#faceOf(row.owner) })), count }
  }
}

/** The rows of a page in order, and the total number of rows. */
export const leaderboard = query({
  name: 'leaderboard',
  prepare: (db) => new Leaderboard(db),
  run: (boards, params: LeaderboardParams) => boards.page(params),
})
