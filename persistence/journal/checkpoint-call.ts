import { assert } from '../../engine/domain/assert.ts'

// The words between the journal's thread, which asks for checkpoints, and the checkpoint thread,
// which makes them. Nobody waits for an answer: the journal's thread looks between two commits.
//
// Words (i32): 0 state │ 1 frames in the WAL │ 2 frames copied │ 3 microseconds
//
//   CLOSED ──open──▶ RESTING ──ask──▶ ASKED ──finish──▶ FINISHED ──take──▶ RESTING
//   any state ──end──▶ ENDED
//
// Invariant: words 1 to 3 are written under ASKED and read under FINISHED.

const STATE = { closed: 0, resting: 1, requested: 2, finished: 3, ended: 4 } as const
const LOG = 1
const COPIED = 2
const MICROS = 3
const WORDS = 4
const SLEEP_MS = 1000

/** What a checkpoint left behind. */
export interface WalState {
  /** Frames in the WAL when the checkpoint began. */
  readonly logFrames: number
  /** Those of them that are in the database. */
  readonly copiedFrames: number
}

export class CheckpointCall {
  readonly #words: Int32Array
  /** The frames of the checkpoint that was taken last, and its time. */
  logFrames = 0
  copiedFrames = 0
  micros = 0

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared)
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)
  }

  /** Journal: its connection is open, so that another may open the file too. */
  open(): void {
    this.#step(STATE.closed, STATE.resting)
    Atomics.notify(this.#words, 0)
  }

  /** Journal: asks for a checkpoint. False while the last one is under way or was not taken. */
  request(): boolean {
    const requested = this.#step(STATE.resting, STATE.requested)
    if (requested) Atomics.notify(this.#words, 0)
    return requested
  }

  /** Journal: true when a checkpoint has ended; its figures are in the fields then. */
  take(): boolean {
    if (Atomics.load(this.#words, 0) !== STATE.finished) return false
    this.logFrames = this.#words[LOG]
    this.copiedFrames = this.#words[COPIED]
    this.micros = this.#words[MICROS]
    return this.#step(STATE.finished, STATE.resting)
  }

  /** Whether a checkpoint was asked for and has not ended. */
  get isRequested(): boolean {
    return Atomics.load(this.#words, 0) === STATE.requested
  }

  /** Checkpoint thread: sleeps until the journal is open; false at the end. */
  waitForJournal(): boolean {
    return this.#waitWhile((state) => state === STATE.closed)
  }

  /** Checkpoint thread: sleeps until a checkpoint is asked for; false at the end. */
  waitForAsk(): boolean {
    return this.#waitWhile((state) => state !== STATE.requested)
  }

  /** Checkpoint thread: the checkpoint that was asked for is over. */
  finish({ logFrames, copiedFrames }: WalState, micros: number): void {
    assert(copiedFrames <= logFrames, 'a checkpoint copies what is in the WAL')
    this.#words[LOG] = logFrames
    this.#words[COPIED] = copiedFrames
    this.#words[MICROS] = Math.max(1, Math.ceil(micros))
    this.#step(STATE.requested, STATE.finished)
  }

  /** Main: the checkpoint thread ends after what it is doing. */
  end(): void {
    Atomics.store(this.#words, 0, STATE.ended)
    Atomics.notify(this.#words, 0)
  }

  #waitWhile(isWaiting: (state: number) => boolean): boolean {
    let state = Atomics.load(this.#words, 0)
    while (state !== STATE.ended && isWaiting(state)) {
      Atomics.wait(this.#words, 0, state, SLEEP_MS)
      state = Atomics.load(this.#words, 0)
    }
    return state !== STATE.ended
  }

  #step(from: number, to: number): boolean {
    return Atomics.compareExchange(this.#words, 0, from, to) === from
  }
}
