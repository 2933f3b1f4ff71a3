import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { openFolder } from '../../persistence/snapshot/emptied-folder.ts'
import { copyFolder, newFolder } from '../support/data-folder.ts'
import { dies, done, filled, keyOf, refused, verified } from '../support/folder-commands.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram, ServerProcess } from '../support/server-process.ts'

// Folders that look like that of a first start and are not: copies that were cut off, and what is
// left of an exchange.

const random = new Random(freshSeed())
await compileProgram()
const args = ['--no-rate-limit']

/** A start refuses this folder and makes nothing in it. */
async function refusedStart(data: string, why: RegExp, ...flags: string[]): Promise<void> {
  const names = () => readdirSync(data).filter((name) => !/^lock\.db|-(wal|shm)$/.test(name))
  const before = names()
  const started = ServerProcess.start({ dataDir: data, args: [...args, ...flags] })
  after(() => started.then((server) => server.signal('SIGKILL')).catch(() => {}))
  await assert.rejects(started, why)
  assert.deepEqual(names(), before, 'nothing was made')
}

test('no start takes a copy that was cut off at any step for a new exchange', async () => {
  const data = filled(100, random)
  const key = keyOf(data)
  const why = /this copy is unfinished \(it contains copy\.unfinished\)/
  // The mark; an empty journal; the sealed key; the head.
  for (const step of [1, 2, 3, 4]) {
    const to = join(newFolder(), 'backup')
    await dies('backup', { data, to }, `mid-copy:${step}`)
    for (const keyFile of [undefined, key]) assert.throws(() => openFolder(to, keyFile), why)
    if (step === 1) await refused('verify', { data: to, key }, /there is no journal here/, 3)
    else await refused('verify', { data: to, key }, why)
    await refused('replay', { data: to, key }, why)
    await done('backup', { data, to })
    assert.ok(!existsSync(join(to, 'copy.unfinished')))
    assert.deepEqual(await verified(to, key), await verified(data, key))
  }
  const step = random.between(2, 4)
  const to = join(newFolder(), 'backup')
  await dies('backup', { data, to }, `mid-copy:${step}`)
  await refusedStart(to, why)
  await refused('rebuild', { data: to, key }, why)
  await refused('key rotate', { data: to, key, newKey: join(newFolder(), 'new.key') }, why)
  await refused('backup', { data: to, to: join(newFolder(), 'x'), key }, why)
  await done('backup', { data, to })
  // It stays of use while it is brought up to date.
  await dies('backup', { data, to }, 'mid-copy:2')
  await verified(to, key)
  // The same of a restore into a folder that is there.
  const target = newFolder()
  await dies('restore', { data: target, from: to, key }, `mid-copy:${step}`)
  await refusedStart(target, why, '--key-file', key)
  await done('restore', { data: target, from: to, key })
  assert.deepEqual(await verified(target, key), await verified(data, key))
})

test('no start takes what is left of an exchange for a new one', async () => {
  const data = filled(6000, random)
  const key = keyOf(data)
  await done('rebuild', { data })
  const empty = (from: string) => {
    const left = copyFolder(from)
    const journal = new SqliteDatabase(join(left, 'journal.db'))
    journal.exec('DELETE FROM batches')
    journal.close()
    rmSync(join(left, 'journal.head'))
    return left
  }
  const withoutTables = (folder: string) => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `read.db${end}`), { force: true })
    return folder
  }
  const rows: [folder: string, why: RegExp][] = [
    [empty(data), /the journal has no commands, but .*read\.db is from an exchange/],
    [copyFolder(data), /the journal has no commands, but .*read\.db is from an exchange/],
    [withoutTables(empty(data)), /the journal has no commands, but .*snapshots is from/],
    [withoutTables(empty(data)), /journal\.db: it has no commands yet, but a sealed key that/],
    [withoutTables(empty(data)), /journal\.db: it has no commands yet, but a sealed key that/],
  ]
  for (const end of ['.db', '.db-wal', '.db-shm', '.head']) {
    rmSync(join(rows[1][0], `journal${end}`), { force: true })
  }
  mkdirSync(join(rows[2][0], 'snapshots'))
  writeFileSync(join(rows[2][0], 'snapshots', '64.snapshot'), 'of another time')
  rmSync(keyOf(rows[3][0]))
  writeFileSync(keyOf(rows[4][0]), `${'7'.repeat(64)}\n`)
  for (const [folder, why] of rows) {
    await refusedStart(folder, why)
    await refused('rebuild', { data: folder }, new RegExp(`${why.source}|there is no journal here`))
  }
  assert.ok(existsSync(join(rows[0][0], 'read.db')), 'a rebuild deletes nothing')
  // The folder of a first start that was cut off has no command either, and goes on.
  const fresh = withoutTables(empty(data))
  const server = await ServerProcess.start({ dataDir: fresh, args })
  await server.stop()
  await verified(fresh, keyOf(fresh))
  await verified(data, key)
})
