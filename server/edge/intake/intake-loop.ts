import { assert } from '../../../engine/domain/assert.ts'
import { type BusyCells, BusyClock } from '../../../engine/thread/busy-times.ts'
import { threadPoint } from '../../../engine/thread/fault-point.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { FROM_INTAKE, TO_INTAKE } from '../../messages/intake-layout.ts'
import { Directory, type DirectoryChange, type SigningDomain } from './directory.ts'
import { Intake } from './intake.ts'
import { AT_NOTHING, frameKey, readRequest, WORKING } from './intake-request.ts'

// The loop of an intake thread: it takes request frames and returns result frames. All checks are
// in intake.ts.

export interface IntakeThreadData {
  readonly requests: SharedArrayBuffer
  readonly results: SharedArrayBuffer
  /** The words of WORKING. */
  readonly working: SharedArrayBuffer
  readonly busyTimes: BusyCells
  readonly domain: SigningDomain
  readonly orderSkewMs: number | undefined
}

const IDLE_WAIT_MS = 1000
/**
 * Results sent to main with one wake-up while more requests wait. Each wake-up costs main, journal
 * and market about as much as an order. The first result of a batch waits for the last.
 */
const BATCH_RESULTS = 8
const ENDED_CODE = 7
const NOTHING = new Uint8Array(0)

export class IntakeLoop {
  readonly #requests: Ring
  readonly #results: Ring
  readonly #directory: Directory
  readonly #intake: Intake
  readonly #working: Int32Array
  readonly #clock: BusyClock
  readonly #sendWakeUp: () => void
  #unreported = 0

  constructor(data: IntakeThreadData, sendWakeUp: () => void) {
    this.#requests = new Ring(data.requests)
    this.#results = new Ring(data.results)
    this.#working = new Int32Array(data.working)
    this.#clock = new BusyClock(data.busyTimes)
    this.#directory = new Directory(data.domain)
    this.#intake = new Intake(this.#directory, data.orderSkewMs)
    this.#sendWakeUp = sendWakeUp
  }

  serve(): never {
    this.#clock.begin()
    this.#give(FROM_INTAKE.READY, NOTHING)
    for (;;) {
      this.#endIfRequested()
      while (this.#requests.next()) {
        this.#take()
        this.#endIfRequested()
        if (this.#unreported >= BATCH_RESULTS) this.#reportAmidWork()
      }
      this.#report()
      this.#clock.end()
      this.#requests.waitForData(IDLE_WAIT_MS)
      this.#clock.begin()
    }
  }

  #endIfRequested(): void {
    if (Atomics.load(this.#working, WORKING.ends) !== 0) process.exit(0)
  }

  #take(): void {
    const { tag, bytes } = this.#requests
    if (tag === TO_INTAKE.REQUEST) {
      Atomics.store(this.#working, WORKING.key, frameKey(bytes))
      if (threadPoint('intake-ends')) process.exit(ENDED_CODE)
      this.#intake.answer(readRequest(bytes), (result) => this.#give(FROM_INTAKE.RESULT, result))
      Atomics.store(this.#working, WORKING.key, AT_NOTHING)
      return
    }
    assert(tag === TO_INTAKE.CHANGE, 'a frame to the intake has a known tag')
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    const change: DirectoryChange = JSON.parse(text)
    this.#directory.apply(change)
  }

  #give(tag: number, whole: Uint8Array): void {
    const isGarbled = tag === FROM_INTAKE.RESULT && threadPoint('intake-garbles')
    const bytes = isGarbled ? whole.subarray(0, -1) : whole
    while (!this.#results.push(tag, bytes)) {
      this.#report()
      this.#endIfRequested()
      this.#clock.end()
      this.#results.waitForSpace()
      this.#clock.begin()
    }
    this.#unreported++
  }

  /** Reads the clock once per batch, not per order; a flood has no end of its own. */
  #reportAmidWork(): void {
    this.#report()
    this.#clock.end()
    this.#clock.begin()
  }

  #report(): void {
    this.#unreported = 0
    // The order matters: if the thread ends between the two calls, main submits these again.
    this.#results.send()
    this.#requests.free()
    if (this.#results.takeWakeUp()) this.#sendWakeUp()
  }
}
