// Feeds the rows of a workload to a pipeline as the intake would, with encoded PLACE records.

import { expiresAtMs } from '../../engine/core/decide/decide.ts'
import { assert } from '../../engine/domain/assert.ts'
import { REJECT, Reject } from '../../engine/domain/reject-precedence.ts'
import { blankPlace, decodePlaceInto, encodePlace } from '../../engine/wire/place-codec.ts'
import type { Pipeline } from '../../server/exchange/pipeline.ts'
import { RELEASING } from '../../server/exchange/sequencer/sequencer.ts'
import { tokenNoOf } from './setting.ts'
import { OP, type Workload } from './workload.ts'
import { hashLowOf, orderOf, placeNew, requestOf } from './workload-order.ts'

export interface FeedOptions {
  /** Every second order has a client order id. */
  readonly isNamed?: boolean
}

export class WorkloadFeed {
  readonly #work: Workload
  readonly #pipeline: Pipeline
  readonly #isNamed: boolean
  readonly #records: Uint8Array[] = []
  readonly #slotOf: Int32Array
  readonly #generationOf: Int32Array
  readonly #order = blankPlace()
  readonly #request = requestOf(this.#order)
  /** Bytes journaled so far. */
  bytes = 0

  constructor(work: Workload, pipeline: Pipeline, { isNamed = false }: FeedOptions = {}) {
    this.#work = work
    this.#pipeline = pipeline
    this.#isNamed = isNamed
    this.#slotOf = new Int32Array(work.count)
    this.#generationOf = new Int32Array(work.count)
    const encoded = Array.from({ length: work.count }, (_none, row) => this.#encode(row))
    // All records are in one buffer, as from the intake, so that one view of it is enough.
    let at = 0
    const all = new Uint8Array(encoded.reduce((sum, record) => sum + record.length, 0))
    for (const record of encoded) {
      all.set(record, at)
      this.#records.push(all.subarray(at, at + record.length))
      at += record.length
    }
  }

  #encode(row: number): Uint8Array {
    if (this.#work.op[row] === OP.CANCEL) return new Uint8Array(0)
    // Hashes of real orders are spread over all numbers, and so are names that clients make.
    const hash = hashLowOf(row + 1)
    const order = orderOf(this.#work, row, hash)
    if (!this.#isNamed || row % 2 === 1) return encodePlace(order)
    const name = hash.toString(16).padStart(8, '0')
    return encodePlace({ ...order, clientOrderId: `${name}-${name}-${name}` })
  }

  /** False, and nothing done, when the rings are full. Calls `done` once the command is durable. */
  send(row: number, done: () => void): boolean {
    if (this.#work.op[row] === OP.PLACE) return this.#place(row, done)
    return this.#work.isExpiry[row] === 1 ? this.#expire(row, done) : this.#cancel(row, done)
  }

  #place(row: number, done: () => void): boolean {
    const record = this.#records[row]
    const order = this.#order
    decodePlaceInto(record, order)
    this.#request.tokenNo = tokenNoOf(order.accountId)
    this.#request.ownerId = order.accountId
    const refusal = placeNew(this.#pipeline.sequencer, this.#request, record)
    if (refusal === REJECT.OVERLOADED) return false
    assert(refusal === null, 'an order of the workload passes every gate')
    this.#slotOf[row] = order.slot
    this.#generationOf[row] = order.generation
    this.bytes += record.length
    this.#pipeline.publisher.whenReceipt(order.seq, order.nowMs, done)
    return true
  }

  /**
   * Lets the target's expiry pass. The sequencer finds due orders, and the target is the only one.
   */
  #expire(row: number, done: () => void): boolean {
    const { sequencer, clearing, publisher } = this.#pipeline
    const seq = clearing.lastSeq + 1
    sequencer.emitDue(expiresAtMs(this.#work.expirationSec[this.#work.target[row]]))
    if (clearing.lastSeq < seq) return false
    assert(clearing.lastSeq === seq, 'one order expires at a time')
    this.bytes += 48
    publisher.whenReceipt(seq, 0, done)
    return true
  }

  #cancel(row: number, done: () => void): boolean {
    const target = this.#work.target[row]
    const order = { slot: this.#slotOf[target], generation: this.#generationOf[target] }
    const refusal = this.#pipeline.cancels.whyNot(this.#work.owner[row], order)
    assert(refusal === null, 'a cancel of the workload names a live order')
    const seq = this.#pipeline.sequencer.cancel(this.#work.book[row], [order])
    if (seq === RELEASING || seq instanceof Reject) return false
    this.bytes += 48
    this.#pipeline.publisher.whenReceipt(seq, 0, done)
    return true
  }
}

/**
 * Sends the rows from `from` to `to` (excluded) with `inFlight` at once. Resolves when all are
 * durable.
 */
export function flood(
  feed: WorkloadFeed,
  { from, to, inFlight = 1024 }: { from: number; to: number; inFlight?: number },
): Promise<void> {
  let next = from
  let ended = from
  let isDue = false
  return new Promise((resolve) => {
    const done = () => {
      if (++ended === to) resolve()
      else if (!isDue) {
        isDue = true
        queueMicrotask(pump)
      }
    }
    const pump = () => {
      isDue = false
      while (next < to && next - ended < inFlight && feed.send(next, done)) next++
    }
    pump()
  })
}
