import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Router } from '../../../../server/edge/http/router.ts'

const router = new Router<string>()
router.add('GET', '/', 'front')
router.add('GET', '/markets/active', 'active')
router.add('GET', '/markets/active/slugs', 'slugs')
router.add('GET', '/markets/:slug', 'market')
router.add('POST', '/markets/:slug', 'edit')
router.add('GET', '/markets/:slug/orderbook', 'book')
router.add('GET', '/markets/:slug/:what/:id', 'deep')
router.add('DELETE', '/markets/:slug/orders', 'cancels')
router.add('PUT', '/markets/active/orders', 'put')

test('a path finds its route and the values in it, the first time and each later time', () => {
  const table: [path: string, target: string | null, ...values: string[]][] = [
    ['/', 'front'],
    ['/markets/active', 'active'],
    ['/markets/active/slugs', 'slugs'],
    ['/markets/active/orderbook', 'book', 'active'],
    ['/markets/rain', 'market', 'rain'],
    ['/markets/rain/orderbook', 'book', 'rain'],
    ['/markets/rain/trades/7', 'deep', 'rain', 'trades', '7'],
    ['/markets/a%2fb', 'market', 'a%2fb'],
    ['/markets/', null],
    ['/markets', null],
    ['/markets//orderbook', null],
    ['/markets/rain/', null],
    ['//', null],
    ['', null],
    ['/markets/rain/trades/7/8', null],
  ]
  for (let time = 0; time < 3; time++) {
    for (const [path, target, ...values] of table) {
      const found = router.find('GET', path)
      assert.equal(found.target, target, path)
      if (target !== null) assert.deepEqual([found.values, found.allow], [values, []], path)
    }
  }
})

test('a path without the method names the methods that it takes', () => {
  assert.deepEqual(router.find('PUT', '/markets/rain').allow, ['GET', 'POST'])
  // A literal path is one of its own: it has no methods of the `:name` in its place.
  assert.deepEqual(router.find('POST', '/markets/active').allow, ['GET'])
  assert.equal(router.find('POST', '/markets/active').target, null)
  assert.deepEqual(router.find('DELETE', '/markets/active/orders').allow, ['PUT'])
  assert.deepEqual(router.find('DELETE', '/markets/rain/orders').values, ['rain'])
  assert.deepEqual(router.find('DELETE', '/markets/active/slugs').allow, ['GET'])
  assert.deepEqual(router.find('GET', '/nowhere').allow, [])
})

test('any number of distinct paths leaves every answer right', () => {
  for (let count = 0; count < 20_000; count++) {
    assert.deepEqual(router.find('GET', `/markets/m${count}/orderbook`).values, [`m${count}`])
    assert.equal(router.find('GET', `/markets/${'x'.repeat(count % 500)}/nope`).target, null)
  }
  assert.equal(router.find('GET', '/markets/active').target, 'active')
})
