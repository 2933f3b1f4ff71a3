import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTick } from 'node:timers/promises'
import { isRecord } from '../../../server/edge/http/request-text.ts'
import { newFolder } from '../../support/data-folder.ts'
import { runProgram, ServerProcess } from '../../support/server-process.ts'

// Every start that fails ends the process, says why, and leaves nothing half made.

const folder = newFolder()

/** Makes a self-signed certificate and its key. */
function pair(name: string): readonly [certFile: string, keyFile: string] {
  const [certFile, keyFile] = [join(folder, `${name}.cert`), join(folder, `${name}.key`)]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const files = ['-nodes', '-subj', '/CN=localhost', '-keyout', keyFile, '-out', certFile]
  const made = spawnSync('openssl', ['req', '-x509', ...curve, ...files])
  assert.equal(made.status, 0, 'openssl makes a certificate')
  return [certFile, keyFile]
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const skip = hasOpenssl ? false : 'needs openssl'

async function failedStart(...args: string[]): Promise<string> {
  const data = newFolder()
  const ended = await runProgram(['serve', '--data', data, '--port', '0', ...args])
  assert.ok(ended.code !== 0 && ended.code !== null, `${args.join(' ')}: code ${ended.code}`)
  assert.doesNotMatch(ended.stdout, /admin token/)
  assert.match(ended.stderr, /^outcomex: .+\n$/)
  return ended.stderr
}

test('a certificate and a key that do not belong together end the start', { skip }, async () => {
  const [cert, key] = pair('one')
  const [, otherKey] = pair('two')
  const swapped = await failedStart('--tls-cert', key, '--tls-key', cert)
  assert.match(swapped, /one[.]key of --tls-cert contains no PEM certificate/)
  const mixed = await failedStart('--tls-cert', cert, '--tls-key', otherKey)
  assert.match(mixed, /two[.]key does not match the certificate .*one[.]cert/)
})

test('an address of another machine ends the start', async () => {
  assert.match(await failedStart('--host', '192.0.2.1'), /this machine has no such address/)
})

test('a server listens on an IPv6 address and shows it in brackets', async (t) => {
  const server = await ServerProcess.start({ dataDir: newFolder(), args: ['--host', '::1'] })
  t.after(() => server.signal('SIGKILL'))
  assert.match(server.baseUrl, /^http:\/\/\[::1\]:[0-9]+$/)
  assert.equal((await fetch(`${server.baseUrl}/health`)).status, 200)
  await server.stop()
})

test('a demo trades with a self-signed certificate', { skip }, async (t) => {
  const [cert, key] = pair('demo')
  const dataDir = newFolder()
  const args = ['--tls-cert', cert, '--tls-key', key]
  const server = await ServerProcess.start({ dataDir, args, demo: true })
  t.after(() => server.signal('SIGKILL'))
  const demo: unknown = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  assert.ok(isRecord(demo) && Array.isArray(demo.traders))
  assert.equal(demo.traders.length, 3)
  assert.doesNotMatch(server.stderr, /market maker|refus/)
  await server.stop()
})

test('the exchange takes its port over from the early listener before it', async () => {
  const reserved = createServer().listen(0, '127.0.0.1')
  await once(reserved, 'listening')
  const address = reserved.address()
  assert.ok(address !== null && typeof address === 'object')
  const base = `http://127.0.0.1:${address.port}`
  await new Promise((resolve) => reserved.close(resolve))
  const starting = ServerProcess.start({
    dataDir: newFolder(),
    args: ['--port', `${address.port}`],
  })
  const early = await firstAnswer(`${base}/ready`)
  const server = await starting
  assert.match(early, /"name":"start","ok":false/)
  assert.equal(server.baseUrl, base)
  const late = await fetch(`${base}/health`)
  assert.equal(late.headers.get('connection'), null, 'this is the gateway')
  await server.stop()
})

/** The body of the first answer; until then nobody listens. */
async function firstAnswer(url: string): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(url)).text()
    } catch {
      await nextTick()
    }
  }
}
