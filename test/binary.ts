// Drives the binary as a stranger would: `make binary-test`. It runs from an empty folder with an
// empty environment, so nothing but the one file can help it.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { MarketFetcher } from '@limitless-exchange/sdk'
import { newFolder } from './support/data-folder.ts'

const BUILT = fileURLToPath(new URL('../dist-binary', import.meta.url))
const BYTES_MAX = 125_000_000
const folder = newFolder()
const binary = join(folder, 'outcomex')
const cache = join(folder, 'cache')
/** Nothing of this machine but a place for the files of the program. */
const env = { XDG_CACHE_HOME: cache }

function step(what: string): void {
  process.stdout.write(`  ${what}\n`)
}

function run(...args: string[]): string {
  return execFileSync(binary, args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
}

interface Served {
  readonly child: ChildProcess
  readonly baseUrl: string
}

async function serve(): Promise<Served> {
  const child = spawn(binary, ['serve', '--demo', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  assert.ok(child.stdout !== null && child.stderr !== null)
  let log = ''
  child.stderr.on('data', (text: Buffer) => {
    log += text.toString('utf8')
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('listening ')) continue
    checkNative(child, log)
    return { child, baseUrl: line.slice('listening '.length) }
  }
  return assert.fail(`the binary ended before it listened: ${log}`)
}

/** A package that misses its addon may run on in JavaScript, and nothing fails. */
function checkNative({ pid }: ChildProcess, log: string): void {
  assert.match(log, /"curve":"secp256k1"/)
  const loaded = readFileSync(`/proc/${pid}/maps`, 'utf8')
  for (const addon of ['uws_', 'better_sqlite3.', 'secp256k1.', 'node.napi.']) {
    assert.match(loaded, new RegExp(`/${addon.replaceAll('.', '\\.')}[^/]*node$`, 'm'), addon)
  }
}

async function end({ child }: Served, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code, by] = await ended
  assert.ok(signal === 'SIGTERM' ? code === 0 : by === signal, `${code} ${by}`)
}

function checkFiles(): void {
  step('files: sizes and checksums')
  for (const line of readFileSync(join(BUILT, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
    const [digest, name] = line.split('  ')
    const bytes = readFileSync(join(BUILT, name))
    assert.equal(createHash('sha256').update(bytes).digest('hex'), digest, name)
  }
  assert.ok(statSync(join(BUILT, 'outcomex')).size <= BYTES_MAX)
  const { components } = JSON.parse(readFileSync(join(BUILT, 'sbom.json'), 'utf8'))
  const named = components.map(({ name }: { name: string }) => name)
  for (const name of ['better-sqlite3', 'typebox', 'pino']) assert.ok(named.includes(name), name)
  copyFileSync(join(BUILT, 'outcomex'), binary)
}

function checkCache(): void {
  step('its files: for this user alone, and checked')
  assert.match(
    run('--version'),
    /^\d+\.\d+\.\d+ \(commit [0-9a-f]{12}.*, \w+-\w+, node v\d+\.\S+\)\n$/,
  )
  const root = join(cache, 'outcomex')
  const [name] = readdirSync(root)
  for (const path of [root, join(root, name)]) assert.equal(statSync(path).mode & 0o777, 0o700)
  // A changed file is not run: it is unpacked anew.
  const changed = join(root, name, 'main.js')
  const before = readFileSync(changed)
  appendFileSync(changed, '\nthrow new Error("changed")\n')
  run('--version')
  assert.deepEqual(readFileSync(changed), before)
  assert.deepEqual(readdirSync(root), [name])
}

async function walk(baseUrl: string): Promise<void> {
  step('the first trade, and the walk of the public client')
  const order = ['order', '--as', '0', '--market', 'rain-tomorrow', '--buy', 'yes', '10@0.65']
  assert.match(run(...order, '--url', baseUrl), /^matched +10 shares/m)
  const { HttpClient } = await import('@limitless-exchange/sdk')
  const markets = new MarketFetcher(new HttpClient({ baseURL: baseUrl }))
  const { data } = await markets.getActiveMarkets()
  assert.ok(data.length > 0)
  assert.equal((await markets.getMarket('rain-tomorrow')).slug, 'rain-tomorrow')
  const book = await markets.getOrderBook('rain-tomorrow')
  assert.ok(book.asks.length + book.bids.length > 0)
  for (const path of ['/', '/docs', '/docs/trading', '/openapi.json', '/ready']) {
    const reply = await fetch(`${baseUrl}${path}`)
    const text = await reply.text()
    assert.equal(reply.status, 200, `${path}: ${text}`)
  }
  assert.match(run('top', '--once', '--url', baseUrl), /^busiest .*\n.* {2}[a-z0-9-]+$/m)
  const found = await fetch(`${baseUrl}/markets/search?query=crypto`)
  assert.equal(found.status, 200)
}

checkFiles()
checkCache()
step('demo')
const first = await serve()
await walk(first.baseUrl)
step('kill -9, verify, restart')
await end(first, 'SIGKILL')
assert.match(run('verify'), /^The folder is sound/m)
const second = await serve()
await walk(second.baseUrl)
await end(second, 'SIGTERM')
assert.match(run('backup', '--to', join(folder, 'backup')), /^The backup is whole/m)
assert.match(run('export', '--csv', 'trades'), /,rain-tomorrow,/)
step('ok')
