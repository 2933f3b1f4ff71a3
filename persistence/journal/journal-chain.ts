import type { Hmac } from 'node:crypto'
import type { Seq } from '../../engine/domain/ids.ts'
import type { Batch, JournalTail } from './journal-port.ts'

// Each batch of the journal is chained to all batches before it.

export const EMPTY_TAIL: JournalTail = { seq: 0, checksum: new Uint8Array(32) }

/**
 * The checksum of a batch: a MAC over the batch and the previous checksum, so it covers all earlier
 * batches too.
 */
export function chain(mac: Hmac, before: Uint8Array, batch: Omit<Batch, 'checksum'>): Uint8Array {
  const seqs = Buffer.alloc(16)
  seqs.writeDoubleLE(batch.firstSeq, 0)
  seqs.writeDoubleLE(batch.lastSeq, 8)
  return mac.update(before).update(seqs).update(batch.records).digest()
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** The batch that follows `tail`, with these records. */
export function nextBatch(
  newMac: () => Hmac,
  tail: JournalTail,
  lastSeq: Seq,
  records: Uint8Array,
): Batch {
  const unchained = { firstSeq: tail.seq + 1, lastSeq, records }
  return { ...unchained, checksum: chain(newMac(), tail.checksum, unchained) }
}
