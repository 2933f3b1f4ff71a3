import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection } from '../../../database.ts'
import { BOARD_SPANS } from '../../../follower/tables/board-spans.ts'
import { query } from '../query.ts'

// An owner's rank on the all-time board of realised gains, as in the pages of
// read/boards/leaderboard.ts. Only the rows before it are visited, in index order.

const ONE = `
SELECT pnl_raw AS pnlRaw, volume_raw AS volumeRaw FROM boards
WHERE span_hours = ${BOARD_SPANS.all} AND owner = ?`
/** Rows with equal sums are sorted by owner. */
const AHEAD = `
SELECT count(*) AS count FROM (
  SELECT pnl_raw, volume_raw, owner FROM boards
  WHERE span_hours = ${BOARD_SPANS.all} AND (pnl_raw, volume_raw) >= (@pnlRaw, @volumeRaw)
  ORDER BY pnl_raw DESC, volume_raw DESC, owner LIMIT @rankedMax
) AS part WHERE pnl_raw > @pnlRaw OR volume_raw > @volumeRaw OR owner < @owner`

/** Ranks that are counted. Profiles further down have no rank. */
export const RANKED_MAX = 10_000

interface Sums {
  readonly pnlRaw: number
  readonly volumeRaw: number
}

interface Ahead extends Sums {
  readonly owner: ProfileId
  readonly rankedMax: number
}

function placeIn(db: Connection): (owner: ProfileId) => number | null {
  const one = db.prepare<[ProfileId], Sums>(ONE)
  const ahead = db.prepare<[Ahead], { readonly count: number }>(AHEAD)
  return db.transaction((owner: ProfileId) => {
    const sums = one.get(owner)
    if (sums === undefined) return null
    const count = ahead.get({ ...sums, owner, rankedMax: RANKED_MAX })?.count ?? 0
    return count < RANKED_MAX ? count + 1 : null
  })
}

/** Counted from 1; null for an owner who is not on the board or too far down. */
export const boardPlace = query({
  name: 'boardPlace',
  prepare: placeIn,
  run: (placeOf, owner: ProfileId) => placeOf(owner),
})
