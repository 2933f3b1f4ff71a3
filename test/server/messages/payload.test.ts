import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Joined, type Part } from '../../../server/messages/payload.ts'
import { fromEnv, Random } from '../../support/random.ts'

const TEXTS = ['', 'a', 'é', '€uro', '\u{1f600}\u{1f600}', 'plain text']

function joinedOf(random: Random): Joined {
  const parts = Array.from({ length: random.below(6) }, (): Part => {
    const text = TEXTS[random.below(TEXTS.length)].repeat(1 + random.below(3))
    return random.below(2) === 0 ? text : Buffer.from(text)
  })
  return new Joined(parts)
}

test('a joined body that is sent in pieces has the bytes of its parts', (t) => {
  const seed = fromEnv('SEED', Date.now() % 1e6)
  t.diagnostic(`SEED=${seed}`)
  const random = new Random(seed)
  for (let round = 0; round < 500; round++) {
    const joined = joinedOf(random)
    const whole = Buffer.concat(joined.parts.map((part) => Buffer.from(part)))
    assert.deepEqual(joined.whole(), whole)
    for (let offset = 0; offset <= whole.length; offset++) {
      const buffer = Buffer.alloc(1 + random.below(12))
      const expected = whole.subarray(offset, offset + buffer.length)
      assert.deepEqual(joined.from(offset, buffer), expected, `offset ${offset}`)
    }
  }
})
