import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { api, operatorApi, publicApi } from '../../../server/api/routes.ts'
import { hostPort } from '../../../server/settings/kinds.ts'
import { newFolder } from '../../support/data-folder.ts'
import { exchange } from '../../support/exchange.ts'
import { ADMIN_TOKEN, runProgram, ServerProcess } from '../../support/server-process.ts'

// The routes of operators: behind a token on the public listener, or on a listener of their own.

const THREADS = ['--market-threads', '1']
const AUTHORIZATION = { authorization: `Bearer ${ADMIN_TOKEN}` }

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const reply = await fetch(url, init)
  await reply.arrayBuffer()
  return reply.status
}

const { live } = await exchange()

test('on the public listener only operators can read the metrics', async () => {
  assert.equal((await live.send('GET', '/metrics')).status, 401)
  const headers = { authorization: 'Bearer a-guess-of-sixteen' }
  assert.equal((await live.send('GET', '/metrics', { headers })).status, 401)
  assert.match(await live.metrics(), /^outcomex_refusals_total\{code="ADMIN_TOKEN_INVALID"\} 2$/m)
  for (const path of ['/health', '/ready']) assert.equal((await live.send('GET', path)).status, 200)
})

test('every route is on one of the two listeners; health and what pages load are on both', () => {
  const names = (routes: typeof api) => routes.map(({ method, path }) => `${method} ${path}`)
  const [all, open, closed] = [names(api), names(publicApi), names(operatorApi)]
  assert.deepEqual(new Set([...open, ...closed]), new Set(all))
  assert.deepEqual(
    open.filter((name) => closed.includes(name)),
    ['GET /', 'GET /assets/:file', 'GET /health', 'GET /ready'],
  )
  assert.deepEqual(
    open.filter((name) => / \/(admin|metrics)/.test(name)),
    [],
  )
  const rest = closed.filter((name) => !/ \/(admin|metrics)/.test(name))
  const shown = ['GET /', 'GET /assets/:file', 'GET /operator']
  assert.deepEqual(rest.sort(), [...shown, 'GET /health', 'GET /ready'].sort())
})

test('with --ops-listen the public listener has no routes of operators', async () => {
  const args = ['--ops-listen', '127.0.0.1:0', ...THREADS]
  const server = await ServerProcess.start({ dataDir: newFolder(), args })
  const [open, closed] = [server.baseUrl, server.operatorsUrl]
  assert.notEqual(open, closed)
  const made = {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'clob', slug: 'apart', title: 'Apart?' }),
  }
  assert.equal(await statusOf(`${open}/metrics`, { headers: AUTHORIZATION }), 404)
  assert.equal(await statusOf(`${open}/admin/markets`, made), 404)
  assert.equal(await statusOf(`${closed}/metrics`), 200)
  const body = '{}'
  assert.equal(await statusOf(`${closed}/admin/markets`, { ...made, body, headers: {} }), 401)
  assert.equal(await statusOf(`${closed}/admin/markets`, made), 201)
  assert.equal(await statusOf(`${closed}/markets/apart`), 404)
  assert.equal(await statusOf(`${open}/markets/apart`), 200)
  const textOf = async (url: string) => (await fetch(url)).text()
  assert.match(await textOf(`${open}/`), /<title>outcomex<\/title>/)
  assert.match(await textOf(`${closed}/`), /<title>outcomex for operators<\/title>/)
  assert.equal(await statusOf(`${open}/operator`), 404)
  const top = (url: string) => {
    const words = ['top', '--once', '--data', newFolder(), '--admin-token', ADMIN_TOKEN]
    return runProgram([...words, '--url', url])
  }
  const { code, stderr } = await top(open)
  assert.equal(code, 1)
  assert.match(stderr, /\/metrics answers 404: .* --ops-listen .* with --url, .* --markets-url\.$/m)
  assert.match((await top(closed)).stdout, /^outcomex {2}http/)
  for (const url of [open, closed]) {
    for (const path of ['/health', '/ready']) assert.equal(await statusOf(url + path), 200)
  }
  await server.stop()
})

/** The status of a GET that names this host, whatever its address is. */
function statusFor(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { host } }, (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    }).on('error', reject)
  })
}

test('the listener of operators answers no call to the name of another host', async () => {
  const args = ['--ops-listen', '127.0.0.1:0', '--ops-host', 'ops.example,Other', ...THREADS]
  const server = await ServerProcess.start({ dataDir: newFolder(), args })
  const closed = server.operatorsUrl
  const { host, port } = new URL(closed)
  for (const path of ['/metrics', '/operator', '/ready']) {
    for (const own of [host, `localhost:${port}`, 'LOCALHOST', 'ops.example', `other:${port}`]) {
      assert.equal(await statusFor(closed + path, own), 200, own)
    }
    for (const own of ['10.1.2.3', `[::1]:${port}`]) {
      assert.equal(await statusFor(closed + path, own), 200, own)
    }
    for (const foreign of [`evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.de']) {
      assert.equal(await statusFor(closed + path, foreign), 400, foreign)
    }
  }
  assert.equal(await statusFor(`${server.baseUrl}/health`, 'evil.example'), 200)
  await server.stop()
})

test('a start ends if the listener of operators cannot listen', async () => {
  const other = await ServerProcess.start({ dataDir: newFolder(), args: THREADS })
  const taken = new URL(other.baseUrl).host
  const words = ['serve', '--data', newFolder(), '--port', '0', '--ops-listen', taken]
  const { code, stderr } = await runProgram([...words, '--admin-token', ADMIN_TOKEN, ...THREADS])
  assert.notEqual(code, 0)
  assert.match(stderr, /cannot listen on 127\.0\.0\.1/)
  await other.stop()
})

test('a demo is filled through the listener of operators, and demo.json has its URL', async () => {
  const dataDir = newFolder()
  const args = ['--ops-listen', '127.0.0.1:0', ...THREADS]
  const server = await ServerProcess.start({ dataDir, args, demo: true })
  const kept: unknown = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  assert.ok(typeof kept === 'object' && kept !== null && 'operatorsUrl' in kept)
  assert.equal(kept.operatorsUrl, server.operatorsUrl)
  const { code, stderr } = await runProgram(['admin', 'credit', '1', '5', '--data', dataDir])
  assert.equal(code, 0, stderr)
  await server.stop()
})

test('a host and a port are read as in a URL', () => {
  assert.deepEqual(hostPort.read('127.0.0.1:9100'), { host: '127.0.0.1', port: 9100 })
  assert.deepEqual(hostPort.read('[::1]:0'), { host: '::1', port: 0 })
  assert.deepEqual(hostPort.read('ops.internal:65535'), { host: 'ops.internal', port: 65_535 })
  for (const wrong of [
    '9100',
    ':9100',
    '::1:9100',
    'host:65536',
    'host:09',
    'host:',
    'a b:1',
    '',
  ]) {
    assert.equal(hostPort.read(wrong), undefined, wrong)
  }
})
