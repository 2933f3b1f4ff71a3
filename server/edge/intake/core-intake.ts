// The core's side of the intake (design §3). Edge threads check the orders that come over their
// connections and deliver verdicts; all other orders are checked here. Invariants: all copies of
// the directory get its changes in one order. A result is read from its own bytes, so a fault costs
// only the request that it is about (design §11).

import { reasonOf } from '../../../engine/domain/error-code.ts'
import type { ProfileId, TokenNo } from '../../../engine/domain/ids.ts'
import { keccakReady } from '../../crypto/keccak.ts'
import { FORM, WHOLE_BATCH } from '../../messages/intake-layout.ts'
import { brokenResult, ofOrder, ResultReader } from '../../messages/intake-result.ts'
import type { IntakeListener, IntakeRequest } from '../../messages/order-intake.ts'
import { bufferOf, eachPart, firstPart } from '../../messages/parts.ts'
import type { QueryWallet, WalletCode } from '../../messages/wallet-signature.ts'
import {
  Directory,
  type DirectoryChange,
  type MarketEntry,
  RecalledMarkets,
  type SigningDomain,
} from './directory.ts'
import { Intake } from './intake.ts'
import { WalletChecks } from './wallets/wallet-checks.ts'
import { callerOf, decidedResult, queryOf, walletDecides } from './wallets/wallet-results.ts'

export interface TokenEntry {
  readonly tokenNo: TokenNo
  readonly tokenId: string
  readonly profileId: ProfileId
  readonly account: string
  readonly scopes: Extract<DirectoryChange, { kind: 'token' }>['scopes']
  /** The decrypted secret of the token. */
  readonly secret: Uint8Array
}

export type ProfileEntry = Omit<Extract<DirectoryChange, { kind: 'profile' }>, 'kind'>

export interface CoreIntakeOptions extends IntakeListener {
  readonly domain: SigningDomain
  /** Maximum clock difference of a call; LIMITS.signatureSkewMs when absent. */
  readonly orderSkewMs?: number | undefined
  /** Receives each change; absent when no other thread checks orders. */
  readonly mirror?: ((change: DirectoryChange) => void) | undefined
  /** Queries wallets on the chain; absent when trades settle on none. */
  readonly queryWallet?: QueryWallet | undefined
}

/** A request with all its results. */
interface Checked {
  readonly requestId: number
  readonly isBatch: boolean
  readonly results: readonly Uint8Array[]
}

export class CoreIntake {
  readonly #options: CoreIntakeOptions
  readonly #directory: Directory
  readonly #intake: Intake
  readonly #reader = new ResultReader()
  readonly recalled = new RecalledMarkets(this)
  /** Null when trades settle on no chain. */
  readonly #wallets: WalletChecks | null
  /** Checked while the intake was paused; the bound on orders under way bounds them. */
  #held: Checked[] = []
  #isPaused = false

  constructor(options: CoreIntakeOptions) {
    this.#options = options
    this.#directory = new Directory(options.domain)
    this.#intake = new Intake(this.#directory, options.orderSkewMs)
    const { queryWallet } = options
    this.#wallets = queryWallet === undefined ? null : new WalletChecks(queryWallet)
  }

  /** Resolves when this thread can hash; submit no order before. */
  async ready(): Promise<void> {
    await keccakReady
  }

  /** Checks one request unless an edge thread did, and reports its results to the listener. */
  submit(request: IntakeRequest): void {
    const { requestId, form = FORM.ORDER, verdict } = request
    if (verdict !== undefined && form === FORM.ORDER && !this.#isPaused) {
      const result = firstPart(bufferOf(verdict))
      if (this.#wallets === null || !walletDecides(result)) {
        this.#reportOne(requestId, result)
        return
      }
    }
    const results: Uint8Array[] = []
    // The results are kept first: an error in the pipeline is not a fault of the check.
    if (verdict === undefined) {
      this.#intake.answer(request, (result) => results.push(new Uint8Array(result)))
    } else {
      const view = bufferOf(verdict)
      // The memory of the verdict is reused.
      eachPart(view, 0, view.length, (part) => {
        results.push(this.#isPaused ? new Uint8Array(part) : part)
      })
    }
    const checked = { requestId, isBatch: form !== FORM.ORDER, results }
    if (this.#wallets !== null && results.some(walletDecides)) {
      void this.#queryWallets(this.#wallets, checked, request)
    } else this.#take(checked)
  }

  #take(checked: Checked): void {
    if (this.#isPaused) this.#held.push(checked)
    else this.#report(checked)
  }

  /** Takes the results once the wallets have decided. Other requests go on meanwhile. */
  async #queryWallets(
    wallets: WalletChecks,
    { results, ...checked }: Checked,
    { requestId, form = FORM.ORDER, nowMs }: IntakeRequest,
  ): Promise<void> {
    const address = this.#options.addressOf?.({ requestId, form }) ?? ''
    const decisions = results.map(async (each): Promise<Uint8Array> => {
      // The memory of the result is reused.
      const result = new Uint8Array(each)
      if (!walletDecides(result)) return result
      const caller = { profileId: callerOf(result), address }
      return decidedResult(result, await wallets.decide(queryOf(result), caller, nowMs))
    })
    const decided = await Promise.all(decisions).catch((error: unknown) => {
      const reason = `the query of a wallet failed: ${reasonOf(error)}`
      this.#break(requestId, reason, { next: 0, count: checked.isBatch ? WHOLE_BATCH : 0 })
      return null
    })
    if (decided !== null) this.#take({ ...checked, results: decided })
  }

  /** The result of a request of one order. */
  #reportOne(requestId: number, bytes: Uint8Array): void {
    const broke = this.#read(bytes, requestId)
    const { onResult } = this.#options
    onResult(broke === null ? ofOrder(this.#reader.result) : brokenResult(requestId, broke))
  }

  #report({ requestId, isBatch, results }: Checked): void {
    const { onResult, onPart } = this.#options
    let next = 0
    let count = isBatch ? WHOLE_BATCH : 0
    for (const bytes of results) {
      const broke = this.#read(bytes, requestId)
      if (broke !== null) {
        this.#break(requestId, broke, { next, count })
        return
      }
      const { result, index, task } = this.#reader
      count = this.#reader.count
      next = index + 1
      if (count === 0) onResult(ofOrder(result))
      else if (count === WHOLE_BATCH) onPart(result, { index: 0, count: 0, task: null })
      else onPart(result, { index, count, task })
    }
  }

  /** Why the request of this result broke; null when it did not. */
  #read(bytes: Uint8Array, requestId: number): string | null {
    try {
      this.#reader.read(bytes, requestId)
    } catch (error) {
      return `a result did not decode: ${error instanceof Error ? error.message : error}`
    }
    const { result } = this.#reader
    return result.kind === 'refused' ? (result.broke?.error.message ?? null) : null
  }

  /** Reports a fault for a request of one order, or for the orders of a batch from `next` on. */
  #break(
    requestId: number,
    reason: string,
    { next, count }: { readonly next: number; readonly count: number },
  ): void {
    const { onResult, onPart } = this.#options
    const result = brokenResult(requestId, reason)
    if (count === 0) onResult(result)
    else if (count === WHOLE_BATCH) onPart(result, { index: 0, count: 0, task: null })
    else for (let index = next; index < count; index++) onPart(result, { index, count, task: null })
  }

  /** Holds results back until `resume`. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    const held = this.#held
    this.#held = []
    for (const [index, checked] of held.entries()) {
      // An order may begin another pause.
      if (this.#isPaused) {
        this.#held = [...held.slice(index), ...this.#held]
        return
      }
      this.#report(checked)
    }
  }

  /** Requests that are held back. */
  get heldCount(): number {
    return this.#held.length
  }

  addToken(token: TokenEntry): void {
    const { tokenNo, tokenId, profileId, account, scopes } = token
    const secretBase64 = Buffer.from(token.secret).toString('base64')
    this.#change({ kind: 'token', tokenNo, tokenId, profileId, account, scopes, secretBase64 })
  }

  revokeToken(tokenId: string): void {
    this.#change({ kind: 'revoke', tokenId })
  }

  addMarket(market: MarketEntry): void {
    const { marketId, book, slug, yesTokenId, noTokenId, feeEnabled } = market
    const { exchangeAddress, adapterAddress = null, poolAddress } = market
    const ids = { marketId, book, slug, yesTokenId, noTokenId }
    const venue = { exchangeAddress, adapterAddress, poolAddress }
    this.#change({ kind: 'market', ...ids, ...venue, feeEnabled })
  }

  /** Trades settle on a chain; `wallets` is null until it has answered. */
  setChain(wallets: WalletCode | null): void {
    this.#change({ kind: 'chain', wallets })
  }

  archiveMarket(slug: string): void {
    this.#change({ kind: 'archive', slug })
  }

  /** Forgets a profile; its tokens stay known. */
  forgetProfile(profileId: ProfileId): void {
    this.#change({ kind: 'forget', profileId })
  }

  /** Adds or replaces a profile; does nothing for a profile without partner and wallet. */
  putProfile(profile: ProfileEntry | null): void {
    if (profile !== null) this.#change({ kind: 'profile', ...profile })
  }

  #change(change: DirectoryChange): void {
    this.#options.mirror?.(change)
    this.#directory.apply(change)
  }
}
