import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { commands } from '../../../../server/cli/commands.ts'
import { copyFolder, newFolder } from '../../../support/data-folder.ts'
import { ExchangeClient, SHARE } from '../../../support/exchange-client.ts'
import { done, filled, keyOf, refused, run, verified } from '../../../support/folder-commands.ts'
import { asReader } from '../../../support/other-user.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { compileProgram, ServerProcess } from '../../../support/server-process.ts'

// Commands that only read a folder, on one that they cannot write: read-only media, or the folder
// of another user.

const random = new Random(freshSeed())
await compileProgram()
// Another user may not read the files of this program.
for (const { load } of Object.values(commands)) await load()
const data = filled(600, random)
await done('rebuild', { data })
const mark = await verified(data, keyOf(data))
const balances = await done('export --csv balances', { data })
const trades = await done('export --csv trades', { data })

/** Every command that reads gives what it gave on the folder itself, and leaves nothing there. */
async function readsAll(folder: string, key: string): Promise<void> {
  const names = readdirSync(folder)
  await asReader(folder, async () => {
    assert.deepEqual(await verified(folder, key), mark)
    assert.match(await done('replay', { data: folder, key }), new RegExp(`^seq ${mark.seq} at `))
    assert.equal(await done('export --csv balances', { data: folder, key }), balances)
    const restored = join(newFolder(), 'restored')
    await done('restore', { data: restored, from: folder, key })
    assert.deepEqual(await verified(restored, key), mark)
    const again = join(newFolder(), 'again')
    await done('backup', { data: folder, to: again, key })
    assert.deepEqual(await verified(again, key), mark)
  })
  assert.deepEqual(readdirSync(folder), names, 'nothing was left there')
}

test('a backup can be checked and restored where nothing can be written', async () => {
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to })
  const key = join(newFolder(), 'server.key')
  writeFileSync(key, readFileSync(keyOf(data)))
  chmodSync(join(key, '..'), 0o755)
  chmodSync(key, 0o644)
  // Bytes 18 and 19 of the file name its mode: 2 is WAL, which needs a file beside it to be read.
  assert.deepEqual([...readFileSync(join(to, 'journal.db')).subarray(18, 20)], [1, 1])
  chmodSync(join(to, '..'), 0o755)
  await readsAll(to, key)
  // It is brought up to date as before.
  await done('backup', { data, to })
  assert.deepEqual(await verified(to, key), mark)
})

test('a copy of a stopped data folder can be read where nothing can be written', async () => {
  const folder = copyFolder(data)
  for (const name of readdirSync(folder)) if (/-(wal|shm)$/.test(name)) rmSync(join(folder, name))
  assert.deepEqual([...readFileSync(join(folder, 'journal.db')).subarray(18, 20)], [2, 2])
  await readsAll(folder, keyOf(folder))
  const output = await asReader(folder, () => done('export --csv trades', { data: folder }))
  assert.equal(output, trades)
  // A file of the lock that cannot be opened is no reason to refuse.
  rmSync(join(folder, 'lock.db'), { force: true })
  await readsAll(folder, keyOf(folder))
})

test('the folder of a killed server can be read where nothing can be written', async () => {
  const killed = newFolder()
  const args = ['--market-threads', '0', '--no-rate-limit']
  const server = await ServerProcess.start({ dataDir: killed, args })
  after(() => server.signal('SIGKILL'))
  const client = new ExchangeClient(server.baseUrl)
  await client.makeMarket('rain', false)
  await client.makeTrader('maker', 100 * SHARE)
  // Beside a running exchange the commands that need no lock work, and verify says why it does not.
  await asReader(killed, async () => {
    assert.match(await done('replay', { data: killed }), /^seq \d+ at /)
    assert.match(await done('export --csv balances', { data: killed }), /collateral,100\.000000/)
    const ended = await run('verify', { data: killed })
    assert.equal(ended.code, 3, ended.stderr)
    assert.match(
      ended.stderr,
      /another outcomex process uses .*\nThe folder could not be checked\.$/,
    )
  })
  await server.kill()
  assert.ok(existsSync(join(killed, 'journal.db-wal')))
  const key = keyOf(killed)
  const state = await asReader(killed, () => verified(killed, key))
  rmSync(join(killed, 'journal.db-shm'))
  assert.deepEqual(await asReader(killed, () => verified(killed, key)), state)
  assert.deepEqual(await verified(killed, key), state)
})

test('verify separates a folder that is not sound from one that it could not check', async () => {
  const absent = join(newFolder(), 'absent')
  await refused('verify', { data: absent }, /there is no journal here/, 3)
  await refused('verify', { data, key: absent }, /the server key is missing/, 3)
  const newer = copyFolder(data)
  const journal = new SqliteDatabase(join(newer, 'journal.db'))
  journal.pragma('user_version = 99')
  journal.close()
  await refused('verify', { data: newer }, /written by a newer outcomex/, 3)
  const closed = copyFolder(data)
  for (const name of ['journal.db', 'journal.head', 'server.key']) {
    const why = new RegExp(`${name}: this user may not use it`)
    await asReader(closed, () => refused('verify', { data: closed }, why, 3), [name])
  }
  const damaged = copyFolder(data)
  const bytes = readFileSync(join(damaged, 'journal.db'))
  writeFileSync(join(damaged, 'journal.db'), bytes.fill(0xff, 0, 16))
  await refused('verify', { data: damaged }, /restore the data folder from a backup/, 1)
})
