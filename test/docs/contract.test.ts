import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api } from '../../server/api/routes.ts'
import { DOCUMENTED_CHANNELS } from '../../server/api/streams/schema/asyncapi.ts'
import { CONTRACT_LIMITS, NAMED_CALLS } from '../support/contract-names.ts'
import { CONTRACT_CALLS, CONTRACT_CHANNELS, type ContractRow } from '../support/contract-rows.ts'

// The table of the contract in server/docs/api.md: each row is a call that is there, and a test
// that is there; each call that is there stands in the table, or is an addition.

const ROOT = new URL('../../', import.meta.url)
const CALLS = [...CONTRACT_CALLS, ...NAMED_CALLS]
const ROWS = [...CALLS, ...CONTRACT_CHANNELS, ...CONTRACT_LIMITS]
const known = new Map(api.map((each) => [`${each.method} ${each.path}`, each]))

/** Calls of this exchange that the contract does not name. Those of operators are none of it. */
const ADDITIONS: Readonly<Record<string, readonly string[]>> = {
  DELETE: [
    '/auth/sessions',
    '/order-groups/:orderGroupId',
    '/orders/all',
    '/parlay/offers/:id',
    '/profiles/:account/follow',
    '/profiles/me/partner',
    '/profiles/x/connection',
  ],
  GET: [
    '/',
    '/assets/:file',
    '/asyncapi.json',
    '/auth/api-tokens/capabilities',
    '/categories',
    '/demo/traders',
    '/docs',
    '/docs/:page',
    '/docs/asyncapi',
    '/docs/openapi',
    '/exchange-info',
    '/fees',
    '/health',
    '/market-pages/by-path',
    '/markets/:slug/locked-balance',
    '/markets/:slug/trades',
    '/markets/orderbooks',
    '/markets/tickers',
    '/openapi.json',
    '/order-groups',
    '/order-groups/:orderGroupId',
    '/orders',
    '/orders/:orderId',
    '/orders/:orderId/queue',
    '/orders/queue',
    '/parlay/offers',
    '/parlay/partner/positions',
    '/parlay/partner/positions/:id',
    '/parlay/positions',
    '/parlay/positions/:id',
    '/parlay/positions/search',
    '/portfolio/:account/history',
    '/portfolio/:account/positions',
    '/portfolio/:account/traded-volume',
    '/portfolio/balance',
    '/portfolio/fills',
    '/portfolio/points',
    '/portfolio/trading/allowance',
    '/profiles/following',
    '/profiles/partner-accounts',
    '/profiles/public/:account',
    '/property-keys',
    '/property-keys/:id',
    '/property-keys/:id/options',
    '/ready',
    '/referral/usdc/me',
    '/solvency',
    '/solvency/proof',
    '/time',
  ],
  PATCH: ['/profiles/me'],
  POST: [
    '/order-groups',
    '/order-groups/:orderGroupId/reset',
    '/orders/:orderId/amend',
    '/orders/amend/batch',
    '/orders/batch',
    '/orders/cancel-replace',
    '/orders/cancel-replace/batch',
    '/parlay/offers',
    '/parlay/offers/:id/accept',
    '/parlay/partner/buy',
    '/parlay/partner/positions/:id/claim',
    '/parlay/partner/positions/:id/claim/confirm',
    '/parlay/partner/quote',
    '/portfolio/convert',
    '/portfolio/merge',
    '/portfolio/split',
    '/profiles/partner-accounts',
    '/profiles/x/connection',
  ],
  PUT: ['/profiles', '/profiles/:account/follow'],
}

const callsOf = (rows: readonly ContractRow[]) => rows.flatMap(({ of }) => of)

test('every call of the table is a route, each once', () => {
  const calls = callsOf(CALLS)
  assert.equal(new Set(calls).size, calls.length)
  const everywhere = [...calls, ...callsOf(CONTRACT_LIMITS)].filter((each) => /^[A-Z]+ /.test(each))
  assert.ok(everywhere.length > 90, `${everywhere.length} calls`)
  assert.deepEqual(
    everywhere.filter((call) => !known.has(call)),
    [],
  )
})

test('every route stands in the table, or is an addition that is named here', () => {
  const reported = new Set(callsOf(CALLS))
  const unreported = [...known].filter(
    ([call, { rateClass }]) => rateClass !== 'admin' && !reported.has(call),
  )
  const additions = Object.entries(ADDITIONS).flatMap(([method, paths]) =>
    paths.map((path) => `${method} ${path}`),
  )
  assert.deepEqual(unreported.map(([call]) => call).sort(), additions.sort())
})

test('every channel of the table is one of the sockets', () => {
  const channels = new Set(DOCUMENTED_CHANNELS.map(({ name }) => name))
  for (const name of callsOf(CONTRACT_CHANNELS)) assert.ok(channels.has(name), name)
})

test('every test of the table exists, in the file that the table names', () => {
  assert.ok(ROWS.length > 90, `${ROWS.length} rows`)
  const texts = new Map<string, string>()
  for (const { file, test: name } of ROWS) {
    const path = `test/${file}.test.ts`
    const text = texts.get(path) ?? readFileSync(new URL(path, ROOT), 'utf8')
    texts.set(path, text)
    const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``]
    assert.ok(
      quoted.some((each) => text.includes(each)),
      `${path}: ${name}`,
    )
  }
})

test('each call that is only named, and each limit, has a test of its own name', () => {
  const named = [...NAMED_CALLS, ...CONTRACT_LIMITS].map(({ test: name }) => name)
  assert.equal(new Set(named).size, named.length)
  for (const { of, test: name } of NAMED_CALLS) assert.ok(name.startsWith(`${of[0]}: `), name)
  for (const { test: name } of CONTRACT_LIMITS) assert.ok(name.startsWith('limit: '), name)
})
