import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fill, openForTest } from '../../support/open-pipeline.ts'

// After each fault of a call the server checks whether the state is torn, which is fatal.

test('a decision that throws tears the state, and no later decision is taken', async () => {
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
  assert.throws(() => sequencer.change(() => null), /no decision follows one that threw/)
  assert.throws(() => sequencer.cancel(1, []), /no decision follows one that threw/)
  assert.equal(exchange.pipeline.clearing.lastSeq, lastSeq)
})
