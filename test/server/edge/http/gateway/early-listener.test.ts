import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { EarlyListener } from '../../../../../server/edge/http/gateway/listening/early-listener.ts'

// What an address says while its exchange starts.

const HOST = '127.0.0.1'

interface Reported {
  readonly code: string
  readonly ready: boolean
  readonly checks: readonly unknown[]
}

async function opened(headMs?: number): Promise<EarlyListener> {
  const listener = await EarlyListener.open(HOST, 0, headMs)
  assert.ok(listener !== null)
  after(() => listener.close())
  return listener
}

/** All that the listener sends until it ends the connection. */
async function stated({ port }: EarlyListener, bytes: string): Promise<string> {
  const socket = connect(port, HOST)
  socket.on('error', () => {})
  socket.write(bytes)
  return await text(socket).catch(() => '')
}

const request = (line: string, more = '') => `${line} HTTP/1.1\r\nhost: x\r\n${more}\r\n`

test('the process says that it runs, and refuses everything else', async () => {
  const listener = await opened()
  const origin = `http://${HOST}:${listener.port}`
  const health = await fetch(`${origin}/health`)
  assert.deepEqual([health.status, await health.json()], [200, { status: 'ok' }])
  const rows: [method: string, path: string][] = [
    ...([
      ['GET', '/'],
      ['GET', '/markets/active'],
      ['POST', '/orders'],
      ['POST', '/health'],
    ] as const),
    ...([
      ['DELETE', '/orders/all/x'],
      ['GET', '/admin/audit'],
      ['GET', '/health/x'],
    ] as const),
  ].map(([method, path]) => [method, path])
  for (const [method, path] of rows) {
    const body = method === 'POST' ? '{}' : null
    const reply = await fetch(origin + path, { method, body })
    const { code }: Reported = JSON.parse(await reply.text())
    assert.deepEqual([reply.status, code], [503, 'NOT_READY'], path)
    assert.equal(reply.headers.get('retry-after'), '1')
    assert.equal(reply.headers.get('connection'), 'close')
  }
  const ready = await fetch(`${origin}/ready`)
  const { ready: isReady, checks }: Reported = JSON.parse(await ready.text())
  assert.deepEqual([ready.status, isReady, checks.length], [503, false, 1])
})

test('one connection carries one call, and no upgrade', async () => {
  const listener = await opened()
  const twice = await stated(listener, request('GET /health').repeat(3))
  assert.equal(twice.match(/HTTP\/1\.1/g)?.length, 1, twice)
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n'
  assert.match(await stated(listener, request('GET /socket.io/', upgrade)), /^HTTP\/1\.1 503 /)
  assert.match(
    await stated(listener, request('GET /x', `x: ${'y'.repeat(20_000)}\r\n`)),
    /^HTTP\/1\.1 431 /,
  )
  assert.match(await stated(listener, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /)
})

test('a head that never ends is given up', async () => {
  const slow = await stated(await opened(40), 'GET /health HTTP/1.1\r\nhost:')
  assert.match(slow, /^$|^HTTP\/1\.1 408 /)
})

test('a crowd is cut while those before it stand there', async () => {
  const listener = await opened(3600e3)
  const crowd = Array.from({ length: 300 }, () =>
    connect(listener.port, HOST).on('error', () => {}),
  )
  await Promise.all(crowd.map((each) => once(each, 'connect')))
  await Promise.all(crowd.slice(256).map((each) => once(each.resume(), 'close')))
  assert.equal(crowd.filter(({ closed }) => closed).length, 300 - 256)
  for (const each of crowd) each.destroy()
})

test('the port is free when the listener is closed, whoever is connected', async () => {
  const listener = await opened()
  const { port } = listener
  const inside = connect(port, HOST)
  inside.on('error', () => {})
  await once(inside, 'connect')
  assert.equal(await EarlyListener.open(HOST, port), null, 'nobody else has the port meanwhile')
  const ended = once(inside, 'close')
  listener.close()
  const next = createServer()
  next.listen(port, HOST)
  await once(next, 'listening')
  next.close()
  await ended
})
