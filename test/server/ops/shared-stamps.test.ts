import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedStamps } from '../../../server/ops/shared-stamps.ts'
import { freshSeed, Random } from '../../support/random.ts'

const random = new Random(freshSeed())
const RANGES_KEPT = (1 << 14) - 1

test('a seq has the time of its range, as a plain list of ranges says', () => {
  const stamps = new SharedStamps()
  for (const startSeq of [0, 1_000_000]) {
    stamps.startAt(startSeq)
    assert.equal(stamps.oldestMs, 0)
    assert.equal(stamps.msOf(startSeq + 1), 0)
    const ranges: { lastSeq: number; ms: number }[] = []
    let lastSeq = startSeq
    for (let ms = 1; ms <= RANGES_KEPT * 2; ms++) {
      const width = random.below(5)
      lastSeq += width
      stamps.add(lastSeq, ms)
      if (width > 0) ranges.push({ lastSeq, ms })
      assert.equal(stamps.lastSeq, lastSeq)
      if (ms % 64 !== 0) continue
      const kept = ranges.slice(-RANGES_KEPT)
      const before = ranges.at(-RANGES_KEPT - 1)?.lastSeq ?? startSeq
      assert.equal(stamps.oldestMs, kept[0]?.ms ?? 0)
      for (let look = 0; look < 16; look++) {
        const far = random.chance(0.5)
        const seq = far ? random.between(startSeq, lastSeq + 2) : lastSeq - random.below(20)
        const isKept = seq > before && seq <= lastSeq
        const range = isKept ? kept.find((each) => each.lastSeq >= seq) : undefined
        assert.equal(stamps.msOf(seq), range?.ms ?? 0, `seq ${seq} of ${lastSeq}`)
      }
    }
  }
})
