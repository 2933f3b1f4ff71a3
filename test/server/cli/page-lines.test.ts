import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAdminLine } from '../../support/admin-line.ts'

// The forms of `outcomex admin` for market pages and properties.

const PAGES = '/admin/market-pages'
const KEYS = '/admin/property-keys'

const CALLS: readonly [line: string[], call: [method: string, path: string, body: unknown]][] = [
  [
    ['page', 'btc', 'Bitcoin', '--filter', 'ticker=BTC,ticker=ETH,length=day', '--hidden'],
    [
      'POST',
      PAGES,
      {
        slug: 'btc',
        name: 'Bitcoin',
        inNavigation: false,
        baseFilter: { ticker: ['BTC', 'ETH'], length: ['day'] },
      },
    ],
  ],
  [
    ['page', 'btc', 'Bitcoin', '--parent', 'p1'],
    ['POST', PAGES, { slug: 'btc', name: 'Bitcoin', parentId: 'p1' }],
  ],
  [
    ['edit-page', 'a/b', '--parent', 'none', '--slug', 'x', '--name', 'X'],
    ['PUT', `${PAGES}/a%2Fb`, { name: 'X', slug: 'x', parentId: null }],
  ],
  [
    ['remove-page', 'p1'],
    ['DELETE', `${PAGES}/p1`, null],
  ],
  [['pages'], ['GET', PAGES, null]],
  [
    ['property', 'ticker', 'Ticker', '--options', 'BTC,ETH', '--multi'],
    [
      'POST',
      KEYS,
      {
        slug: 'ticker',
        name: 'Ticker',
        type: 'multi-select',
        options: [{ value: 'BTC' }, { value: 'ETH' }],
      },
    ],
  ],
  [
    ['edit-property', 'k1', '--drop', 'BTC', '--slug', 'coin'],
    ['PUT', `${KEYS}/k1`, { slug: 'coin', removeOptions: ['BTC'] }],
  ],
  [
    ['remove-property', 'k1'],
    ['DELETE', `${KEYS}/k1`, null],
  ],
  [['properties'], ['GET', KEYS, null]],
]

for (const [line, [method, path, body]] of CALLS) {
  test(`admin ${line.join(' ')} is ${method} ${path}`, () => {
    const { call } = readAdminLine(line)
    const output: unknown = call.body === '' ? null : JSON.parse(call.body)
    assert.deepEqual([call.method, call.path, output], [method, path, body])
  })
}

const WRONG: readonly [line: string[], sentence: RegExp][] = [
  [['page', 'btc'], /^missing required argument 'NAME'/],
  [['page', 'b', 'B', '--filter', 'ticker'], /^--filter must be pairs like ticker=BTC/],
  [['page', 'b', 'B', '--options', 'x'], /^unknown option '--options'/],
  [['property', 'b', 'B', '--options', 'a=b'], /^--options must be values like BTC,ETH/],
]

for (const [line, sentence] of WRONG) {
  test(`admin ${line.join(' ')} is refused with a sentence`, () => {
    assert.throws(() => readAdminLine(line), { message: sentence })
  })
}
