import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { HEAD, KIND, PLACE } from '../../engine/wire/record-layout.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, SHARE, type TestMarket, type Trader } from '../support/exchange-client.ts'
import { compileProgram, ServerProcess, verify } from '../support/server-process.ts'

// Files that go away under a running process, and a second process on the same folder. Two
// processes never both acknowledge, and the journal has every acknowledged order.

const ARGS = ['--no-rate-limit', '--block-ms', '60000']
/** The low six bytes of a salt: salts of tests are numbers, so these bytes hold all of one. */
const SALT_LOW = PLACE.salt + 26

await compileProgram()

const servers: ServerProcess[] = []
after(() => {
  for (const server of servers) server.signal('SIGKILL')
})

async function start(dataDir: string, wrapper: string[] = []): Promise<ServerProcess> {
  const server = await ServerProcess.start({ dataDir, args: ARGS, wrapper })
  servers.push(server)
  return server
}

/** Salts of all orders in a folder that no process uses. */
function saltsIn(dataDir: string): Set<number> {
  const salts = new Set<number>()
  recoverJournal(dataDir, {
    visit: (_command, record) => {
      if (record[HEAD.kind] !== KIND.PLACE) return
      salts.add(Buffer.from(record).readUIntBE(SALT_LOW, 6))
    },
  })
  return salts
}

let nextSalt = 1

interface Desk {
  readonly client: ExchangeClient
  readonly market: TestMarket
  readonly trader: Trader
  readonly acknowledged: number[]
}

async function openDesk(server: ServerProcess): Promise<Desk> {
  const client = new ExchangeClient(server.baseUrl)
  const market = await client.makeMarket('rain', false)
  const trader = await client.makeTrader('maker', 1000 * SHARE)
  return { client, market, trader, acknowledged: [] }
}

/** True when the order was acknowledged; false when the process is gone or ending. */
async function place({ client, market, trader, acknowledged }: Desk): Promise<boolean> {
  const salt = nextSalt++
  const wanted = { isBuy: true, outcome: 'yes', ticks: 10, sizeRaw: SHARE, type: 'GTC' } as const
  try {
    await client.placed(trader, market, { ...wanted, salt })
    acknowledged.push(salt)
    return true
  } catch {
    return false
  }
}

async function placeUntilRefused(desk: Desk): Promise<void> {
  while (await place(desk));
}

test('a deleted lock.db stops the first process, and the second goes on', async () => {
  const dataDir = newFolder()
  const first = await start(dataDir)
  const desk = await openDesk(first)
  for (let each = 0; each < 5; each++) assert.ok(await place(desk))
  rmSync(join(dataDir, 'lock.db'))
  const before = desk.acknowledged.length
  const [second] = await Promise.all([start(dataDir), placeUntilRefused(desk)])
  assert.ok(desk.acknowledged.length <= before + 1, 'at most the order under way')
  const { code, stderr } = await first.ended
  assert.equal(code, 1)
  assert.match(stderr, /outcomex stops: .*lock\.db: the file was deleted or replaced while/)
  const other = { ...desk, client: new ExchangeClient(second.baseUrl) }
  for (let each = 0; each < 5; each++) assert.ok(await place(other))
  await second.stop()
  const salts = saltsIn(dataDir)
  for (const salt of desk.acknowledged) assert.ok(salts.has(salt), `order ${salt}`)
  await verify(dataDir)
})

test('a process without orders notices a deleted lock.db as well', async () => {
  const dataDir = newFolder()
  const server = await start(dataDir)
  rmSync(join(dataDir, 'lock.db'))
  const { code, stderr } = await server.ended
  assert.equal(code, 1)
  assert.match(stderr, /lock\.db: the file was deleted or replaced/)
  await verify(dataDir)
})

test('a folder that is moved away stops its process before it acknowledges more', async () => {
  const dataDir = newFolder()
  const moved = join(newFolder(), 'moved')
  const server = await start(dataDir)
  const desk = await openDesk(server)
  assert.ok(await place(desk))
  renameSync(dataDir, moved)
  assert.equal(await place(desk), false)
  assert.match((await server.ended).stderr, /: the file was deleted or replaced while this process/)
  const salts = saltsIn(moved)
  for (const salt of desk.acknowledged) assert.ok(salts.has(salt), `order ${salt}`)
  await verify(moved)
})

test('a journal.db that is replaced stops its process before it acknowledges more', async () => {
  const dataDir = newFolder()
  const server = await start(dataDir)
  const desk = await openDesk(server)
  assert.ok(await place(desk))
  const kept = join(dataDir, 'kept.db')
  renameSync(join(dataDir, 'journal.db'), kept)
  assert.equal(await place(desk), false)
  assert.match((await server.ended).stderr, /journal\.db: the file was deleted or replaced/)
  renameSync(kept, join(dataDir, 'journal.db'))
  const salts = saltsIn(dataDir)
  for (const salt of desk.acknowledged) assert.ok(salts.has(salt), `order ${salt}`)
})

test('the journal is locked, and a program that only reads it keeps its WAL', async () => {
  const dataDir = newFolder()
  const server = await start(dataDir)
  const desk = await openDesk(server)
  assert.ok(await place(desk))
  const path = join(dataDir, 'journal.db')
  // SQLite relies on the lock it took; opening and closing the file beside it drops that lock.
  const locks = existsSync('/proc/locks') ? readFileSync('/proc/locks', 'utf8') : null
  if (locks !== null) assert.ok(locks.includes(`:${statSync(path).ino} `), 'journal.db is locked')
  const inode = () => statSync(`${path}-wal`).ino
  const before = inode()
  const script = `const db = new (require('better-sqlite3'))(process.argv[1])
    db.prepare('SELECT count(*) FROM batches').get()
    db.close()`
  const { status, stderr } = spawnSync(process.execPath, ['-e', script, path], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.equal(inode(), before)
  assert.ok(await place(desk))
  await server.kill()
  const salts = saltsIn(dataDir)
  for (const salt of desk.acknowledged) assert.ok(salts.has(salt), `order ${salt}`)
})

test('a limit on file size stops the process with a sentence, and nothing is lost', async () => {
  const dataDir = newFolder()
  // Either the journal or the read tables meet the limit first.
  const server = await start(dataDir, ['prlimit', '--fsize=1000000'])
  const desk = await openDesk(server)
  await placeUntilRefused(desk)
  assert.ok(desk.acknowledged.length > 10)
  const { code, stderr } = await server.ended
  assert.equal(code, 1)
  assert.match(stderr, /outcomex stops: The (journal|follower) thread failed: .*db: the disk /)
  const again = await start(dataDir)
  await again.stop()
  const salts = saltsIn(dataDir)
  for (const salt of desk.acknowledged) assert.ok(salts.has(salt), `order ${salt}`)
  await verify(dataDir)
})
