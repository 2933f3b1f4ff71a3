// What holders of accounts do in a simulated world: with tokens, sessions, profiles, the wallets
// that money may go to, and the accounts that partners make for others.

import assert from 'node:assert/strict'
import type { Session } from '../../engine/core/accounts/accounts.ts'
import {
  decideRevoke,
  decideToken,
  decideWithdrawalAddress,
} from '../../engine/core/decide/accounts.ts'
import type { Scope } from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT, Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'
import { digestOf } from '../../server/auth/session.ts'
import { formatAddress } from '../../server/crypto/address.ts'
import type { ControlBody } from '../../server/exchange/sequencer/sequencer.ts'
import { rejectName } from '../support/reject-name.ts'
import type { Life } from './life.ts'
import type { SubAccountModel } from './partner-model.ts'
import type { Setting, Step } from './script.ts'
import type { ClientMemory } from './traders.ts'

/** The first profiles of a world make sub-accounts. */
const PARTNERS = 2
const SUB_ACCOUNTS_MAX = 6
/** Capacity for sub-accounts and later profiles. */
const PROFILES_MORE = 12
const RATES = [300, 300, 250, 100, 1000, 1, 0]
/** How many wallets money is sent to. */
const ADDRESSES = 4

interface Retry {
  /** The seq of its command; 0 when there was no command. */
  readonly seq: number
  /** The earliest time of the next retry. */
  nextMs: number
  isOpen: boolean
}

export class Holders {
  readonly #setting: Setting
  readonly #life: Life
  readonly #memory: ClientMemory
  /** The newest retry of a profile's approvals. */
  readonly #retries = new Map<number, Retry>()
  /** The newest time of a retry; retries never go back in time. */
  #retriedMs = 0

  constructor(setting: Setting, life: Life, memory: ClientMemory) {
    this.#setting = setting
    this.#life = life
    this.#memory = memory
  }

  /** Any account, sub-accounts too. */
  #account(dice: number): number {
    return 1 + Math.floor(dice * this.#life.pipeline.clearing.accounts.count)
  }

  #change(body: ControlBody): Promise<Reject | null> {
    return this.#life.changed(this.#life.pipeline.change(() => body))
  }

  token({ dice }: Step, index: number): void {
    const { clearing } = this.#life.pipeline
    const profileId = this.#account(dice[0])
    const profile = clearing.accounts.byId(profileId)
    const isPartner = dice[1] < 0.8 && profile?.scopes.includes('delegated_signing') === true
    const scopes: Scope[] = isPartner ? ['trading', 'delegated_signing'] : ['trading']
    if (profile === undefined || decideToken(clearing, profile, scopes) !== null) return
    const tokenId = `token of step ${index}`
    const token = { tokenId, sealedSecret: new Uint8Array(4), label: null, scopes }
    const made = this.#change({ kind: 'createToken', profileId, token })
    const replicate = (refused: Reject | null) => {
      if (refused === null) this.#life.replicateToken(tokenId)
    }
    this.#life.follow(made.then(replicate))
  }

  /** A profile revokes its own token once; another's token does not exist for it. */
  revoke({ dice }: Step): void {
    const { accounts, pipeline, model } = this.#life
    const tokens = [...model.tokens]
    const [tokenId, token] = tokens[Math.floor(dice[0] * tokens.length)]
    const profileId = dice[1] < 0.8 ? token.profileId : this.#account(dice[1])
    const reject = decideRevoke(pipeline.clearing, profileId, tokenId)
    if (dice[1] > 0.1 && this.#isLast(token.profileId)) return
    const mayRevoke = profileId === token.profileId && !token.isRevoked
    assert.equal(reject === null, mayRevoke, 'only the owner revokes a token, once')
    if (mayRevoke) this.#life.changed(accounts.revokeToken(profileId, tokenId))
    else this.#life.reportsLater(accounts.revokeToken(profileId, tokenId))
  }

  #isLast(profileId: number): boolean {
    const own = [...this.#life.model.tokens.values()].filter((each) => each.profileId === profileId)
    return own.filter(({ isRevoked }) => !isRevoked).length < 2
  }

  touch({ dice }: Step): void {
    const tokens = [...this.#life.model.tokens].flatMap(([tokenId, { isRevoked }]) => {
      return isRevoked ? [] : tokenId
    })
    this.#change({ kind: 'touchToken', tokenId: tokens[Math.floor(dice[0] * tokens.length)] })
  }

  login({ dice }: Step, index: number): void {
    const nowMs = this.#life.pipeline.sequencer.nowMs()
    this.#change({
      kind: 'login',
      profileId: this.#account(dice[0]),
      sessionDigest: digestOf(`session of step ${index}`),
      expiresMs: nowMs + 60_000,
      nonce: `nonce of step ${index}`,
      nonceExpiresMs: nowMs + 5_000,
    })
  }

  /** Ends one session, now and then all sessions of a profile. */
  logout({ dice }: Step): void {
    const { accounts, pipeline, model } = this.#life
    const all = [...pipeline.clearing.accounts.sessions()]
    const session = all[Math.floor(dice[0] * all.length)]
    if (dice[1] < 0.7) {
      this.#life.changed(accounts.logout(session?.digest ?? 'none'))
      return
    }
    const profileId = session?.profileId ?? 1
    const before = model.seq
    this.#life.changed(accounts.logoutEverywhere(profileId))
    if (model.seq === before) return
    const left = [...pipeline.clearing.accounts.sessions()]
    assert(!left.some((each) => each.profileId === profileId), 'all its sessions are over')
    // Any command may forget expired sessions.
    const isAlive = ({ expiresMs }: Session) => expiresMs > pipeline.clearing.lastNowMs
    const others = all.filter((each) => each.profileId !== profileId && isAlive(each))
    assert.deepEqual(left.filter(isAlive), others, 'no other session is over')
  }

  /** Edits a name, and a rate or a cap; now and then of a new profile. The name may be taken. */
  edit({ dice }: Step, index: number): void {
    const { accounts, model, journal } = this.#life
    const { profiles } = model.partners
    const isNew = dice[1] > 0.9 && profiles.size < this.#setting.accounts + PROFILES_MORE
    const profileId = isNew ? 0 : this.#account(dice[0])
    const fresh = formatAddress(ownWallet(index, null))
    const account = profiles.get(profileId)?.account ?? fresh
    // Few profiles lose their rank, because without one they trade on free markets only.
    const rate = dice[0] > 0.98 ? null : RATES[Math.floor(dice[1] * RATES.length)]
    const username = `name ${Math.floor(dice[1] * 10)}`
    const change = {
      account,
      username,
      rank: rate === null ? null : { id: 1, name: 'Any', feeRateBps: rate },
      feeCapBps: dice[0] < 0.2 ? 200 : null,
      bio: `of ${username}`,
    }
    const holders = [...profiles].filter(([, each]) => each.username === username)
    const isTaken = holders.some(([holderId]) => holderId !== profileId)
    const isLow = journal.freeBytes() < 1 << 20
    // Now and then one that does not exist.
    const referredBy = 1 + Math.floor(dice[0] * (profiles.size + 2))
    const answer = accounts.putProfile({ ...change, referredBy }, null)
    const compare = (result: Awaited<typeof answer>) => {
      if (isLow && result === REJECT.OVERLOADED) return
      if (result instanceof Reject) assert.equal(rejectName(result), 'USERNAME_TAKEN')
      else assert.deepEqual(result.profile.rank, change.rank, 'the profile has its new rank')
      assert.equal(result instanceof Reject, isTaken, 'a name has one holder')
    }
    this.#life.reportsLater(answer)
    this.#life.follow(answer.then(compare))
  }

  /** Makes a sub-account: with a wallet kept here, or with its own, perhaps one with a profile. */
  sponsor({ dice }: Step, index: number): void {
    const { model, partners, pipeline, journal } = this.#life
    const partnerId = 1 + Math.floor(dice[0] * PARTNERS)
    const partner = pipeline.clearing.accounts.byId(partnerId)
    if (partner === undefined || model.partners.subAccounts.size >= SUB_ACCOUNTS_MAX) return
    const known = [...model.partners.profiles][Math.floor(dice[1] * 9973) % PARTNERS]
    const isLow = journal.freeBytes() < 1 << 20
    const own = ownWallet(index, dice[1] < 0.1 ? known[1].account : null)
    const nonceExpiresMs = pipeline.sequencer.nowMs() + 5000
    const proof = { account: own, nonce: `proof of step ${index}`, nonceExpiresMs }
    const isWallet = dice[1] > 0.3
    const answer = isWallet
      ? partners.createServerWallet(partner, `Sub ${index}`, walletKey(index))
      : partners.createOwnWallet(partner, proof)
    const isKnown = !isWallet && dice[1] < 0.1
    const expected = sponsorRefusal({
      isFrozen: model.controls.frozen.has(partnerId),
      knownId: isKnown ? known[0] : 0,
      partnerId,
    })
    const compare = (made: Awaited<typeof answer>) => {
      if (isLow && made === REJECT.OVERLOADED) return
      if (made instanceof Reject) {
        assert.equal(rejectName(made), expected, 'a known address is refused')
        return
      }
      const { profileId, account } = made
      this.#memory.sponsored.push({ profileId, partnerId, account, approved: [] })
    }
    this.#life.reportsLater(answer)
    this.#life.follow(answer.then(compare))
  }

  /** A sub-account leaves its partner, unless it has a wallet that is kept here. */
  leave({ dice }: Step): void {
    const { model, partners } = this.#life
    const all = [...model.partners.subAccounts.keys()]
    const profileId = dice[1] < 0.1 ? this.#account(dice[0]) : all[Math.floor(dice[0] * all.length)]
    if (profileId === undefined) return
    const made = model.partners.subAccounts.get(profileId)
    const allowed = made?.hasWallet === true ? 'PARTNER_REQUIRED' : 'NONE'
    const expected = made === undefined ? 'NO_PARTNER' : allowed
    if (expected === 'NONE') this.#memory.leaving.add(profileId)
    const answer = partners.leave(profileId)
    const compare = (reject: Awaited<typeof answer>) => {
      if (reject === REJECT.OVERLOADED) return
      assert.equal(rejectName(reject), expected, 'who signs for itself may leave')
      if (reject === null) this.#memory.left.push(profileId)
    }
    this.#life.reportsLater(answer)
    this.#life.follow(answer.then(compare))
  }

  /** Retries a server wallet's approvals for the exchanges of markets; a retry may be refused. */
  approve({ dice }: Step): void {
    const { model, partners, pipeline, watch } = this.#life
    const all = [...model.partners.subAccounts.keys()]
    const profileId = all[Math.floor(dice[0] * all.length)] ?? this.#account(dice[1])
    const nowMs = Math.max(this.#retriedMs, pipeline.sequencer.nowMs())
    this.#retriedMs = nowMs
    const last = this.#retries.get(profileId) ?? { seq: 0, nextMs: nowMs, isOpen: false }
    const made = model.partners.subAccounts.get(profileId)
    const isSubmitted = made !== undefined && made.submitted.length > 0
    const isRunning = last.seq > pipeline.durableSeq || isSubmitted
    const { frozen } = model.controls
    const isFrozen = frozen.has(profileId) || frozen.has(made?.partnerId ?? 0)
    const expected = () => retryRefusal(made, { isFrozen, isRunning, isSoon: last.nextMs > nowMs })
    const spenders = model.markets.flatMap(({ exchangeAddress }, index) => {
      return model.status(index + 1) === 'ARCHIVED' ? [] : exchangeAddress
    })
    const at = pipeline.clearing.lastSeq
    const approvals = watch.kinds.get('submitApprovals')
    const answer = partners.retryAllowances(made?.partnerId ?? profileId, profileId)
    const seq = watch.kinds.get('submitApprovals') === approvals ? 0 : model.seq
    const retry: Retry = { seq, nextMs: nowMs + LIMITS.allowanceRetryEveryMs, isOpen: true }
    if (expected() === 'NONE') this.#retries.set(profileId, retry)
    const compare = (result: Awaited<typeof answer>) => {
      retry.isOpen = false
      const name = 'reject' in result ? rejectName(result.reject) : 'NONE'
      if (name === 'OVERLOADED') return
      if (name === 'ALLOWANCE_RETRY_RUNNING' && last.isOpen) {
        // The last retry is durable, but its end was still on its way: this one began nothing.
        retry.nextMs = last.nextMs
        return
      }
      // Retries are no state, so refusals of their time rest on no command.
      if (!name.startsWith('ALLOWANCE_RETRY')) watch.reported(Math.max(seq, at))
      assert.equal(name, expected(), 'approvals are retried when the model allows it')
      if ('reject' in result) return
      const { partnerId, account } = result
      const withStatus = (wanted: string) =>
        result.spenders.flatMap(({ address, status }) => (status === wanted ? address : []))
      const approved = withStatus('confirmed')
      const known = [...approved, ...withStatus('submitted')]
      for (const each of spenders) assert(known.includes(each), 'every exchange is requested')
      this.#memory.sponsored.push({ profileId, partnerId, account, approved })
    }
    this.#life.follow(answer.then(compare))
  }

  /** Puts a wallet on the list of a profile, or removes it; a list has each wallet once. */
  address({ dice }: Step, index: number): void {
    const { accounts, model, pipeline } = this.#life
    const profileId = this.#account(dice[0])
    const address = formatAddress(ownWallet(Math.floor(dice[0] * 7919) % ADDRESSES, null))
    const isListed = model.partners.addresses.get(profileId)?.includes(address) === true
    if (dice[1] < 0.4) {
      const answer = accounts.removeWithdrawalAddress(profileId, address)
      const reported = answer.then((reject) => {
        if (reject === REJECT.OVERLOADED) return
        const expected = isListed ? 'NONE' : 'WITHDRAWAL_ADDRESS_UNKNOWN'
        assert.equal(rejectName(reject), expected, 'only a listed address is removed')
      })
      this.#life.reportsLater(answer)
      this.#life.follow(reported)
      return
    }
    const reject = decideWithdrawalAddress(pipeline.clearing, profileId, address)
    const isFrozen = model.controls.frozen.has(profileId)
    const expected = isFrozen ? 'PROFILE_FROZEN' : isListed ? 'WITHDRAWAL_ADDRESS_LISTED' : 'NONE'
    assert.equal(rejectName(reject), expected, 'a profile that is not frozen lists an address once')
    const addressId = `address of step ${index}`
    if (reject !== null) this.#life.reportsLater(pipeline.refused(reject))
    else this.#change({ kind: 'addWithdrawalAddress', profileId, addressId, address, label: '' })
  }
}

/** `knownId` is the profile that the address has; 0 for a new address. */
function sponsorRefusal({
  isFrozen,
  knownId,
  partnerId,
}: {
  readonly isFrozen: boolean
  readonly knownId: number
  readonly partnerId: number
}): RejectName | 'NONE' {
  if (isFrozen) return 'PROFILE_FROZEN'
  if (knownId === 0) return 'NONE'
  return knownId === partnerId ? 'OWN_ADDRESS' : 'ACCOUNT_TAKEN'
}

function retryRefusal(
  made: SubAccountModel | undefined,
  { isFrozen, isRunning, isSoon }: Record<'isFrozen' | 'isRunning' | 'isSoon', boolean>,
) {
  if (made === undefined) return 'NOT_SUB_ACCOUNT'
  if (!made.hasWallet) return 'NO_SERVER_WALLET'
  if (isFrozen) return 'PROFILE_FROZEN'
  if (isRunning) return 'ALLOWANCE_RETRY_RUNNING'
  return isSoon ? 'ALLOWANCE_RETRY_TOO_SOON' : 'NONE'
}

/** A key that no other step makes. */
function walletKey(index: number): Uint8Array {
  const key = Buffer.alloc(32, 7)
  key.writeUInt32BE(index + 1, 28)
  return key
}

/** A new address, or a known one. */
function ownWallet(index: number, known: string | null): Uint8Array {
  const account = Buffer.alloc(20, 9)
  account.writeUInt32BE(index + 1, 16)
  return known === null ? account : Buffer.from(known.slice(2), 'hex')
}

/** Makes the first profiles partners, each with a token that may act for others. */
export function partnersOf(): ControlBody[] {
  const scopes: Scope[] = ['trading', 'account_creation', 'delegated_signing']
  return Array.from({ length: PARTNERS }, (_each, index): ControlBody => {
    const profileId = index + 1
    const token = { tokenId: `partner-${profileId}`, sealedSecret: new Uint8Array(4), label: null }
    return {
      kind: 'editProfile',
      profileId,
      profile: { scopes },
      token: { ...token, scopes: ['trading', 'delegated_signing'] },
    }
  })
}
