// `make run-cluster`: PostgreSQL with a standby, three nodes and the demo, until Ctrl-C. A node
// that ends is started again, as a supervisor would do it. The folder keeps nothing from run to
// run.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { flagsOf } from './support/flags.ts'
import { emptiedFolder } from './support/own-folder.ts'
import { postgresSkip } from './support/postgres-folder.ts'
import { startPostgres } from './support/postgres-servers.ts'

const [, , folder = 'data-cluster'] = process.argv
const PROGRAM = fileURLToPath(new URL('../outcomex', import.meta.url))
const MARK = 'made-by-run-cluster'
const NAMES = ['a', 'b', 'c']
const FIRST_PORT = 3000
const RESTART_MS = 2000

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

if (postgresSkip !== false) fail(`make run-cluster: ${postgresSkip}`)
const base =
  emptiedFolder(folder, MARK) ?? fail(`${folder} is not empty; name another with DATA=...`)
const keyFile = join(base, 'server.key')
writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
const adminToken = randomBytes(18).toString('base64url')

process.stdout.write('starting PostgreSQL with a synchronous standby ...\n')
const servers = await startPostgres({ standbys: 1 })
const running = new Map<string, ChildProcess>()
let isStopping = false

const urlOf = (index: number) => `http://127.0.0.1:${FIRST_PORT + index}`

/** Resolves when the node listens; afterwards it is started again whenever it ends. */
function start(index: number): Promise<void> {
  const name = NAMES[index]
  const flags = flagsOf({
    data: join(base, name),
    port: FIRST_PORT + index,
    journal: servers.url,
    node: name,
    advertise: urlOf(index),
    'key-file': keyFile,
    'admin-token': adminToken,
  })
  const args = ['serve', ...flags, ...(index === NAMES.length - 1 ? ['--demo'] : [])]
  const node = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  running.set(name, node)
  return new Promise((listens) => {
    for (const stream of [node.stdout, node.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (line.startsWith('listening ')) listens()
        if (line.includes('"this node leads"')) process.stdout.write(`${name} leads\n`)
        if (/"level":"(error|fatal)"|^outcomex/.test(line))
          process.stdout.write(`${name}: ${line}\n`)
      })
    }
    node.once('exit', async (code, signal) => {
      running.delete(name)
      if (isStopping) return
      process.stdout.write(`${name} ended (${signal ?? `code ${code}`}) and is started again\n`)
      await pause(RESTART_MS)
      if (!isStopping) void start(index)
    })
  })
}

async function stop(): Promise<void> {
  if (isStopping) process.exit(1)
  isStopping = true
  process.stdout.write('stopping ...\n')
  const ends = [...running.values()].map((node) => {
    node.kill('SIGTERM')
    return new Promise((ended) => node.once('exit', ended))
  })
  await Promise.all(ends)
  await servers.stopAll()
  process.exit(0)
}

process.on('SIGINT', stop)
process.on('SIGTERM', stop)
await start(0)
await Promise.all([start(1), start(2)])
process.stdout.write(
  [
    '',
    ...NAMES.map((name, index) => {
      return `  node ${name}   ${urlOf(index)}   process ${running.get(name)?.pid ?? '-'}`
    }),
    `  log      ${servers.url}`,
    `  folder   ${base}`,
    '',
    '  try next, in another terminal:',
    `    export OUTCOMEX_ADMIN_TOKEN=${adminToken}`,
    '    ./outcomex cluster status',
    '    kill -9 PROCESS          # of the node that leads; the others go on',
    '  stop with Ctrl-C',
    '',
    '',
  ].join('\n'),
)
