import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { number, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { newFolder } from '../support/data-folder.ts'

// What a stranger has: an empty folder with the one file, and nothing of this machine.

export const BUILT = fileURLToPath(new URL('../../dist-binary', import.meta.url))
export const folder = newFolder()
export const binary = join(folder, 'outcomex')
export const cache = join(folder, 'cache')
/** A place for the files of the program; a start without even this is a test of its own. */
const WITH_CACHE = { XDG_CACHE_HOME: cache }
/** A caller that polls without a pause would take a core from the start that it waits for. */
const ASK_EVERY_MS = 2
export const MARKET = 'rain-tomorrow'

const demoFile = compile(
  openObject({
    adminToken: text(),
    traders: list(
      openObject({ profileId: number(), privateKey: text(), tokenId: text(), secret: text() }),
    ),
  }),
)

export function step(what: string): void {
  process.stdout.write(`  ${what}\n`)
}

export function demoOf(dataDir: string) {
  const demo: unknown = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  assert.ok(demoFile.holds(demo), 'demo.json has keys')
  return demo
}

/** Runs a command that succeeds; gives what it printed. */
export function run(...args: string[]): string {
  const options = { cwd: folder, env: WITH_CACHE, encoding: 'utf8', stdio: 'pipe' } as const
  return execFileSync(binary, args, options)
}

export interface Served {
  readonly child: ChildProcess
  readonly baseUrl: string
  /** From the start of the process to its first answer, in milliseconds. */
  readonly firstAnswerMs: number
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

/** Resolves at the first answer, whatever else the process does. */
async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const reply = await fetch(`${url}/health`).catch(() => null)
    if (reply !== null) {
      assert.equal(reply.status, 200)
      return
    }
    await setTimeout(ASK_EVERY_MS)
  }
}

/** Starts the demo, and waits until it trades. */
export async function serve(env: NodeJS.ProcessEnv = WITH_CACHE): Promise<Served> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const fromMs = performance.now()
  const child = spawn(binary, ['serve', '--demo', '--port', String(port)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  assert.ok(child.stdout !== null && child.stderr !== null)
  let log = ''
  child.stderr.on('data', (output: Buffer) => {
    log += output.toString('utf8')
  })
  const lines = createInterface({ input: child.stdout })
  const listening = once(lines, 'line').then(() => url)
  await firstAnswer(url, child)
  const firstAnswerMs = performance.now() - fromMs
  const ended = once(child, 'exit').then(() => null)
  const baseUrl = await Promise.race([listening, ended])
  assert.ok(baseUrl !== null, `the binary ended before it listened: ${log}`)
  while ((await fetch(`${url}/ready`)).status !== 200) {
    assert.equal(child.exitCode, null, log)
    await setTimeout(ASK_EVERY_MS)
  }
  checkNative(child, log)
  return { child, baseUrl, firstAnswerMs }
}

/** A package that misses its addon may run on in JavaScript, and nothing fails. */
function checkNative({ pid }: ChildProcess, log: string): void {
  assert.match(log, /"curve":"secp256k1"/)
  const loaded = readFileSync(`/proc/${pid}/maps`, 'utf8')
  for (const addon of ['uws_', 'better_sqlite3.', 'secp256k1.']) {
    assert.match(loaded, new RegExp(`/${addon.replaceAll('.', '\\.')}[^/]*node$`, 'm'), addon)
  }
}

export async function end({ child }: Served, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code, by] = await ended
  assert.ok(signal === 'SIGTERM' ? code === 0 : by === signal, `${code} ${by}`)
}
