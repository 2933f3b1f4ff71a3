// Referrals and the boards of referrers. A method returns undefined on a read timeout.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { shownName } from '../../../persistence/query/read/profiles.ts'
import {
  friendsBoard,
  type PageParams,
  type ReferralBoard,
  type ReferralRow,
  type ReferrerRow,
  referralBoard,
  referralsOf,
} from '../../../persistence/query/read/referrals/referrals.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'

/** Referrals listed in a private profile. */
const SHOWN_MAX = 20
const NOBODY: ProfileId = 0

/** The referral fields of a private profile. */
export type OwnReferrals = NonNullable<Awaited<ReturnType<Referrals['own']>>>

export class Referrals {
  readonly #reads: PrivateReads

  constructor(reads: PrivateReads) {
    this.#reads = reads
  }

  /** The board of all referrers; `me` is present for a profile that referred somebody. */
  async board(page: PageParams, requester: Requester, caller: ProfileId = NOBODY) {
    const found = await this.#reads.read(referralBoard, { ...page, profileId: caller }, requester)
    return found && boardView(found, page)
  }

  /** The board of a profile and the profiles that it follows. */
  async friends(page: PageParams, requester: Requester, caller: ProfileId) {
    const found = await this.#reads.read(friendsBoard, { ...page, profileId: caller }, requester)
    return found && boardView(found, page)
  }

  /** The profiles that a profile referred, newest first. */
  async referred({ limit, offset }: PageParams, requester: Requester, profileId: ProfileId) {
    const found = await this.#reads.read(referralsOf, { profileId, limit, offset }, requester)
    if (found === undefined) return undefined
    const { referredCount: all, earningCount: earning, rows } = found
    const counts = { all, awaiting: all - earning, earning }
    return { counts, entries: rows.map(referralView), limit, offset, total: all }
  }

  /** The referral fields in the private profile of `profileId`. */
  async own(profileId: ProfileId) {
    const page = { limit: SHOWN_MAX, offset: 0 }
    const found = await this.#reads.read(referralsOf, { profileId, ...page }, { profileId })
    if (found === undefined) return undefined
    const referralData = found.rows.map((row, index) => ({
      createdAt: isoText(row.referredMs),
      id: found.referredCount - index,
      referredProfileId: row.referred,
      pfpUrl: row.pfpUrl,
      displayName: shownName(row),
    }))
    return { referralData, referredUsersCount: found.referredCount }
  }
}

function boardView({ rows, total, own }: ReferralBoard, { limit, offset }: PageParams) {
  const entries = rows.map(referrerView)
  const me = own === null ? {} : { me: { rank: own.rank, entry: referrerView(own) } }
  return { entries, limit, offset, total, ...me }
}

function referrerView(row: ReferrerRow) {
  const { rank, account, username, pfpUrl, earnedRaw, feesRaw, referredCount } = row
  return {
    rank,
    account,
    username,
    displayName: shownName(row),
    avatarAccount: account,
    earnedRaw: String(earnedRaw),
    feesGeneratedRaw: String(feesRaw),
    pfpUrl,
    referredCount,
    referrerProfileId: row.referrer,
  }
}

function referralView(row: ReferralRow) {
  const { account, username, pfpUrl, earnedRaw, feesRaw, volumeRaw, referred } = row
  return {
    account,
    avatarAccount: account,
    createdAt: isoText(row.referredMs),
    username,
    displayName: shownName(row),
    earnedRaw: String(earnedRaw),
    feesGeneratedRaw: String(feesRaw),
    pfpUrl,
    referredProfileId: referred,
    volumeRaw: String(volumeRaw),
  }
}
