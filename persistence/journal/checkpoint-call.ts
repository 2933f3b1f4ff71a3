import { assert } from '../../engine/domain/assert.ts'

// Shared words of the journal thread, which requests checkpoints, and the checkpoint thread, which
// makes them. No thread waits for a result: the journal thread checks for it between two commits.
//
// Words (i32): 0 state │ 1 frames in the WAL │ 2 frames copied │ 3 microseconds
//
//   CLOSED ──open──▶ RESTING ──request──▶ REQUESTED ──finish──▶ FINISHED ──take──▶ RESTING
//   any state ──end──▶ ENDED
//
// Invariant: words 1 to 3 are written under REQUESTED and read under FINISHED.

const STATE = { closed: 0, resting: 1, requested: 2, finished: 3, ended: 4 } as const
const LOG = 1
const COPIED = 2
const MICROS = 3
const WORDS = 4
const SLEEP_MS = 1000

/** The state of the WAL after a checkpoint. */
export interface WalState {
  /** Frames in the WAL when the checkpoint started. */
  readonly logFrames: number
  /** How many of them are in the database. */
  readonly copiedFrames: number
}

export class CheckpointCall {
  readonly #words: Int32Array
  /** The frames and the time of the checkpoint taken last. */
  logFrames = 0
  copiedFrames = 0
  micros = 0

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared)
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)
  }

  /** Journal: its connection is open, so the file may be opened by others. */
  open(): void {
    this.#step(STATE.closed, STATE.resting)
    Atomics.notify(this.#words, 0)
  }

  /** Journal: requests a checkpoint. Returns false while the last one runs or was not taken. */
  request(): boolean {
    const requested = this.#step(STATE.resting, STATE.requested)
    if (requested) Atomics.notify(this.#words, 0)
    return requested
  }

  /** Journal: returns true if a checkpoint has ended. The fields then have its figures. */
  take(): boolean {
    if (Atomics.load(this.#words, 0) !== STATE.finished) return false
    this.logFrames = this.#words[LOG]
    this.copiedFrames = this.#words[COPIED]
    this.micros = this.#words[MICROS]
    return this.#step(STATE.finished, STATE.resting)
  }

  /** Whether a requested checkpoint has not ended. */
  get isRequested(): boolean {
    return Atomics.load(this.#words, 0) === STATE.requested
  }

  /** Checkpoint thread: sleeps until the journal is open; false at the end. */
  waitForJournal(): boolean {
    return this.#waitWhile((state) => state === STATE.closed)
  }

  /** Checkpoint thread: sleeps until a checkpoint is requested; false at the end. */
  waitForAsk(): boolean {
    return this.#waitWhile((state) => state !== STATE.requested)
  }

  /** Checkpoint thread: the requested checkpoint has ended. */
  finish({ logFrames, copiedFrames }: WalState, micros: number): void {
    assert(copiedFrames <= logFrames, 'a checkpoint copies what is in the WAL')
    this.#words[LOG] = logFrames
    this.#words[COPIED] = copiedFrames
    this.#words[MICROS] = Math.max(1, Math.ceil(micros))
    this.#step(STATE.requested, STATE.finished)
  }

  /** Main: ends the checkpoint thread after its current work. */
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
