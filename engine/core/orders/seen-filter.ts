// Hot path. bench/core.bench.ts
// A filter of keys, in 2.1 to 4.3 bytes per key (3.1 on average over all sizes). It answers that a
// key is certainly new, or that it may be present. One thread adds; another thread reads the same
// shared memory.
//
// A cuckoo filter in segments that split. It stores 32 mixed bits of a key: 16 bits select a
// bucket, and 16 bits are the mark. The mark is in a cell of that bucket or of the alternative
// bucket, which follows from bucket and mark. The first `depth` bits of a mark select its segment.
// A full segment splits in two by the next bit of its marks. Each mark stays in its bucket, and no
// other segment changes (1 to 3 ms). So a key is always identified by 32 bits. Of n keys, 8 cells
// contain 8n / 2^(18 + depth) marks that differ in 16 − depth bits. A new key is mistaken for an
// old one with probability n / 2^31: 0.05% at a million keys, 0.5% at ten million, 5% at a hundred
// million. The seed is secret, so no one can choose keys that fill one bucket.
//
// Invariants: a mark is never 0; an added mark can be found, except while `version` is odd; a
// segment no longer changes after it was split.

import { assert } from '../../domain/assert.ts'

const BUCKET_BITS = 16
const BUCKET_CELLS = 4
const MARK_BITS = 16
export const SEGMENT_CELLS = BUCKET_CELLS << BUCKET_BITS
const SEGMENT_HEAD_BYTES = 64
export const SEGMENT_BYTES = SEGMENT_HEAD_BYTES + SEGMENT_CELLS * 2
const FULL_COUNT = Math.floor(SEGMENT_CELLS * 0.94)
/** Of the capacity of all segments. Almost every key of a fuller filter splits a segment. */
const NEARLY_FULL = 0.9
const MOVES_MAX = 512

/** A segment in the form sent to another thread. It contains the marks that begin with `prefix`. */
export interface SharedSegment {
  readonly depth: number
  readonly prefix: number
  readonly shared: SharedArrayBuffer
}

/** A restored filter continues in the memory of its captured segments. */
export interface CapturedSegment extends SharedSegment {
  /** Cells in use. */
  readonly count: number
}

interface Segment extends SharedSegment {
  readonly cells: Uint16Array
  readonly version: Int32Array
  count: number
}

/** The cells of a segment, in buckets; 0 = an empty cell. */
export function cellsOf({ shared }: Pick<SharedSegment, 'shared'>): Uint16Array {
  return new Uint16Array(shared, SEGMENT_HEAD_BYTES, SEGMENT_CELLS)
}

function segmentOf(segment: SharedSegment & { readonly count?: number }): Segment {
  const { depth, prefix, shared, count = 0 } = segment
  const version = new Int32Array(shared, 0, 1)
  return { depth, prefix, shared, cells: cellsOf(segment), version, count }
}

/** Memory for an empty segment. */
export function emptyCells(): SharedArrayBuffer {
  return new SharedArrayBuffer(SEGMENT_BYTES)
}

function emptySegment(depth: number, prefix: number): Segment {
  return segmentOf({ depth, prefix, shared: emptyCells() })
}

function shareOf({ depth, prefix, shared }: Segment): SharedSegment {
  return { depth, prefix, shared }
}

function copyOf({ depth, prefix, cells, count }: Segment): CapturedSegment {
  const shared = emptyCells()
  cellsOf({ shared }).set(cells)
  return { depth, prefix, shared, count }
}

function mixOf(high: number, low: number, seed: number): number {
  let mixed = low ^ seed
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  mixed = (mixed ^ (mixed >>> 16)) + Math.imul(high, 0x9e3779b1) + seed
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}

function markOf(mixed: number): number {
  const mark = mixed >>> 16
  return mark === 0 ? 1 : mark
}

/** The alternative bucket of a mark. Applied twice, it returns the first bucket. */
function otherBucket(bucket: number, mark: number): number {
  return bucket ^ (Math.imul(mark, 0x5bd1e995) >>> (32 - BUCKET_BITS)) ^ 1
}

function holds(cells: Uint16Array, bucket: number, mark: number): boolean {
  const cell = bucket * BUCKET_CELLS
  return (
    cells[cell] === mark ||
    cells[cell + 1] === mark ||
    cells[cell + 2] === mark ||
    cells[cell + 3] === mark
  )
}

function putIn(cells: Uint16Array, bucket: number, mark: number): boolean {
  const first = bucket * BUCKET_CELLS
  for (let cell = first; cell < first + BUCKET_CELLS; cell++) {
    if (cells[cell] !== 0) continue
    cells[cell] = mark
    return true
  }
  return false
}

export class SeenFilter {
  /** Indexed by the first `#depth` bits of a mark. Several entries may refer to one segment. */
  #directory: Segment[] = []
  #depth = 0
  readonly #seed: number
  #new: Segment[] = []
  #draw = 1

  /** Writer and readers have the same seed. */
  constructor(seed: number) {
    this.#seed = seed | 0
  }

  get #segments(): ReadonlySet<Segment> {
    return new Set(this.#directory)
  }

  /** Memory of all segments. */
  get bytes(): number {
    return this.#segments.size * SEGMENT_BYTES
  }

  get isNearlyFull(): boolean {
    const segments = [...this.#segments]
    const count = segments.reduce((sum, segment) => sum + segment.count, 0)
    return count >= segments.length * FULL_COUNT * NEARLY_FULL
  }

  /** False if the key was certainly never added. Any thread may call it. */
  mayHold(high: number, low: number): boolean {
    if (this.#directory.length === 0) return false
    const mixed = mixOf(high, low, this.#seed)
    const mark = markOf(mixed)
    const bucket = mixed & 0xffff
    const { cells, version } = this.#directory[mark >>> (MARK_BITS - this.#depth)]
    const before = Atomics.load(version, 0)
    if (holds(cells, bucket, mark) || holds(cells, otherBucket(bucket, mark), mark)) return true
    // The search may have missed a mark that was moving between its two buckets. This must be an
    // update: a plain load could run before the earlier loads.
    return (before & 1) === 1 || Atomics.or(version, 0, 0) !== before
  }

  /** For the writing thread only. A key that looks like an old one needs no second cell. */
  add(high: number, low: number): void {
    if (this.#directory.length === 0) this.#place(emptySegment(0, 0))
    const mixed = mixOf(high, low, this.#seed)
    const mark = markOf(mixed)
    let bucket = mixed & 0xffff
    let homeless = mark
    for (;;) {
      const segment = this.#directory[homeless >>> (MARK_BITS - this.#depth)]
      const { cells } = segment
      const other = otherBucket(bucket, homeless)
      if (holds(cells, bucket, homeless) || holds(cells, other, homeless)) return
      if (segment.count < FULL_COUNT) {
        segment.count++
        if (putIn(cells, bucket, homeless) || putIn(cells, other, homeless)) return
        if (this.#freeCapacity(segment, bucket, homeless)) return
        bucket = this.#homelessBucket
        homeless = this.#homelessMark
      }
      this.#split(segment)
    }
  }

  #homelessBucket = 0
  #homelessMark = 0

  /**
   * Moves marks to their alternative buckets until each has a cell. Returns false if one is left
   * over.
   */
  #freeCapacity({ cells, version }: Segment, atBucket: number, newMark: number): boolean {
    Atomics.add(version, 0, 1)
    let bucket = atBucket
    let mark = newMark
    for (let moves = 0; moves < MOVES_MAX; moves++) {
      this.#draw = (Math.imul(this.#draw, 1664525) + 1013904223) | 0
      const cell = bucket * BUCKET_CELLS + (this.#draw >>> 30)
      const moved = cells[cell]
      cells[cell] = mark
      mark = moved
      bucket = otherBucket(bucket, mark)
      if (!putIn(cells, bucket, mark)) continue
      Atomics.add(version, 0, 1)
      return true
    }
    // The version stays odd, so that readers no longer trust this segment.
    this.#homelessBucket = bucket
    this.#homelessMark = mark
    return false
  }

  #split(segment: Segment): void {
    const { depth, prefix, cells } = segment
    assert(depth < MARK_BITS - 1, 'marks have bits left to split by')
    const halves = [emptySegment(depth + 1, prefix * 2), emptySegment(depth + 1, prefix * 2 + 1)]
    const bit = MARK_BITS - 1 - depth
    for (let cell = 0; cell < SEGMENT_CELLS; cell++) {
      const mark = cells[cell]
      if (mark === 0) continue
      const half = halves[(mark >>> bit) & 1]
      half.cells[cell] = mark
      half.count++
    }
    for (const half of halves) this.#place(half)
  }

  #place(segment: Segment): void {
    this.#new.push(segment)
    this.#enter(segment)
  }

  #enter(segment: Segment): void {
    // The first segment fills the directory; the other segments of a full set follow.
    if (this.#directory.length === 0) this.#directory = [segment]
    while (this.#depth < segment.depth) {
      this.#directory = this.#directory.flatMap((each) => [each, each])
      this.#depth++
    }
    const spread = this.#depth - segment.depth
    const first = segment.prefix << spread
    for (let entry = first; entry < first + (1 << spread); entry++) this.#directory[entry] = segment
  }

  /** The segments that a reader does not have yet. */
  takeUpdates(): readonly SharedSegment[] {
    const current = this.#segments
    const segments = this.#new.filter((segment) => current.has(segment)).map(shareOf)
    this.#new = []
    return segments
  }

  /** For a reader: it now sees all keys that the writer added before this update. */
  adopt(segments: readonly SharedSegment[]): void {
    for (const segment of segments) this.#enter(segmentOf(segment))
  }

  /** All segments, which share the memory of this filter. */
  segments(): readonly CapturedSegment[] {
    return [...this.#segments].map((segment) => ({ ...shareOf(segment), count: segment.count }))
  }

  /** All segments as a copy. */
  copy(): readonly CapturedSegment[] {
    return [...this.#segments].map(copyOf)
  }

  /** Gives an empty filter the captured segments, ready for writing. */
  restore(segments: readonly CapturedSegment[]): void {
    for (const segment of segments) this.#place(segmentOf(segment))
  }
}
