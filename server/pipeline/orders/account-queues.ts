// While an account's order is canceled for another (rules §4.8), what else the account sends
// stands in line: the funds that come free are the replacement's. Main's thread owns it.
// Invariants: an account is held from `begin` to the end of its line; of those in line each runs
// once, in the order they came; a line has a bound, past which nothing more is taken.

import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

/**
 * When the one behind may run: at once; when a turn of the loop is over, for what goes on by
 * promises; or when the one that ran, which holds the account from then on, calls `end`.
 */
type Then = 'at once' | 'next turn' | 'at its end'

interface Waiting {
  readonly then: Then
  readonly run: () => void
}

export class AccountQueues {
  readonly #lines = new Map<number, Waiting[]>()
  #waiting = 0

  /** Accounts now held. */
  get count(): number {
    return this.#lines.size
  }

  /** All that stands in a line. */
  get waiting(): number {
    return this.#waiting
  }

  isBusy(accountId: number): boolean {
    return this.#lines.has(accountId)
  }

  /** Puts `run` in the line of a held account; false when the line is full. */
  wait(accountId: number, then: Then, run: () => void): boolean {
    const line = this.#lines.get(accountId)
    assert(line !== undefined, 'one waits for a held account')
    if (line.length >= LIMITS.accountQueueMax) return false
    line.push({ then, run })
    this.#waiting++
    return true
  }

  /** Resolves true when nobody before it holds the account; false when the line is full. */
  turn(accountId: number): Promise<boolean> {
    return new Promise((resolve) => {
      if (!this.isBusy(accountId)) resolve(true)
      else if (!this.wait(accountId, 'next turn', () => resolve(true))) resolve(false)
    })
  }

  /** Resolves true when the caller holds the account, until its `end`; false when it cannot. */
  begin(accountId: number): Promise<boolean> {
    if (this.isBusy(accountId)) {
      return new Promise((resolve) => {
        if (!this.wait(accountId, 'at its end', () => resolve(true))) resolve(false)
      })
    }
    this.#lines.set(accountId, [])
    return Promise.resolve(true)
  }

  /** Lets those in line run, up to the next that holds the account. */
  end(accountId: number): void {
    const line = this.#lines.get(accountId)
    assert(line !== undefined, 'a hold that ends has begun')
    for (;;) {
      const next = line.shift()
      if (next === undefined) {
        this.#lines.delete(accountId)
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
