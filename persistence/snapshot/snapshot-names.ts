import {
  type CapturedSegment,
  cellsOf,
  emptyCells,
  SEGMENT_CELLS,
} from '../../engine/core/orders/seen-filter.ts'

// The keys of remembered orders in the files of snapshots: names, for short. There may be hundreds
// of millions, so they are read and written without a copy of the whole. A segment of a filter
// (engine/core/orders/seen-filter.ts), little-endian:
//
//   0 depth u32 │ 4 prefix u32 │ 8 marks u32 │ 12 form u32 │ DENSE: every cell, u16 each
//                                                          │ SPARSE: the used cells, u32 each,
//                                                          │         then their marks, u16 each

const HEAD_BYTES = 16
export const SEGMENT_SECTION_BYTES_MAX = HEAD_BYTES + SEGMENT_CELLS * 2
const FORM = { DENSE: 0, SPARSE: 1 } as const

function bytesOf(column: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
}

/** A segment as the parts of its section. The dense form shares the memory of `segment`. */
export function segmentParts(segment: CapturedSegment): readonly Uint8Array[] {
  const { depth, prefix, count } = segment
  const cells = cellsOf(segment)
  // A mark takes six bytes in the sparse form, and a cell two in the dense form.
  const isSparse = count * 3 <= SEGMENT_CELLS
  const form = isSparse ? FORM.SPARSE : FORM.DENSE
  const head = bytesOf(Uint32Array.of(depth, prefix, count, form))
  if (!isSparse) return [head, bytesOf(cells)]
  const taken = new Uint32Array(count)
  const marks = new Uint16Array(count)
  let at = 0
  for (let cell = 0; cell < SEGMENT_CELLS; cell++) {
    if (cells[cell] === 0) continue
    taken[at] = cell
    marks[at++] = cells[cell]
  }
  return [head, bytesOf(taken), bytesOf(marks)]
}

/** Copies a section into the memory of a segment. `section` is aligned to four bytes. */
export function readSegment(section: Uint8Array): CapturedSegment {
  const { buffer, byteOffset } = section
  const [depth, prefix, count, form] = new Uint32Array(buffer, byteOffset, HEAD_BYTES / 4)
  const shared = emptyCells()
  const cells = cellsOf({ shared })
  const at = byteOffset + HEAD_BYTES
  if (form === FORM.DENSE) {
    cells.set(new Uint16Array(buffer, at, SEGMENT_CELLS))
    return { depth, prefix, count, shared }
  }
  const taken = new Uint32Array(buffer, at, count)
  const marks = new Uint16Array(buffer, at + taken.byteLength, count)
  // A start reads millions of marks, so no iterator is used, which would create a pair for each.
  for (let index = 0; index < count; index++) cells[taken[index]] = marks[index]
  return { depth, prefix, count, shared }
}
