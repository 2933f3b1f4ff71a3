// The disk of a simulated exchange: a chain of batches in memory. It may be slow or refuse. A crash
// may lose records that it has not reported, and may tear its last batch. It never loses what it
// reported as durable: no exchange survives a disk that lies.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { eachRecord } from '../../engine/wire/codec.ts'
import type { Batch, JournalWriter } from '../../persistence/journal/journal-port.ts'

/** How the last batch reached the disk at a crash. */
export type Tear = 'whole' | 'cut' | 'flipped'

const CAPACITY_BYTES = 1 << 21
const BATCH_RECORDS = 16

function chained(before: Uint8Array, firstSeq: number, records: Uint8Array): Uint8Array {
  return createHash('sha256').update(before).update(String(firstSeq)).update(records).digest()
}

export class SimDisk {
  #batches: Batch[] = []
  /** Main was notified that everything up to here is durable. */
  reportedSeq = 0

  get lastSeq(): number {
    return this.#batches.at(-1)?.lastSeq ?? 0
  }

  write(all: readonly Uint8Array[]): void {
    const records = Buffer.concat(all)
    const firstSeq = this.lastSeq + 1
    const before = this.#batches.at(-1)?.checksum ?? new Uint8Array(32)
    const checksum = chained(before, firstSeq, records)
    this.#batches.push({ firstSeq, lastSeq: this.lastSeq + all.length, records, checksum })
  }

  tear(how: Tear): void {
    const last = this.#batches.pop()
    if (last === undefined) return
    assert(last.lastSeq > this.reportedSeq, 'only a batch that was not reported is torn')
    const records = Buffer.from(last.records)
    if (how === 'flipped') records[records.length >> 1] ^= 1
    const torn = how === 'cut' ? records.subarray(0, (records.length >> 1) & ~7) : records
    this.#batches.push({ ...last, records: torn })
  }

  /** After a crash: drops batches behind a broken link and visits every record that is left. */
  recover(visit: (record: Uint8Array) => void): void {
    let before: Uint8Array = new Uint8Array(32)
    let good = 0
    for (const { firstSeq, records, checksum } of this.#batches) {
      if (Buffer.compare(chained(before, firstSeq, records), checksum) !== 0) break
      before = checksum
      good++
    }
    this.#batches = this.#batches.slice(0, good)
    assert(this.lastSeq >= this.reportedSeq, 'everything reported as durable is there')
    this.reportedSeq = this.lastSeq
    for (const { records } of this.#batches) eachRecord(records, visit)
  }

  /** Every batch as it is, for a replay elsewhere. */
  get batches(): readonly Batch[] {
    return this.#batches
  }
}

export class SimJournal implements JournalWriter {
  readonly durability = 'full'
  readonly #onDurable: (seq: number) => void
  readonly #disk: SimDisk
  readonly #onAppend: (seq: number, record: Uint8Array) => void
  #appended: Uint8Array[] = []
  #published = 0
  #bytes = 0
  #lastSeq: number
  /** True while the journal is full and has no space for any record. */
  isRefusing = false

  constructor(
    disk: SimDisk,
    listener: {
      onDurable: (seq: number) => void
      onAppend: (seq: number, record: Uint8Array) => void
    },
  ) {
    this.#disk = disk
    this.#onAppend = listener.onAppend
    this.#onDurable = listener.onDurable
    this.#lastSeq = disk.lastSeq
  }

  get durableSeq(): number {
    return this.#disk.reportedSeq
  }

  get waitingCount(): number {
    return this.#appended.length
  }

  freeBytes(): number {
    return this.isRefusing ? 0 : Math.max(0, CAPACITY_BYTES - this.#bytes)
  }

  append(seq: number, record: Uint8Array): void {
    assert.equal(seq, this.#lastSeq + 1, 'the journal has no gap')
    assert(this.freeBytes() >= record.length, 'a record is appended only when it fits')
    this.#lastSeq = seq
    this.#appended.push(new Uint8Array(record))
    this.#bytes += record.length
    this.#onAppend(seq, record)
  }

  send(): void {
    this.#published = this.#appended.length
  }

  cut(): boolean {
    if (this.isRefusing) return false
    this.send()
    this.commit(this.#published)
    return true
  }

  /** Puts up to `count` published records on the disk; main does not know yet. */
  commit(count: number): void {
    const batch = this.#appended.slice(0, Math.min(count, this.#published))
    if (batch.length === 0) return
    this.#disk.write(batch)
    this.#appended = this.#appended.slice(batch.length)
    this.#published -= batch.length
    for (const record of batch) this.#bytes -= record.length
  }

  /** Main is notified that everything on the disk is durable. */
  report(): void {
    if (this.#disk.lastSeq === this.#disk.reportedSeq) return
    this.#disk.reportedSeq = this.#disk.lastSeq
    this.#onDurable(this.#disk.reportedSeq)
  }

  /** Ends the process: `count` more records reach the disk, the last batch of them torn. */
  crash(count: number, tear: Tear): void {
    let left = Math.min(count, this.#published)
    while (left > 0) {
      const size = Math.min(left, BATCH_RECORDS)
      this.commit(size)
      left -= size
    }
    if (tear !== 'whole' && this.#disk.lastSeq > this.#disk.reportedSeq) this.#disk.tear(tear)
  }

  stop(): Promise<void> {
    this.send()
    this.commit(this.#published)
    this.report()
    return Promise.resolve()
  }
}
