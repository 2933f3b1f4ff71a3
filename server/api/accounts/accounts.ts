// Profiles, API tokens and sessions. Each change is an ordinary command (invariant 3). Its checks
// and its stamp run in one synchronous step, and a method resolves once its command is durable.

import { randomUUID } from 'node:crypto'
import type { Profile, Token } from '../../../engine/core/accounts/accounts.ts'
import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import {
  decideMint,
  decideRevoke,
  decideToken,
  decideWithdrawalAddress,
} from '../../../engine/core/decide/accounts.ts'
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
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { FeeBps } from '../../../engine/domain/units.ts'
import type { ShownProfile } from '../../../persistence/query/read/profiles.ts'
import { type Seal, tokenSecretOf } from '../../../persistence/seal.ts'
import { mintToken } from '../../auth/hmac-signature.ts'
import { mintSession, type ProvenLogin } from '../../auth/session.ts'
import type { IntakePool } from '../../edge/intake/intake-pool.ts'
import { intakeProfile } from '../../edge/intake/intake-profile.ts'
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
  readonly #intake: IntakePool
  readonly #watched = new Map<number, EditWatch>()

  constructor(pipeline: Pipeline, seal: Seal, intake: IntakePool) {
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

  /** The intake threads drop a profile together with its last token, unless it is a sub-account. */
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
