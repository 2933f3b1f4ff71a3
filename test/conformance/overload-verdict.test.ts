import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenBy, isInconclusive, type OverloadFigures } from '../support/overload-verdict.ts'

// The figures of a minute on two cores that sender and server shared: 4.5% of the orders came due
// and were never sent.

const MIB = 2 ** 20
const SENT = 1_430_000
const TAKEN = 500_000

const lagging: OverloadFigures = {
  highest: 8400,
  beforeBytes: 300 * MIB,
  peakBytes: 600 * MIB,
  recoveryMs: 300,
  flood: {
    seconds: 60,
    begun: SENT,
    notBegun: 67_000,
    statuses: { '201': TAKEN, '503': SENT - TAKEN },
    takenSentMs: [40, 120, 180, 220, 260],
    refusedSentMs: [20, 60, 90, 110, 150],
    stallMs: 50,
  },
}
const { flood } = lagging
/** About the highest rate of 8,400 a second. */
const slowFlood = { ...flood, begun: TAKEN, notBegun: 997_000, statuses: { '201': TAKEN } }

const ROWS: readonly (readonly [string, OverloadFigures, readonly string[]])[] = [
  ['a sender that lags', lagging, []],
  ['a sender that never reaches the highest rate', { ...lagging, flood: slowFlood }, []],
  [
    'all taken at more than twice the highest rate',
    { ...lagging, flood: { ...flood, statuses: { '201': SENT } } },
    ['twice the highest rate was offered, and nothing was refused'],
  ],
  [
    'a taken order that waited 459 ms',
    { ...lagging, flood: { ...flood, takenSentMs: [40, 120, 180, 220, 459] } },
    [],
  ],
  [
    // 1.5 × (1,024 orders at 8.33 a millisecond + 150 ms) + 50 ms are 459.3 ms.
    'a taken order that waited 460 ms',
    { ...lagging, flood: { ...flood, takenSentMs: [40, 120, 180, 220, 460] } },
    ['a taken order waited past its bound'],
  ],
  [
    // 300 MiB + 256 MiB + 1 KiB for each taken order.
    'a server of 1,045 MiB',
    { ...lagging, peakBytes: 1045 * MIB },
    ['memory passed its bound'],
  ],
  [
    'a server that refuses for 2,001 ms',
    { ...lagging, recoveryMs: 2001 },
    ['no order was taken for two seconds after the flood'],
  ],
]

test('a run says nothing about refusals when all was taken and no refusal was due', () => {
  assert.equal(isInconclusive({ ...lagging, flood: slowFlood }), true)
  assert.equal(isInconclusive(lagging), false)
  const refused = { ...slowFlood, statuses: { '201': TAKEN - 1, '503': 1 } }
  assert.equal(isInconclusive({ ...lagging, flood: refused }), false)
})

for (const [name, figures, broken] of ROWS) {
  test(`the verdict on ${name}`, () => assert.deepEqual(brokenBy(figures), broken))
}
