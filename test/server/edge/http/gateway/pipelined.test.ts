import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { RawClient } from '../../../../support/raw-client.ts'
import { startToys, type ToyExchange } from './toy-exchange.ts'

// Requests that follow a call before its reply. A call that changes something is either not begun,
// or answered.

const HOST = 'Host: toys\r\n'
const KEY = 'svc-api-key: alice\r\n'
const NOTE = '{"note":"a"}'
const OK = `GET /markets/active/slugs HTTP/1.1\r\n${HOST}\r\n`
const ORDER = `POST /orders/1 HTTP/1.1\r\n${HOST}${KEY}Content-Length: 12\r\n\r\n${NOTE}`
const SLOW = `POST /orders/1/slow HTTP/1.1\r\n${HOST}${KEY}Content-Length: 0\r\n\r\n`

let toys: ToyExchange
before(async () => {
  toys = await startToys()
})
after(async () => {
  await toys.gateway.stop()
})
afterEach(async () => {
  assert.match((await client().send(OK).replies(1))[0], /^HTTP\/1\.1 200 OK\r\n/)
  assert.equal(toys.gateway.inFlight, 0)
  assert.deepEqual(toys.faults, [])
})

const client = () => new RawClient(toys.port)
const statuses = (received: string) =>
  received.match(/HTTP\/1\.1 [0-9]{3}/g)?.map((x) => +x.slice(9))

test('a change that came with a request behind it is not begun; its connection ends', async () => {
  for (const next of [OK, ORDER, SLOW, `GET / HTTP/1.0\r\n${HOST}\r\n`]) {
    const [placed, seen] = [toys.placed.length, toys.seen.length]
    const received = await client()
      .send(ORDER + next)
      .closed()
    assert.doesNotMatch(received, /HTTP\/1\.1 2/, next)
    await toys.ended(seen + 1)
    assert.equal(toys.placed.length, placed, next)
  }
})

test('a change that came with the start of a request behind it is answered', async () => {
  for (const next of ['\r\n', 'nonsense', OK.slice(0, -1)]) {
    const placed = toys.placed.length
    const raw = client().send(ORDER + next)
    await raw.replies(1)
    assert.match(raw.received, /^HTTP\/1\.1 201 /, next)
    assert.equal(toys.placed.length, placed + 1, next)
    raw.destroy()
  }
})

test('a change that came alone is answered before what comes later is read', async () => {
  for (const leap of [OK, ORDER, SLOW]) {
    const raw = client().send(SLOW)
    await toys.waiting(1)
    const placed = toys.placed.length
    await new Promise<void>((sent) => raw.write(leap + leap, sent))
    await client().send(OK).replies(1)
    assert.equal(raw.received, '')
    assert.equal(toys.placed.length, placed, 'nothing behind a pending change is begun')
    toys.release()
    await raw.replies(1)
    assert.match(raw.received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"done":true\}/)
    raw.destroy()
    await client().send(OK).replies(1)
    toys.release()
  }
})

test('requests behind a change that is answered are answered in their order', async () => {
  const raw = client().send(SLOW)
  await toys.waiting(1)
  await new Promise<void>((sent) => raw.write(OK + OK, sent))
  toys.release()
  await raw.replies(3)
  assert.deepEqual(statuses(raw.received), [200, 200, 200])
  raw.send(ORDER)
  await raw.replies(4)
  assert.deepEqual(statuses(raw.received), [200, 200, 200, 201])
  raw.destroy()
})

test('a change whose client leaves ends all the same', async () => {
  const seen = toys.seen.length
  const raw = client().send(SLOW)
  await toys.waiting(1)
  raw.destroy()
  await raw.closed()
  toys.release()
  await toys.ended(seen + 1)
})
