// The account of another service that a profile proved, and what the profile applies from it. The
// account is a part of the profile, so an edit changes it.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { AccountChanges, ProfileRequest } from '../accounts/accounts.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

/** The parts of the account to apply. */
interface TakeOver {
  readonly username: boolean
  readonly avatar: boolean
}

export const SKIP_REASONS = ['taken', 'invalid'] as const

interface TakenOver {
  readonly usernameApplied: boolean
  readonly avatarApplied: boolean
  /** `taken` by another profile, or `invalid` as a username; null when it was not skipped. */
  readonly usernameSkippedReason: (typeof SKIP_REASONS)[number] | null
}

type Edit = Omit<ProfileRequest, 'account'>

const HANDLE = /^[A-Za-z0-9_]{1,15}$/
/** A username begins with a letter, so that none looks like an address or a handle. */
const STARTS_AS_NAME = /^[A-Za-z]/
const PICTURE = /^https:\/\/[!-~]+$/

/** A provider's data is external: only what a page may display is kept. */
function checkedOf({ handle, avatarUrl }: SocialAccount): SocialAccount | undefined {
  if (!HANDLE.test(handle)) return undefined
  const isShort = (avatarUrl?.length ?? 0) <= LIMITS.profileUrlCharactersMax
  const isPicture = avatarUrl !== null && PICTURE.test(avatarUrl) && !/["'<>`\\]/.test(avatarUrl)
  return { handle, avatarUrl: isPicture && isShort ? avatarUrl : null }
}

export class SocialConnections {
  readonly #accounts: AccountChanges
  readonly #reads: PrivateReads
  readonly #provider: SocialProvider | null

  /** Without a provider nobody can connect. */
  constructor(accounts: AccountChanges, reads: PrivateReads, provider: SocialProvider | null) {
    this.#accounts = accounts
    this.#reads = reads
    this.#provider = provider
  }

  /** Stores the account that the code proves, replacing any other. */
  async connect(profileId: ProfileId, code: string): Promise<SocialAccount | Reject> {
    if (this.#provider === null) return REJECT.SOCIAL_CONNECTION_OFF
    const proven = await this.#provider.accountOf(code)
    const account = proven === undefined ? undefined : checkedOf(proven)
    if (account === undefined) return REJECT.SOCIAL_CODE_INVALID
    const { handle: xHandle, avatarUrl: xAvatar } = account
    const edited = await this.#edit(profileId, { xHandle, xAvatar })
    return edited ?? account
  }

  /** What the profile applied earlier stays. */
  async disconnect(profileId: ProfileId): Promise<Reject | null> {
    const shown = await this.#reads.profile(profileId)
    if (shown === undefined) return REJECT.READ_TIMEOUT
    if (shown === null || shown.xHandle === null) return null
    return this.#edit(profileId, { xHandle: null, xAvatar: null })
  }

  async takeOver(profileId: ProfileId, wanted: TakeOver): Promise<TakenOver | Reject> {
    const shown = await this.#reads.profile(profileId)
    if (shown === undefined) return REJECT.READ_TIMEOUT
    if (shown === null || shown.xHandle === null) return REJECT.SOCIAL_NOT_CONNECTED
    const { xHandle, xAvatar } = shown
    const picture = wanted.avatar && xAvatar !== null ? { pfpUrl: xAvatar } : {}
    const avatarApplied = 'pfpUrl' in picture
    const isName = STARTS_AS_NAME.test(xHandle)
    if (wanted.username && isName) {
      const refused = await this.#edit(profileId, { username: xHandle, ...picture })
      if (refused === null) {
        return { usernameApplied: true, avatarApplied, usernameSkippedReason: null }
      }
      if (refused !== REJECT.USERNAME_TAKEN) return refused
    }
    const refused = avatarApplied ? await this.#edit(profileId, picture) : null
    if (refused !== null) return refused
    const why = isName ? 'taken' : 'invalid'
    const usernameSkippedReason = wanted.username ? why : null
    return { usernameApplied: false, avatarApplied, usernameSkippedReason }
  }

  async #edit(profileId: ProfileId, edit: Edit): Promise<Reject | null> {
    const edited = await this.#accounts.editProfile(profileId, edit, this.#reads)
    return edited instanceof Reject ? edited : null
  }
}

// The interface to a service where users have accounts, such as X. A page of that service gives its
// user a code, which proves the account once.

/** An account proven by a code. */
interface SocialAccount {
  /** Without the @. */
  readonly handle: string
  /** https link; null without a picture. */
  readonly avatarUrl: string | null
}

export interface SocialProvider {
  /** Undefined for a code that proves nothing. It has its own deadline. */
  accountOf(code: string): Promise<SocialAccount | undefined>
}

const CODE = /^demo:([A-Za-z0-9_]{1,15})$/

/** Accepts every code of the form `demo:handle`, because a demo has nothing of value. */
export const demoProvider: SocialProvider = {
  accountOf: async (code) => {
    const handle = CODE.exec(code)?.[1]
    if (handle === undefined) return undefined
    return { handle, avatarUrl: `https://pictures.example/${handle}.png` }
  },
}
