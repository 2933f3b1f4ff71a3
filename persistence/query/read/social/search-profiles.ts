import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { foldedName, PREFIX_CHARACTERS_MIN } from '../../../follower/tables/social/searched-name.ts'
import { query } from '../query.ts'
import { type FoundProfile, FoundProfiles } from './found-profile.ts'

// Profiles for a text, best first: the username equal to the text, usernames, social handles and
// wallets that start with it, and usernames of traders that contain it. A leading @ puts handles
// first and excludes wallets. Within a stage, profiles that traded come first, then those with more
// followers, then those with more volume, then older ones. A stage only fills the places left by
// earlier stages.
//
// Each stage is one range of an index and visits a bounded number of rows. Wallets and contained
// names are sorted afterwards: of too many candidates, the alphabetically first ones are found.

const BY_PREFIX = `
SELECT profile_id AS profileId FROM profile_prefixes WHERE prefix = ? AND is_handle = ?
ORDER BY is_whole DESC, has_traded DESC, followers DESC, volume_raw DESC, profile_id LIMIT ?`
const BY_WALLET = `
SELECT profile_id AS profileId FROM profiles WHERE lower(account) >= ? AND lower(account) < ?
ORDER BY lower(account) LIMIT ?`
const BY_PART = `
SELECT profile_id AS profileId FROM profile_parts WHERE part >= ? AND part < ?
ORDER BY part, profile_id LIMIT ?`
const STANDING = `
SELECT has_traded AS hasTraded, followers, shown_raw AS volumeRaw
FROM profile_standings WHERE profile_id = ?`

/** Wallets or contained names that one search examines. */
export const CANDIDATES_MAX = 500
const WALLET = /^0x[0-9a-f]{1,40}$/
/** At least this many hex digits are the start of a wallet, even without 0x. */
const BARE_WALLET = /^[0-9a-f]{6,40}$/
const HAS_PART = /[\p{L}\p{N}]{3}/u
/** Sorts after every text that continues with another character. */
const LAST = '\u{10ffff}'
/** Sorts after the hex digits. */
const BEHIND_HEX = 'g'

interface Candidate {
  readonly profileId: ProfileId
}

interface Standing {
  readonly hasTraded: number
  readonly followers: number
  readonly volumeRaw: number
}

export interface SearchProfilesParams {
  readonly text: string
  readonly limit: number
}

/** The searched text: the query without the @ and surrounding spaces. */
export function wantedIn(text: string): { readonly wanted: string; readonly isHandle: boolean } {
  const trimmed = text.trim()
  const isHandle = trimmed.startsWith('@')
  return { wanted: foldedName((isHandle ? trimmed.slice(1) : trimmed).trim()), isHandle }
}

/** Whether the text is too short to find a profile. */
export function isTooShort(wanted: string): boolean {
  return [...wanted].length < PREFIX_CHARACTERS_MIN
}

/** The wallet prefix in the text; null if it is not one. */
function walletIn(wanted: string): string | null {
  if (BARE_WALLET.test(wanted)) return `0x${wanted}`
  return WALLET.test(wanted) ? wanted : null
}

class ProfileSearch {
  readonly #byPrefix: Statement<[string, isHandle: number, number], Candidate>
  readonly #byWallet: Statement<[string, string, number], Candidate>
  readonly #byPart: Statement<[string, string, number], Candidate>
  readonly #standing: Statement<[ProfileId], Standing>
  readonly #found: FoundProfiles

  constructor(connection: Connection) {
    this.#byPrefix = connection.prepare(BY_PREFIX)
    this.#byWallet = connection.prepare(BY_WALLET)
    this.#byPart = connection.prepare(BY_PART)
    this.#standing = connection.prepare(STANDING)
    this.#found = new FoundProfiles(connection)
  }

  search({ text, limit }: SearchProfilesParams): FoundProfile[] {
    const { wanted, isHandle } = wantedIn(text)
    if (isTooShort(wanted)) return []
    const found = new Set<ProfileId>()
    const fill = (candidates: readonly Candidate[]) => {
      for (const { profileId } of candidates) {
        if (found.size === limit) return
        found.add(profileId)
      }
    }
    const first = isHandle ? 1 : 0
    fill(this.#byPrefix.all(wanted, first, limit))
    // A profile may be found by both of its names.
    if (found.size < limit) fill(this.#byPrefix.all(wanted, 1 - first, 2 * limit))
    const wallet = isHandle ? null : walletIn(wanted)
    if (found.size < limit && wallet !== null) {
      fill(this.#inOrder(this.#byWallet.all(wallet, `${wallet}${BEHIND_HEX}`, CANDIDATES_MAX)))
    }
    if (found.size < limit && HAS_PART.test(wanted)) {
      fill(this.#inOrder(this.#byPart.all(wanted, `${wanted}${LAST}`, CANDIDATES_MAX)))
    }
    return this.#found.of([...found])
  }

  #inOrder(candidates: readonly Candidate[]): Candidate[] {
    const standings = new Map(
      candidates.map(({ profileId }) => [profileId, this.#standing.get(profileId) ?? NO_STANDING]),
    )
    return [...standings]
      .sort(([a, one], [b, other]) => {
        return (
          other.hasTraded - one.hasTraded ||
          other.followers - one.followers ||
          other.volumeRaw - one.volumeRaw ||
          a - b
        )
      })
      .map(([profileId]) => ({ profileId }))
  }
}

const NO_STANDING: Standing = { hasTraded: 0, followers: 0, volumeRaw: 0 }

export const searchProfiles = query({
  name: 'searchProfiles',
  prepare: (db) => new ProfileSearch(db),
  run: (search, params: SearchProfilesParams) => search.search(params),
})
