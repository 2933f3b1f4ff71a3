import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { RANKED_MAX } from '../boards/board-place.ts'
import { query } from '../query.ts'

// Referrals, and the boards of referrers: by earnings, then by fees of the referred profiles, then
// by their number, then oldest first. A page is a range of an index.

const SHOWN = 'p.account, p.username, p.display_name AS displayName, p.pfp_url AS pfpUrl FROM'
const OF_REFERRER = `
r.referrer, r.earned_raw AS earnedRaw, r.fees_raw AS feesRaw, r.referred_count AS referredCount,
  r.elder`
const ORDER = 'ORDER BY r.earned_raw DESC, r.fees_raw DESC, r.referred_count DESC, r.elder DESC'
const BOARD = `
SELECT ${OF_REFERRER}, ${SHOWN}
  referrers r CROSS JOIN profiles p ON p.profile_id = r.referrer
WHERE r.earned_raw >= 0 ${ORDER} LIMIT ? OFFSET ?`
const ONE = `
SELECT ${OF_REFERRER}, ${SHOWN}
  referrers r CROSS JOIN profiles p ON p.profile_id = r.referrer WHERE r.referrer = ?`
const AHEAD = `
SELECT count(*) AS count FROM (
  SELECT 1 FROM referrers WHERE (earned_raw, fees_raw, referred_count, elder) > (?, ?, ?, ?)
  LIMIT ?
) AS part`
const TOTAL = 'SELECT referrers FROM referrer_counts WHERE id = 1'
const FRIENDS = `
SELECT ${OF_REFERRER}
FROM follows f CROSS JOIN referrers r ON r.referrer = f.followed WHERE f.owner = ? LIMIT ?`
const COUNTS =
  'SELECT referred_count AS referredCount, earning_count AS earningCount FROM referrers ' +
  'WHERE referrer = ?'
const OF_ONE = `
SELECT r.referred, r.referred_ms AS referredMs, r.fees_raw AS feesRaw, r.volume_raw AS volumeRaw,
  r.earned_raw AS earnedRaw, ${SHOWN} referrals r CROSS JOIN profiles p ON p.profile_id = r.referred
WHERE r.referrer = ? ORDER BY r.referred DESC LIMIT ? OFFSET ?`

/** The maximum number of profiles that one may follow. */
const FRIENDS_MAX = 10_000

export interface PageParams {
  readonly limit: number
  readonly offset: number
}

interface Standing {
  readonly referrer: ProfileId
  readonly earnedRaw: number
  readonly feesRaw: number
  readonly referredCount: number
  readonly elder: number
}

/** The public fields of a profile. */
interface Shown {
  readonly account: string
  readonly username: string | null
  readonly displayName: string | null
  readonly pfpUrl: string | null
}

export interface ReferrerRow extends Standing, Shown {
  /** Counted from 1; null below the counted ranks. */
  readonly rank: number | null
}

export interface ReferralBoard {
  readonly rows: readonly ReferrerRow[]
  readonly total: number
  /** null for a profile without referrals. */
  readonly own: ReferrerRow | null
}

export interface ReferralRow extends Shown {
  readonly referred: ProfileId
  readonly referredMs: TimeMs
  readonly earnedRaw: number
  readonly feesRaw: number
  readonly volumeRaw: number
}

export interface ReferralsOf {
  readonly referredCount: number
  /** Referred profiles whose trades paid fees. */
  readonly earningCount: number
  /** Newest first. */
  readonly rows: readonly ReferralRow[]
}

type BoardRow = Standing & Shown

/** Both boards; 0 = no profile. */
type BoardParams = PageParams & { readonly profileId: ProfileId }

function isBehind(a: Standing, b: Standing): number {
  const byMoney = b.earnedRaw - a.earnedRaw || b.feesRaw - a.feesRaw
  return byMoney || b.referredCount - a.referredCount || b.elder - a.elder
}

class Boards {
  readonly #board: Statement<[limit: number, offset: number], BoardRow>
  readonly #one: Statement<[ProfileId], BoardRow>
  readonly #ahead: Statement<[number, number, number, number, number], { count: number }>
  readonly #total: Statement<[], { referrers: number }>
  readonly #friends: Statement<[ProfileId, number], Standing>
  readonly #ofOneState: (find: () => ReferralBoard) => ReferralBoard

  constructor(connection: Connection) {
    this.#board = connection.prepare(BOARD)
    this.#one = connection.prepare(ONE)
    this.#ahead = connection.prepare(AHEAD)
    this.#total = connection.prepare(TOTAL)
    this.#friends = connection.prepare(FRIENDS)
    this.#ofOneState = connection.transaction((find: () => ReferralBoard) => find())
  }

  all(params: BoardParams): ReferralBoard {
    return this.#ofOneState(() => this.#all(params))
  }

  friends(params: BoardParams): ReferralBoard {
    return this.#ofOneState(() => this.#ofFriends(params))
  }

  #all({ profileId, limit, offset }: BoardParams): ReferralBoard {
    const rows = this.#board.all(limit, offset).map((row, index) => {
      return { ...row, rank: offset + index + 1 }
    })
    const own = this.#one.get(profileId)
    const total = this.#total.get()?.referrers ?? 0
    return { rows, total, own: own === undefined ? null : { ...own, rank: this.#rankOf(own) } }
  }

  #rankOf({ earnedRaw, feesRaw, referredCount, elder }: Standing): number | null {
    const place = [earnedRaw, feesRaw, referredCount, elder] as const
    const ahead = this.#ahead.get(...place, RANKED_MAX)?.count ?? 0
    return ahead < RANKED_MAX ? ahead + 1 : null
  }

  /** The number of followed profiles is bounded, so all of them are sorted. */
  #ofFriends({ profileId, limit, offset }: BoardParams): ReferralBoard {
    const own = this.#one.get(profileId)
    const friends = this.#friends.all(profileId, FRIENDS_MAX)
    const all: Standing[] = own === undefined ? friends : [...friends, own]
    all.sort(isBehind)
    const rows = all.slice(offset, offset + limit).flatMap(({ referrer }, index) => {
      const row = this.#one.get(referrer)
      return row === undefined ? [] : [{ ...row, rank: offset + index + 1 }]
    })
    const rank = own === undefined ? 0 : all.indexOf(own) + 1
    return { rows, total: all.length, own: own === undefined ? null : { ...own, rank } }
  }
}

/** The board of all referrers, and one profile's standing. */
export const referralBoard = query({
  name: 'referralBoard',
  prepare: (db) => new Boards(db),
  run: (boards, params: BoardParams) => boards.all(params),
})

/** The board of a profile and those it follows. */
export const friendsBoard = query({
  name: 'friendsBoard',
  prepare: (db) => new Boards(db),
  run: (boards, params: BoardParams) => boards.friends(params),
})

class Referrals {
  readonly #counts: Statement<[ProfileId], Pick<ReferralsOf, 'referredCount' | 'earningCount'>>
  readonly #rows: Statement<[ProfileId, limit: number, offset: number], ReferralRow>
  readonly #ofOneState: (params: BoardParams) => ReferralsOf

  constructor(connection: Connection) {
    this.#counts = connection.prepare(COUNTS)
    this.#rows = connection.prepare(OF_ONE)
    this.#ofOneState = connection.transaction((params: BoardParams) => this.#find(params))
  }

  find(params: BoardParams): ReferralsOf {
    return this.#ofOneState(params)
  }

  #find({ profileId, limit, offset }: BoardParams): ReferralsOf {
    const counts = this.#counts.get(profileId) ?? { referredCount: 0, earningCount: 0 }
    return { ...counts, rows: this.#rows.all(profileId, limit, offset) }
  }
}

/** The profiles referred by a profile, newest first. */
export const referralsOf = query({
  name: 'referralsOf',
  prepare: (db) => new Referrals(db),
  run: (referrals, params: BoardParams) => referrals.find(params),
})
