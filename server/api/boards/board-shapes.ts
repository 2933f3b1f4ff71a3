// The schemas of leaderboards (rules §9.5).

import type { Face } from '../../../persistence/query/read/boards/leaderboard.ts'
import { account, profileId, shownUsername } from '../../edge/http/schema/fields.ts'
import { integer, means, nullable, number, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'
import { unitsOf, wholeUnitsOf } from '../whole-units.ts'
import type { BoardRow } from './services.ts'

/** The owner fields in the rows of all boards. */
export function faceShape() {
  return {
    profileId: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    pfpUrl: means(nullable(text()), 'Picture of the profile; null without one.'),
  }
}

export function faceView(face: Face) {
  const { profileId, account, username, displayName, pfpUrl } = face
  return { profileId, account, username, displayName, pfpUrl }
}

const row = () =>
  object({
    rank: means(integer(1), 'Rank on the board, counted from 1; unique per row.'),
    ...faceShape(),
    rankName: means(nullable(text()), 'Name of the rank that sets its fees; null without one.'),
    pnl: means(number(), 'Realised profit in the window, in whole collateral with two decimals.'),
    volume: means(integer(0), 'Counted volume in the window, in whole collateral, both roles.'),
  })

export const boardPage = () =>
  object({
    data: means(list(row()), 'The rows of this page, best first.'),
    page: means(integer(1), 'Number of this page, counted from 1.'),
    limit: means(integer(1), 'Maximum rows per page.'),
    totalRows: means(integer(0), 'Number of rows of the whole board.'),
    totalPages: means(integer(0), 'Number of pages of the whole board.'),
  })

interface Found {
  readonly rows: readonly BoardRow[]
  readonly count: number
}

export interface Paging {
  readonly page: number
  readonly limit: number
}

/** A profile is in the tables before it can trade, so each row has a face. */
export function boardView({ rows, count }: Found, { page, limit }: Paging) {
  const first = (page - 1) * limit + 1
  const data = rows.flatMap(({ face, pnlRaw, volumeRaw }, index) => {
    if (face === null) return []
    const sums = { pnl: unitsOf(pnlRaw), volume: wholeUnitsOf(volumeRaw) }
    return [{ rank: first + index, ...faceView(face), rankName: face.rankName, ...sums }]
  })
  return { data, page, limit, totalRows: count, totalPages: Math.ceil(count / limit) }
}

export const FACE_EXAMPLE = {
  profileId: 7,
  account: ACCOUNT,
  username: 'ann',
  displayName: 'Ann',
  pfpUrl: null,
}

export const BOARD_EXAMPLE = {
  data: [{ rank: 1, ...FACE_EXAMPLE, rankName: 'Bronze', pnl: 5.44, volume: 69 }],
  page: 1,
  limit: 25,
  totalRows: 1,
  totalPages: 1,
}
