import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { RawClient } from '../../../../support/raw-client.ts'
import { startToys, type ToyExchange } from './toy-exchange.ts'

const ASK = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

/** Opens connections, and waits until the server has counted each. */
async function opened(toys: ToyExchange, count: number): Promise<RawClient[]> {
  const before = toys.gateway.connections.count
  const clients = Array.from({ length: count }, () => new RawClient(toys.port))
  await until(() => toys.gateway.connections.count === before + count)
  return clients
}

function end(clients: readonly RawClient[]): void {
  for (const client of clients) client.destroy()
}

test('connections above the bound are closed, and a closed one frees its slot', async () => {
  const toys = await startToys({ connections: { max: 4, openings: null } })
  const { connections } = toys.gateway
  const held = await opened(toys, 4)
  const late = new RawClient(toys.port)
  assert.equal(await late.closed(), '')
  assert.deepEqual([connections.count, connections.refusedCount], [4, 1])
  held[0].destroy()
  await until(() => connections.count === 3)
  const [reply] = await new RawClient(toys.port).send(ASK).replies(1)
  assert.match(reply, /^HTTP\/1\.1 200 /)
  end(held)
  await until(() => connections.count === 0)
  await toys.gateway.stop()
})

test('an address opens connections no faster than its bucket fills', async () => {
  let nowMs = 1000
  const openings = { perSecond: 1, burst: 3 }
  const toys = await startToys({ connections: { max: 99, openings }, clock: () => nowMs })
  const held = await opened(toys, 3)
  assert.equal(await new RawClient(toys.port).closed(), '')
  nowMs += 1000
  const [reply] = await new RawClient(toys.port).send(ASK).replies(1)
  assert.match(reply, /^HTTP\/1\.1 200 /)
  assert.equal(await new RawClient(toys.port).closed(), '')
  assert.equal(toys.gateway.connections.refusedCount, 2)
  end(held)
  await toys.gateway.stop()
})

test('when many connections are open, a reply closes its own connection', async () => {
  const toys = await startToys({ connections: { max: 8, openings: null } })
  const [kept] = await opened(toys, 1)
  assert.doesNotMatch((await kept.send(ASK).replies(1))[0], /\r\nconnection: close/i)
  const idle = await opened(toys, 6)
  const [last] = await kept
    .send(ASK)
    .replies(2)
    .then((replies) => replies.slice(-1))
  assert.match(last, /\r\nconnection: close/i)
  await kept.closed()
  await until(() => toys.gateway.connections.count === 6)
  end(idle)
  await toys.gateway.stop()
})

test('a flood of refused connections costs the other connections nothing', async () => {
  const openings = { perSecond: 1, burst: 20 }
  const toys = await startToys({ connections: { max: 1000, openings } })
  const [kept] = await opened(toys, 1)
  let closed = 0
  for (let each = 0; each < 400; each++) {
    const socket = connect(toys.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => closed++)
    socket.write(ASK)
    socket.resume()
  }
  await until(() => closed >= 380)
  assert.match((await kept.send(ASK).replies(1))[0], /^HTTP\/1\.1 200 /)
  assert.ok(toys.gateway.connections.refusedCount >= 380)
  await toys.gateway.stop()
})
