// Profiles, API tokens and sessions. Only commands change them; one thread writes.
// Invariant: a token id belongs to one live token; `tokenOwners` counts the live tokens per
// profile.

import { assert } from '../../domain/assert.ts'
import type { ProfileChange, ProfileFields, TokenFields } from '../../domain/command.ts'
import { OwnerCounts } from '../../domain/fair-share.ts'
import { NO_TOKEN, type ProfileId, type TokenNo } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { TimeMs } from '../../domain/units.ts'
import { hashedFieldsOf } from '../cells/hashed-fields.ts'
import { type CapturedPartners, Partners } from './partners.ts'
import { type CapturedProfiles, type Profile, Profiles } from './profiles.ts'
import { type Session, Sessions } from './sessions.ts'
import { type WithdrawalAddress, WithdrawalAddresses } from './withdrawal-addresses.ts'

export {
  addressesOf,
  type CapturedProfiles,
  effectiveFeeBps,
  NO_FEE_RATE,
  type Profile,
} from './profiles.ts'
export type { Session }

/** The state of a token. */
interface TokenMetadata extends TokenFields {
  readonly profileId: ProfileId
  readonly createdMs: TimeMs
  lastUsedMs: TimeMs | null
}

export interface Token extends TokenMetadata {
  /** The number of the token while this process runs. It is in no snapshot and in no hash. */
  readonly tokenNo: TokenNo
}

/**
 * All accounts as plain values, in order of creation. Profiles are captured separately: readers
 * that map balances to owners need nothing else.
 */
export interface CapturedAccounts {
  readonly adminTokenDigest: string
  readonly tokens: readonly TokenMetadata[]
  readonly sessions: Uint8Array
  readonly burnedNonces: readonly (readonly [text: string, expiresMs: TimeMs])[]
  readonly partners: CapturedPartners
  readonly withdrawalAddresses: readonly WithdrawalAddress[]
}

/** Expired sessions and nonces that one command removes: more than any command adds. */
const EXPIRED_MAX = 16
const NO_TOKENS: readonly Token[] = []

export class Accounts {
  readonly #profiles = new Profiles()
  readonly #tokens = new Map<string, Token>()
  readonly #tokenByNo = new Map<TokenNo, Token>()
  #newestTokenNo: TokenNo = NO_TOKEN
  /** The tokens of each profile with tokens, oldest first. */
  readonly #tokensOf = new Map<number, readonly Token[]>()
  readonly #sessions = new Sessions()
  readonly #burnedNonces = new Map<string, TimeMs>()
  readonly partners = new Partners()
  readonly tokenOwners = new OwnerCounts(this.partners.shareOwnerOf)
  readonly withdrawalAddresses = new WithdrawalAddresses(this.partners.shareOwnerOf)
  adminTokenDigest = ''

  get count(): number {
    return this.#profiles.count
  }

  byId(profileId: ProfileId): Profile | undefined {
    return this.#profiles.byId(profileId)
  }

  accountOf(profileId: ProfileId): string | undefined {
    return this.#profiles.accountOf(profileId)
  }

  hasSmartWallet(profileId: ProfileId): boolean {
    return this.#profiles.hasSmartWallet(profileId)
  }

  /** The fee rate of the profile's orders; NO_FEE_RATE if it has none. */
  feeBpsOf(profileId: ProfileId): number {
    return this.#profiles.feeBpsOf(profileId)
  }

  byAddress(address: string): Profile | undefined {
    return this.#profiles.byId(this.#profiles.idByAddress(address))
  }

  byUsername(username: string): Profile | undefined {
    return this.#profiles.byId(this.#profiles.idByUsername(username))
  }

  tokenById(tokenId: string): Token | undefined {
    return this.#tokens.get(tokenId)
  }

  /** Undefined for a revoked token and for NO_TOKEN. */
  tokenByNo(tokenNo: TokenNo): Token | undefined {
    return this.#tokenByNo.get(tokenNo)
  }

  /** Oldest first. */
  tokensOf(profileId: ProfileId): readonly Token[] {
    return this.#tokensOf.get(profileId) ?? NO_TOKENS
  }

  sessionByDigest(digest: string): Session | undefined {
    return this.#sessions.find(digest)
  }

  /** Oldest first. */
  sessions(): Iterable<Session> {
    return this.#sessions.all()
  }

  get sessionCount(): number {
    return this.#sessions.count
  }

  sessionCountOf(profileId: ProfileId): number {
    return this.#sessions.countOf(profileId)
  }

  /** Whether a session has expired. A login removes expired sessions before it opens a new one. */
  hasExpiredSession(nowMs: TimeMs): boolean {
    return this.#sessions.oldestExpiresMs <= nowMs
  }

  isNonceBurned(nonce: string): boolean {
    return this.#burnedNonces.has(nonce)
  }

  createProfile(profileId: ProfileId, fields: ProfileFields, nowMs: TimeMs): void {
    this.#profiles.create(profileId, fields, nowMs)
  }

  editProfile(profileId: ProfileId, change: ProfileChange): void {
    this.#profiles.edit(profileId, change)
  }

  addToken(profileId: ProfileId, fields: TokenFields, nowMs: TimeMs): void {
    assert(this.#profiles.accountOf(profileId) !== undefined, 'a token belongs to a profile')
    this.#keep({ ...fields, profileId, createdMs: nowMs, lastUsedMs: null })
  }

  #keep(fields: TokenMetadata): void {
    const { tokenId, profileId } = fields
    assert(!this.#tokens.has(tokenId), 'a token id is new')
    // Lists each field: every order reads a token, and a spread copy could get a different shape.
    const token = {
      tokenNo: ++this.#newestTokenNo,
      tokenId,
      sealedSecret: fields.sealedSecret,
      label: fields.label,
      scopes: fields.scopes,
      profileId,
      createdMs: fields.createdMs,
      lastUsedMs: fields.lastUsedMs,
    }
    this.#tokens.set(tokenId, token)
    this.#tokenByNo.set(token.tokenNo, token)
    this.#tokensOf.set(profileId, [...this.tokensOf(profileId), token])
    this.tokenOwners.add(profileId, 1)
  }

  /** Removes a revoked token. Ids are random and never reused. */
  revokeToken(tokenId: string): void {
    const token = this.#tokens.get(tokenId)
    assert(token !== undefined, 'only a live token is revoked')
    this.#tokens.delete(tokenId)
    this.#tokenByNo.delete(token.tokenNo)
    this.tokenOwners.add(token.profileId, -1)
    const rest = this.tokensOf(token.profileId).filter((each) => each !== token)
    if (rest.length === 0) this.#tokensOf.delete(token.profileId)
    else this.#tokensOf.set(token.profileId, rest)
  }

  touchToken(tokenId: string, nowMs: TimeMs): void {
    const token = this.#tokens.get(tokenId)
    assert(token !== undefined, 'a touched token exists')
    token.lastUsedMs = nowMs
  }

  /**
   * Removes expired sessions and nonces, up to a limit per call. Every control command calls it, so
   * they leave memory even without logins. It uses the command's time, so a replay removes the same
   * ones. All sessions have the same lifetime, and nonces nearly so (they differ by their age at
   * use), so the oldest come first.
   */
  expire(nowMs: TimeMs): void {
    this.#sessions.expire(nowMs, EXPIRED_MAX)
    let left = EXPIRED_MAX
    for (const [text, expiresMs] of this.#burnedNonces) {
      if (expiresMs > nowMs || left-- === 0) break
      this.#burnedNonces.delete(text)
    }
  }

  /** Opens a session. A profile at its session limit loses its oldest one. */
  login(
    session: Session,
    nonce: { readonly text: string; readonly expiresMs: TimeMs },
    endsOldest = false,
  ): void {
    const { profileId } = session
    const count = this.#sessions.countOf(profileId)
    if (count >= LIMITS.sessionsPerProfileMax || (endsOldest && count > 0)) {
      this.#sessions.endOldestOf(profileId)
    }
    this.#sessions.open(session)
    this.burnNonce(nonce.text, nonce.expiresMs)
  }

  /** Marks a nonce as used. A nonce can be used once. */
  burnNonce(nonce: string, expiresMs: TimeMs): void {
    this.#burnedNonces.set(nonce, expiresMs)
  }

  logout(digest: string): void {
    this.#sessions.end(digest)
  }

  logoutEverywhere(profileId: ProfileId): void {
    this.#sessions.endAllOf(profileId)
  }

  /** The full state in a fixed order, for the state hash. */
  *hashedFields(): Iterable<unknown> {
    yield this.adminTokenDigest
    yield* this.#profiles.hashedFields()
    // The sealed secret is excluded: its bytes depend on the nonce of the encryption.
    for (const { sealedSecret: _sealed, tokenNo: _no, ...fields } of this.#tokens.values()) {
      yield hashedFieldsOf(fields)
    }
    yield ['sessions', this.#sessions.count]
    yield this.#sessions.capture()
    yield* this.#burnedNonces
    yield* this.partners.hashedFields()
    yield* this.withdrawalAddresses.hashedFields()
  }

  capture(): CapturedAccounts {
    return {
      adminTokenDigest: this.adminTokenDigest,
      tokens: Array.from(this.#tokens.values(), ({ tokenNo: _no, ...token }) => token),
      sessions: this.#sessions.capture(),
      burnedNonces: [...this.#burnedNonces],
      partners: this.partners.capture(),
      withdrawalAddresses: this.withdrawalAddresses.capture(),
    }
  }

  captureProfiles(): CapturedProfiles {
    return this.#profiles.capture()
  }

  restore(captured: CapturedAccounts, profiles: CapturedProfiles): void {
    this.adminTokenDigest = captured.adminTokenDigest
    this.#profiles.restore(profiles)
    // Rows also count for partners, so partners are restored first.
    this.partners.restore(captured.partners)
    for (const token of captured.tokens) this.#keep(token)
    this.#sessions.restore(captured.sessions)
    for (const [text, expiresMs] of captured.burnedNonces) this.#burnedNonces.set(text, expiresMs)
    this.withdrawalAddresses.restore(captured.withdrawalAddresses)
  }
}
