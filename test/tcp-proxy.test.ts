import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { TcpProxy } from './support/tcp-proxy.ts'
import { until } from './support/until.ts'

const HOST = '127.0.0.1'
const DELAY_MS = 60

/** One end of a connection, with all that it has received. */
class Peer {
  readonly socket: Socket
  text = ''
  receivedBytes = 0
  isEnded = false
  errorCode = ''

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.receivedBytes += bytes.length
      if (bytes.length < 100) this.text += bytes.toString()
    })
    socket.on('end', () => {
      this.isEnded = true
    })
    socket.on('error', (error) => {
      this.errorCode = 'code' in error ? String(error.code) : error.message
    })
  }

  receives(text: string): Promise<void> {
    return until(() => this.text === text)
  }

  fails(code: string): Promise<void> {
    return until(() => this.errorCode === code)
  }
}

/** A server that keeps its connections in the order in which they came. */
class Listener {
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true })
  readonly peers: Peer[] = []

  async open(): Promise<this> {
    this.#server.on('connection', (socket) => this.peers.push(new Peer(socket)))
    await once(this.#server.listen(0, HOST), 'listening')
    return this
  }

  get target() {
    const address = this.#server.address()
    assert.ok(address !== null && typeof address !== 'string', 'the server listens')
    return { host: HOST, port: address.port }
  }

  async peer(index = 0): Promise<Peer> {
    await until(() => this.peers.length > index)
    return this.peers[index]
  }

  close(): void {
    for (const { socket } of this.peers) socket.destroy()
    this.#server.close()
  }
}

function clientOf(t: TestContext, { port }: TcpProxy): Peer {
  const socket = connect({ port, host: HOST, allowHalfOpen: true, noDelay: true })
  t.after(() => socket.destroy())
  return new Peer(socket)
}

/** A proxy before a server. */
async function network(t: TestContext) {
  const listener = await new Listener().open()
  t.after(() => listener.close())
  const proxy = await TcpProxy.open(listener.target)
  t.after(() => proxy.close())
  return { listener, proxy }
}

/** A proxy with one connection of a client to a server. */
async function connected(t: TestContext) {
  const { listener, proxy } = await network(t)
  const client = clientOf(t, proxy)
  return { listener, proxy, client, server: await listener.peer() }
}

test('bytes pass in both directions, and each direction ends by itself', async (t) => {
  const { proxy, client, server } = await connected(t)
  client.socket.end('question')
  await server.receives('question')
  await until(() => server.isEnded)
  assert.ok(!client.isEnded)
  server.socket.end('answer')
  await client.receives('answer')
  await until(() => client.isEnded && proxy.connectionCount === 0)
})

test('a reset of one end resets the other, and so does a target that refuses', async (t) => {
  const { listener, proxy, client, server } = await connected(t)
  client.socket.resetAndDestroy()
  await server.fails('ECONNRESET')
  listener.close()
  await clientOf(t, proxy).fails('ECONNRESET')
  await until(() => proxy.connectionCount === 0)
})

test('a cut resets both ends and refuses connections until the restore', async (t) => {
  const { listener, proxy, client, server } = await connected(t)
  proxy.cut()
  await client.fails('ECONNRESET')
  await server.fails('ECONNRESET')
  await clientOf(t, proxy).fails('ECONNREFUSED')
  await proxy.restore()
  const next = clientOf(t, proxy)
  next.socket.write('again')
  await (await listener.peer(1)).receives('again')
})

test('a delay holds for its direction, and no byte overtakes another', async (t) => {
  const { proxy, client, server } = await connected(t)
  proxy.delay(DELAY_MS, 'up')
  const sentMs = performance.now()
  client.socket.write('1')
  await until(() => client.socket.bytesWritten === 1 && client.socket.writableLength === 0)
  server.socket.write('down')
  await client.receives('down')
  proxy.delay(0)
  client.socket.write('2')
  await server.receives('12')
  assert.ok(performance.now() - sentMs >= DELAY_MS, 'the delayed byte comes late')

  proxy.delay(DELAY_MS)
  const againMs = performance.now()
  client.socket.write('3')
  await server.receives('123')
  server.socket.write('!')
  await client.receives('down!')
  assert.ok(performance.now() - againMs >= 2 * DELAY_MS, 'both directions are delayed')
})

test('a new connection reaches the server after the delay', async (t) => {
  const { listener, proxy } = await network(t)
  proxy.delay(DELAY_MS, 'up')
  const fromMs = performance.now()
  clientOf(t, proxy)
  await listener.peer()
  assert.ok(performance.now() - fromMs >= DELAY_MS)
})

test('a blackhole upwards keeps bytes and ends of clients from the server', async (t) => {
  const { listener, proxy, client, server } = await connected(t)
  proxy.blackhole('up')
  client.socket.end('lost?')
  server.socket.write('down')
  await client.receives('down')
  const late = clientOf(t, proxy)
  await once(late.socket, 'connect')
  assert.deepEqual([server.text, server.isEnded, listener.peers.length], ['', false, 1])
  await proxy.restore()
  await server.receives('lost?')
  await until(() => server.isEnded)
  await listener.peer(1)
})

test('a blackhole downwards keeps bytes and resets of the server from clients', async (t) => {
  const { proxy, client, server } = await connected(t)
  proxy.blackhole('down')
  server.socket.write('lost?')
  client.socket.write('up')
  await server.receives('up')
  server.socket.resetAndDestroy()
  client.socket.write('more')
  assert.deepEqual([client.text, client.errorCode], ['', ''])
  await proxy.restore()
  await client.fails('ECONNRESET')
})

test('a cut drops what a blackhole held', async (t) => {
  const { listener, proxy, client, server } = await connected(t)
  proxy.blackhole('both')
  client.socket.write('lost')
  server.socket.write('lost')
  const late = clientOf(t, proxy)
  await once(late.socket, 'connect')
  proxy.cut()
  await proxy.restore()
  await late.fails('ECONNRESET')
  await client.fails('ECONNRESET')
  await server.fails('ECONNRESET')
  const next = clientOf(t, proxy)
  next.socket.write('new')
  await (await listener.peer(1)).receives('new')
  assert.deepEqual([client.text, server.text, listener.peers.length], ['', '', 2])
})

test('a sender is paused while too much is held, and nothing is lost', async (t) => {
  const { proxy, client, server } = await connected(t)
  proxy.blackhole('up')
  const bytes = Buffer.alloc(64 * 1_048_576)
  client.socket.end(bytes)
  server.socket.write('down')
  await client.receives('down')
  assert.ok(client.socket.writableLength > 0, 'the client cannot send it all')
  await proxy.restore()
  await until(() => server.receivedBytes === bytes.length && server.isEnded)
})

test('a new target holds for new connections', async (t) => {
  const { proxy, client, server } = await connected(t)
  const other = await new Listener().open()
  t.after(() => other.close())
  proxy.target = other.target
  clientOf(t, proxy).socket.write('new')
  await (await other.peer()).receives('new')
  client.socket.write('old')
  await server.receives('old')
})
