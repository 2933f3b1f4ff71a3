import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openLog } from '../../../server/ops/logging/log.ts'
import { LogOutput } from '../../../server/ops/logging/log-output.ts'
import { newFolder } from '../../support/data-folder.ts'
import { gaugeIn } from '../../support/process-figures.ts'
import { ADMIN_TOKEN, programWords } from '../../support/server-process.ts'

const LOG_END = fileURLToPath(new URL('../../support/log-end.ts', import.meta.url))
const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants

/** The text that `act` writes to a log in a file. */
async function written(act: (log: ReturnType<typeof openLog>) => void, forPeople = false) {
  const path = join(newFolder(), 'log')
  const log = openLog('info', new LogOutput(openSync(path, 'a')), forPeople)
  act(log)
  await log.output.end()
  return readFileSync(path, 'utf8')
}

test('a line of the log is JSON, with a named level and an ISO time, without secrets', async () => {
  const text = await written((log) => {
    log.info({ secret: 'hush', request: { authorization: 'hush', path: '/x' } }, 'sent')
    log.debug('not at this level')
  })
  assert.match(text, /^\{"level":"info","time":"[0-9-]{10}T[0-9:.]{12}Z",.*"msg":"sent"\}\n$/)
  assert.match(text, /"path":"\/x"/)
  assert.ok(!text.includes('hush'))
})

test('on a terminal a line is text for people', async () => {
  const text = await written((log) => log.warn({ seq: 7 }, 'look here'), true)
  assert.match(text, /\[[0-9-]{10}T[0-9:.]{12}Z\].*WARN.*look here.*"seq":7/)
})

/** A named pipe with both ends open. Only the test reads from it. */
function openPipe() {
  const path = join(newFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const read = openSync(path, O_RDONLY | O_NONBLOCK)
  return { read, write: openSync(path, O_WRONLY) }
}

/** Everything that is in the pipe now. */
function readAll(fd: number): string {
  const chunk = Buffer.alloc(1 << 16)
  let text = ''
  for (;;) {
    try {
      const count = readSync(fd, chunk)
      if (count === 0) return text
      text += chunk.toString('utf8', 0, count)
    } catch {
      return text
    }
  }
}

function startServer(stderr: number | 'pipe') {
  const words = ['serve', '--data', newFolder(), '--port', '0', '--admin-token', ADMIN_TOKEN]
  const flags = ['--no-rate-limit', '--market-threads', '1']
  const [node, ...program] = programWords()
  const child = spawn(node, [...program, ...words, ...flags], { stdio: ['ignore', 'pipe', stderr] })
  assert.ok(child.stdout !== null)
  const lines = createInterface({ input: child.stdout })
  const baseUrl = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('listening ')) resolve(line.slice('listening '.length))
    })
    child.once('exit', () => reject(new Error('the server ended before it listened')))
  })
  return { child, baseUrl }
}

const AUTHORIZATION = { authorization: `Bearer ${ADMIN_TOKEN}` }

/** Makes an operator's call that leaves a log line of a kilobyte. */
async function act(baseUrl: string): Promise<void> {
  const reply = await fetch(`${baseUrl}/admin/balances`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: `"${'y'.repeat(1000)}"`,
  })
  assert.equal(reply.status, 400)
  await reply.arrayBuffer()
}

async function actMany(baseUrl: string, count: number): Promise<void> {
  const AT_ONCE = 20
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => act(baseUrl)))
  }
}

async function droppedLines(baseUrl: string): Promise<number> {
  const reply = await fetch(`${baseUrl}/metrics`, { headers: AUTHORIZATION })
  return gaugeIn(await reply.text(), 'outcomex_log_dropped_total')
}

for (const kind of ['pipe', 'socket'] as const) {
  test(`a ${kind} that nobody reads blocks neither the exchange nor its stop`, async () => {
    const pipe = kind === 'pipe' ? openPipe() : null
    const { child, baseUrl } = startServer(pipe?.write ?? 'pipe')
    child.stderr?.pause()
    const url = await baseUrl
    while ((await droppedLines(url)) === 0) await actMany(url, 400)
    assert.equal((await fetch(`${url}/health`)).status, 200)
    if (pipe !== null) await isReportedWhenRead(pipe.read, url)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    if (pipe !== null) for (const fd of [pipe.read, pipe.write]) closeSync(fd)
  })
}

/** Once the pipe is read, the log states the number of lost lines. Then the pipe fills again. */
async function isReportedWhenRead(fd: number, baseUrl: string): Promise<void> {
  let text = ''
  while (!text.includes('log lines were lost')) {
    text += readAll(fd)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const reported = /^\{"level":"warn".*"dropped":(\d+),.*$/m.exec(text)
  assert.equal(Number(reported?.[1]), await droppedLines(baseUrl))
  const lines = text.trimEnd().split('\n')
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line)
  await actMany(baseUrl, 400)
}

test('the last lines before a fatal end are written if the pipe is read', async () => {
  const program = ['--import', 'tsx', LOG_END, '500', '1000']
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'inherit', 'pipe'] })
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 3)
  assert.match(text, /"level":"fatal".*"msg":"the end"\}\nlast words\n$/)
})

test('a fatal end takes only a moment if nobody reads the pipe', async () => {
  const pipe = openPipe()
  const program = ['--import', 'tsx', LOG_END, '2000', '1000']
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'inherit', pipe.write] })
  assert.deepEqual(await once(child, 'exit'), [3, null])
  for (const fd of [pipe.read, pipe.write]) closeSync(fd)
})
