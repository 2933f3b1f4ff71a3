import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { OrderIds } from '../../../../server/exchange/read-model/order-ids.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const keyOf = (name: string) => createHash('sha256').update(name).digest()
const ids = new OrderIds(keyOf('one'))
const word = () => fc.integer({ min: 0, max: 0xffff_ffff })

test('an id is a UUIDv4 text that decodes to its slot and generation', () => {
  fc.assert(
    fc.property(word(), word(), (slot, generation) => {
      const text = ids.text(slot, generation)
      assert.match(text, UUID_V4)
      assert.deepEqual(ids.parse(text), { slot, generation })
    }),
    { numRuns: 2000 },
  )
})

test('an id with a changed digit or of another key, or any other UUID, is no order id', () => {
  const text = ids.text(7, 3)
  const digits = [...Array(text.length).keys()].filter((at) => text[at] !== '-')
  for (const at of digits) {
    const other = text[at] === '0' ? '1' : '0'
    assert.equal(ids.parse(text.slice(0, at) + other + text.slice(at + 1)), null)
  }
  assert.equal(new OrderIds(keyOf('two')).parse(text), null)
  assert.equal(ids.parse('7c9e6679-7425-40de-944b-e07fc1f90ae7'), null)
  assert.equal(ids.parse(''), null)
})

test('neighbouring orders have ids without similarity', () => {
  const first = ids.text(1, 1)
  const second = ids.text(2, 1)
  const same = [...first].filter((digit, at) => digit === second[at] && digit !== '-').length
  assert.ok(same < 12, `${same} of 32 digits are the same`)
})

test('the ids of many orders are the ids of each', () => {
  const refs = fc.array(fc.record({ slot: word(), generation: word() }), { maxLength: 50 })
  fc.assert(
    fc.property(refs, (orders) => {
      const each = orders.map(({ slot, generation }) => ids.text(slot, generation))
      assert.deepEqual(ids.texts(orders), each)
    }),
  )
})
