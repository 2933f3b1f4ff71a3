import { createHash } from 'node:crypto'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { QueryWallet, WalletAnswer, WalletQuery } from '../../../messages/wallet-signature.ts'
import { Bulkhead } from '../../http/gateway/bulkheads.ts'

// Whether wallets accept signatures of orders, with the answers of the last while. The core thread
// owns it; the thread of the chain answers.
// Invariants: the waiting orders are bounded, in all, by address and by profile, and the share of
// each halves as others fill the rest (design §11). Each order is decided within the deadline.

/** Full: no capacity for the order. Too many: its caller has used its share. */
export type Decided = WalletAnswer | 'full' | 'too many'

export interface WalletCaller {
  readonly profileId: ProfileId
  /** The key of its address; '' when addresses are not counted. */
  readonly address: string
}

interface Known {
  readonly answer: 'accepts' | 'refuses'
  readonly untilMs: TimeMs
}

const { walletChecks, walletDeadlineMs, walletAnswersMax, walletAnswerMs } = LIMITS

export class WalletChecks {
  readonly #query: QueryWallet
  readonly #slots = new Bulkhead(walletChecks)
  /** The oldest answer is first, and is dropped first. */
  readonly #known = new Map<string, Known>()
  /** Queries that the chain has not answered. */
  readonly #pending = new Map<string, Promise<WalletAnswer>>()

  constructor(query: QueryWallet) {
    this.#query = query
  }

  async decide(query: WalletQuery, caller: WalletCaller, nowMs: TimeMs): Promise<Decided> {
    const key = keyOf(query)
    const known = this.#known.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.answer
    const full = this.#refusal(caller)
    if (full !== null) return full
    const pending = this.#pending.get(key) ?? this.#queryChain(key, query, nowMs)
    this.#enter(caller)
    // The slot stays taken past the deadline, because the node may still work on the call.
    void pending.finally(() => this.#leave(caller))
    return within(pending, walletDeadlineMs)
  }

  #enter({ profileId, address }: WalletCaller): void {
    this.#slots.count++
    this.#slots.profiles.add(profileId)
    if (address !== '') this.#slots.addresses.add(address)
  }

  #leave({ profileId, address }: WalletCaller): void {
    this.#slots.count--
    this.#slots.profiles.add(profileId, -1)
    if (address !== '') this.#slots.addresses.add(address, -1)
  }

  async #queryChain(key: string, query: WalletQuery, nowMs: TimeMs): Promise<WalletAnswer> {
    const pending = this.#query(query)
    this.#pending.set(key, pending)
    const answer = await pending
    this.#pending.delete(key)
    this.#known.delete(key)
    if (answer === 'silent') return answer
    this.#known.set(key, { answer, untilMs: nowMs + walletAnswerMs[answer] })
    if (this.#known.size > walletAnswersMax) {
      const [oldest] = this.#known.keys()
      this.#known.delete(oldest)
    }
    return answer
  }

  #refusal({ profileId, address }: WalletCaller): 'full' | 'too many' | null {
    if (this.#slots.isFull) return 'full'
    const fits = this.#slots.fitsProfile(profileId) && this.#slots.fitsAddress(address)
    return fits ? null : 'too many'
  }
}

/** The hash covers the wallet, the exchange and the chain. */
function keyOf({ hash, signature }: WalletQuery): string {
  return createHash('sha256').update(hash).update(signature).digest('base64')
}

/** Silent when the answer takes longer. */
function within(pending: Promise<WalletAnswer>, deadlineMs: number): Promise<WalletAnswer> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('silent'), deadlineMs)
    void pending.then((answer) => {
      clearTimeout(timer)
      resolve(answer)
    })
  })
}
