import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTick } from 'node:timers/promises'
import { codeOf } from '../../../engine/domain/error-code.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { recordAt } from '../../support/journal-records.ts'
import { programWords, runProgram, ServerProcess } from '../../support/server-process.ts'
import '../../support/two-edges.ts'

// Signals that a program gets by mistake. Node would open its debugger, or end without a line.

/** The debugger would listen on a port that is free. */
const ANY_PORT = '--inspect-port=127.0.0.1:0'
const OPENED = /Debugger listening on ws:\/\/127[.]0[.]0[.]1:([0-9]+)/

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('a serving exchange opens no debugger, ignores USR2, and stops at QUIT', async (t) => {
  const program = programWords(ANY_PORT)
  const server = await ServerProcess.start({ dataDir: newFolder(), program })
  t.after(() => server.signal('SIGKILL'))
  for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGHUP'] as const) {
    server.signal(signal)
    await server.logged((log) => log.includes(`"signal":"${signal}"`))
  }
  assert.doesNotMatch(server.stderr, OPENED)
  assert.match(server.stderr, /"SIGUSR1 is ignored: it would open Node's debugger/)
  assert.match(server.stderr, /"SIGUSR2 is ignored"/)
  assert.match(server.stderr, /"SIGHUP reloads certificates, but this exchange has none/)
  assert.equal((await fetch(`${server.baseUrl}/health`)).status, 200)
  server.signal('SIGQUIT')
  const { code, stderr } = await server.ended
  assert.equal(code, 0)
  assert.match(stderr, /"signal":"SIGQUIT","msg":"stopping"/)
  assert.match(stderr, /"msg":"stopped"/)
})

test('a signal before the listening line stops in order too', async () => {
  const [node, ...words] = programWords()
  const args = ['serve', '--data', newFolder(), '--port', '0']
  const child = spawn(node, [...words, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  child.stderr.on('data', (bytes) => {
    log += bytes
  })
  const ended = once(child, 'exit')
  // The token is shown while it is on its way to the disk.
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null], log)
  assert.match(log, /"msg":"stopped"/)
})

/** Waits until the kernel has a handler for SIGUSR1, which is that of Node at first. */
async function handlesUsr1(pid: number): Promise<void> {
  const BIT = 1n << 9n
  for (;;) {
    try {
      const [, caught] =
        /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      if (caught !== undefined && (BigInt(`0x${caught}`) & BIT) !== 0n) return
    } catch (error) {
      assert.match(codeOf(error), /ENOENT|ESRCH/)
    }
    await nextTick()
  }
}

const isLinux = process.platform === 'linux'

test('a debugger that a signal opened before the first line is closed', {
  skip: !isLinux,
}, async () => {
  const [node, ...words] = programWords(ANY_PORT)
  const args = ['serve', '--data', newFolder(), '--port', '0']
  const child = spawn(node, [...words, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.on('data', (bytes) => {
    output += bytes
  })
  assert.ok(child.pid !== undefined)
  await handlesUsr1(child.pid)
  child.kill('SIGUSR1')
  for await (const bytes of child.stdout) if (String(bytes).includes('listening ')) break
  const [, port] = OPENED.exec(output) ?? []
  if (port === undefined) assert.match(output, /SIGUSR1 is ignored/)
  else {
    assert.match(output, /SIGUSR1 arrived before the program was loaded .* closed/)
    assert.equal(await isOpen(Number(port)), false, 'nobody listens there')
  }
  child.kill('SIGKILL')
  await once(child, 'close')
})

function* profiles(): Iterable<Uint8Array> {
  for (let seq = 1; seq <= 5001; seq++) yield recordAt(seq)
}

test('a command opens no debugger while it waits for its reader', async () => {
  const dataDir = newFolder()
  fillJournal(dataDir, profiles())
  const [node, ...words] = programWords(ANY_PORT)
  const child = spawn(node, [...words, 'replay', '--data', dataDir], { stdio: 'pipe' })
  // Nobody reads on, so the command waits.
  await once(child.stdout, 'readable')
  child.kill('SIGUSR1')
  let output = ''
  for await (const bytes of child.stderr) {
    output += bytes
    if (/SIGUSR1|Debugger/.test(output)) break
  }
  assert.match(output, /^outcomex: SIGUSR1 is ignored: it would open Node's debugger/m)
  child.kill('SIGKILL')
  await once(child, 'close')
})

test('no command runs with an open debugger', async () => {
  const dataDir = newFolder()
  const sentence = /^outcomex: --inspect opens Node's debugger, .*; start without it .*$/m
  const ways = [
    { program: programWords('--inspect=127.0.0.1:0') },
    { wrapper: ['env', 'NODE_OPTIONS=--v8-pool-size=1 --inspect=127.0.0.1:0'] },
  ]
  for (const around of ways) {
    for (const args of [
      ['serve', '--data', dataDir, '--port', '0'],
      ['verify', '--data', dataDir],
    ]) {
      const { code, stderr } = await runProgram(args, around)
      assert.equal(code, 2, stderr)
      assert.match(stderr, sentence)
    }
  }
})
