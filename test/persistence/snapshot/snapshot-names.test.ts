import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEGMENT_CELLS, SeenFilter } from '../../../engine/core/orders/seen-filter.ts'
import {
  readSegment,
  SEGMENT_SECTION_BYTES_MAX,
  segmentParts,
} from '../../../persistence/snapshot/snapshot-names.ts'
import { freshSeed, Random } from '../../support/random.ts'

const random = new Random(freshSeed())

const word = () => random.between(0, 2 ** 32 - 1)

/** Few names stand in the sparse form, many in the dense form, more in several segments. */
for (const names of [1, SEGMENT_CELLS / 4, SEGMENT_CELLS / 2, SEGMENT_CELLS * 2]) {
  test(`${names} names of orders are in the sections of a snapshot, and more can follow`, () => {
    const seed = word() | 0
    const filter = new SeenFilter(seed)
    const keys = Array.from({ length: names }, () => [word(), word()] as const)
    for (const [high, low] of keys) filter.add(high, low)
    const sections = filter.segments().map((segment) => Buffer.concat(segmentParts(segment)))
    const longest = Math.max(...sections.map((section) => section.length))
    assert.ok(longest <= SEGMENT_SECTION_BYTES_MAX)
    assert.ok(names > SEGMENT_CELLS / 4 || longest <= 16 + 6 * names, 'few names take few bytes')
    const aligned = Buffer.alloc(SEGMENT_SECTION_BYTES_MAX)
    const read = sections.map((section) => {
      section.copy(aligned)
      return readSegment(aligned.subarray(0, section.length))
    })
    const restored = new SeenFilter(seed)
    restored.restore(read)
    for (const key of Array.from({ length: names }, () => [word(), word()] as const)) {
      keys.push(key)
      restored.add(...key)
    }
    const lost = keys.filter(([high, low]) => !restored.mayHold(high, low))
    assert.equal(lost.length, 0)
  })
}
