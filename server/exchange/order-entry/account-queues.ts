// While an order of an account is replaced (rules §4.8), the account's other requests wait in its
// queue: the released funds are for the replacement. The main thread owns the queues.
// Invariants: an account is busy from `begin` to the end of its queue. Each waiting request runs
// once, in the order of arrival. A queue has a bound, and refuses more.

import { assert } from '../../../engine/domain/assert.ts'
import type { AccountId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

/**
 * When the next request in the queue may run. 'at once': right after this one. 'next tick': after a
 * tick of the event loop, for a request that continues by promises. 'when ended': this request
 * holds the account until it calls `end`.
 */
type Then = 'at once' | 'next tick' | 'when ended'

interface Waiting {
  readonly then: Then
  readonly run: () => void
}

export class AccountQueues {
  readonly #queues = new Map<number, Waiting[]>()
  #waiting = 0

  /** How many accounts are busy now. */
  get count(): number {
    return this.#queues.size
  }

  /** How many requests wait, over all accounts. */
  get waiting(): number {
    return this.#waiting
  }

  isBusy(accountId: AccountId): boolean {
    return this.#queues.has(accountId)
  }

  /** Puts `run` in the queue of a busy account; false when the queue is full. */
  wait(accountId: AccountId, then: Then, run: () => void): boolean {
    const queue = this.#queues.get(accountId)
    assert(queue !== undefined, 'a request waits for a busy account')
    if (queue.length >= LIMITS.accountQueueMax) return false
    queue.push({ then, run })
    this.#waiting++
    return true
  }

  /** Resolves true once no earlier request holds the account; false when the queue is full. */
  round(accountId: AccountId): Promise<boolean> {
    return new Promise((resolve) => {
      if (!this.isBusy(accountId)) resolve(true)
      else if (!this.wait(accountId, 'next tick', () => resolve(true))) resolve(false)
    })
  }

  /** Resolves true once the caller holds the account, until it calls `end`; false when full. */
  begin(accountId: AccountId): Promise<boolean> {
    if (this.isBusy(accountId)) {
      return new Promise((resolve) => {
        if (!this.wait(accountId, 'when ended', () => resolve(true))) resolve(false)
      })
    }
    this.#queues.set(accountId, [])
    return Promise.resolve(true)
  }

  /** Runs the waiting requests, up to the next one that holds the account until `end`. */
  end(accountId: AccountId): void {
    const queue = this.#queues.get(accountId)
    assert(queue !== undefined, '`end` follows `begin`')
    for (;;) {
      const next = queue.shift()
      if (next === undefined) {
        this.#queues.delete(accountId)
        return
      }
      this.#waiting--
      next.run()
      if (next.then === 'at once') continue
      if (next.then === 'next tick') setImmediate(() => this.end(accountId))
      return
    }
  }
}
