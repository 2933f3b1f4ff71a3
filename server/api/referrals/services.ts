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
import type { SharedServices } from '../shared-services.ts'

// The referral code of a profile: its id in base 36, and a check letter, so that a code with one
// wrong letter is invalid.

const BASE = 36
const CODE = /^[1-9A-Z][0-9A-Z]{1,6}$/
const PROFILE_ID_MAX = 2_147_483_647

/** Luhn's sum in base 36: each second digit from the end counts twice. */
function checkLetterOf(digits: string): string {
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number.parseInt(digit, BASE) * (index % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / BASE) + (value % BASE)
  }
  return ((BASE - (sum % BASE)) % BASE).toString(BASE).toUpperCase()
}

export function referralCodeOf(profileId: ProfileId): string {
  const digits = profileId.toString(BASE).toUpperCase()
  return digits + checkLetterOf(digits)
}

/** The profile of a code in any letter case; undefined for an invalid code. */
export function profileOfCode(code: string): ProfileId | undefined {
  const stated = code.trim().toUpperCase()
  if (!CODE.test(stated)) return undefined
  const profileId = Number.parseInt(stated.slice(0, -1), BASE)
  if (profileId > PROFILE_ID_MAX) return undefined
  return referralCodeOf(profileId) === stated ? profileId : undefined
}

// Referrals and the boards of referrers. A method returns undefined on a read timeout.

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

/** What the routes of this folder need. */
export interface ReferralServices extends SharedServices {
  readonly referrals: Referrals
}
