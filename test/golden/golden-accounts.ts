import assert from 'node:assert/strict'
import type { SubAccount } from '../../engine/core/accounts/partners.ts'
import {
  decideRevoke,
  decideToken,
  decideWithdrawalAddress,
} from '../../engine/core/decide/accounts.ts'
import { decideLeave, decideSubAccount } from '../../engine/core/decide/partners.ts'
import { decideProfile } from '../../engine/core/decide/profiles.ts'
import type { ProfileAbout, Scope } from '../../engine/domain/command.ts'
import { profileFields } from '../support/specs.ts'
import { type GoldenCast, MINUTE_MS, TRADERS } from './golden-cast.ts'

const PROFILES_MAX = 30
const ADDRESSES = ['ab', 'cd', 'ef'].map((pair) => `0x${pair.repeat(20)}`)

/** The profiles, tokens, sessions, sub-accounts and withdrawal addresses of a golden flow. */
export class GoldenAccounts {
  readonly #cast: GoldenCast
  /** Live tokens apart from the tokens that sign orders. */
  #spareTokens: { tokenId: string; profileId: number }[] = []
  #sessions: string[] = []

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#editProfile(),
    () => this.#createToken(),
    () => this.#revokeToken(),
    () => this.#revokeTokens(),
    () => this.#touchToken(),
    () => this.#touchToken(),
    () => this.#login(),
    () => this.#login(),
    () => this.#logout(),
    () => this.#logoutEverywhere(),
    () => this.#createSubAccount(),
    () => this.#leavePartner(),
    () => this.#approveSpenders(),
    () => this.#submitApprovals(),
    () => this.#settleApprovals(),
    () => this.#listAddress(),
    () => this.#cast.driver.control({ kind: 'setAdminToken', tokenDigest: this.#cast.hex(8) }),
  ]

  /** The optional fields of a profile; an older client leaves them out. */
  #about(): ProfileAbout {
    const { random } = this.#cast
    if (random.chance(0.3)) return {}
    return {
      bio: random.pick([null, this.#cast.name('Händler')]),
      pfpUrl: random.pick([null, 'https://example.org/a.png']),
      socialUrl: null,
      xHandle: random.pick([null, this.#cast.name('handle')]),
      xAvatar: random.pick([null, 'https://example.org/x.png']),
      mode: random.pick([null, 'simple', 'advanced'] as const),
      tradeWalletOption: random.pick([null, 'eoa'] as const),
    }
  }

  #editProfile(): void {
    const { clearing } = this.#cast.driver
    const profileId = this.#cast.trader()
    const before = clearing.accounts.byId(profileId)
    const profile = profileFields(profileId, {
      username: this.#cast.random.chance(0.8) ? this.#cast.name('Trader') : null,
      rank: before?.rank ?? null,
      // The cap decides which fee rate later orders must have signed.
      feeCapBps: this.#cast.random.pick([null, 0, 50, 1000]),
      smartWallet: this.#cast.random.chance(0.2) ? `0x${'ab'.repeat(20)}` : null,
      scopes: before?.scopes ?? [],
      ...(this.#cast.random.chance(0.5) ? { isMachine: this.#cast.random.chance(0.5) } : {}),
      ...this.#about(),
    })
    assert.equal(decideProfile(clearing, profile, before), null)
    const token = this.#cast.random.chance(0.2) ? this.#spareToken(profileId, ['trading']) : null
    this.#cast.driver.control({ kind: 'editProfile', profileId, profile, token })
  }

  #spareToken(profileId: number, scopes: readonly Scope[]) {
    const tokenId = this.#cast.name('spare')
    this.#spareTokens.push({ tokenId, profileId })
    const label = this.#cast.random.chance(0.5) ? 'a desk' : null
    return { tokenId, sealedSecret: new Uint8Array(40).fill(this.#cast.names), label, scopes }
  }

  /** A sub-account that signs for itself leaves its partner. */
  #leavePartner(): void {
    const { driver, random } = this.#cast
    const { accounts } = driver.clearing
    const ids = Array.from({ length: accounts.count }, (_none, at) => at + 1)
    const leaving = ids.filter((id) => decideLeave(driver.clearing, id) === null)
    if (leaving.length === 0) return
    driver.control({ kind: 'leavePartner', profileId: random.pick(leaving) })
  }

  #createToken(): void {
    const { clearing } = this.#cast.driver
    const profileId = this.#cast.trader()
    const profile = clearing.accounts.byId(profileId)
    assert(profile !== undefined)
    if (clearing.frozen.isFrozen(profileId)) return
    const scopes = this.#cast.random.pick([
      ['trading'],
      ['trading', 'delegated_signing'],
      [],
    ] as const)
    assert.equal(decideToken(clearing, profile, scopes), null)
    const token = this.#spareToken(profileId, scopes)
    this.#cast.driver.control({ kind: 'createToken', profileId, token })
  }

  #revokeToken(): void {
    if (this.#spareTokens.length === 0) return
    const { tokenId, profileId } = this.#cast.random.pick(this.#spareTokens)
    this.#spareTokens = this.#spareTokens.filter((each) => each.tokenId !== tokenId)
    assert.equal(decideRevoke(this.#cast.driver.clearing, profileId, tokenId), null)
    this.#cast.driver.control({ kind: 'revokeToken', tokenId })
  }

  /** Revokes the tokens of a profile that does not trade: traders need theirs to sign. */
  #revokeTokens(): void {
    const { clearing } = this.#cast.driver
    const profileId = TRADERS + 1
    const profile = clearing.accounts.byId(profileId)
    if (profile === undefined) return
    const { scopes } = profile
    assert.equal(decideToken(clearing, profile, scopes), null)
    const token = this.#spareToken(profileId, scopes)
    this.#spareTokens.pop()
    this.#cast.driver.control({ kind: 'createToken', profileId, token })
    this.#cast.driver.control({ kind: 'revokeTokens', profileId })
  }

  #touchToken(): void {
    const tokenId = `token-${this.#cast.trader()}`
    this.#cast.driver.control({ kind: 'touchToken', tokenId })
  }

  #login(): void {
    const sessionDigest = this.#cast.hex(8)
    this.#sessions.push(sessionDigest)
    this.#cast.driver.control({
      kind: 'login',
      profileId: this.#cast.trader(),
      sessionDigest,
      expiresMs: this.#cast.driver.nowMs + 10 * MINUTE_MS,
      nonce: this.#cast.name('nonce'),
      nonceExpiresMs: this.#cast.driver.nowMs + 5 * MINUTE_MS,
      ...(this.#cast.random.chance(0.3) ? { endsOldest: true } : {}),
    })
  }

  /** Logs a session out; if it has ended by itself, the logout changes nothing. */
  #logout(): void {
    if (this.#sessions.length === 0) return
    const sessionDigest = this.#cast.random.pick(this.#sessions)
    this.#sessions = this.#sessions.filter((each) => each !== sessionDigest)
    this.#cast.driver.control({ kind: 'logout', sessionDigest })
  }

  #logoutEverywhere(): void {
    this.#cast.driver.control({ kind: 'logoutEverywhere', profileId: this.#cast.trader() })
  }

  /** Makes a sub-account with a server wallet, or with a wallet that proved itself. */
  #createSubAccount(): void {
    const { driver, random } = this.#cast
    if (driver.clearing.accounts.count >= PROFILES_MAX) return
    const profileId = driver.clearing.accounts.count + 1
    const partnerId = this.#cast.trader()
    if (driver.clearing.frozen.isFrozen(partnerId)) return
    const profile = profileFields(profileId)
    assert.equal(decideSubAccount(driver.clearing, partnerId, profile.account), null)
    const nonceExpiresMs = driver.nowMs + 5 * MINUTE_MS
    const wallet = random.chance(0.6)
      ? { sealedKey: new Uint8Array(60).fill(profileId), approved: [ADDRESSES[0]], proof: null }
      : {
          sealedKey: null,
          approved: [],
          proof: { nonce: this.#cast.name('nonce'), nonceExpiresMs },
        }
    driver.control({ kind: 'createSubAccount', profileId, profile, partnerId, ...wallet })
  }

  #serverWallets(): readonly SubAccount[] {
    const all = [...this.#cast.driver.clearing.accounts.partners.all()]
    return all.filter(({ sealedKey }) => sealedKey !== null)
  }

  /** Some spenders may be approved already; the wallet has no submitted approvals. */
  #approveSpenders(): void {
    const { driver, random } = this.#cast
    const wallets = this.#serverWallets().filter(({ submitted }) => submitted.length === 0)
    if (wallets.length === 0) return
    const spenders = ADDRESSES.slice(0, random.between(1, ADDRESSES.length))
    const { profileId } = random.pick(wallets)
    driver.control({ kind: 'approveSpenders', profileId, spenders })
  }

  #submitApprovals(): void {
    const { driver, random } = this.#cast
    const missing = this.#serverWallets().flatMap(({ profileId, approved, submitted }) => {
      const taken = [...approved, ...submitted]
      const spenders = ADDRESSES.filter((each) => !taken.includes(each))
      return spenders.length > 0 ? [{ profileId, spenders }] : []
    })
    if (missing.length > 0) driver.control({ kind: 'submitApprovals', ...random.pick(missing) })
  }

  #settleApprovals(): void {
    const { driver, random } = this.#cast
    const [profileId] = driver.clearing.accounts.partners.submittedBy(driver.clearing.lastSeq)
    if (profileId === undefined) return
    const { height } = driver.clearing.blocks
    driver.control({ kind: 'settleApprovals', profileId, height, isConfirmed: random.chance(0.6) })
  }

  /** Adds a withdrawal address, or removes it when it is listed. */
  #listAddress(): void {
    const { driver, random } = this.#cast
    const profileId = this.#cast.trader()
    const address = random.pick(ADDRESSES)
    if (driver.clearing.frozen.isFrozen(profileId)) return
    if (decideWithdrawalAddress(driver.clearing, profileId, address) !== null) {
      driver.control({ kind: 'removeWithdrawalAddress', profileId, address })
      return
    }
    const label = random.chance(0.5) ? '' : this.#cast.name('Tresor')
    const addressId = this.#cast.hex(4)
    driver.control({ kind: 'addWithdrawalAddress', profileId, addressId, address, label })
  }
}
