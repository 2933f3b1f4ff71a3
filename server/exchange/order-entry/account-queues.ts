// While an order of an account is canceled for another (rules §4.8), the account's other requests
// wait in its queue: the funds that come free are for the replacement. Main's thread owns it.
// Invariants: an account is busy from `begin` to the end of its queue. Each waiting request runs
// once, in the order of arrival. A queue has a bound, past which it takes nothing more.

import { assert } from '../../../engine/domain/assert.ts'
import type { AccountId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

/**
 * When the next request in the queue may run. 'at once': right after this one. 'next turn': after a
 * turn of the loop, for a request that goes on by promises. 'at its end': this request has the
 * account until it calls `end`.
 */
type Then = 'at once' | 'next turn' | 'at its end'

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
    assert(queue !== undefined, 'one waits for a busy account')
    if (queue.length >= LIMITS.accountQueueMax) return false
    queue.push({ then, run })
    this.#waiting++
    return true
  }

  /** Resolves true when nobody before the caller has the account; false when the queue is full. */
  round(accountId: AccountId): Promise<boolean> {
    return new Promise((resolve) => {
      if (!this.isBusy(accountId)) resolve(true)
      else if (!this.wait(accountId, 'next turn', () => resolve(true))) resolve(false)
    })
  }

  /** Resolves true when the caller has the account, until it calls `end`; false when it cannot. */
  begin(accountId: AccountId): Promise<boolean> {
    if (this.isBusy(accountId)) {
      return new Promise((resolve) => {
        if (!this.wait(accountId, 'at its end', () => resolve(true))) resolve(false)
      })
    }
    this.#queues.set(accountId, [])
    return Promise.resolve(true)
  }

  /** Runs the waiting requests, up to the next one that has the account until its end. */
  end(accountId: AccountId): void {
    const queue = this.#queues.get(accountId)
    assert(queue !== undefined, 'what ends has begun')
    for (;;) {
      const next = queue.shift()
      if (next === undefined) {
        this.#queues.delete(accountId)
        return
      }
      this.#waiting--
      next.run()
      if (next.then === 'at once') continue
      if (next.then === 'next turn') setImmediate(() => this.end(accountId))
      return
    }
  }
}
