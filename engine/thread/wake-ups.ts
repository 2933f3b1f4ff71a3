// Hot path. Wakes readers of several rings through another thread. Waking a sleeping thread costs
// the caller ten microseconds, and main has a ring to each market. So main marks the readers with
// new frames and wakes only the journal thread, which wakes the marked readers before it commits. A
// market is then woken once per batch and matches during the disk write.
//
// Words (i32): 0 any mark │ 16.. a mark per place │ 16 + PLACES.. asleep, per place
// Invariant: a reader is marked before the record that makes the journal thread check for marks.

const PLACES = 64
const MARKS = 16
const ASLEEP = MARKS + PLACES

/** The word on which a reader waits; 1 while it sleeps. */
export interface SleepWord {
  readonly words: Int32Array
  readonly at: number
}

export class WakeUps {
  readonly shared: SharedArrayBuffer
  readonly #words: Int32Array

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared
    this.#words = new Int32Array(shared)
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer((ASLEEP + PLACES) * 4)
  }

  /** Marks that the reader of this place may have new frames. */
  mark(place: number): void {
    Atomics.store(this.#words, MARKS + place, 1)
    Atomics.store(this.#words, 0, 1)
  }

  /** Wakes all marked readers that sleep. */
  ring(): void {
    const words = this.#words
    if (Atomics.exchange(words, 0, 0) === 0) return
    for (let place = 0; place < PLACES; place++) {
      if (Atomics.load(words, MARKS + place) === 0) continue
      Atomics.store(words, MARKS + place, 0)
      wake({ words, at: ASLEEP + place })
    }
  }

  sleepWordOf(place: number): SleepWord {
    return { words: this.#words, at: ASLEEP + place }
  }
}

/** Wakes the reader of this word if it sleeps. */
export function wake({ words, at }: SleepWord): void {
  if (Atomics.load(words, at) === 0) return
  Atomics.store(words, at, 0)
  Atomics.notify(words, at)
}
