import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { orderBody } from '../support/live-orders.ts'
import { accepted, type Reply } from '../support/replies.ts'

// Texts that are short after they are trimmed: the text before that has a bound as well.

const {
  live,
  rain: market,
  alice,
} = await exchange({
  flags: [],
  markets: ['rain'],
  traders: { alice: 1_000_000_000 },
})

afterEach(async () => {
  await live.call(alice, 'DELETE', '/orders/all/rain')
})

const GIVEN_MAX = LIMITS.clientOrderIdGivenCharactersMax
const RULE = /at most 128 characters, and 1024 including surrounding spaces/

const padded = (name: string, length: number) => name.padEnd(length, ' ')
const operation = (clientOrderId: string, replacement: object = orderBody(alice, market)) => ({
  cancel: { clientOrderId },
  replacement,
  mode: 'ALLOW_FAILURE',
})

/** Every route that takes a client order id, with a call that sends one. */
const ROUTES: Readonly<Record<string, (clientOrderId: string) => Promise<Reply>>> = {
  'POST /orders': (clientOrderId) => live.place(alice, market, {}, { clientOrderId }),
  'POST /orders/batch': (clientOrderId) =>
    live.call(alice, 'POST', '/orders/batch', {
      orders: [{ ...orderBody(alice, market), clientOrderId }],
    }),
  'POST /orders/cancel': (clientOrderId) =>
    live.call(alice, 'POST', '/orders/cancel', { clientOrderId }),
  'POST /orders/batch-cancel': (clientOrderId) =>
    live.call(alice, 'POST', '/orders/batch-cancel', { clientOrderIds: [clientOrderId] }),
  'POST /orders/status/batch': (clientOrderId) =>
    live.call(alice, 'POST', '/orders/status/batch', { items: [{ clientOrderId }] }),
  'POST /orders/cancel-replace': (clientOrderId) =>
    live.call(alice, 'POST', '/orders/cancel-replace', operation(clientOrderId)),
  'POST /orders/cancel-replace of a replacement': (clientOrderId) =>
    live.call(
      alice,
      'POST',
      '/orders/cancel-replace',
      operation('x', { ...orderBody(alice, market), clientOrderId }),
    ),
  'POST /orders/cancel-replace/batch': (clientOrderId) =>
    live.call(alice, 'POST', '/orders/cancel-replace/batch', {
      operations: [operation(clientOrderId)],
    }),
}

for (const [route, send] of Object.entries(ROUTES)) {
  test(`${route}: too many spaces around a client id are refused with the bound`, async () => {
    for (const length of [GIVEN_MAX + 1, 8_000, 40_000, 60_000]) {
      for (const name of [padded('x', length), 'x'.padStart(length, ' ')]) {
        const reply = await send(name)
        assert.ok(reply.status < 500, reply.text)
        assert.match(reply.text, RULE, `${length} characters`)
      }
    }
    const taken = await send(padded(`mine-${route}`, GIVEN_MAX))
    assert.ok(taken.status < 500, taken.text)
    assert.doesNotMatch(taken.text, RULE)
  })
}

test('a client id with the most spaces allowed still cancels its order', async () => {
  const made = await live.placed(alice, market, {}, { clientOrderId: padded('spaced', GIVEN_MAX) })
  assert.equal(at(made.body, 'execution', 'clientOrderId'), 'spaced')
  const body = operation('spaced'.padStart(GIVEN_MAX, ' '))
  const reply = await accepted(live.call(alice, 'POST', '/orders/cancel-replace', body))
  assert.equal(at(reply.body, 'cancel', 'clientOrderId'), 'spaced')
})

test('twenty operations with the longest client ids are all answered', async () => {
  const wide = '\u{1f642}'.repeat(128)
  const operations = Array.from({ length: LIMITS.batchReplacesMax }, (_, index) => ({
    ...operation(`${wide.slice(6)}${index}`),
    mode: 'STOP_ON_FAILURE',
  }))
  const reply = await live.call(alice, 'POST', '/orders/cancel-replace/batch', { operations })
  assert.equal(reply.status, 200, reply.text)
  const results = at(reply.body, 'results')
  assert.ok(Array.isArray(results) && results.length === operations.length)
  for (const result of results)
    assert.equal(at(result, 'cancel', 'error', 'code'), 'ORDER_NOT_FOUND')
})

test('a refusal shortens a long field name of the body', async () => {
  for (const name of ['x'.repeat(50_000), '\ud800'.repeat(9_000), '"'.repeat(20_000)]) {
    const body = { ...orderBody(alice, market), [name]: 1 }
    const reply = await live.call(alice, 'POST', '/orders', body)
    assert.equal(reply.status, 400, reply.text)
    assert.ok(reply.text.length < 8_000)
  }
})
