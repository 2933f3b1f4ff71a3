// Profiles, API tokens and sessions: each change is a command like any other (law 3). Gates and
// stamp stand in one stretch; what comes out is durable.

import { randomUUID } from 'node:crypto'
import type { Profile } from '../../engine/core/accounts.ts'
import {
  decideMint,
  decideProfile,
  decideRevoke,
  decideToken,
  decideWithdrawalAddress,
} from '../../engine/core/decide-accounts.ts'
import type { WithdrawalAddress } from '../../engine/core/withdrawal-addresses.ts'
import type {
  ProfileAbout,
  ProfileFields,
  Rank,
  Scope,
  TokenFields,
} from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT } from '../../engine/domain/reject.ts'
import type { FeeBps } from '../../engine/domain/units.ts'
import type { Seal } from '../../persistence/seal.ts'
import { mintToken } from '../auth/api-token.ts'
import type { IntakePool } from '../auth/intake-pool.ts'
import { mintSession, type ProvenLogin } from '../auth/session.ts'
import { taughtProfile } from '../auth/taught-profile.ts'
import type { Pipeline } from './pipeline.ts'

type Wished<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** What a new or edited profile may say of itself; absent fields keep what they were. */
export interface ProfileChange extends Wished<ProfileAbout> {
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

export class AccountChanges {
  readonly #pipeline: Pipeline
  readonly #seal: Seal
  readonly #intake: IntakePool

  constructor(pipeline: Pipeline, seal: Seal, intake: IntakePool) {
    this.#pipeline = pipeline
    this.#seal = seal
    this.#intake = intake
  }

  /** Creates or edits the profile of an address, with a token when scopes for one are given. */
  async putProfile(
    change: ProfileChange,
    tokenScopes: readonly Scope[] | null,
  ): Promise<{ profile: Profile; token: MintedToken | null } | number> {
    const { accounts } = this.#pipeline.clearing
    const before = accounts.byAddress(change.account)
    const profile = fieldsOf(change, before)
    const reject = decideProfile(this.#pipeline.clearing, profile, before)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const spent = tokenScopes === null ? 0 : decideMint(this.#pipeline.clearing, before)
    if (spent !== 0) return this.#pipeline.refused(spent)
    const minted = tokenScopes === null ? null : this.#mint(tokenScopes, null)
    const kind = before === undefined ? 'createProfile' : 'editProfile'
    const profileId = before?.profileId ?? accounts.count + 1
    const token = minted?.fields ?? null
    const changing = this.#pipeline.change({ kind, profileId, profile, token })
    // Before the wait: a later edit may not be durable when this one is.
    const stored = accounts.byId(profileId)
    const refused = await changing
    if (refused !== 0) return refused
    this.#intake.putProfile(taughtProfile(accounts, this.#seal, profileId))
    if (minted !== null) this.#teach(profileId, minted.fields)
    return stored === undefined ? REJECT.PROFILE_NOT_FOUND : { profile: stored, token: minted }
  }

  async deriveToken(
    profile: Profile,
    scopes: readonly Scope[],
    label: string | null,
  ): Promise<MintedToken | number> {
    const reject = decideToken(this.#pipeline.clearing, profile, scopes)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const minted = this.#mint(scopes, label)
    const { profileId } = profile
    const token = minted.fields
    const refused = await this.#pipeline.change({ kind: 'createToken', profileId, token })
    if (refused !== 0) return refused
    this.#teach(profileId, token)
    return minted
  }

  async revokeToken(profileId: number, tokenId: string): Promise<number> {
    const reject = decideRevoke(this.#pipeline.clearing, profileId, tokenId)
    if (reject !== 0) return this.#pipeline.refused(reject)
    const refused = await this.#pipeline.change({ kind: 'revokeToken', tokenId })
    if (refused === 0) this.#intake.revokeToken(tokenId)
    return refused
  }

  /** Opens a session for a proven account, whose first login makes its profile. */
  async login(
    proven: ProvenLogin & { readonly address: string },
    change: Omit<ProfileChange, 'account'>,
  ): Promise<{ profile: Profile; token: string } | number> {
    const { accounts } = this.#pipeline.clearing
    let profile = accounts.byAddress(proven.address)
    // A wallet is registered once, by the first login that names one.
    if (profile === undefined || (profile.smartWallet === null && change.smartWallet)) {
      const made = await this.putProfile({ account: proven.address, ...change }, null)
      if (typeof made === 'number') return made
      profile = made.profile
    }
    // The same proof may have come twice while the profile was made.
    if (accounts.isNonceBurned(proven.nonce)) return this.#pipeline.refused(REJECT.LOGIN_INVALID)
    const session = mintSession()
    const refused = await this.#pipeline.change({
      kind: 'login',
      profileId: profile.profileId,
      sessionDigest: session.digest,
      expiresMs: this.#pipeline.sequencer.nowMs() + LIMITS.sessionMs,
      nonce: proven.nonce,
      nonceExpiresMs: proven.nonceExpiresMs,
    })
    return refused === 0 ? { profile, token: session.token } : refused
  }

  logout(sessionDigest: string): Promise<number> {
    return this.#pipeline.change({ kind: 'logout', sessionDigest })
  }

  /** Ends every session of a profile, that of the caller too. */
  logoutEverywhere(profileId: number): Promise<number> {
    return this.#pipeline.change({ kind: 'logoutEverywhere', profileId })
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
    if (token === undefined || token.revoked) return
    const nowMs = this.#pipeline.sequencer.nowMs()
    if (token.lastUsedMs !== null && nowMs - token.lastUsedMs < TOUCH_EVERY_MS) return
    this.#pipeline.sequencer.rare({ kind: 'touchToken', tokenId })
  }

  #mint(scopes: readonly Scope[], label: string | null): MintedToken & { fields: TokenFields } {
    const { secret } = mintToken()
    const fields = { tokenId: randomUUID(), sealedSecret: this.#seal.seal(secret), label, scopes }
    return { tokenId: fields.tokenId, secret: secret.toString('base64'), scopes, fields }
  }

  #teach(profileId: number, token: TokenFields): void {
    const account = this.#pipeline.clearing.accounts.byId(profileId)?.account ?? ''
    const secret = this.#seal.open(token.sealedSecret)
    this.#intake.addToken({
      tokenId: token.tokenId,
      profileId,
      account,
      scopes: token.scopes,
      secret,
    })
  }
}

/** What is wished, else what was, else nothing. */
function wished<T>(wish: T | undefined, before: T | undefined): T | null {
  return wish === undefined ? (before ?? null) : wish
}

function fieldsOf(change: ProfileChange, before: Profile | undefined): ProfileFields {
  const account = before?.account ?? change.account
  const username = wished(change.username, before?.username)
  // A profile that never chose a display name shows its username, or else its address.
  const isChosen = before !== undefined && before.displayName !== (before.username ?? account)
  const kept = isChosen ? before.displayName : (username ?? account)
  return {
    account,
    username,
    displayName: change.displayName ?? kept,
    client: change.client ?? before?.client ?? 'eoa',
    smartWallet: change.smartWallet ?? before?.smartWallet ?? null,
    rank: wished(change.rank, before?.rank),
    feeCapBps: wished(change.feeCapBps, before?.feeCapBps),
    scopes: change.scopes ?? before?.scopes ?? SELF_SERVICE,
    bio: wished(change.bio, before?.bio),
    pfpUrl: wished(change.pfpUrl, before?.pfpUrl),
    socialUrl: wished(change.socialUrl, before?.socialUrl),
    mode: wished(change.mode, before?.mode),
    tradeWalletOption: wished(change.tradeWalletOption, before?.tradeWalletOption),
  }
}
