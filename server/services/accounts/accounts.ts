// Profiles, API tokens and sessions: each change is a command like any other (law 3). Gates and
// stamp stand in one stretch; what comes out is durable.

import { randomUUID } from 'node:crypto'
import type { Profile } from '../../../engine/core/accounts/accounts.ts'
import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import {
  decideMint,
  decideRevoke,
  decideToken,
  decideWithdrawalAddress,
} from '../../../engine/core/decide/accounts.ts'
import { decideLogin, decideProfile } from '../../../engine/core/decide/profiles.ts'
import type {
  ProfileAbout,
  ProfileChange,
  ProfileFields,
  Rank,
  Scope,
  TokenFields,
} from '../../../engine/domain/command.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT } from '../../../engine/domain/reject.ts'
import type { FeeBps } from '../../../engine/domain/units.ts'
import type { ShownProfile } from '../../../persistence/query/read/profiles.ts'
import { type Seal, tokenSecretOf } from '../../../persistence/seal.ts'
import { mintToken } from '../../auth/api-token.ts'
import { mintSession, type ProvenLogin } from '../../auth/session.ts'
import type { IntakePool } from '../../intake/intake-pool.ts'
import { taughtProfile } from '../../intake/taught-profile.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import type { PrivateReads } from '../private-reads.ts'

type Wished<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** What a new or edited profile may say of itself; absent fields keep what they were. */
export interface ProfileWish extends Wished<ProfileAbout> {
  readonly account: string
  readonly username?: string | null | undefined
  readonly displayName?: string | undefined
  readonly client?: string | undefined
  readonly smartWallet?: string | null | undefined
  readonly rank?: Rank | null | undefined
  readonly feeCapBps?: FeeBps | null | undefined
  readonly scopes?: readonly Scope[] | undefined
}

/** A fresh token; its secret is told once and kept sealed. */
export interface MintedToken {
  readonly tokenId: string
  readonly secret: string
  readonly scopes: readonly Scope[]
}

const SELF_SERVICE: readonly Scope[] = ['trading']
const TOUCH_EVERY_MS = 60_000
/** How often an edit reads anew because others of the same profile came in between. */
const READINGS_MAX = 5

/** Reads of one profile that an edit waits for, and the edits that came meanwhile. */
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

  /** Creates or edits the profile of an address, with a token when scopes for one are given. */
  async putProfile(
    wish: ProfileWish,
    tokenScopes: readonly Scope[] | null,
    by?: string,
  ): Promise<{ profile: Profile; token: MintedToken | null } | number> {
    const { clearing } = this.#pipeline
    const { accounts } = clearing
    const before = accounts.byAddress(wish.account)
    const change = changeOf(wish)
    const reject = decideProfile(clearing, change, before)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const spent = tokenScopes === null ? 0 : decideMint(clearing, before)
    if (spent !== 0) return this.#pipeline.refused(spent)
    const profileId = before?.profileId ?? accounts.count + 1
    const minted = tokenScopes === null ? null : this.#mint(profileId, tokenScopes, null)
    const token = minted?.fields ?? null
    this.#noteEdit(profileId)
    const changing = this.#pipeline.change(
      before === undefined
        ? { kind: 'createProfile', profileId, profile: newProfile(wish.account, change), token }
        : { kind: 'editProfile', profileId, profile: change, token },
      by,
    )
    // Before the wait: a later edit may not be durable when this one is.
    const stored = accounts.byId(profileId)
    const refused = await changing
    if (refused !== 0) return refused
    if (minted !== null) this.#teach(profileId, minted.fields)
    else this.#intake.putProfile(taughtProfile(accounts, this.#seal, profileId))
    return stored === undefined ? REJECT.PROFILE_NOT_FOUND : { profile: stored, token: minted }
  }

  /**
   * Edits a profile and gives it as the edit left it. What it says of itself is read before:
   * whoever is told 503 knows that nothing happened.
   */
  async editProfile(
    profileId: number,
    wish: Omit<ProfileWish, 'account'>,
    reads: Pick<PrivateReads, 'profile'>,
    by?: string,
  ): Promise<ShownProfile | number> {
    const account = this.#pipeline.clearing.accounts.accountOf(profileId)
    if (account === undefined) return this.#pipeline.refused(REJECT.PROFILE_NOT_FOUND)
    for (let reading = 0; reading < READINGS_MAX; reading++) {
      const watch = this.#watch(profileId)
      const before = await reads.profile(profileId)
      this.#unwatch(profileId, watch)
      if (before === undefined) return REJECT.READ_TIMEOUT
      if (before === null) return REJECT.PROFILE_NOT_FOUND
      // Another edit came in between: what was read is not what this one changes.
      if (watch.edits > 0) continue
      const made = await this.putProfile({ ...wish, account }, null, by)
      return typeof made === 'number' ? made : { ...before, ...changeOf(wish) }
    }
    return REJECT.READ_TIMEOUT
  }

  #watch(profileId: number): EditWatch {
    const watch = this.#watched.get(profileId) ?? { readers: 0, edits: 0 }
    if (watch.readers === 0) this.#watched.set(profileId, watch)
    watch.readers++
    return watch
  }

  #unwatch(profileId: number, watch: EditWatch): void {
    if (--watch.readers > 0 || watch.edits > 0) return
    this.#watched.delete(profileId)
  }

  #noteEdit(profileId: number): void {
    const watch = this.#watched.get(profileId)
    if (watch === undefined) return
    // Its readers see that; who comes later begins anew.
    this.#watched.delete(profileId)
    watch.edits++
  }

  async deriveToken(
    profile: Profile,
    scopes: readonly Scope[],
    label: string | null,
  ): Promise<MintedToken | number> {
    const reject = decideToken(this.#pipeline.clearing, profile, scopes)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const { profileId } = profile
    const minted = this.#mint(profileId, scopes, label)
    const token = minted.fields
    const refused = await this.#pipeline.change({ kind: 'createToken', profileId, token })
    if (refused !== 0) return refused
    this.#teach(profileId, token)
    return minted
  }

  /** `by` names the operator who asks in the profile's place. */
  async revokeToken(profileId: number, tokenId: string, by?: string): Promise<number> {
    const reject = decideRevoke(this.#pipeline.clearing, profileId, tokenId)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const refused = await this.#pipeline.change({ kind: 'revokeToken', tokenId }, by)
    if (refused !== 0) return refused
    this.#intake.revokeToken(tokenId)
    this.#forgetIfIdle(profileId)
    return refused
  }

  /** What the intake threads know of a profile goes with its last token. */
  #forgetIfIdle(profileId: number): void {
    const { accounts } = this.#pipeline.clearing
    if (taughtProfile(accounts, this.#seal, profileId) !== null) return
    this.#intake.forgetProfile(profileId)
  }

  /** Every live token of a profile, by an operator: how many there were, or why not. */
  async revokeTokens(profileId: number, by: string): Promise<{ count: number } | number> {
    const { accounts } = this.#pipeline.clearing
    if (accounts.accountOf(profileId) === undefined) {
      return this.#pipeline.refused(REJECT.PROFILE_NOT_FOUND)
    }
    const tokens = accounts.tokensOf(profileId)
    if (tokens.length === 0) {
      await this.#pipeline.durable()
      return { count: 0 }
    }
    const refused = await this.#pipeline.change({ kind: 'revokeTokens', profileId }, by)
    if (refused !== 0) return refused
    for (const { tokenId } of tokens) this.#intake.revokeToken(tokenId)
    this.#forgetIfIdle(profileId)
    return { count: tokens.length }
  }

  /** Opens a session for a proven account, whose first login makes its profile. */
  async login(
    proven: ProvenLogin & { readonly address: string },
    wish: Omit<ProfileWish, 'account'>,
  ): Promise<{ profileId: number; token: string } | number> {
    const { clearing } = this.#pipeline
    let profile = clearing.accounts.byAddress(proven.address)
    const full = decideLogin(clearing, this.#pipeline.sequencer.nowMs())
    if (full !== 0) return this.#pipeline.refused(full)
    // A wallet is registered once, by the first login that names one.
    if (profile === undefined || (profile.smartWallet === null && wish.smartWallet)) {
      const made = await this.putProfile({ account: proven.address, ...wish }, null)
      if (typeof made === 'number') return made
      profile = made.profile
    }
    const nowMs = this.#pipeline.sequencer.nowMs()
    // The same proof may have come twice while the profile was made; and one that has expired since
    // is no longer known as burned.
    if (clearing.accounts.isNonceBurned(proven.nonce) || nowMs >= proven.nonceExpiresMs) {
      return this.#pipeline.refused(REJECT.LOGIN_INVALID)
    }
    const session = mintSession()
    const refused = await this.#pipeline.change({
      kind: 'login',
      profileId: profile.profileId,
      sessionDigest: session.digest,
      expiresMs: nowMs + LIMITS.sessionMs,
      nonce: proven.nonce,
      nonceExpiresMs: proven.nonceExpiresMs,
    })
    return refused === 0 ? { profileId: profile.profileId, token: session.token } : refused
  }

  logout(sessionDigest: string): Promise<number> {
    return this.#pipeline.change({ kind: 'logout', sessionDigest })
  }

  /** Ends every session of a profile, that of the caller too; `by` names an operator who asks. */
  logoutEverywhere(profileId: number, by?: string): Promise<number> {
    return this.#pipeline.change({ kind: 'logoutEverywhere', profileId }, by)
  }

  async addWithdrawalAddress(
    profileId: number,
    address: string,
    label: string,
  ): Promise<WithdrawalAddress | number> {
    const { clearing } = this.#pipeline
    const reject = decideWithdrawalAddress(clearing, profileId, address)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const added = { profileId, addressId: randomUUID(), address, label }
    const changing = this.#pipeline.change({ kind: 'addWithdrawalAddress', ...added })
    // Before the wait: a removal may follow that is durable with it.
    const stored = clearing.accounts.withdrawalAddresses.find(profileId, address)
    const refused = await changing
    return refused === 0 && stored !== undefined ? stored : refused
  }

  async removeWithdrawalAddress(profileId: number, address: string): Promise<number> {
    const { withdrawalAddresses } = this.#pipeline.clearing.accounts
    if (withdrawalAddresses.find(profileId, address) === undefined) {
      return this.#pipeline.refused(REJECT.WITHDRAWAL_ADDRESS_UNKNOWN)
    }
    return this.#pipeline.change({ kind: 'removeWithdrawalAddress', profileId, address })
  }

  /** Notes that a token signed a call, at most once a minute; when overloaded, not at all. */
  touch(tokenId: string): void {
    const token = this.#pipeline.clearing.accounts.tokenById(tokenId)
    if (token === undefined) return
    const nowMs = this.#pipeline.sequencer.nowMs()
    if (token.lastUsedMs !== null && nowMs - token.lastUsedMs < TOUCH_EVERY_MS) return
    this.#pipeline.sequencer.rare({ kind: 'touchToken', tokenId })
  }

  #mint(
    profileId: number,
    scopes: readonly Scope[],
    label: string | null,
  ): MintedToken & { fields: TokenFields } {
    const { secret } = mintToken()
    const tokenId = randomUUID()
    const sealedSecret = this.#seal.seal(secret, tokenSecretOf(tokenId, profileId))
    const fields = { tokenId, sealedSecret, label, scopes }
    return { tokenId, secret: secret.toString('base64'), scopes, fields }
  }

  #teach(profileId: number, token: TokenFields): void {
    const { accounts } = this.#pipeline.clearing
    const account = accounts.accountOf(profileId) ?? ''
    this.#intake.putProfile(taughtProfile(accounts, this.#seal, profileId))
    const secret = this.#seal.open(token.sealedSecret, tokenSecretOf(token.tokenId, profileId))
    this.#intake.addToken({
      tokenId: token.tokenId,
      profileId,
      account,
      scopes: token.scopes,
      secret,
    })
  }
}

/** What a wish says; what it leaves out stays, and a wallet is never taken back. */
function changeOf({ account: _account, ...wish }: Partial<ProfileWish>): ProfileChange {
  const said = Object.entries(wish).filter(([name, value]) => {
    return value !== undefined && !(name === 'smartWallet' && value === null)
  })
  return Object.fromEntries(said)
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
