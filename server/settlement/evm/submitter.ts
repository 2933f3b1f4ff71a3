// Sends the transactions of one account of the chain, each once, through crashes, lost answers and
// reorganisations.
// Invariants: a transaction is durable before it leaves this process. A nonce belongs to one
// payload: its attempts differ in fees only, and a block holds one of them at most. Nobody else
// sends with this account.

import type { Address } from 'viem'
import { assert } from '../../../engine/domain/assert.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import {
  type ChainClient,
  coinText,
  type Fees,
  type Payload,
  type Receipt,
  type Signed,
  type Terms,
} from './chain-client.ts'
import { ChainTrouble, CoinTrouble } from './chain-trouble.ts'
import type { ChainKey } from './key/chain-key.ts'

/** One signed transaction. */
export interface Attempt extends Signed {
  readonly terms: Terms
}

export interface SubmitterParts {
  readonly chain: ChainClient
  readonly key: ChainKey
  /** Resolves when the attempt is durable. It leaves this process only then. */
  readonly keep: (attempt: Attempt) => Promise<void>
  /** The most for a unit of gas, tip included. */
  readonly maxFeeWei: bigint
  /** A transaction has happened when its block and so many less one upon it are there. */
  readonly confirmations: number
  /** Transactions that wait at once. */
  readonly pendingMax: number
  /** An attempt in no block is sent again after this, and after the next with higher fees. */
  readonly repeatMs: TimeMs
  /** Attempts that were kept and whose receipts nobody acted on yet. */
  readonly kept?: readonly Attempt[]
  /** Whether the chain was followed up to the block of a receipt; it may reject as the chain. */
  readonly hasFollowed?: (receipt: Receipt) => boolean
  /** One more than the highest nonce ever kept: a node that lags states lower ones. */
  readonly nonceMin?: number
}

export interface Submitted {
  readonly nonce: number
  /** Of the first attempt. */
  readonly hash: Signed['hash']
  /** Resolves when the transaction has happened, also when it reverted. */
  readonly done: Promise<Receipt>
}

/** Nodes drop a replacement whose fees rise by less than a tenth. */
const RAISE_PERCENT = 113n
/** Nodes behind one URL may be of different ages. */
const FOREIGN_MS = 60_000

interface Pending {
  readonly attempts: Attempt[]
  sentMs: TimeMs
  repeats: number
  /** Since when the account has used the nonce, and no attempt is known to be in a block. */
  usedSinceMs: TimeMs | null
  readonly done: Promise<Receipt>
  readonly settle: (receipt: Receipt) => void
}

function pendingOf(attempts: Attempt[], nowMs: TimeMs): Pending {
  let settle = (_receipt: Receipt) => {}
  const done = new Promise<Receipt>((resolve) => {
    settle = resolve
  })
  return { attempts, sentMs: nowMs, repeats: 0, usedSinceMs: null, done, settle }
}

export class Submitter {
  readonly #parts: SubmitterParts
  /** By nonce, rising. */
  readonly #pending = new Map<number, Pending>()
  #nextNonce: number
  /** The price of a unit of gas, and the coins of the account, at the last look. */
  #look: { readonly fees: Fees; readonly coinWei: bigint } | null = null

  private constructor(parts: SubmitterParts, nextNonce: number) {
    this.#parts = parts
    this.#nextNonce = nextNonce
  }

  /** Goes on with what was kept: its outcomes are in `outcomes`. */
  static async open(parts: SubmitterParts, nowMs: TimeMs): Promise<Submitter> {
    const { chain, key, kept = [], nonceMin = 0 } = parts
    const used = await chain.nonceOf(key.address, 'latest')
    const submitter = new Submitter(parts, Math.max(used, nonceMin))
    for (const attempt of [...kept].sort((a, b) => a.terms.nonce - b.terms.nonce)) {
      const { nonce } = attempt.terms
      const pending = submitter.#pending.get(nonce)
      if (pending === undefined) submitter.#pending.set(nonce, pendingOf([attempt], nowMs))
      else pending.attempts.push(attempt)
      submitter.#nextNonce = Math.max(submitter.#nextNonce, nonce + 1)
    }
    for (const pending of submitter.#pending.values()) await submitter.#broadcast(pending)
    return submitter
  }

  get address(): Address {
    return this.#parts.key.address
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  get isFull(): boolean {
    return this.#pending.size >= this.#parts.pendingMax
  }

  /** Whether the oldest one that waits had to be sent again. */
  get isLate(): boolean {
    const [oldest] = this.#pending.values()
    return oldest !== undefined && oldest.repeats > 0
  }

  /** By nonce: what becomes of all that waits. */
  outcomes(): ReadonlyMap<number, Promise<Receipt>> {
    return new Map([...this.#pending].map(([nonce, { done }]) => [nonce, done]))
  }

  /**
   * Resolves when the transaction is kept and sent. One call at a time. It rejects with
   * `ChainTrouble` before anything is kept, and nothing has happened.
   */
  async submit(payload: Payload, nowMs: TimeMs): Promise<Submitted> {
    assert(!this.isFull, 'the caller waits while so many transactions do')
    const { chain, key } = this.#parts
    const { fees, coinWei } = this.#look ?? (await this.#looked())
    this.#look = null
    const gas = payload.gas ?? (await chain.gasFor(payload, key.address))
    const costsWei = gas * fees.maxFeeWei
    requireCoin(key.address, coinWei, costsWei)
    this.#look = { fees, coinWei: coinWei - costsWei }
    const nonce = this.#nextNonce
    const { to, data } = payload
    const attempt = await this.#kept({ to, data, ...fees, nonce, gas })
    this.#nextNonce = nonce + 1
    const pending = pendingOf([attempt], nowMs)
    this.#pending.set(nonce, pending)
    await this.#broadcast(pending)
    return { nonce, hash: attempt.hash, done: pending.done }
  }

  async #looked() {
    const { chain, key, maxFeeWei } = this.#parts
    const fees = await chain.feesWithin(maxFeeWei)
    return { fees, coinWei: await chain.balanceWei(key.address) }
  }

  /**
   * Looks for receipts, and sends again what is in no block for long. It rejects with
   * `ChainTrouble` when the chain does not answer, and when somebody else sends with this account.
   */
  async tick(nowMs: TimeMs): Promise<void> {
    this.#look = null
    if (this.#pending.size === 0) return
    const { chain, key, confirmations, hasFollowed = () => true } = this.#parts
    const used = await chain.nonceOf(key.address, 'latest')
    const { number } = await chain.block()
    for (const [nonce, pending] of this.#pending) {
      const receipt = await chain.receiptAmong(pending.attempts)
      if (receipt !== null) {
        pending.usedSinceMs = null
        const isDeep = receipt.block + BigInt(confirmations) - 1n <= number
        if (!isDeep || nonce >= used || !hasFollowed(receipt)) continue
        this.#pending.delete(nonce)
        pending.settle(receipt)
      } else if (nonce < used) this.#noteForeign(nonce, pending, nowMs)
      else {
        pending.usedSinceMs = null
        await this.#repeat(pending, nowMs)
      }
    }
  }

  #noteForeign(nonce: number, pending: Pending, nowMs: TimeMs): void {
    pending.usedSinceMs ??= nowMs
    if (nowMs - pending.usedSinceMs < FOREIGN_MS) return
    throw new ChainTrouble(
      `${this.#parts.key.address} used its nonce ${nonce} for a transaction of somebody else; ` +
        'give the exchange an account of its own',
    )
  }

  /** The same again, in case a node lost it; then with higher fees while the bound allows it. */
  async #repeat(pending: Pending, nowMs: TimeMs): Promise<void> {
    if (nowMs - pending.sentMs < this.#parts.repeatMs) return
    pending.sentMs = nowMs
    const last = newest(pending)
    const raised = pending.repeats++ === 0 ? null : raisedFees(last.terms, this.#parts.maxFeeWei)
    if (raised !== null) pending.attempts.push(await this.#kept({ ...last.terms, ...raised }))
    await this.#broadcast(pending)
  }

  async #kept(terms: Terms): Promise<Attempt> {
    const { chain, key, keep } = this.#parts
    const attempt = { terms, ...(await chain.sign(terms, key)) }
    await keep(attempt)
    return attempt
  }

  /** Kept already, so a failure only delays it until the next tick. */
  async #broadcast(pending: Pending): Promise<void> {
    faultPoint('mid-send')
    try {
      await this.#parts.chain.broadcast(newest(pending))
      faultPoint('mid-send')
    } catch (error) {
      if (!(error instanceof ChainTrouble)) throw error
      pending.sentMs = Number.NEGATIVE_INFINITY
      pending.repeats = 0
    }
  }
}

function requireCoin(account: Address, coinWei: bigint, costsWei: bigint): void {
  if (coinWei >= costsWei) return
  throw new CoinTrouble(
    `${account} has ${coinText(coinWei)} of the chain's coin, and the next transaction may ` +
      `cost ${coinText(costsWei)}; send it some`,
  )
}

/** A node that has it refuses the earlier ones. */
function newest({ attempts }: Pending): Attempt {
  return attempts[attempts.length - 1]
}

/** Null when a replacement would cost more than the bound. */
function raisedFees({ maxFeeWei, tipWei }: Fees, boundWei: bigint): Fees | null {
  const raise = (wei: bigint) => (wei * RAISE_PERCENT) / 100n + 1n
  const raised = { maxFeeWei: raise(maxFeeWei), tipWei: raise(tipWei) }
  return raised.maxFeeWei <= boundWei ? raised : null
}
