// Profiles, API tokens and sessions. Each change is an ordinary command (invariant 3). Its checks
// and its stamp run in one synchronous step, and a method resolves once its command is durable.

import { randomBytes, randomUUID } from 'node:crypto'
import type { Profile, Token } from '../../../engine/core/accounts/accounts.ts'
import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import {
  decideMint,
  decideRevoke,
  decideToken,
  decideWithdrawalAddress,
} from '../../../engine/core/decide/accounts.ts'
import {
  decideAllowances,
  decideLeave,
  decideSubAccount,
} from '../../../engine/core/decide/partners.ts'
import { decideLogin, decideProfile } from '../../../engine/core/decide/profiles.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type {
  ProfileAbout,
  ProfileChange,
  ProfileFields,
  Rank,
  Scope,
  TokenFields,
} from '../../../engine/domain/command.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { ApprovalStatus } from '../../../engine/domain/moves/move-command.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { type FeeBps, MS_PER_SEC } from '../../../engine/domain/units.ts'
import type { ShownProfile } from '../../../persistence/query/read/profiles.ts'
import { type Seal, tokenSecretOf, walletKeyOf } from '../../../persistence/seal.ts'
import { mintToken } from '../../auth/hmac-signature.ts'
import { mintSession, type ProvenLogin } from '../../auth/session.ts'
import { formatAddress } from '../../crypto/address.ts'
import { addressOfKey } from '../../crypto/ecdsa.ts'
import type { CoreIntake } from '../../edge/intake/core-intake.ts'
import { intakeProfile } from '../../edge/intake/intake-profile.ts'
import { FactoryWallets } from '../../edge/intake/order/factory-wallets.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

type Requested<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** The fields that a new or edited profile may set. An absent field keeps its value. */
export interface ProfileRequest extends Requested<ProfileAbout> {
  readonly account: string
  readonly username?: string | null | undefined
  readonly displayName?: string | undefined
  readonly client?: string | undefined
  readonly smartWallet?: string | null | undefined
  readonly rank?: Rank | null | undefined
  readonly feeCapBps?: FeeBps | null | undefined
  readonly scopes?: readonly Scope[] | undefined
  readonly isMachine?: boolean | undefined
  /** Used only for a new profile, and only if the referring profile exists. */
  readonly referredBy?: ProfileId | undefined
}

/** A new token. Its secret is returned once and stored sealed. */
export interface MintedToken {
  readonly tokenId: string
  readonly secret: string
  readonly scopes: readonly Scope[]
}

/** The scopes of a new profile; an operator may allow more. */
export const SELF_SERVICE: readonly Scope[] = ['trading']
/**
 * Maximum reads of the profile per edit. An edit reads again when another edit was made meanwhile.
 */
const READINGS_MAX = 5

/** Edits that wait for a read of one profile, and the edits decided meanwhile. */
interface EditWatch {
  readers: number
  edits: number
}

export class AccountChanges {
  readonly #pipeline: Pipeline
  readonly #seal: Seal
  readonly #intake: CoreIntake
  readonly #watched = new Map<number, EditWatch>()

  constructor(pipeline: Pipeline, seal: Seal, intake: CoreIntake) {
    this.#pipeline = pipeline
    this.#seal = seal
    this.#intake = intake
  }

  /** Creates or edits the profile of an address, and a token if `tokenScopes` is given. */
  async putProfile(
    wanted: ProfileRequest,
    tokenScopes: readonly Scope[] | null,
    by?: string,
  ): Promise<{ profile: Profile; token: MintedToken | null } | Reject> {
    const { accounts } = this.#pipeline.clearing
    const put = { profileId: 0, token: tokenScopes === null ? null : freshToken(tokenScopes) }
    const changing = this.#pipeline.change(() => this.#decidePut(wanted, put), by)
    // Read before the wait: after it, the state may hold a later edit that is not durable yet.
    const stored = accounts.byId(put.profileId)
    const refused = await changing
    if (refused !== null) return refused
    assert(stored !== undefined, 'a profile that was put is in the state')
    if (put.token !== null) this.#replicate(stored, put.token)
    else this.#intake.putProfile(intakeProfile(accounts, this.#seal, put.profileId))
    return { profile: stored, token: put.token }
  }

  #decidePut(
    wanted: ProfileRequest,
    put: { profileId: ProfileId; readonly token: MintedToken | null },
  ): ControlBody | Reject {
    const { clearing } = this.#pipeline
    const { accounts } = clearing
    const before = accounts.byAddress(wanted.account)
    const change = changeOf(wanted)
    const profileId = before?.profileId ?? accounts.count + 1
    const reject =
      decideProfile(clearing, change, before) ??
      (put.token === null ? null : decideMint(clearing, profileId))
    if (reject !== null) return reject
    put.profileId = profileId
    const token = put.token === null ? null : this.#sealed(profileId, put.token, null)
    this.#noteEdit(profileId)
    if (before !== undefined) return { kind: 'editProfile', profileId, profile: change, token }
    const { referredBy = 0 } = wanted
    const by = accounts.accountOf(referredBy) === undefined ? {} : { referredBy }
    const profile = newProfile(wanted.account, change)
    return { kind: 'createProfile', profileId, profile, token, ...by }
  }

  /**
   * Edits a profile and returns its fields after the edit. The profile is read first, so a caller
   * that gets a 503 knows that nothing changed.
   */
  async editProfile(
    profileId: ProfileId,
    wanted: Omit<ProfileRequest, 'account'>,
    reads: Pick<PrivateReads, 'profile'>,
    by?: string,
  ): Promise<ShownProfile | Reject> {
    const account = this.#pipeline.clearing.accounts.accountOf(profileId)
    if (account === undefined) return this.#pipeline.refused(REJECT.PROFILE_NOT_FOUND)
    for (let reading = 0; reading < READINGS_MAX; reading++) {
      const watch = this.#watch(profileId)
      const before = await reads.profile(profileId)
      this.#unwatch(profileId, watch)
      if (before === undefined) return REJECT.READ_TIMEOUT
      if (before === null) return REJECT.PROFILE_NOT_FOUND
      // Another edit was decided meanwhile, so the fields that were read are stale.
      if (watch.edits > 0) continue
      const made = await this.putProfile({ ...wanted, account }, null, by)
      return made instanceof Reject ? made : { ...before, ...changeOf(wanted) }
    }
    return REJECT.READ_TIMEOUT
  }

  #watch(profileId: ProfileId): EditWatch {
    const watch = this.#watched.get(profileId) ?? { readers: 0, edits: 0 }
    if (watch.readers === 0) this.#watched.set(profileId, watch)
    watch.readers++
    return watch
  }

  #unwatch(profileId: ProfileId, watch: EditWatch): void {
    if (--watch.readers > 0 || watch.edits > 0) return
    this.#watched.delete(profileId)
  }

  #noteEdit(profileId: ProfileId): void {
    const watch = this.#watched.get(profileId)
    if (watch === undefined) return
    // The edits that wait for a read see this count. Later edits start a new watch.
    this.#watched.delete(profileId)
    watch.edits++
  }

  async deriveToken(
    profile: Profile,
    scopes: readonly Scope[],
    label: string | null,
  ): Promise<MintedToken | Reject> {
    const { profileId } = profile
    const minted = freshToken(scopes)
    const refused = await this.#pipeline.change(() => {
      const reject = decideToken(this.#pipeline.clearing, profile, scopes)
      if (reject !== null) return reject
      const token = this.#sealed(profileId, minted, label)
      return { kind: 'createToken', profileId, token }
    })
    if (refused !== null) return refused
    this.#replicate(profile, minted)
    return minted
  }

  /** `by` is the operator who acts for the profile. */
  async revokeToken(profileId: ProfileId, tokenId: string, by?: string): Promise<Reject | null> {
    const refused = await this.#pipeline.change(() => {
      const reject = decideRevoke(this.#pipeline.clearing, profileId, tokenId)
      return reject ?? { kind: 'revokeToken', tokenId }
    }, by)
    if (refused !== null) return refused
    this.#intake.revokeToken(tokenId)
    this.#forgetIfIdle(profileId)
    return null
  }

  /** The edge threads drop a profile together with its last token, unless it is a sub-account. */
  #forgetIfIdle(profileId: ProfileId): void {
    const { accounts } = this.#pipeline.clearing
    if (intakeProfile(accounts, this.#seal, profileId) !== null) return
    this.#intake.forgetProfile(profileId)
  }

  /** Revokes a profile's active tokens for an operator. Returns their count or the refusal. */
  async revokeTokens(profileId: ProfileId, by: string): Promise<{ count: number } | Reject> {
    const { accounts } = this.#pipeline.clearing
    let tokens: readonly Token[] = []
    const refused = await this.#pipeline.change(() => {
      if (accounts.accountOf(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
      tokens = accounts.tokensOf(profileId)
      return tokens.length === 0 ? null : { kind: 'revokeTokens', profileId }
    }, by)
    if (refused !== null) return refused
    for (const { tokenId } of tokens) this.#intake.revokeToken(tokenId)
    if (tokens.length > 0) this.#forgetIfIdle(profileId)
    return { count: tokens.length }
  }

  /** Opens a session for a proven account. The first login creates the profile. */
  async login(
    proven: ProvenLogin & { readonly address: string },
    wanted: Omit<ProfileRequest, 'account'>,
  ): Promise<{ profileId: ProfileId; token: string } | Reject> {
    const { clearing } = this.#pipeline
    let profile = clearing.accounts.byAddress(proven.address)
    // A login refused at the session limit creates no profile.
    const nowMs = this.#pipeline.sequencer.nowMs()
    const full = decideLogin(clearing, profile?.profileId ?? 0, nowMs)
    if (full instanceof Reject) return this.#pipeline.refused(full)
    // A smart wallet is registered once, by the first login that names one.
    if (profile === undefined || (profile.smartWallet === null && wanted.smartWallet)) {
      const made = await this.putProfile({ account: proven.address, ...wanted }, null)
      if (made instanceof Reject) return made
      profile = made.profile
    }
    const { profileId } = profile
    const { nonce, nonceExpiresMs } = proven
    const session = mintSession()
    const refused = await this.#pipeline.change((nowMs) => {
      // The same proof may have been used while the profile was created. A proof that expired
      // meanwhile is refused too, because its burned nonce may already be dropped.
      const isBurned = clearing.accounts.isNonceBurned(nonce) || nowMs >= nonceExpiresMs
      if (isBurned) return REJECT.LOGIN_INVALID
      const expiresMs = nowMs + LIMITS.sessionMs
      const opened = { profileId, sessionDigest: session.digest, expiresMs, nonce, nonceExpiresMs }
      const endsOldest = decideLogin(clearing, profileId, nowMs)
      if (endsOldest instanceof Reject) return endsOldest
      return { kind: 'login', ...opened, ...(endsOldest ? { endsOldest } : {}) }
    })
    return refused ?? { profileId, token: session.token }
  }

  logout(sessionDigest: string): Promise<Reject | null> {
    return this.#pipeline.change(() => ({ kind: 'logout', sessionDigest }))
  }

  /** Ends every session of a profile, including the caller's. `by` is the acting operator. */
  logoutEverywhere(profileId: ProfileId, by?: string): Promise<Reject | null> {
    return this.#pipeline.change(() => ({ kind: 'logoutEverywhere', profileId }), by)
  }

  async addWithdrawalAddress(
    profileId: ProfileId,
    address: string,
    label: string,
  ): Promise<WithdrawalAddress | Reject> {
    const { clearing } = this.#pipeline
    const added = { profileId, addressId: randomUUID(), address, label }
    const changing = this.#pipeline.change(() => {
      const reject = decideWithdrawalAddress(clearing, profileId, address)
      return reject ?? { kind: 'addWithdrawalAddress', ...added }
    })
    // Read before the wait: a later removal may become durable together with this command.
    const stored = clearing.accounts.withdrawalAddresses.find(profileId, address)
    const refused = await changing
    if (refused !== null) return refused
    assert(stored !== undefined, 'an address that was added is listed')
    return stored
  }

  removeWithdrawalAddress(profileId: ProfileId, address: string): Promise<Reject | null> {
    const { withdrawalAddresses } = this.#pipeline.clearing.accounts
    return this.#pipeline.change(() => {
      const isListed = withdrawalAddresses.find(profileId, address) !== undefined
      if (!isListed) return REJECT.WITHDRAWAL_ADDRESS_UNKNOWN
      return { kind: 'removeWithdrawalAddress', profileId, address }
    })
  }

  /** The token's fields as the journal holds them, with the secret sealed. */
  #sealed(profileId: ProfileId, minted: MintedToken, label: string | null): TokenFields {
    const { tokenId, scopes } = minted
    const secret = Buffer.from(minted.secret, 'base64')
    const sealedSecret = this.#seal.seal(secret, tokenSecretOf(tokenId, profileId))
    return { tokenId, sealedSecret, label, scopes }
  }

  #replicate({ profileId, account }: Profile, { tokenId, secret }: MintedToken): void {
    const { accounts } = this.#pipeline.clearing
    const token = accounts.tokenById(tokenId)
    // The token was revoked before it was durable.
    if (token === undefined) return
    this.#intake.putProfile(intakeProfile(accounts, this.#seal, profileId))
    const opened = Buffer.from(secret, 'base64')
    this.#intake.addToken({ ...token, account, secret: opened })
  }
}

function freshToken(scopes: readonly Scope[]): MintedToken {
  return { tokenId: randomUUID(), secret: mintToken().secret.toString('base64'), scopes }
}

/** The fields that a request sets. Absent fields stay, and a smart wallet is never removed. */
function changeOf({
  account: _account,
  referredBy: _referredBy,
  ...wanted
}: Partial<ProfileRequest>): ProfileChange {
  const stated = Object.entries(wanted).filter(([name, value]) => {
    return value !== undefined && !(name === 'smartWallet' && value === null)
  })
  return Object.fromEntries(stated)
}

function newProfile(account: string, change: ProfileChange): ProfileFields {
  return {
    account,
    username: null,
    displayName: null,
    client: 'eoa',
    smartWallet: null,
    rank: null,
    feeCapBps: null,
    scopes: SELF_SERVICE,
    ...change,
  }
}

// Sub-accounts of partners: their creation, and the approvals of their server wallets (rules
// §12.1). Each change is a command. Its checks and its stamp run in one synchronous step, and a
// method resolves once its command is durable.

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
  readonly #intake: CoreIntake
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
    { pipeline, seal, intake }: { pipeline: Pipeline; seal: Seal; intake: CoreIntake },
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
    const port = this.#pipeline.mining?.port
    if (port?.followed == null) {
      const account = formatAddress(addressOfKey(key))
      return this.#create(partner, { account, displayName, key, proof: null })
    }
    // On a chain it is a contract, whose calls the exchange signs and pays for.
    const { walletCode } = port
    if (walletCode === null) return REJECT.CHAIN_SILENT
    const account = formatAddress(new FactoryWallets(walletCode).of(addressOfKey(key)))
    const made = await this.#create(partner, { account, displayName, key, proof: null })
    if (!(made instanceof Reject)) await this.#approve(made.profileId)
    return made
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
    const { clearing, mining } = this.#pipeline
    const { key, proof } = made
    const isOnChain = mining !== null && mining.port.followed !== null
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
        approved: sealedKey === null || isOnChain ? [] : this.#spenders(),
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
    return this.#approve(profileId)
  }

  /** Submits the approvals that a server wallet lacks. */
  async #approve(profileId: ProfileId): Promise<Allowances | Refused> {
    const before = this.#allowances(profileId)
    if ('reject' in before) return before
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
