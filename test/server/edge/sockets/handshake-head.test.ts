import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { RawClient } from '../../../support/raw-client.ts'

// The head of a WebSocket handshake, line by line.

const { live } = await exchange()
afterEach(async () => {
  assert.equal((await live.send('GET', '/health')).status, 200)
})

const KEY = () => randomBytes(16).toString('base64')
const RIGHT: Readonly<Record<string, string>> = {
  host: 'Host: x',
  connection: 'Connection: Upgrade',
  upgrade: 'Upgrade: websocket',
  version: 'Sec-WebSocket-Version: 13',
}

/** The bytes of a handshake with some lines in place of the right ones. */
function handshake(lines: Readonly<Record<string, string>>, method = 'GET'): string {
  const all = { ...RIGHT, key: `Sec-WebSocket-Key: ${KEY()}`, ...lines }
  const head = Object.values(all).filter((line) => line !== '')
  return `${method} /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`
}

const HIDDEN = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'

async function answered(bytes: string): Promise<string> {
  const raw = new RawClient(live.port).send(Buffer.from(bytes, 'latin1'))
  while (!raw.received.includes('\r\n\r\n') && !raw.isClosed) await new Promise(setImmediate)
  if (!raw.received.startsWith('HTTP/1.1 101 ')) return await raw.closed()
  raw.destroy()
  return raw.received
}

test('a right handshake opens a socket, in any letter case and beside other words', async () => {
  const rows: readonly Readonly<Record<string, string>>[] = [
    {},
    { connection: 'connection: keep-alive, UPGRADE', upgrade: 'UPGRADE: WebSocket' },
    { upgrade: 'Upgrade: h2c, websocket' },
    { body: 'Content-Length: 0' },
  ]
  for (const lines of rows) {
    assert.match(await answered(handshake(lines)), /^HTTP\/1\.1 101 /, JSON.stringify(lines))
  }
})

test('a handshake of another version is 426 and names version 13', async () => {
  for (const version of ['8', '12', '14', '013', '13, 8', '', 'x']) {
    const line = version === '' ? '' : `Sec-WebSocket-Version: ${version}`
    const received = await answered(handshake({ version: line }))
    assert.match(received, /^HTTP\/1\.1 426 Upgrade Required\r\n/, version)
    assert.match(received, /\r\nsec-websocket-version: 13\r\n/i, version)
    assert.match(received, /\r\nupgrade: websocket\r\n/i, version)
    assert.match(received, /"code":"HANDSHAKE_VERSION"/, version)
  }
})

test('a handshake that is incomplete or has a body is 400', async () => {
  const rows: [name: string, lines: Record<string, string>][] = [
    ['no Connection', { connection: '' }],
    ['a Connection that keeps alive', { connection: 'Connection: keep-alive' }],
    ['no Upgrade', { upgrade: '' }],
    ['an Upgrade to h2c', { upgrade: 'Upgrade: h2c' }],
    ['no key', { key: '' }],
    ['an empty key', { key: 'Sec-WebSocket-Key:' }],
    ['a key of 15 bytes', { key: `Sec-WebSocket-Key: ${randomBytes(15).toString('base64')}` }],
    ['a key of 17 bytes', { key: `Sec-WebSocket-Key: ${randomBytes(17).toString('base64')}` }],
    ['a key of 18 bytes', { key: `Sec-WebSocket-Key: ${randomBytes(18).toString('base64')}` }],
    ['a key with spare bits', { key: `Sec-WebSocket-Key: ${'A'.repeat(21)}B==` }],
    ['a key of other letters', { key: `Sec-WebSocket-Key: ${'-'.repeat(21)}A==` }],
    ['a key of spaces', { key: `Sec-WebSocket-Key: A${' '.repeat(22)}A` }],
    ['two keys', { key: `Sec-WebSocket-Key: ${KEY()}\r\nSec-WebSocket-Key: ${KEY()}` }],
    ['a body', { body: 'Content-Length: 5' }],
  ]
  for (const [name, lines] of rows) {
    const received = await answered(handshake(lines))
    assert.match(received, /^HTTP\/1\.1 400 [\s\S]*"code":"VALIDATION"/, name)
  }
})

test('a handshake whose framing is in doubt is refused as every call', async () => {
  const rows: [lines: Record<string, string>, answer: RegExp][] = [
    [{ body: 'Transfer-Encoding: chunked' }, /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/],
    [{ body: 'Transfer-Encoding:' }, /^HTTP\/1\.1 411 [\s\S]*"code":"LENGTH_REQUIRED"/],
    [{ body: 'Content-Length:' }, /^HTTP\/1\.1 400 [\s\S]*"code":"BODY_MALFORMED"/],
    [{ host: 'Host: x\r\nHost: y' }, /^HTTP\/1\.1 400 [\s\S]*"code":"HOST_INVALID"/],
  ]
  for (const [lines, answer] of rows) {
    for (const method of ['GET', 'POST']) {
      const received = await answered(`${handshake(lines, method)}0\r\n${HIDDEN}${HIDDEN}`)
      assert.match(received, answer, JSON.stringify(lines))
      assert.equal(received.match(/HTTP\/1\.1 [0-9]{3}/g)?.length, 1, JSON.stringify(lines))
    }
  }
})
