import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { newFolder } from '../../support/data-folder.ts'
import { newWallet } from '../../support/live-session.ts'
import { ADMIN_TOKEN, ServerProcess } from '../../support/server-process.ts'
import { SocketClient } from '../../support/socket-client.ts'
import { startToys } from '../edge/http/gateway/toy-exchange.ts'
import '../../support/two-edges.ts'

// Sessions over TLS: their cookie is never sent without TLS.

const folder = newFolder()
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]

/** Writes a certificate of this name and its key, over those that were there. */
function certify(name: string): boolean {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const files = ['-nodes', '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', certFile]
  return spawnSync('openssl', ['req', '-x509', ...curve, ...files]).status === 0
}

const skip = certify('localhost') ? false : 'needs openssl'

interface Stated {
  readonly status: number | undefined
  readonly cookies: readonly string[]
  readonly body: unknown
}

async function send(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<Stated> {
  const call = request(url, { method, headers, rejectUnauthorized: false, agent: false })
  call.end(body)
  const [response] = await once(call, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  const cookies: readonly string[] = response.headers['set-cookie'] ?? []
  return { status: response.statusCode, cookies, body: JSON.parse(text) }
}

test('under TLS a session cookie is Secure, set and cleared', { skip }, async () => {
  const args = ['--tls-cert', certFile, '--tls-key', keyFile]
  const server = await ServerProcess.start({ dataDir: newFolder(), args })
  const { baseUrl } = server
  assert.match(baseUrl, /^https:/)
  const message = String((await send('GET', `${baseUrl}/auth/signing-message`)).body)
  const wallet = newWallet()
  const opened = await send('POST', `${baseUrl}/auth/login`, {
    'x-account': wallet.address,
    'x-signing-message': message,
    'x-signature': await wallet.signMessage({ message }),
  })
  assert.equal(opened.status, 200)
  const FLAGS = /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/
  assert.match(opened.cookies[0], FLAGS)
  const headers = {
    cookie: opened.cookies[0].split(';')[0],
    'content-type': 'application/json',
  }
  const seen = await send('GET', `${baseUrl}/auth/verify-auth`, headers)
  assert.equal(seen.body, wallet.address)
  const left = await send('POST', `${baseUrl}/auth/logout`, headers)
  assert.match(left.cookies[0], FLAGS)
  assert.equal((await send('GET', `${baseUrl}/auth/verify-auth`, headers)).status, 401)
  await assert.rejects(fetch(`${baseUrl.replace('https', 'http')}/health`))
  await server.stop()
})

test('under TLS nothing is read behind a head whose framing is in doubt', { skip }, async () => {
  const toys = await startToys({ tls: { certFile, keyFile } })
  const head = 'POST /auth/login HTTP/1.1\r\nHost: toys\r\n'
  const hidden = `${head}Content-Length: 2\r\n\r\n{}`
  for (const [lines, status] of [
    ['Transfer-Encoding: chunked\r\n', 411],
    ['Content-Length:\r\n', 400],
  ] as const) {
    const call = connect({ port: toys.port, host: '127.0.0.1', rejectUnauthorized: false })
    call.setEncoding('latin1')
    let received = ''
    call.on('data', (text) => {
      received += String(text)
    })
    call.write(`${head}${lines}\r\n0\r\nX: 1\r\n\r\n${hidden}`)
    await once(call, 'close')
    assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `), lines)
    assert.equal(received.match(/HTTP\/1\.1 /g)?.length, 1, lines)
  }
  await toys.gateway.stop()
})

interface Link {
  readonly socket: TLSSocket
  readonly name: string
  /** Gives the first line of the reply. */
  get(path: string): Promise<string>
}

/** A connection that stays; without a server name as clients of an address send none. */
async function link(port: number, servername?: string): Promise<Link> {
  const wanted = servername === undefined ? {} : { servername }
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...wanted })
  await once(socket, 'secureConnect')
  const get = async (path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const [bytes] = await once(socket, 'data')
    return String(bytes).split('\r\n', 1)[0]
  }
  return { socket, name: String(socket.getPeerCertificate().subject.CN), get }
}

test('SIGHUP reads the certificate again, and no connection ends', { skip }, async (t) => {
  certify('first')
  const args = ['--tls-cert', certFile, '--tls-key', keyFile, '--ops-listen', '127.0.0.1:0']
  const server = await ServerProcess.start({ dataDir: newFolder(), args })
  t.after(() => server.signal('SIGKILL'))
  const port = Number(new URL(server.baseUrl).port)
  const opsPort = Number(/^operators https:.*:([0-9]+)$/m.exec(server.stdout)?.[1])
  const links = [await link(port)]
  const others: Link[] = []
  const sockets = [await SocketClient.open(port, { isSecure: true })]
  for (const name of ['second', 'third']) {
    certify(name)
    server.signal('SIGHUP')
    await server.logged((log) => log.includes(`"subject":"CN=${name}"`))
    for (const servername of [undefined, 'exchange.example']) {
      const newest = await link(port, servername)
      assert.equal(newest.name, name)
      links.push(newest)
    }
    const operators = await link(opsPort)
    assert.equal(operators.name, name, 'the listener of operators')
    others.push(operators)
    sockets.push(await SocketClient.open(port, { isSecure: true }))
  }
  assert.deepEqual(
    links.map(({ name }) => name),
    ['first', 'second', 'second', 'third', 'third'],
  )
  for (const { get } of links) assert.equal(await get('/health'), 'HTTP/1.1 200 OK')
  for (const { socket } of sockets) socket.emit('subscribe_market_lifecycle', {})
  for (const client of sockets) await client.take('system', 1)
  const body = JSON.stringify({ kind: 'clob', slug: 'rain-tomorrow', title: 'Will it rain?' })
  const operator = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const url = `https://127.0.0.1:${opsPort}/admin/markets`
  assert.equal((await send('POST', url, operator, body)).status, 201)
  // Members of all certificates get what is published.
  for (const client of sockets) await client.take('marketCreated', 1)
  const { stderr } = server
  writeFileSync(certFile, 'no certificate')
  server.signal('SIGHUP')
  await server.logged((log) => log.slice(stderr.length).includes('the certificate is unchanged'))
  const last = await link(port)
  assert.equal(last.name, 'third')
  for (const { socket } of links) assert.equal(socket.destroyed, false)
  // A server that ends before it read the end of a handshake resets the connection.
  for (const { socket } of [...links, ...others, last]) socket.destroy()
  await server.stop()
})
