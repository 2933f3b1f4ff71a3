import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { accepted, type Reply } from '../../../support/replies.ts'

// Trading modes as clients and operators meet them (rules §4.6, §12.7).

const HOUR_MS = 3_600_000
const { live, rain, alice } = await exchange({
  markets: ['rain'],
  traders: { alice: 1_000_000_000 },
})

afterEach(async () => {
  for (const window of await windows()) await end(Number(at(window, 'id')))
})

async function windows(): Promise<unknown[]> {
  const { body } = await live.operator('GET', '/admin/trading-modes')
  const list = at(body, 'windows')
  assert.ok(Array.isArray(list))
  return list
}

async function restrict(mode: string, fields: object = {}): Promise<number> {
  const made = await accepted(live.admin('/admin/trading-modes', { mode, ...fields }), 201)
  return Number(at(made.body, 'id'))
}

async function end(id: number): Promise<void> {
  await accepted(live.operator('DELETE', `/admin/trading-modes/${id}`))
}

function restingId(): Promise<string> {
  return live.ordered(alice, rain)
}

/** Each way to cancel, with an order of its own. */
async function cancelCalls(): Promise<(() => Promise<Reply>)[]> {
  const ids = [await restingId(), await restingId(), await restingId(), await restingId()]
  await restingId()
  return [
    () => live.call(alice, 'DELETE', `/orders/${ids[0]}`),
    () => live.call(alice, 'POST', '/orders/cancel', { orderId: ids[1] }),
    () => live.call(alice, 'POST', '/orders/batch-cancel', { orderIds: [ids[2]] }),
    () => live.call(alice, 'POST', '/orders/cancel-batch', { orderIds: [ids[3]] }),
    () => live.call(alice, 'DELETE', '/orders/all/rain'),
    () => live.call(alice, 'DELETE', '/orders/all'),
  ]
}

function assertRestricted(reply: Reply, mode: string, code: string, resumeAt: string | null): void {
  assert.equal(reply.status, 425, reply.text)
  const { message, ...rest } = Object(reply.body)
  assert.equal(typeof message, 'string')
  assert.deepEqual(rest, { error: 'Too Early', statusCode: 425, code, mode, resumeAt })
}

const ROWS = [
  { mode: 'post_only', code: 'post_only_mode', postOnly: true, cancels: true },
  { mode: 'cancel_only', code: 'cancel_only_mode', postOnly: false, cancels: true },
  { mode: 'disabled', code: 'trading_disabled', postOnly: false, cancels: false },
] as const

for (const { mode, code, postOnly, cancels } of ROWS) {
  test(`${mode}: every call it bars is 425 with mode and resumeAt; others pass`, async () => {
    const calls = await cancelCalls()
    const endsAt = new Date(live.nowMs() + HOUR_MS).toISOString()
    await restrict(mode, { endsAt })
    assertRestricted(await live.place(alice, rain), mode, code, endsAt)
    const quiet = await live.place(alice, rain, {}, { postOnly: true })
    if (postOnly) assert.equal(quiet.status, 201, quiet.text)
    else assertRestricted(quiet, mode, code, endsAt)
    for (const cancel of calls) {
      const reply = await cancel()
      if (cancels) assert.equal(reply.status, 200, reply.text)
      else assertRestricted(reply, mode, code, endsAt)
    }
    for (const window of await windows()) await end(Number(at(window, 'id')))
    assert.equal((await live.place(alice, rain)).status, 201, 'trading is normal again')
    await accepted(live.call(alice, 'DELETE', '/orders/all/rain'))
    assert.equal(live.balances(alice).reservedRaw, 0)
  })
}

for (const { mode, code, postOnly } of ROWS) {
  test(`${mode}: each blocked leg of a cancel-replace has this code, also in a batch`, async () => {
    const quiet = { postOnly: true }
    const steps: [object, string][] = []
    for (const [fields, then] of [
      [{}, 'STOP_ON_FAILURE'],
      [{}, 'ALLOW_FAILURE'],
      [quiet, 'STOP_ON_FAILURE'],
      [quiet, 'ALLOW_FAILURE'],
    ] as const) {
      const orderId = await restingId()
      const replaced = fields === quiet && postOnly ? 'SUCCESS' : 'FAILURE'
      const replacement = { ...orderBody(alice, rain), ...fields }
      steps.push([{ cancel: { orderId }, replacement, mode: then }, replaced])
    }
    await restrict(mode)
    const legsOf = (legs: unknown) => [
      at(legs, 'cancel', 'status'),
      at(legs, 'cancel', 'error', 'code'),
      at(legs, 'replacement', 'status'),
      at(legs, 'replacement', 'error', 'code'),
    ]
    // A replacement that the mode bars leaves the old order where it is.
    const wanted = steps.map(([, replaced]) =>
      replaced === 'SUCCESS'
        ? ['SUCCESS', undefined, 'SUCCESS', undefined]
        : ['FAILURE', 'NOT_ATTEMPTED', 'FAILURE', code],
    )
    // The first two operations go alone, the others in one request.
    for (const [index, [operation]] of steps.slice(0, 2).entries()) {
      const reply = await live.call(alice, 'POST', '/orders/cancel-replace', operation)
      assert.deepEqual([reply.status, legsOf(reply.body)], [409, wanted[index]])
    }
    const operations = steps.slice(2).map(([operation]) => operation)
    const batch = await live.call(alice, 'POST', '/orders/cancel-replace/batch', { operations })
    assert.equal(batch.status, 200, batch.text)
    const reported = [0, 1].map((index) => legsOf(at(batch.body, 'results', index)))
    assert.deepEqual(reported, wanted.slice(2))
    for (const window of await windows()) await end(Number(at(window, 'id')))
    assert.equal((await live.call(alice, 'DELETE', '/orders/all/rain')).status, 200)
    assert.equal(live.balances(alice).reservedRaw, 0)
  })
}

test('a batch of orders is answered 425 order by order, with mode and resumeAt', async () => {
  const endsAt = new Date(live.nowMs() + HOUR_MS).toISOString()
  await restrict('post_only', { endsAt })
  const orders = [orderBody(alice, rain), { ...orderBody(alice, rain), postOnly: true }]
  const batch = await live.call(alice, 'POST', '/orders/batch', { orders })
  const [restricted, taken] = Object(at(batch.body, 'results'))
  const { message, ...rest } = restricted
  const alone = { error: 'Too Early', statusCode: 425, code: 'post_only_mode' }
  const expected = { index: 0, status: 425, ...alone, mode: 'post_only', resumeAt: endsAt }
  assert.deepEqual([typeof message, rest], ['string', expected])
  assert.equal(at(taken, 'status'), 201)
  assert.equal((await live.call(alice, 'DELETE', '/orders/all/rain')).status, 200)
})

test('while trading is disabled every cancel is 425, also of an unknown order', async () => {
  await restrict('disabled')
  const none = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  for (const reply of [
    await live.call(alice, 'DELETE', `/orders/${none}`),
    await live.call(alice, 'POST', '/orders/cancel', { clientOrderId: 'none' }),
    await live.call(alice, 'POST', '/orders/batch-cancel', { clientOrderIds: ['none'] }),
    await live.call(alice, 'DELETE', '/orders/all/rain'),
    await live.call(alice, 'DELETE', '/orders/all'),
  ]) {
    assertRestricted(reply, 'disabled', 'trading_disabled', null)
  }
  const wrong = await live.call(alice, 'DELETE', '/orders/all/nowhere')
  assert.equal(wrong.status, 404, 'the check of the market comes first')
})

test('the mode is checked after the market and before the receive window', async () => {
  await restrict('cancel_only')
  const late = { recvWindow: 100, timestamp: live.nowMs() - 101 }
  const reply = await live.place(alice, rain, {}, late)
  assertRestricted(reply, 'cancel_only', 'cancel_only_mode', null)
  const lost = await live.place(alice, rain, {}, { ...late, marketSlug: 'nowhere' })
  assert.equal(lost.status, 404, lost.text)
})

test('maintenance shows the windows in force and the scheduled ones', async () => {
  const status = async (query = '') => (await live.send('GET', `/maintenance/status${query}`)).body
  assert.deepEqual(await status(), { active: [], scheduled: [] })
  const startsAt = new Date(live.nowMs() + HOUR_MS).toISOString()
  const endsAt = new Date(live.nowMs() + 2 * HOUR_MS).toISOString()
  const first = { startsAt, endsAt, publicMessage: 'An update.' }
  await restrict('disabled', first)
  // A time may also be in Unix ms.
  await restrict('post_only', { endsAt: Date.parse(endsAt) })
  for (const query of ['', '?target=trading']) {
    const body = await status(query)
    const effects = (mode: string) => [{ target: 'trading', mode }]
    assert.deepEqual(at(body, 'scheduled'), [{ ...first, effects: effects('disabled') }])
    assert.equal(at(body, 'active', 1), undefined)
    const { startsAt: began, ...active } = Object(at(body, 'active', 0))
    assert.ok(Math.abs(Date.parse(began) - live.nowMs()) < 60_000)
    assert.deepEqual(active, { endsAt, publicMessage: '', effects: effects('post_only') })
  }
  for (const query of ['?target=amm', '?target=', '?goal=trading']) {
    assert.equal((await live.send('GET', `/maintenance/status${query}`)).status, 400, query)
  }
})

test('a window ends at its time, and of two open windows the stricter one wins', async () => {
  await restrict('post_only', { endsAt: live.nowMs() + 2 * HOUR_MS })
  const endsAt = new Date(live.nowMs() + HOUR_MS).toISOString()
  await restrict('disabled', { endsAt })
  assert.equal(at((await live.operator('GET', '/admin/trading-modes')).body, 'mode'), 'disabled')
  assertRestricted(await live.place(alice, rain), 'disabled', 'trading_disabled', endsAt)
  live.shiftClock(HOUR_MS)
  assert.equal(at((await live.operator('GET', '/admin/trading-modes')).body, 'mode'), 'post_only')
  assert.equal((await live.place(alice, rain)).status, 425)
  live.shiftClock(HOUR_MS)
  assert.deepEqual(await windows(), [])
  await live.placed(alice, rain)
  assert.equal((await live.call(alice, 'DELETE', '/orders/all/rain')).status, 200)
})

test('a wrong window is refused, and only operators reach its routes', async () => {
  const past = live.nowMs() - 1
  const bad = [
    {},
    { mode: 'normal' },
    { mode: 'halted' },
    { mode: 'disabled', endsAt: past },
    { mode: 'disabled', endsAt: 'tomorrow' },
    { mode: 'disabled', startsAt: 'today' },
    { mode: 'disabled', startsAt: past + 2 * HOUR_MS, endsAt: past + HOUR_MS },
    { mode: 'disabled', publicMessage: 'x'.repeat(501) },
    { mode: 'disabled', endsAt: 8.64e15 },
    { mode: 'disabled', reason: 'none' },
  ]
  for (const body of bad) {
    const reply = await live.admin('/admin/trading-modes', body)
    assert.equal(reply.status, 400, JSON.stringify(body))
  }
  assert.equal((await live.operator('DELETE', '/admin/trading-modes/9999')).status, 404)
  assert.equal((await live.operator('DELETE', '/admin/trading-modes/0')).status, 400)
  for (const [method, path] of [
    ['GET', '/admin/trading-modes'],
    ['POST', '/admin/trading-modes'],
    ['DELETE', '/admin/trading-modes/1'],
  ]) {
    assert.equal((await live.send(method, path)).status, 401)
    assert.equal((await live.call(alice, method, path)).status, 401)
  }
  const later = await restrict('disabled', { startsAt: past })
  const [window] = await windows()
  assert.ok(Date.parse(textAt(window, 'startsAt')) > past, 'a start that is past counts as now')
  await end(later)
  assert.equal((await live.operator('DELETE', `/admin/trading-modes/${later}`)).status, 404)
  for (let count = 0; count < 64; count++) await restrict('post_only')
  const full = await live.admin('/admin/trading-modes', { mode: 'post_only' })
  assert.equal(at(full.body, 'code'), 'TRADING_WINDOW_LIMIT')
})
