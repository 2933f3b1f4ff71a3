import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fill, openForTest } from '../../support/open-pipeline.ts'

// The server asks after each fault of a call whether it was one of state, which is fatal.

test('a decision that throws half way is no fault of a call, and is the last', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: 1_790_000_000_000 })
  await fill(exchange, 1_000_000)
  const { sequencer } = exchange.pipeline
  const lastSeq = exchange.pipeline.clearing.lastSeq
  assert.equal(sequencer.change(() => REJECT.OVERLOADED).reject, REJECT.OVERLOADED)
  assert.equal(sequencer.isTorn, false)
  const torn = () => {
    throw new Error('bug')
  }
  assert.throws(() => sequencer.change(torn), /bug/)
  assert.equal(sequencer.isTorn, true)
  assert.throws(() => sequencer.change(() => null), /a decision that threw is the last/)
  assert.throws(() => sequencer.cancel(1, []), /a decision that threw is the last/)
  assert.equal(exchange.pipeline.clearing.lastSeq, lastSeq)
  await exchange.stop()
})
