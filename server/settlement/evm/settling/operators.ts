// The accounts that send the transactions of an exchange, side by side. The chain executes what one
// account sends in its order, and what two accounts send in any order. So a transaction that
// touches the same as one that waits is sent by the account of that one. The next account sends
// when the one before it is full, late or without coins.

import type { Address } from 'viem'
import { Counts } from '../../../../engine/domain/counts.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Payload } from '../chain-client.ts'
import { CoinTrouble } from '../chain-trouble.ts'
import type { Submitted, Submitter } from '../submitter.ts'
import type { Touches } from './touches.ts'

export class Operator {
  readonly submitter: Submitter
  /** How many waiting transactions change a name, and use it. */
  readonly #changed = new Counts<string>()
  readonly #used = new Counts<string>()
  /** Transactions of an earlier process, which may touch anything. */
  #unknown: number
  /** Its coins did not pay for a transaction since the last look. */
  isPoor = false

  constructor(submitter: Submitter) {
    this.submitter = submitter
    const earlier = [...submitter.outcomes().values()]
    this.#unknown = earlier.length
    for (const done of earlier) {
      void done.then(() => {
        this.#unknown--
      })
    }
  }

  get address(): Address {
    return this.submitter.address
  }

  get isReady(): boolean {
    return !this.submitter.isFull && !this.isPoor
  }

  /** Whether something that waits here must happen before a transaction that touches these. */
  precedes({ changes, uses }: Touches): boolean {
    if (this.#unknown > 0) return true
    const isTouched = (name: string) => this.#changed.has(name) || this.#used.has(name)
    return changes.some(isTouched) || uses.some((name) => this.#changed.has(name))
  }

  note({ changes, uses }: Touches, by: 1 | -1): void {
    for (const name of changes) this.#changed.add(name, by)
    for (const name of uses) this.#used.add(name, by)
  }
}

export class Operators {
  readonly all: readonly Operator[]

  constructor(submitters: readonly Submitter[]) {
    this.all = submitters.map((submitter) => new Operator(submitter))
  }

  /**
   * The first of `able` that sends it now, one that is not late if there is one; null when it must
   * wait. While one account sends all, nothing waits for another.
   */
  pick(touches: Touches, able = this.all): Operator | null {
    const free = able.filter((each) => each.isReady && this.maySend(each, touches))
    return free.find(({ submitter }) => !submitter.isLate) ?? free.at(0) ?? null
  }

  /** Whether nothing that waits at another account must happen before. */
  maySend(operator: Operator, touches: Touches): boolean {
    return this.all.every((each) => each === operator || !each.precedes(touches))
  }

  /** Null when its coins do not pay for it, and another account may have some. */
  async submit(
    operator: Operator,
    payload: Payload,
    touches: Touches,
    nowMs: TimeMs,
  ): Promise<Submitted | null> {
    try {
      const submitted = await operator.submitter.submit(payload, nowMs)
      operator.note(touches, 1)
      void submitted.done.then(() => operator.note(touches, -1))
      return submitted
    } catch (error) {
      if (!(error instanceof CoinTrouble)) throw error
      operator.isPoor = true
      if (this.all.some(({ isPoor }) => !isPoor)) return null
      throw error
    }
  }

  /** All look for receipts, whatever happens to one. Rejects as the first that did. */
  async tick(nowMs: TimeMs): Promise<void> {
    const ticks = this.all.map((operator) => {
      operator.isPoor = false
      return operator.submitter.tick(nowMs)
    })
    for (const tick of await Promise.allSettled(ticks)) {
      if (tick.status === 'rejected') throw tick.reason
    }
  }
}
