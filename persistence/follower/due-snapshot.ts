import { setImmediate as nextTick } from 'node:timers/promises'
import type { Exchange } from '../../engine/core/exchange.ts'
import { balanceDigest } from '../../engine/core/state/balance-digest.ts'
import { assert, Fault } from '../../engine/domain/assert.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { DataFolderError } from '../folder-error.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { saveSnapshot, type TakenSnapshot, takeSnapshot } from '../snapshot/snapshot.ts'
import type { SavedSnapshot, SnapshotOrder } from './follower-thread.ts'
import type { RememberedOrders } from './remembered-orders.ts'

// The snapshot ordered by main. The follower stops at its seq until it is taken.

interface SnapshotSource {
  readonly exchange: Exchange
  readonly remembered: RememberedOrders
}

export class DueSnapshot {
  readonly #folder: KeyedFolder
  readonly #exchange: Exchange
  readonly #checksumAt: (seq: Seq) => Uint8Array | null
  readonly #remembered: RememberedOrders
  #due: SnapshotOrder | null = null

  constructor(
    folder: KeyedFolder,
    { exchange, remembered }: SnapshotSource,
    checksumAt: (seq: Seq) => Uint8Array | null,
  ) {
    this.#folder = folder
    this.#exchange = exchange
    this.#checksumAt = checksumAt
    this.#remembered = remembered
  }

  /** The seq at which the follower must stop on its way to `targetSeq`. */
  stopSeq(targetSeq: Seq): Seq {
    return Math.min(targetSeq, this.#due?.seq ?? targetSeq)
  }

  /** Orders a snapshot at a seq that the state has not passed. */
  order(due: SnapshotOrder): void {
    assert(this.#due === null, 'one snapshot is taken at a time')
    assert(
      due.seq >= this.#exchange.clearing.lastSeq,
      'a snapshot is ordered before its seq is durable',
    )
    this.#due = due
  }

  /**
   * Takes the ordered snapshot if the state is at its seq, otherwise returns null. Balances that
   * differ from main's are a fault: one of two replays of the same journal is wrong.
   */
  take(tail: JournalTail): Promise<SavedSnapshot> | null {
    const due = this.#due
    const { clearing } = this.#exchange
    if (due === null || due.seq !== clearing.lastSeq) return null
    this.#due = null
    if (balanceDigest(clearing) !== due.balances) {
      throw new Fault(`the balances of main and of the follower differ at seq ${due.seq}`)
    }
    return this.#save(takeSnapshot(this.#exchange, tail))
  }

  /** A snapshot that cannot be saved only makes the next start longer. Trading continues. */
  async #save(taken: TakenSnapshot): Promise<SavedSnapshot> {
    const startMs = performance.now()
    // Reads wait while the state is copied, so the next commands are applied before the rest of the
    // work.
    await nextTick()
    this.#checkInvariants()
    let bytes = 0
    let failure: string | null = null
    try {
      const written = await saveSnapshot(this.#folder, taken, this.#checksumAt)
      this.#remembered.areSaved(written.savedNames)
      bytes = written.bytes
    } catch (error) {
      if (!(error instanceof DataFolderError)) throw error
      failure = error.message
    }
    return { seq: taken.head.seq, bytes, tookMs: performance.now() - startMs, failure }
  }

  /**
   * Invariants hold between any two commands, so it does not matter how far the state has moved.
   */
  #checkInvariants(): void {
    const broken = this.#exchange.checkInvariants()
    if (broken === null) return
    throw new Fault(`the state at seq ${this.#exchange.clearing.lastSeq} is invalid: ${broken}`)
  }
}
