// While an account's order is canceled for another (rules §4.8), what else the account sends
// waits in its queue: the funds that come free are the replacement's. Main's thread owns it.
// Invariants: an account is busy from `begin` to the end of its queue; each that waits runs once,
// in the order they came; a queue has a bound, past which nothing more is taken.

import { assert } from '../../../engine/domain/assert.ts'
import type { AccountId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

/**
 * When the one behind may run: at once; when a turn of the loop is over, for what goes on by
 * promises; or when the one that ran, which has the account from then on, calls `end`.
 */
type Then = 'at once' | 'next turn' | 'at its end'

interface Waiting {
  readonly then: Then
  readonly run: () => void
}

export class AccountQueues {
  readonly #queues = new Map<number, Waiting[]>()
  #waiting = 0

  /** Accounts now busy. */
  get count(): number {
    return this.#queues.size
  }

  /** All that wait. */
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

  /** Resolves true when nobody before it has the account; false when the queue is full. */
  turn(accountId: AccountId): Promise<boolean> {
    return new Promise((resolve) => {
      if (!this.isBusy(accountId)) resolve(true)
      else if (!this.wait(accountId, 'next turn', () => resolve(true))) resolve(false)
    })
  }

  /** Resolves true when the caller has the account, until its `end`; false when it cannot. */
  begin(accountId: AccountId): Promise<boolean> {
    if (this.isBusy(accountId)) {
      return new Promise((resolve) => {
        if (!this.wait(accountId, 'at its end', () => resolve(true))) resolve(false)
      })
    }
    this.#queues.set(accountId, [])
    return Promise.resolve(true)
  }

  /** Lets those that wait run, up to the next that has the account until its end. */
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
