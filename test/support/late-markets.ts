// An exchange whose markets answer late. Main's decisions and its settlements are separate steps,
// and the test says whose answer main receives next. The matching itself runs when an order is
// decided, as early as a thread could do it.

import assert from 'node:assert/strict'
import { eventWords, flushEvents, onEventsReady } from '../../engine/core/book/event-buffer.ts'
import {
  cancelInMarket,
  decreaseInMarket,
  placeInMarket,
  releaseInMarket,
  resetMarkets,
} from '../../engine/core/book/market.ts'
import { Clearing } from '../../engine/core/clearing.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import { bookDigest, stateHash } from '../../engine/core/state/state-hash.ts'
import type { Command } from '../../engine/domain/command.ts'
import { concernsBook } from '../../engine/domain/command-kinds.ts'
import { EVENT_BYTES, EVENT_WORDS } from '../../engine/domain/event.ts'

const CAPACITY = 512

export class LateMarkets {
  readonly clearing = new Clearing(new OrderTable(CAPACITY))
  readonly commands: Command[] = []
  /** Answers that main has not received yet, by market. */
  readonly #unreceived = new Map<number, ArrayBuffer[]>()
  settled = 0

  /** Takes over the books of this thread. */
  constructor() {
    resetMarkets()
  }

  apply(command: Command): void {
    this.clearing.admit(command)
    this.commands.push(command)
    if (!concernsBook(command)) return
    const { marketId } = command
    onEventsReady((count) => {
      const answers = this.#unreceived.get(marketId) ?? []
      answers.push(eventWords.slice(0, count * EVENT_WORDS).buffer)
      this.#unreceived.set(marketId, answers)
    })
    if (command.kind === 'placeOrder') placeInMarket(command)
    else if (command.kind === 'releaseOrder') releaseInMarket(command)
    else if (command.kind === 'decreaseOrder') decreaseInMarket(command)
    else cancelInMarket(command)
    flushEvents()
  }

  /** Markets with an answer that main has not received. */
  get speaking(): number[] {
    return [...this.#unreceived.keys()].filter(
      (each) => (this.#unreceived.get(each)?.length ?? 0) > 0,
    )
  }

  get unreceivedCount(): number {
    let count = 0
    for (const answers of this.#unreceived.values()) count += answers.length
    return count
  }

  /**
   * Main receives the oldest answer of a market. Invariant 2: the answer lowers no free balance.
   */
  receive(marketId: number): void {
    const answer = this.#unreceived.get(marketId)?.shift()
    assert(answer !== undefined, 'main receives only an answer that was given')
    const before = this.#free()
    const count = answer.byteLength / EVENT_BYTES
    this.clearing.settle(new Int32Array(answer), new Float64Array(answer), 0, count)
    this.settled++
    const after = this.#free()
    for (const [index, raw] of before.entries()) {
      assert(after[index] >= raw, 'no answer of a market lowers a free balance')
    }
  }

  /** Free collateral of every account, then free shares of every row. */
  #free(): number[] {
    const { ledger, accounts } = this.clearing
    return [
      ...ledger.systemRaw,
      ...ledger.collateralFreeRaw.subarray(0, accounts.count + 1),
      ...ledger.sharesFreeRaw.subarray(0, ledger.rows.end * 2),
    ]
  }

  hash(): string {
    assert.equal(this.unreceivedCount, 0, 'a state is whole when every answer was received')
    return stateHash(
      this.clearing,
      this.clearing.catalogue.openBooks().map((book) => bookDigest(book)),
    )
  }
}
