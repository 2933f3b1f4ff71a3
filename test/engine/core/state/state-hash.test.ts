import assert from 'node:assert/strict'
import { test } from 'node:test'
import { f64Bytes, HashedNumbers } from '../../../../engine/core/cells/columns.ts'
import { portableSha256, sha256 } from '../../../../engine/core/cells/digest.ts'
import { hashedFieldsOf } from '../../../../engine/core/cells/hashed-fields.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import type { ProfileFields } from '../../../../engine/domain/command.ts'
import type { MarketSpec } from '../../../../engine/domain/markets/market.ts'
import { nativeSha256 } from '../../../../engine/thread/native-sha256.ts'
import { CommandFlow } from '../../../support/command-flow.ts'
import { marketSpec, profileFields } from '../../../support/specs.ts'

function hashWith(profile: ProfileFields, market: MarketSpec): string {
  const exchange = new Exchange(new OrderTable(16))
  const token = null
  exchange.apply({ kind: 'createProfile', seq: 1, nowMs: 1, profileId: 1, profile, token })
  exchange.apply({ kind: 'createMarket', seq: 2, nowMs: 2, marketId: 1, book: 1, market })
  return exchange.stateHash()
}

test('a field of a later version changes no old hash until it holds something', () => {
  const [profile, market] = [profileFields(1), marketSpec(1)]
  const hash = hashWith(profile, market)
  const later = { flag: false, count: 0, text: '', list: [], none: null, absent: undefined }
  assert.equal(hashWith({ ...profile, ...later }, { ...market, ...later }), hash)
  assert.notEqual(hashWith(profile, Object.assign({ kind: 'amm' }, market)), hash)
  assert.notEqual(hashWith(Object.assign({ bio: 'hello' }, profile), market), hash)
})

test('a record gives its fields by name, whatever the order of its fields', () => {
  assert.deepEqual(hashedFieldsOf({ b: 1, a: 'x', c: 0 }), [
    ['a', 'x'],
    ['b', 1],
  ])
  assert.deepEqual(hashedFieldsOf({ c: null, a: 'x', b: 1 }), hashedFieldsOf({ b: 1, a: 'x' }))
})

test('numbers give the same hash in pieces as in one', () => {
  for (const count of [0, 1, 4096, 4097, 10_000]) {
    const numbers = Array.from({ length: count }, (_each, index) => index * 1.5 - 7)
    const hash = portableSha256()
    const pieces = new HashedNumbers(hash)
    for (const number of numbers) pieces.add(number)
    pieces.end()
    assert.deepEqual(hash.digest(), sha256(f64Bytes(numbers)), `${count} numbers`)
  }
})

test('the hash of a state does not depend on whose SHA-256 makes it', () => {
  const flow = new CommandFlow(7)
  flow.run(3000)
  const { exchange } = flow
  assert(exchange.clearing.orders.live.all > 10, 'many orders rest')
  assert.equal(exchange.stateHash(nativeSha256), exchange.stateHash())
})
