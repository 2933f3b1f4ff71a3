import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { newFolder } from '../../support/data-folder.ts'
import { programWords, runProgram, ServerProcess } from '../../support/server-process.ts'

// What becomes of a program whose standard output takes nothing.

const skip = existsSync('/dev/full') ? false : 'needs /dev/full'
const TO_FULL = ['sh', '-c', 'exec "$0" "$@" >/dev/full']
const NOT_KEPT =
  /^outcomex: the admin token cannot be written to standard output [(].*[)] .*--admin-token/m

const WAYS = [
  [true, /ENOSPC/],
  [false, /EPIPE/],
] as const

function serveArgs(dataDir: string): string[] {
  return ['serve', '--data', dataDir, '--port', '0']
}

/** A start whose output goes to a full disk, or into a pipe that nobody reads. */
function unreadable(
  dataDir: string,
  isFull: boolean,
): ChildProcessByStdio<null, Readable, Readable> {
  const shell = isFull ? TO_FULL : ['env']
  const [name, ...words] = [...shell, ...programWords(), ...serveArgs(dataDir)]
  const child = spawn(name, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  return child
}

/** Reads the log until it holds the text, or to its end. */
async function logOf(stderr: Readable, isThere: (log: string) => boolean): Promise<string> {
  let log = ''
  for await (const bytes of stderr) {
    log += bytes
    if (isThere(log)) break
  }
  return log
}

test('an admin token that cannot be shown is not kept; a later start needs no output', {
  skip,
}, async (t) => {
  const dataDir = newFolder()
  for (const [isFull, reason] of WAYS) {
    const child = unreadable(dataDir, isFull)
    const closed = once(child, 'close')
    const log = await logOf(child.stderr, () => false)
    await closed
    assert.equal(child.exitCode, 1)
    assert.match(log, NOT_KEPT)
    assert.match(log, reason)
  }
  const server = await ServerProcess.start({ dataDir, makesToken: true })
  t.after(() => server.signal('SIGKILL'))
  const [, token] = /^admin token [(]shown once[)]: (\S+)$/m.exec(server.stdout) ?? []
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await fetch(`${server.baseUrl}/admin/operators`, { headers })).status, 200)
  await server.stop()
  for (const [isFull, reason] of WAYS) {
    const child = unreadable(dataDir, isFull)
    t.after(() => child.kill('SIGKILL'))
    const log = await logOf(child.stderr, (text) => /"url":"[^"]+"/.test(text))
    assert.match(log, reason)
    assert.match(log, /standard output cannot be written/)
    const [, url] = /"url":"([^"]+)"/.exec(log) ?? []
    assert.equal((await fetch(`${url}/health`)).status, 200)
    child.kill('SIGTERM')
    await once(child, 'close')
    assert.equal(child.exitCode, 0)
  }
})

test('a command whose output takes nothing ends with one line', { skip }, async () => {
  for (const args of [['--help'], ['serve', '--help']]) {
    const { code, stderr } = await runProgram(args, { wrapper: TO_FULL })
    assert.equal(code, 1, stderr)
    assert.match(stderr, /^outcomex: standard output cannot be written: ENOSPC: [^\n]+\n$/)
  }
  const toFull = ['sh', '-c', 'exec "$0" "$@" 2>/dev/full']
  const { code, stderr } = await runProgram(['no-command'], { wrapper: toFull })
  assert.deepEqual([code, stderr], [2, ''])
})
