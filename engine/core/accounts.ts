// Profiles, API tokens, sessions. Only commands change them; one thread writes.
// Invariant: an address, a username and a token id each name one profile for ever.

import { assert } from '../domain/assert.ts'
import type { ProfileFields, TokenFields } from '../domain/command.ts'
import { LIMITS } from '../domain/limits.ts'
import type { FeeBps, TimeMs } from '../domain/units.ts'
import { factsOf } from './facts.ts'
import { type CapturedPartners, Partners } from './partners.ts'
import { type WithdrawalAddress, WithdrawalAddresses } from './withdrawal-addresses.ts'

export interface Token extends TokenFields {
  readonly profileId: number
  readonly createdMs: TimeMs
  lastUsedMs: TimeMs | null
  readonly revoked: boolean
}

export interface Profile extends ProfileFields {
  readonly profileId: number
  readonly createdMs: TimeMs
  readonly tokens: readonly Token[]
}

export interface Session {
  readonly digest: string
  readonly profileId: number
  readonly expiresMs: TimeMs
}

/** All of it, as plain values in the order in which it came to be. */
export interface CapturedAccounts {
  readonly adminTokenDigest: string
  readonly profiles: readonly Omit<Profile, 'tokens'>[]
  readonly tokens: readonly Token[]
  readonly sessions: readonly Session[]
  readonly burnedNonces: readonly (readonly [text: string, expiresMs: TimeMs])[]
  readonly partners: CapturedPartners
  readonly withdrawalAddresses: readonly WithdrawalAddress[]
}

/** min(rank rate, cap); null without a rank: such a profile cannot pay fees (domain §3.3). */
export function effectiveFeeBps(profile: ProfileFields): FeeBps | null {
  if (profile.rank === null) return null
  return Math.min(profile.rank.feeRateBps, profile.feeCapBps ?? profile.rank.feeRateBps)
}

export const NO_FEE_RATE = -1
const NO_SECRET = new Uint8Array(0)

export class Accounts {
  readonly #profiles: Profile[] = []
  readonly #byAddress = new Map<string, Profile>()
  readonly #byUsername = new Map<string, Profile>()
  readonly #tokens = new Map<string, Token>()
  /** How many tokens a profile ever made, those it revoked too. */
  readonly #tokensMade = new Map<number, number>()
  readonly #sessions = new Map<string, Session>()
  /** Digests of a profile's sessions, oldest first. */
  readonly #sessionsOf = new Map<number, readonly string[]>()
  readonly #burnedNonces = new Map<string, TimeMs>()
  readonly partners = new Partners()
  readonly withdrawalAddresses = new WithdrawalAddresses()
  adminTokenDigest = ''
  /** Effective rate by profile id, NO_FEE_RATE without one: an order needs no more of a profile. */
  #feeBps = new Int16Array(1024)

  get count(): number {
    return this.#profiles.length
  }

  byId(profileId: number): Profile | undefined {
    return this.#profiles[profileId - 1]
  }

  /** What an order of the profile is charged; NO_FEE_RATE when that is not known. */
  feeBpsOf(profileId: number): number {
    return profileId <= this.#profiles.length ? this.#feeBps[profileId] : NO_FEE_RATE
  }

  byAddress(address: string): Profile | undefined {
    return this.#byAddress.get(address.toLowerCase())
  }

  byUsername(username: string): Profile | undefined {
    return this.#byUsername.get(username.toLowerCase())
  }

  tokenById(tokenId: string): Token | undefined {
    return this.#tokens.get(tokenId)
  }

  sessionByDigest(digest: string): Session | undefined {
    return this.#sessions.get(digest)
  }

  sessions(): Iterable<Session> {
    return this.#sessions.values()
  }

  isNonceBurned(nonce: string): boolean {
    return this.#burnedNonces.has(nonce)
  }

  putProfile(profileId: number, fields: ProfileFields, nowMs: TimeMs): void {
    const before = this.byId(profileId)
    assert(before !== undefined || profileId === this.#profiles.length + 1, 'ids count from 1')
    const createdMs = before?.createdMs ?? nowMs
    const profile: Profile = { ...fields, profileId, createdMs, tokens: before?.tokens ?? [] }
    if (before?.username) this.#byUsername.delete(before.username.toLowerCase())
    this.#store(profile)
  }

  #store(profile: Profile): void {
    this.#profiles[profile.profileId - 1] = profile
    if (profile.profileId >= this.#feeBps.length) {
      const wider = new Int16Array(this.#feeBps.length * 2)
      wider.set(this.#feeBps)
      this.#feeBps = wider
    }
    this.#feeBps[profile.profileId] = effectiveFeeBps(profile) ?? NO_FEE_RATE
    this.#byAddress.set(profile.account.toLowerCase(), profile)
    if (profile.username !== null) this.#byUsername.set(profile.username.toLowerCase(), profile)
  }

  addToken(profileId: number, fields: TokenFields, nowMs: TimeMs): void {
    const profile = this.byId(profileId)
    assert(profile !== undefined, 'a token belongs to a profile')
    assert(!this.#tokens.has(fields.tokenId), 'a token id is new')
    // By name: every order asks for one of these, and copies would each have a shape of their own.
    const token: Token = {
      tokenId: fields.tokenId,
      sealedSecret: fields.sealedSecret,
      label: fields.label,
      scopes: fields.scopes,
      profileId,
      createdMs: nowMs,
      lastUsedMs: null,
      revoked: false,
    }
    this.#keep(token)
    this.#store({ ...profile, tokens: [...profile.tokens, token] })
  }

  #keep(token: Token): void {
    this.#tokens.set(token.tokenId, token)
    this.#tokensMade.set(token.profileId, this.tokensMadeBy(token.profileId) + 1)
  }

  tokensMadeBy(profileId: number): number {
    return this.#tokensMade.get(profileId) ?? 0
  }

  /**
   * A revoked token's id stays taken; it leaves its profile's list, which it would only lengthen.
   */
  revokeToken(tokenId: string): void {
    const token = this.#tokens.get(tokenId)
    assert(token !== undefined && !token.revoked, 'only a live token is revoked')
    const revoked = { ...token, revoked: true, sealedSecret: NO_SECRET }
    this.#tokens.set(tokenId, revoked)
    const profile = this.byId(token.profileId)
    assert(profile !== undefined, 'a token belongs to a profile')
    this.#store({ ...profile, tokens: profile.tokens.filter((each) => each !== token) })
  }

  touchToken(tokenId: string, nowMs: TimeMs): void {
    const token = this.#tokens.get(tokenId)
    assert(token !== undefined, 'a touched token exists')
    token.lastUsedMs = nowMs
  }

  /** Opens a session; a profile's oldest makes room when it has as many as it may. */
  login(session: Session, nonce: { text: string; expiresMs: TimeMs }, nowMs: TimeMs): void {
    // Both maps are pruned by the command's own time, so replay prunes alike. All sessions live
    // equally long, and so do all nonces but for their age when used: the oldest stand in front.
    for (const known of this.#sessions.values()) {
      if (known.expiresMs > nowMs) break
      this.logout(known.digest)
    }
    const own = this.#sessionsOf.get(session.profileId) ?? []
    if (own.length >= LIMITS.sessionsPerProfileMax) this.logout(own[0])
    this.#open(session)
    this.burnNonce(nonce.text, nonce.expiresMs, nowMs)
  }

  /** A nonce proves one thing once. */
  burnNonce(nonce: string, nonceExpiresMs: TimeMs, nowMs: TimeMs): void {
    for (const [text, expiresMs] of this.#burnedNonces) {
      if (expiresMs > nowMs) break
      this.#burnedNonces.delete(text)
    }
    this.#burnedNonces.set(nonce, nonceExpiresMs)
  }

  #open(session: Session): void {
    this.#sessions.set(session.digest, session)
    const others = this.#sessionsOf.get(session.profileId) ?? []
    this.#sessionsOf.set(session.profileId, [...others, session.digest])
  }

  logout(digest: string): void {
    const session = this.#sessions.get(digest)
    if (session === undefined) return
    this.#sessions.delete(digest)
    const others = this.#sessionsOf.get(session.profileId)?.filter((each) => each !== digest)
    if (others === undefined || others.length === 0) this.#sessionsOf.delete(session.profileId)
    else this.#sessionsOf.set(session.profileId, others)
  }

  logoutEverywhere(profileId: number): void {
    for (const digest of this.#sessionsOf.get(profileId) ?? []) this.#sessions.delete(digest)
    this.#sessionsOf.delete(profileId)
  }

  /** Everything that counts as state, in an order of its own; for the state hash. */
  *facts(): Iterable<unknown> {
    yield this.adminTokenDigest
    for (const { tokens: _tokens, ...fields } of this.#profiles) {
      yield factsOf(fields)
    }
    // A sealed secret says the same under every nonce: what it seals is no state.
    for (const { sealedSecret: _sealed, ...fields } of this.#tokens.values()) yield factsOf(fields)
    for (const session of this.#sessions.values()) yield factsOf(session)
    yield* this.#burnedNonces
    yield* this.partners.facts()
    yield* this.withdrawalAddresses.facts()
  }

  get tokenCount(): number {
    return this.#tokens.size
  }

  capture(): CapturedAccounts {
    return {
      adminTokenDigest: this.adminTokenDigest,
      profiles: this.#profiles.map(({ tokens: _tokens, ...fields }) => fields),
      tokens: Array.from(this.#tokens.values(), (token) => ({ ...token })),
      sessions: [...this.#sessions.values()],
      burnedNonces: [...this.#burnedNonces],
      partners: this.partners.capture(),
      withdrawalAddresses: this.withdrawalAddresses.capture(),
    }
  }

  restore(captured: CapturedAccounts): void {
    assert(this.#profiles.length === 0, 'only a fresh state is restored')
    this.adminTokenDigest = captured.adminTokenDigest
    // One object for a token, here and in its profile's list: a touch changes both.
    const liveOf = new Map<number, Token[]>()
    for (const token of captured.tokens) {
      this.#keep(token)
      if (token.revoked) continue
      const live = liveOf.get(token.profileId)
      if (live === undefined) liveOf.set(token.profileId, [token])
      else live.push(token)
    }
    for (const profile of captured.profiles) {
      this.#store({ ...profile, tokens: liveOf.get(profile.profileId) ?? [] })
    }
    for (const session of captured.sessions) this.#open(session)
    for (const [text, expiresMs] of captured.burnedNonces) this.#burnedNonces.set(text, expiresMs)
    this.partners.restore(captured.partners)
    this.withdrawalAddresses.restore(captured.withdrawalAddresses)
  }
}
