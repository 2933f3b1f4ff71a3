import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { HANDSHAKE_TARGET } from '../../../../server/edge/sockets/handshakes.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { cookieOf, login, newWallet } from '../../../support/live-session.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { RawClient } from '../../../support/raw-client.ts'
import { JOIN } from '../../../support/raw-member.ts'
import {
  handshakeOf,
  SocketClient,
  textFrame,
  upgradeText,
} from '../../../support/socket-client.ts'

const { live, alice } = await exchange({ traders: { alice: 0 } })

afterEach(async () => {
  assert.equal((await live.send('GET', '/health')).status, 200)
})

const join = (headers: Record<string, string> = {}) => SocketClient.open(live.port, { headers })

test('a signed handshake is authenticated, under every configured prefix', async () => {
  for (const prefix of ['svc-', 'lmts-']) {
    const client = await join(handshakeOf(alice, live.nowMs(), prefix))
    const [stated] = await client.take('authenticated', 1)
    assert.equal(at(stated, 'profileId'), alice.profileId)
    assert.equal(at(stated, 'account'), alice.account)
    assert.deepEqual(client.of('exception'), [])
    client.close()
  }
})

test('a handshake may sign the target that it requests in place of the constant one', async () => {
  const query = '?transport=websocket&EIO=4&t=P1'
  const rows: [signed: string, first: string][] = [
    [`/socket.io/${query}`, '"authenticated"'],
    [HANDSHAKE_TARGET, '"authenticated"'],
    ['/socket.io/?transport=websocket&EIO=4', 'HMAC_INVALID'],
    ['/portfolio/positions', 'HMAC_INVALID'],
  ]
  for (const [signed, first] of rows) {
    const raw = new RawClient(live.port)
    const headers = handshakeOf(alice, live.nowMs(), 'lmts-', signed)
    await raw.send(upgradeText(headers, query)).got('"sid"')
    await raw.send(JOIN).got('42/markets,[')
    assert.ok(raw.received.includes(first), `${signed}: ${raw.received}`)
    raw.destroy()
  }
})

test('an unsubscribe without an acknowledgement id leaves, and its connection stays', async () => {
  await live.openMarket('rain')
  const raw = await upgraded()
  await raw.send(JOIN).got('40/markets,{')
  const say = (...stated: unknown[]) => raw.send(textFrame(`42/markets,${JSON.stringify(stated)}`))
  say('subscribe_market_prices', { marketSlugs: ['rain'] })
  await raw.got('"system"')
  say('unsubscribe', { channel: 'subscribe_market_prices', marketSlugs: ['rain'] })
  say('unsubscribe', { channel: 'subscribe_market_prices' })
  while (live.exchange.pipeline.published.bySlug('rain')?.watch) await new Promise(setImmediate)
  // Nobody waits for an acknowledgement, so what was wrong comes as an exception.
  for (const wrong of [{ channel: 'nonsense' }, 7, null, 'subscribe_market_prices']) {
    say('unsubscribe', wrong)
  }
  say('unsubscribe')
  await raw.got('"exception"', 5)
  assert.equal(raw.received.split('"channel":"unsubscribe"').length - 1, 5)
  say('subscribe_market_prices', { marketSlugs: ['rain'] })
  await raw.got('"system"', 2)
  assert.equal(raw.isClosed, false)
  raw.destroy()
})

test('a session cookie is a proof too', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  const client = await join({ cookie, origin: `http://127.0.0.1:${live.port}` })
  const [stated] = await client.take('authenticated', 1)
  assert.ok(Number(at(stated, 'profileId')) > 0)
  client.close()
})

test('a cookie needs the right origin to be a proof; a signature needs no origin', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  const { port } = live
  const foreign = [`http://127.0.0.1:${port + 1}`, `http://evil.example:${port}`, 'null', 'x', '']
  for (const origin of foreign) {
    const client = await join(origin === '' ? { cookie } : { cookie, origin })
    const [stated] = await client.take('exception', 1)
    assert.equal(at(stated, 'code'), 'ORIGIN_NOT_ALLOWED', origin)
    assert.deepEqual(client.of('authenticated'), [])
    client.socket.emit('subscribe_order_events')
    const [, refused] = await client.take('exception', 2)
    assert.equal(at(refused, 'code'), 'UNAUTHENTICATED')
    client.close()
  }
  const signed = handshakeOf(alice, live.nowMs())
  const client = await join({ ...signed, cookie, origin: 'http://evil.example' })
  await client.take('authenticated', 1)
  client.close()
})

test('without a proof a client is anonymous, and private channels refuse it', async () => {
  const client = await join()
  client.socket.emit('subscribe_order_events')
  const [stated] = await client.take('exception', 1)
  assert.equal(at(stated, 'code'), 'UNAUTHENTICATED')
  assert.equal(at(stated, 'channel'), 'subscribe_order_events')
  assert.equal(client.frames.length, 1)
  client.close()
})

test('a bad or stale handshake joins as anonymous and receives the reason', async () => {
  const good = handshakeOf(alice, live.nowMs())
  const stale = handshakeOf(alice, live.nowMs() - LIMITS.signatureSkewMs - 1000)
  const rows: [headers: Record<string, string>, code: string][] = [
    [{ ...good, 'svc-api-key': 'nobody' }, 'API_KEY_INVALID'],
    [stale, 'TIMESTAMP_INVALID'],
    [{ ...good, 'svc-timestamp': 'yesterday' }, 'TIMESTAMP_INVALID'],
    [{ ...good, 'svc-signature': 'x' }, 'HMAC_INVALID'],
    [{ cookie: 'outcomex_session=made-up' }, 'SESSION_INVALID'],
    [{ 'x-api-key': 'from-long-ago' }, 'UNAUTHENTICATED'],
  ]
  for (const [headers, code] of rows) {
    const client = await join(headers)
    const [stated] = await client.take('exception', 1)
    assert.equal(at(stated, 'code'), code)
    assert.deepEqual(client.of('authenticated'), [])
    assert.ok(client.socket.connected)
    client.close()
  }
})

test('unsubscribe is acknowledged, also when it is refused', async () => {
  const client = await join()
  const request = (payload: unknown) =>
    client.socket.timeout(5000).emitWithAck('unsubscribe', payload)
  assert.match(String(at(await request({ channel: 'nonsense' }), 'error')), /Unknown channel/)
  assert.match(String(at(await request(7), 'error')), /channel/)
  client.socket.emit('nonsense', { a: 1 })
  const [stated] = await client.take('exception', 1)
  assert.equal(at(stated, 'code'), 'VALIDATION')
  client.close()
})

test('an event whose name is no text is refused like an unknown event', async () => {
  const raw = await upgraded()
  raw.send(textFrame('40/markets,'))
  for (const name of ['1', '-0', '1e308']) {
    raw.send(textFrame(`42/markets,[${name},{}]`))
    raw.send(textFrame(`42/markets,1[${name}]`))
  }
  const refused = () => raw.received.split('"code":"VALIDATION"').length - 1
  while (refused() < 6) await new Promise(setImmediate)
  raw.destroy()
})

test('no other namespace can be joined', async () => {
  for (const namespace of ['/', '/admin']) {
    const raw = await upgraded()
    raw.send(textFrame(namespace === '/' ? '40' : `40${namespace},`))
    while (!raw.received.includes('44')) await new Promise(setImmediate)
    raw.destroy()
  }
})

test('a client that sends too many messages is disconnected', async () => {
  const client = await join()
  for (let index = 0; index <= LIMITS.socketMessagesPerSecondMax * 2; index++) {
    client.socket.emit('nonsense')
  }
  await client.until(() => client.ends.length > 0)
  assert.deepEqual(client.ends, ['transport close'])
})

test('a message that is too long ends its connection', async () => {
  const client = await join()
  client.socket.emit('subscribe_positions', 'x'.repeat(LIMITS.socketMessageBytesMax))
  await client.until(() => client.ends.length > 0)
})

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
const key = () => `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n`
const line = (method: string, query: string) =>
  `${method} /socket.io/${query} HTTP/1.1\r\nHost: x\r\n`

function upgraded(): Promise<RawClient> {
  return new RawClient(live.port).send(upgradeText()).got('"sid"')
}

test('only a WebSocket handshake passes; polling is refused in every form', async () => {
  const queries = [
    '',
    '?EIO=4&transport=polling',
    '?EIO=4&transport=polling&transport=websocket',
    '?EIO=4&transport=websocket&transport=polling',
    '?EIO=3&transport=websocket',
    '?transport=websocket',
    '?EIO=4&transport=websocket&sid=AAAAAAAAAAAAAAAAAAAA',
    '?EIO=4&transport=polling&sid=__proto__',
    '?EIO=4&transport=webtransport',
    '?EIO=4&transport=%00',
  ]
  for (const query of queries) {
    for (const isUpgrade of [false, true]) {
      if (!isUpgrade && query.includes('websocket')) continue
      const raw = new RawClient(live.port)
      raw.send(`${line('GET', query)}${isUpgrade ? UPGRADE + key() : ''}\r\n`)
      const [reply] = await raw.replies(1)
      assert.match(reply, /^HTTP\/1.1 400 /, query)
      assert.match(reply, /"code":"VALIDATION"/)
      raw.destroy()
    }
  }
})

test('hostile bytes on the path of the sockets end connections, but never the server', async () => {
  const random = new Random(freshSeed())
  const pick = <T>(all: readonly T[]): T => random.pick(all)
  const packets = [
    '40/markets,',
    '40/markets,{"a":1}',
    '40',
    '41/markets,',
    '42/markets,["unsubscribe"]',
    '42/markets,[]',
    '42/markets,["disconnect"]',
    '42/markets,["connect",{}]',
    '43/markets,1[]',
    '42/markets,["subscribe_positions",{"marketSlugs":["a"]}]',
    '2probe',
    '3',
    '5',
    '6',
    '45/markets,1-["x",{"_placeholder":true,"num":0}]',
    '45-',
    '451-["x"]',
    '44/markets,"x"',
    '42/markets,["__proto__",{}]',
    '42/markets,9["unsubscribe",{"channel":"a"}]',
    '4',
    '',
    '42/markets,["subscribe_order_events",{"__proto__":1}]',
    'b4AAAA',
    '\u0000',
    '99',
    '{"a"',
  ]
  const words = [
    'EIO=4',
    'EIO=3',
    'transport=websocket',
    'transport=polling',
    'sid=x',
    't=1',
    'j=0',
  ]
  for (let round = 0; round < 150; round++) {
    if (random.below(2) === 0) {
      const query = Array.from({ length: random.below(5) }, () => pick(words)).join('&')
      const raw = new RawClient(live.port)
      const body = pick(['', '40', 'x'.repeat(500)])
      const head = `${pick(['', UPGRADE])}${pick(['', key()])}`
      const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
      const method = pick(['GET', 'POST', 'OPTIONS', 'PUT', 'DELETE'])
      raw.send(`${line(method, `?${query}`)}${head}${length}\r\n${body}`)
      if (random.below(3) > 0) await new Promise(setImmediate)
      raw.destroy()
    } else {
      const raw = await upgraded()
      for (let count = random.below(6); count > 0; count--) raw.send(textFrame(pick(packets)))
      if (random.below(4) === 0) raw.send(randomBytes(random.below(40)))
      if (random.below(3) > 0) await new Promise(setImmediate)
      raw.destroy()
    }
  }
  const client = await join(handshakeOf(alice, live.nowMs()))
  await client.take('authenticated', 1)
  client.close()
  while (live.sockets.openCount > 0) await new Promise(setImmediate)
})
