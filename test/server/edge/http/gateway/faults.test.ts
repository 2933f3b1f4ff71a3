import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { armFault, type EdgePoint } from '../../../../../engine/thread/fault-point.ts'
import { RawClient } from '../../../../support/raw-client.ts'
import { startToys, type ToyExchange } from './toy-exchange.ts'

let toys: ToyExchange
before(async () => {
  toys = await startToys()
})
afterEach(() => {
  armFault('')
  toys.faults.length = 0
})
after(async () => {
  await toys.gateway.stop()
})

const ROOT = 'authorization: Bearer root\r\n'
const ALICE = 'svc-api-key: alice\r\n'

function request(line: string, headers = '', body = ''): string {
  const length = body === '' ? '' : `content-length: ${body.length}\r\n`
  return `${line} HTTP/1.1\r\nhost: x\r\n${headers}${length}\r\n${body}`
}

/** The only reply on a connection that the server then closed. */
async function lastReply(client: RawClient): Promise<string> {
  await client.closed()
  const replies = await client.replies(1)
  assert.equal(replies.length, 1, client.received)
  return replies[0]
}

function assertFault(reply: string, faultId: string): void {
  const [head, body] = reply.split('\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 500 Internal Server Error\r\n/)
  assert.match(head, /\r\nconnection: close/i)
  assert.deepEqual(JSON.parse(body), {
    message: 'The exchange could not answer this call; report its faultId to the operator.',
    error: 'Internal Server Error',
    statusCode: 500,
    code: 'INTERNAL',
    faultId,
  })
}

/** Each fault point of the edge, with a call that passes it. */
const EDGES: readonly [point: EdgePoint, call: string][] = [
  ['at-receive', request('GET /markets/btc/echo')],
  ['at-receive', request('GET /nowhere')],
  ['at-prove', request('POST /orders/1', ALICE, '{"note":"a"}')],
  ['at-prove', request('POST /raw', ALICE, '{"any":"x"}')],
  ['at-parse', request('POST /orders/1', ALICE, '{"note":"a"}')],
  ['at-handle', request('POST /orders/1', ALICE, '{"note":"a"}')],
  ['at-handle', request('GET /markets/btc/echo')],
  ['at-reply', request('GET /markets/btc/echo')],
  ['at-reply', request('POST /orders/1', ALICE, '{"note":"a"}')],
  ['at-reply', request('POST /orders/1', 'svc-api-key: nobody\r\n', '{"note":"a"}')],
]

for (const [point, call] of EDGES) {
  const name = `a fault ${point} costs only its call and its connection`
  test(`${name}: ${call.split(' HTTP')[0]}`, async () => {
    const other = new RawClient(toys.port)
    armFault(`${point}:1`)
    const client = new RawClient(toys.port).send(call)
    assertFault(await lastReply(client), 'fault-1')
    assert.equal(toys.faults.length, 1)
    const [fine] = await other.send(request('GET /markets/btc/echo')).replies(1)
    assert.match(fine, /^HTTP\/1\.1 200 /)
    assert.equal(toys.gateway.inFlight, 0)
    other.destroy()
  })
}

test("a handler that throws, now or later, or breaks its route's terms, gives 500", async () => {
  for (const query of ['', '?late=true', '?wrong=true']) {
    const client = new RawClient(toys.port).send(request(`GET /broken${query}`, ROOT))
    assertFault(await lastReply(client), `fault-${toys.faults.length}`)
  }
  assert.equal(toys.faults.length, 3)
  assert.equal(toys.gateway.inFlight, 0)
})

test('a fault in a late reply does not reach the code that settles it', async () => {
  const post = (length: number) =>
    new RawClient(toys.port).send(request('POST /late', ALICE, 'x'.repeat(length)))
  const [first] = await post(1).replies(1)
  assert.match(first, /\{"bytes":1\}$/)
  const late = [3, 101, 2000].map(post)
  await toys.waiting(3)
  toys.release()
  assert.match((await late[0].replies(1))[0], /\{"bytes":3\}$/)
  // One reply breaks its schema; the other throws while its value is made.
  for (const client of late.slice(1)) assert.match(await lastReply(client), /"code":"INTERNAL"/)
  assert.equal(toys.faults.length, 2)
  assert.equal(toys.gateway.inFlight, 0)
})

test('a fault in the call of a client that has left ends no other connection', async () => {
  const call = request('POST /late', ALICE, 'x'.repeat(2000))
  const gone = new RawClient(toys.port).send(call)
  await toys.waiting(1)
  const endedBefore = toys.seen.length
  gone.destroy()
  const other = new RawClient(toys.port).send(request('GET /markets/btc/echo'))
  const [fine] = await other.replies(1)
  other.destroy()
  assert.match(fine, /^HTTP\/1\.1 200 /)
  toys.release()
  await toys.ended(endedBefore + 2)
  assert.equal(toys.faults.length, 1)
  assert.equal(toys.gateway.inFlight, 0)
})

test('an error of an observer is counted and costs no call', async () => {
  const watched = await startToys({
    observe: () => {
      throw new Error('bug')
    },
  })
  const client = new RawClient(watched.port).send(request('GET /markets/btc/echo'))
  assert.match((await client.replies(1))[0], /^HTTP\/1\.1 200 /)
  assert.equal(watched.faults.length, 1)
  client.destroy()
  await watched.gateway.stop()
})
