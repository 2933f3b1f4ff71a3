import { isSystemAccount, type ProfileId } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { madeFields, type ProfileCommand } from './profiles.ts'

// Related profiles for boards (rules §9.5): a partner and its sub-accounts are one family, and a
// profile is linked to its referrer's family. An independent profile that an operator marked as run
// by a program counts as many owners, because it quotes for everyone. A sub-account does not,
// because partners create those with a server wallet themselves.

const REFERRER = 'SELECT referrer FROM referrals WHERE referred = ?'
const MACHINE = 'SELECT is_machine AS isMachine FROM profile_standings WHERE profile_id = ?'
/** Cached profiles. At the limit all of them are dropped and read again. */
const KEPT_MAX = 1 << 14

/** The other side of a trade: the owner's own family, no counted counterparty, or a family. */
export const PARTY = { OWN: 0, NONE: -1 } as const

interface Known {
  readonly referrer: ProfileId | null
  readonly isMachine: boolean
}

export class Links {
  readonly #familyOf: (profileId: ProfileId) => ProfileId
  readonly #referrer: Statement<[ProfileId], { referrer: ProfileId }>
  readonly #machine: Statement<[ProfileId], { isMachine: number }>
  readonly #kept = new Map<ProfileId, Known>()
  /** Profiles created or changed in this chunk, which the tables do not show yet. */
  readonly #fresh = new Map<ProfileId, Known>()

  constructor(connection: Connection, familyOf: (profileId: ProfileId) => ProfileId) {
    this.#familyOf = familyOf
    this.#referrer = connection.prepare(REFERRER)
    this.#machine = connection.prepare(MACHINE)
  }

  applied(command: ProfileCommand): void {
    const { profileId } = command
    if (command.kind === 'editProfile') {
      const { isMachine } = command.profile
      if (isMachine !== undefined) this.#fresh.set(profileId, { ...this.#of(profileId), isMachine })
      return
    }
    const referrer = command.kind === 'createProfile' ? (command.referredBy ?? null) : null
    this.#fresh.set(profileId, { referrer, isMachine: madeFields(command).isMachine === true })
  }

  /** The relation of `other` to `owner`: OWN, NONE, or the number of its family. */
  partyOf(owner: ProfileId, other: ProfileId): number {
    if (isSystemAccount(owner) || isSystemAccount(other)) return PARTY.NONE
    const [own, family] = [this.#familyOf(owner), this.#familyOf(other)]
    if (own === family || this.#refers(owner, family) || this.#refers(other, own)) return PARTY.OWN
    return family === other && this.#of(other).isMachine ? PARTY.NONE : family
  }

  /** Whether a member of the family referred the profile or the head of its own family. */
  #refers(profileId: ProfileId, family: ProfileId): boolean {
    for (const each of [profileId, this.#familyOf(profileId)]) {
      const { referrer } = this.#of(each)
      if (referrer !== null && this.#familyOf(referrer) === family) return true
    }
    return false
  }

  #of(profileId: ProfileId): Known {
    const known = this.#fresh.get(profileId) ?? this.#kept.get(profileId)
    if (known !== undefined) return known
    const found = {
      referrer: this.#referrer.get(profileId)?.referrer ?? null,
      isMachine: this.#machine.get(profileId)?.isMachine === 1,
    }
    this.#keep(profileId, found)
    return found
  }

  #keep(profileId: ProfileId, known: Known): void {
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    this.#kept.set(profileId, known)
  }

  /** Called after the tables of this chunk are written. */
  flushed(): void {
    for (const [profileId, known] of this.#fresh) this.#keep(profileId, known)
    this.#fresh.clear()
  }
}
