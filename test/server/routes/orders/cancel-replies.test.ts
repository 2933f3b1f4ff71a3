import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bytes } from '../../../../server/http/reply.ts'
import { cancelAllInSlices } from '../../../../server/routes/orders/cancel-replies.ts'
import { SlicedWork } from '../../../../server/services/sliced-work.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { openForTest } from '../../../support/open-pipeline.ts'

test('the reply to a cancel of very many orders is encoded in slices', async () => {
  const { pipeline, stop } = await openForTest(newFolder(), { nowMs: 1_800_000_000_000 })
  let nowMs = 0
  let turns = 0
  const slices = new SlicedWork({
    // Each look at the time ends a slice.
    clock: () => nowMs++,
    later: (run) => {
      turns++
      setImmediate(run)
    },
    sliceMs: 1,
    jobsMax: 8,
  })
  const canceled = Array.from({ length: 4500 }, (_, at) => ({
    ...{ orderId: `id-${at}`, filledSharesRaw: 3 * at, filledCollateralRaw: at, leftRaw: 7 },
  }))
  const failed = [
    { orderId: 'late', reason: 'UNKNOWN_ERROR', message: 'no', retryable: true } as const,
  ]
  for (const [failures, status] of [
    [[], 200],
    [failed, 207],
  ] as const) {
    turns = 0
    const outcome = { canceled, failed: [...failures], anyKnown: true }
    const out = await cancelAllInSlices(outcome, { slices, pipeline }, { profileId: 1 })
    assert.ok(out instanceof Bytes)
    assert.equal(out.status, status)
    const { message, ...rest } = JSON.parse(String(out.payload))
    assert.equal(typeof message, 'string')
    const ids = canceled.map(({ orderId }) => orderId)
    const orders = ids.map((orderId, at) => ({
      ...{ orderId, filledSize: String(3 * at), remainingSize: '7' },
      averagePrice: at === 0 ? null : '0.333333',
    }))
    assert.deepEqual(rest, { canceled: ids, orders, failed: failures })
    assert.ok(turns >= 4, `${turns} turns of the event loop`)
  }
  await stop()
})
