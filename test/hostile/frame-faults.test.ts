import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { armFault, type EdgePoint } from '../../engine/thread/fault-point.ts'
import { exchange } from '../support/exchange.ts'
import { framesOf, listening } from '../support/frame-story.ts'
import { at, textAt } from '../support/json-path.ts'
import type { Trader } from '../support/live-exchange.ts'
import type { SocketClient } from '../support/socket-client.ts'
import { closeAll } from '../support/socket-desk.ts'

// A fault in a frame costs only the sockets that should get the frame. They get a fault id and are
// disconnected, so that no frame is missing in silence. The order stands, and other accounts get
// their frames.

const SHARE = 1_000_000
const CHANNELS = ['subscribe_order_events']
const { live, rain, alice, bob } = await exchange({
  flags: ['--block-ms', '20'],
  markets: ['rain'],
  fundsRaw: 10_000 * SHARE,
  traders: ['alice', 'bob'],
})
const clients: SocketClient[] = []

afterEach(async () => {
  armFault('')
  await closeAll(live, clients)
})

async function joined(trader: Trader, channels: readonly string[]): Promise<SocketClient> {
  const client = await listening(live, trader, channels)
  clients.push(client)
  return client
}

function placed(trader: Trader, outcome: 0 | 1 = 0, ticks = 100): Promise<string> {
  return live.ordered(trader, rain, { outcome, ticks, sizeRaw: SHARE })
}

async function endedWithId(client: SocketClient): Promise<void> {
  await client.until(() => client.ends.length > 0)
  const stated = client.of('exception').at(-1)
  assert.equal(at(stated, 'code'), 'INTERNAL')
  assert.match(textAt(stated, 'faultId'), /^[0-9a-f]{12}$/)
}

const FRAME_EDGES: readonly EdgePoint[] = ['at-socket-events', 'at-socket-frame', 'at-socket-send']
for (const point of FRAME_EDGES) {
  test(`a fault ${point} costs only the sockets of that account`, async () => {
    const [broken, other] = [await joined(bob, ['subscribe_order_events']), await joined(alice, [])]
    other.socket.emit('subscribe_order_events')
    await other.take('system', 1)
    armFault(`${point}:1`)
    await placed(bob)
    await endedWithId(broken)
    assert.deepEqual(broken.of('orderEvent'), [])
    assert.equal(live.faults.splice(0).length, 1)
    const id = await placed(alice)
    await other.until(() => framesOf(other, id).length === 1)
    assert.deepEqual(other.ends, [])
    const again = await joined(bob, ['subscribe_order_events'])
    const next = await placed(bob)
    await again.until(() => framesOf(again, next).length === 1)
  })
}

test("a fault in writing to one socket leaves the account's other sockets open", async () => {
  const own = [await joined(bob, CHANNELS), await joined(bob, CHANNELS)]
  armFault('at-socket-send:1')
  const id = await placed(bob)
  const isOver = (client: SocketClient) => client.ends.length > 0
  const hasReceived = (client: SocketClient) => framesOf(client, id).length > 0
  for (const client of own) await client.until(() => isOver(client) || hasReceived(client))
  assert.deepEqual(own.map(isOver).sort(), [false, true])
  assert.deepEqual(own.map(hasReceived).sort(), [false, true])
  assert.equal(live.faults.splice(0).length, 1)
})

test('a fault in a frame of mined trades ends its sockets, and trading goes on', async () => {
  for (const point of ['at-socket-settled', 'at-socket-read']) {
    const broken = await joined(bob, ['subscribe_transactions'])
    armFault(`${point}:1`)
    await placed(alice, 1, 500)
    await placed(bob, 0, 500)
    await endedWithId(broken)
    armFault('')
    assert.ok(live.faults.splice(0).length >= 1)
    const again = await joined(bob, ['subscribe_transactions'])
    await placed(alice, 1, 500)
    await placed(bob, 0, 500)
    await again.take('tx', 1)
  }
})

test('a failed read of positions ends the sockets that wait for it', async () => {
  const broken = await joined(bob, [])
  armFault('at-socket-read:1')
  broken.socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  await endedWithId(broken)
  assert.equal(live.faults.splice(0).length, 1)
  const again = await joined(bob, [])
  again.socket.emit('subscribe_positions', { marketSlugs: ['rain'] })
  await again.take('positions', 1)
  assert.equal(await live.gauge('outcomex_faults_total{edge="http"}'), 0)
})
