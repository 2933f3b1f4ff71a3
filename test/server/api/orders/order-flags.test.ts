import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { NO_FLAGS, ORDER_FLAGS } from '../../../../engine/domain/order-flags.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { type LiveExchange, startLive, type Trader } from '../../../support/live-exchange.ts'
import { type LiveMarket, orderBody } from '../../../support/live-orders.ts'

// Each flag of an order, in every place that has it.

const SHARE = 1_000_000
const QUIET = { ticks: 100, sizeRaw: SHARE }
const dataDir = newFolder()
let live: LiveExchange
let rain: LiveMarket
let alice: Trader

before(async () => {
  live = await startLive({ dataDir })
  rain = await live.openMarket('rain')
  alice = await live.trader(1_000 * SHARE)
})
after(async () => {
  await live.stop()
  assert.deepEqual(live.faults, [])
})

const ROWS = [null, ...ORDER_FLAGS].map((row) => ({
  fields: row === null ? {} : { [row.name]: true },
  expected: row === null ? NO_FLAGS : { ...NO_FLAGS, [row.name]: true },
}))
const names = ORDER_FLAGS.map(({ name }) => name)
const flagsIn = (order: unknown) => Object.fromEntries(names.map((name) => [name, at(order, name)]))

async function flagsById(orderId: string): Promise<unknown> {
  const reply = await live.call(alice, 'GET', `/orders/${orderId}`)
  assert.equal(reply.status, 200, reply.text)
  return flagsIn(at(reply.body, 'order'))
}

test('a flag comes back in each reply, after a restart, and from the journal alone', async () => {
  const placed: { readonly orderId: string; readonly expected: object }[] = []
  for (const { fields, expected } of ROWS) {
    const reply = await live.place(alice, rain, QUIET, fields)
    assert.equal(reply.status, 201, reply.text)
    assert.deepEqual(flagsIn(at(reply.body, 'order')), expected)
    const orderId = textAt(reply.body, 'order', 'id')
    assert.deepEqual(await flagsById(orderId), expected)
    placed.push({ orderId, expected })
  }
  for (const lost of [[], ['read.db', 'read.db-wal', 'read.db-shm'], ['snapshots', 'read.db']]) {
    await live.stop()
    for (const name of lost) rmSync(join(dataDir, name), { recursive: true, force: true })
    live = await startLive({ dataDir })
    for (const { orderId, expected } of placed) {
      assert.deepEqual(await flagsById(orderId), expected, `without ${lost.join(' ')}`)
    }
    const listed = await live.call(alice, 'GET', '/markets/rain/user-orders')
    assert.ok(Array.isArray(listed.body), listed.text)
    assert.deepEqual(
      listed.body.map(flagsIn).reverse(),
      placed.map(({ expected }) => expected),
    )
  }
})

test('an order with another flag is another order, and its first reply has the flag', async () => {
  const send = (body: object) => live.call(alice, 'POST', '/orders?replay=true', body)
  for (const { name } of ORDER_FLAGS) {
    const body = { ...orderBody(alice, rain, QUIET), [name]: true }
    const first = await send(body)
    assert.equal(first.status, 201, first.text)
    assert.equal((await send(body)).text, first.text)
    const other = await send({ ...body, [name]: false })
    assert.equal(other.status, 409, other.text)
  }
})
