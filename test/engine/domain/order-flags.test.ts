import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flagBits, flagsOf, NO_FLAGS, ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import { blankPlace } from '../../../engine/wire/place-codec.ts'

// The two functions that are written out know each row of the table.

test('each flag is its own bit and no other, both ways', () => {
  const names = ORDER_FLAGS.map(({ name }) => name)
  assert.deepEqual(Object.keys(NO_FLAGS), names)
  assert.deepEqual(flagsOf(0), NO_FLAGS)
  for (const { name, bit } of ORDER_FLAGS) {
    assert.deepEqual(flagsOf(bit), { ...NO_FLAGS, [name]: true })
    assert.equal(flagBits({ [name]: true }), bit, name)
    assert.equal(flagBits(flagsOf(0xff & ~bit)) & bit, 0, name)
  }
})

test('a blank order has no flag', () => {
  assert.equal(flagBits(blankPlace()), 0)
  for (const name of Object.keys(NO_FLAGS)) assert.ok(name in blankPlace(), name)
})
