// Sub-accounts of partners: their creation, and the approvals of their server wallets (rules
// §12.1). Each change is a command. Its checks and its stamp run in one synchronous step, and a
// method resolves once its command is durable.

import { randomBytes } from 'node:crypto'
import type { Profile } from '../../../engine/core/accounts/accounts.ts'
import {
  decideAllowances,
  decideLeave,
  decideSubAccount,
} from '../../../engine/core/decide/partners.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileFields } from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { ApprovalStatus } from '../../../engine/domain/moves/move-command.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { type Seal, walletKeyOf } from '../../../persistence/seal.ts'
import type { ProvenLogin } from '../../auth/session.ts'
import { formatAddress } from '../../crypto/address.ts'
import { addressOfKey } from '../../crypto/ecdsa.ts'
import type { IntakePool } from '../../edge/intake/intake-pool.ts'
import { intakeProfile } from '../../edge/intake/intake-profile.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { SELF_SERVICE } from './accounts.ts'

/** The approvals that a server wallet needs to trade in every market. */
export interface Allowances {
  readonly profileId: ProfileId
  readonly partnerId: ProfileId
  readonly account: string
  readonly spenders: readonly { readonly address: string; readonly status: ApprovalStatus }[]
}

/** A refusal. `retryAfterSec` is not 0 if a retry came too early. */
export interface Refused {
  readonly reject: Reject
  readonly retryAfterSec: number
}

export interface SubAccountPage {
  readonly ids: readonly number[]
  readonly hasMore: boolean
}

const KEY_BYTES = 32

const refused = (reject: Reject, retryAfterSec = 0): Refused => ({ reject, retryAfterSec })

export class PartnerAccounts {
  readonly #pipeline: Pipeline
  readonly #seal: Seal
  readonly #intake: IntakePool
  /** The default venue of markets. */
  readonly #exchangeAddress: string
  /**
   * The earliest time at which each profile may retry its allowances. All waits have the same
   * length, so the oldest entry is first.
   */
  readonly #nextRetryMs = new Map<number, number>()
  /** The time of the newest retry request. */
  #retriedMs = 0

  constructor(
    { pipeline, seal, intake }: { pipeline: Pipeline; seal: Seal; intake: IntakePool },
    exchangeAddress: string,
  ) {
    this.#pipeline = pipeline
    this.#seal = seal
    this.#intake = intake
    this.#exchangeAddress = exchangeAddress
    pipeline.mining?.listen({
      onBlock: ({ approvers }) => {
        for (const profileId of approvers) this.#replicate(profileId)
      },
      onSetback: () => {},
    })
  }

  /** Sends the profile's current state to the intake. */
  #replicate(profileId: ProfileId): void {
    const { accounts } = this.#pipeline.clearing
    const known = intakeProfile(accounts, this.#seal, profileId)
    if (known === null) this.#intake.forgetProfile(profileId)
    else this.#intake.putProfile(known)
  }

  /**
   * Creates a sub-account whose sealed `key` the exchange keeps. Its wallet approves every spender
   * in use.
   */
  async createServerWallet(
    partner: Profile,
    displayName?: string,
    key: Uint8Array = randomBytes(KEY_BYTES),
  ): Promise<Profile | Reject> {
    const account = formatAddress(addressOfKey(key))
    return this.#create(partner, { account, displayName, key, proof: null })
  }

  /** Creates a sub-account that signs for itself. Its wallet has proven the address. */
  async createOwnWallet(
    partner: Profile,
    proven: ProvenLogin,
    displayName?: string,
  ): Promise<Profile | Reject> {
    const account = formatAddress(proven.account)
    return this.#create(partner, { account, displayName, key: null, proof: proven })
  }

  async #create(
    partner: Profile,
    made: {
      account: string
      displayName: string | undefined
      key: Uint8Array | null
      proof: ProvenLogin | null
    },
  ): Promise<Profile | Reject> {
    const { clearing } = this.#pipeline
    const { key, proof } = made
    let profileId = 0
    const changing = this.#pipeline.change(() => {
      const reject = decideSubAccount(clearing, partner.profileId, made.account)
      if (reject !== null) return reject
      profileId = clearing.accounts.count + 1
      const sealedKey = key === null ? null : this.#seal.seal(key, walletKeyOf(profileId))
      return {
        kind: 'createSubAccount',
        profileId,
        profile: fieldsOf(partner, made.account, made.displayName),
        partnerId: partner.profileId,
        sealedKey,
        approved: sealedKey === null ? [] : this.#spenders(),
        proof: proof === null ? null : { nonce: proof.nonce, nonceExpiresMs: proof.nonceExpiresMs },
      }
    })
    // Read before the wait: after it, the state may hold a later edit that is not durable yet.
    const stored = clearing.accounts.byId(profileId)
    const refused = await changing
    if (refused !== null) return refused
    assert(stored !== undefined, 'a sub-account that was created is in the state')
    this.#replicate(profileId)
    return stored
  }

  /**
   * The partner's sub-accounts, oldest first, or only the one with this address. Resolves once they
   * are durable.
   */
  async list(
    partnerId: ProfileId,
    { account, page, limit }: { account?: string | undefined; page: number; limit: number },
  ): Promise<SubAccountPage> {
    const { accounts } = this.#pipeline.clearing
    const ids =
      account === undefined
        ? accounts.partners.ofPartner(partnerId)
        : this.#named(partnerId, account)
    const from = (page - 1) * limit
    const listed = { ids: ids.slice(from, from + limit), hasMore: from + limit < ids.length }
    await this.#pipeline.durable()
    return listed
  }

  /** The partner of a profile, or 0 if it has none. Resolves once that is durable. */
  async partnerOf(profileId: ProfileId): Promise<ProfileId> {
    const { partners } = this.#pipeline.clearing.accounts
    const partnerId = partners.byId(profileId)?.partnerId ?? 0
    await this.#pipeline.durable()
    return partnerId
  }

  /** Detaches the profile from its partner. From then on only its owner acts for it. */
  async leave(profileId: ProfileId): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    let hasLeft = false
    const changing = this.#pipeline.change(() => {
      const reject = decideLeave(clearing, profileId)
      hasLeft = reject === null
      return reject ?? { kind: 'leavePartner', profileId }
    })
    // Immediately: the former partner's calls are refused from the stamp on.
    if (hasLeft) this.#replicate(profileId)
    return changing
  }

  /** The partner's sub-account with this address, if any. */
  #named(partnerId: ProfileId, account: string): readonly number[] {
    const { accounts } = this.#pipeline.clearing
    const profileId = accounts.byAddress(account)?.profileId ?? 0
    return accounts.partners.byId(profileId)?.partnerId === partnerId ? [profileId] : []
  }

  /** The addresses that move traders' holdings: the exchanges and adapters of all markets. */
  #spenders(): string[] {
    return [...new Set([this.#exchangeAddress, ...this.#pipeline.clearing.catalogue.venues.keys()])]
  }

  /** The approvals of a sub-account's server wallet. Resolves once they are durable. */
  async allowances(profileId: ProfileId): Promise<Allowances | Refused> {
    const found = this.#allowances(profileId)
    await this.#pipeline.durable()
    return found
  }

  #allowances(profileId: ProfileId): Allowances | Refused {
    const { accounts } = this.#pipeline.clearing
    const made = accounts.partners.byId(profileId)
    const profile = accounts.byId(profileId)
    if (made === undefined || profile === undefined) return refused(REJECT.NOT_SUB_ACCOUNT)
    if (made.sealedKey === null) return refused(REJECT.NO_SERVER_WALLET)
    const spenders = this.#spenders().map((address) => ({
      address,
      status: accounts.partners.statusOf(made, address),
    }))
    return { profileId, partnerId: made.partnerId, account: profile.account, spenders }
  }

  /** Submits the missing approvals. A wallet allows one retry every few seconds, one at a time. */
  async retryAllowances(partnerId: ProfileId, profileId: ProfileId): Promise<Allowances | Refused> {
    // This time never decreases, so a wait whose entry was deleted stays over.
    const nowMs = Math.max(this.#retriedMs, this.#pipeline.sequencer.nowMs())
    this.#retriedMs = nowMs
    const before = this.#allowances(profileId)
    if ('reject' in before) return this.allowances(profileId)
    const restricted = decideAllowances(this.#pipeline.clearing, partnerId, profileId)
    if (restricted !== null) return refused(await this.#pipeline.refused(restricted))
    // This includes approvals for the exchange of a market that has left memory since.
    const { partners } = this.#pipeline.clearing.accounts
    if ((partners.byId(profileId)?.submitted.length ?? 0) > 0) {
      return refused(await this.#pipeline.refused(REJECT.ALLOWANCE_RETRY_RUNNING))
    }
    const waitMs = (this.#nextRetryMs.get(profileId) ?? nowMs) - nowMs
    if (waitMs > 0) return refused(REJECT.ALLOWANCE_RETRY_TOO_SOON, Math.ceil(waitMs / MS_PER_SEC))
    this.#noteRetry(profileId, nowMs)
    const missing = before.spenders.filter(({ status }) => status !== 'confirmed')
    if (missing.length === 0) return this.allowances(profileId)
    const spenders = missing.map(({ address }) => address)
    // With a chain, its next block confirms the approvals. Without one, they are confirmed at once.
    const kind = this.#pipeline.mining === null ? 'approveSpenders' : 'submitApprovals'
    const changing = this.#pipeline.change(() => ({ kind, profileId, spenders }))
    // Read before the wait: a later block may become durable together with this command.
    const after = this.#allowances(profileId)
    const overloaded = await changing
    if (overloaded !== null) return refused(overloaded)
    this.#replicate(profileId)
    return after
  }

  #noteRetry(profileId: ProfileId, nowMs: number): void {
    for (const [known, nextMs] of this.#nextRetryMs) {
      if (nextMs > nowMs) break
      this.#nextRetryMs.delete(known)
    }
    this.#nextRetryMs.set(profileId, nowMs + LIMITS.allowanceRetryEveryMs)
  }
}

/**
 * A sub-account starts with the rank of its partner. A fee cap is granted to one profile, so the
 * sub-account does not inherit it.
 */
function fieldsOf(partner: Profile, account: string, displayName?: string): ProfileFields {
  return {
    account,
    username: null,
    displayName: displayName ?? null,
    client: 'eoa',
    smartWallet: null,
    rank: partner.rank,
    feeCapBps: null,
    scopes: SELF_SERVICE,
  }
}
