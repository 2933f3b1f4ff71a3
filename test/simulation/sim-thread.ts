// The far end of a shard's rings, without a thread. It runs the frames of a market thread when the
// script says so. It may be slow, silent or dead.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { handleFrame, sendEventsTo } from '../../engine/shard/market-thread.ts'
import type { ShardRings } from '../../engine/shard/shard-handle.ts'
import { Ring } from '../../engine/thread/ring.ts'

/**
 * The free space a command needs before it runs; a real thread waits for main within the command.
 */
const WIDEST_ANSWER_BYTES = 256 * 1024

export class SimThread extends EventEmitter {
  readonly #input: Ring
  readonly #output: Ring
  isStalled = false
  isDead = false

  constructor(rings: ShardRings) {
    super()
    this.#input = new Ring(rings.input)
    this.#output = new Ring(rings.output)
  }

  /** Answers up to `count` frames that main has published; returns how many. */
  run(count: number): number {
    if (this.isStalled || this.isDead) return 0
    sendEventsTo(this.#output, () => assert.fail('every answer fits'))
    let done = 0
    while (done < count && this.#hasCapacity() && this.#input.next()) {
      assert(handleFrame(this.#input, this.#output), 'no frame stops a thread')
      done++
    }
    if (done > 0) this.#input.free()
    return done
  }

  #hasCapacity(): boolean {
    return this.#output.freeBytes() >= WIDEST_ANSWER_BYTES
  }

  /** Shows main the answers and wakes it up; main may notice later. */
  show(): void {
    if (this.isStalled || this.isDead) return
    this.#output.send()
    if (this.#output.takeWakeUp()) this.emit('message', 0)
  }

  /** Main learns of a death some time after the death. */
  bury(): void {
    if (this.isDead) this.emit('exit', 1)
  }
}
