import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { cancelAllInSlices } from '../../../../server/api/orders/cancel-replies.ts'
import type { FailedCancel } from '../../../../server/api/orders/cancels.ts'
import { AllCanceled } from '../../../../server/api/orders/cancels.ts'
import { SlicedWork } from '../../../../server/api/reads/sliced-work.ts'
import { Bytes } from '../../../../server/edge/http/reply.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { openForTest } from '../../../support/open-pipeline.ts'

const ROWS = LIMITS.cancelRowsMax

/** As long as the ids of orders are. */
const idOf = (at: number) => String(at).padStart(36, '0')

function open(at: number): FailedCancel {
  return { orderId: idOf(at), reason: 'UNKNOWN_ERROR', message: 'no', retryable: true }
}

interface Count {
  readonly canceled: number
  readonly failed: number
  /** The orders from this one on traded. */
  readonly tradedFrom: number
}

/** Of canceled orders, as they come in parts. */
function outcomeOf({ canceled, failed, tradedFrom }: Count): AllCanceled {
  const outcome = new AllCanceled()
  const rows = Array.from({ length: canceled }, (_, at) => {
    const filledSharesRaw = at < tradedFrom ? 0 : 3 * at
    return { orderId: idOf(at), filledSharesRaw, filledCollateralRaw: at, leftRaw: 7 }
  })
  for (let from = 0; from < canceled; from += 4096) {
    outcome.addCanceled(rows.slice(from, from + 4096))
  }
  outcome.addFailed(Array.from({ length: failed }, (_, at) => open(at)))
  return outcome
}

/** The reply, and how many ticks of the event loop it took. */
async function replyTo(outcome: AllCanceled) {
  const { pipeline, stop } = await openForTest(newFolder(), { nowMs: 1_800_000_000_000 })
  let nowMs = 0
  let rounds = 0
  const slices = new SlicedWork({
    // Each look at the time ends a slice.
    clock: () => nowMs++,
    later: (run) => {
      rounds++
      setImmediate(run)
    },
    sliceMs: 1,
    jobsMax: 8,
  })
  const out = await cancelAllInSlices(outcome, { slices, pipeline }, { profileId: 1 })
  await stop()
  assert.ok(out instanceof Bytes)
  const text = String(out.payload)
  return { status: out.status, bytes: text.length, body: JSON.parse(text), rounds }
}

test('the reply to a cancel of very many orders is encoded in slices', async () => {
  for (const [failed, status] of [
    [0, 200],
    [1, 207],
  ]) {
    const outcome = outcomeOf({ canceled: 4500, failed, tradedFrom: 0 })
    const { body, rounds, ...rest } = await replyTo(outcome)
    assert.equal(rest.status, status)
    const { message, ...lists } = body
    assert.equal(typeof message, 'string')
    const ids = Array.from({ length: 4500 }, (_, at) => idOf(at))
    const rows = new Map(
      ids.map((orderId, at) => {
        const averagePrice = at === 0 ? null : '0.333333'
        const filled = { filledSize: String(3 * at), remainingSize: '7', averagePrice }
        return [orderId, { orderId, ...filled }]
      }),
    )
    // The first order traded nothing, so its row is the last one.
    const orders = [...ids.slice(1), ids[0]].map((id) => rows.get(id))
    assert.deepEqual(lists, { canceled: ids, orders, failed: failed === 0 ? [] : [open(0)] })
    assert.ok(rounds >= 8, `${rounds} ticks of the event loop`)
  }
})

test('the reply to a cancel of as many orders as a profile may have can be kept', async () => {
  const canceled = LIMITS.openOrdersPerProfileMax
  const outcome = outcomeOf({ canceled, failed: ROWS + 1, tradedFrom: canceled - 5 })
  const { body, bytes } = await replyTo(outcome)
  assert.equal(body.canceled.length, canceled)
  assert.deepEqual([body.orders.length, body.failed.length], [ROWS, ROWS])
  const shown = body.orders.slice(0, 6).map(({ orderId }: { orderId: string }) => orderId)
  assert.deepEqual(shown, [...body.canceled.slice(-5), idOf(0)], 'those that traded come first')
  assert.ok(bytes < LIMITS.unreadReplyBytes.address, `${bytes} bytes`)
})
