import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { copyDataFolder } from '../../persistence/backup/copy-folder.ts'
import { copyFolder, newFolder } from '../support/data-folder.ts'
import { ExchangeClient, SHARE } from '../support/exchange-client.ts'
import {
  argsOf,
  copiedOf,
  dies,
  done,
  filled,
  keyOf,
  type Line,
  refused,
  run,
  seqOf,
  verified,
} from '../support/folder-commands.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram, runProgram, ServerProcess } from '../support/server-process.ts'

// Copies of a data folder: taken while it trades, cut off, brought up to date, restored; and the
// server key, changed and cut off.

const random = new Random(freshSeed())
await compileProgram()

const DAY_MS = 86_400_000
const YES = { isBuy: true, outcome: 'yes', ticks: 500, sizeRaw: SHARE, type: 'GTC' } as const
const args = ['--no-rate-limit']

test('a backup amid trading holds all that was acknowledged when it began', async () => {
  const data = newFolder()
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  let server = await ServerProcess.start({ dataDir: data, args })
  after(() => server.signal('SIGKILL'))
  let client = new ExchangeClient(server.baseUrl)
  const market = await client.makeMarket('rain', false)
  const trader = await client.makeTrader('maker', 100_000 * SHARE)
  const orders: string[] = []
  let [salt, isOver] = [0, false]
  const placeOne = async () => {
    const ticks = 100 + (salt % 800)
    const { order } = await client.placed(trader, market, { ...YES, ticks, salt: ++salt })
    orders.push(order.id)
  }
  const trade = async () => {
    while (!isOver && salt < 190) await placeOne()
  }
  for (let each = 0; each < 40; each++) await placeOne()
  const trading = trade()
  const before = [...orders]
  // A process of its own: this one is busy with the orders, which fit on one page.
  const backup = await runProgram(argsOf('backup', { data, to }))
  const output = backup.stdout
  assert.equal(backup.code, 0, backup.stderr)
  isOver = true
  await trading
  assert.ok(orders.length > before.length, 'orders went on')
  await server.kill()
  assert.equal(copiedOf(output), seqOf(output), 'a first backup copies everything')
  assert.match(output, /The server key is not in it: keep a copy of .*server\.key elsewhere/)
  assert.ok(!existsSync(keyOf(to)))
  assert.equal((await verified(to, key)).seq, seqOf(output))

  const restored = join(newFolder(), 'restored')
  assert.match(await done('restore', { data: restored, from: to, key }), /--key-file/)
  assert.deepEqual(await verified(restored, key), await verified(to, key))
  cpSync(key, keyOf(restored))
  server = await ServerProcess.start({ dataDir: restored, args })
  client = new ExchangeClient(server.baseUrl)
  const ids = new Set((await client.userOrders(trader, 'rain')).map(({ id }) => id))
  assert.ok(
    before.every((id) => ids.has(id)),
    'every acknowledged order is there',
  )
  await placeOne()
  await server.stop()

  // The next backup of the first folder takes what is new alone.
  server = await ServerProcess.start({ dataDir: data, args })
  client = new ExchangeClient(server.baseUrl)
  await placeOne()
  await server.stop()
  const next = await done('backup', { data, to })
  assert.equal(copiedOf(next), seqOf(next) - seqOf(output))
  assert.deepEqual(await verified(to, key), await verified(data, key))
  // The restored folder went another way.
  await refused('backup', { data: restored, to }, /copy of another exchange, or newer/)
})

test('a journal that lost its end is not backed up, and the earlier backup stays', async () => {
  const data = newFolder()
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  const server = await ServerProcess.start({ dataDir: data, args })
  after(() => server.signal('SIGKILL'))
  const client = new ExchangeClient(server.baseUrl)
  await client.makeMarket('rain', false)
  await done('backup', { data, to })
  const mark = await verified(to, key)
  await client.makeMarket('snow', false)
  await server.kill()
  const killed = copyFolder(data)
  rmSync(join(data, 'journal.db-wal'))
  await refused('backup', { data, to }, /seq \d+ was acknowledged: \d+ records are lost/)
  const target = join(newFolder(), 'target')
  await refused('backup', { data, to: target }, /records are lost/)
  assert.ok(!existsSync(join(target, 'journal.head')))
  rmSync(join(killed, 'journal.head'))
  await refused('backup', { data: killed, to }, /journal\.head: the file is missing or empty/)
  assert.deepEqual(await verified(to, key), mark)
})

test('a backup and a restore that die are finished by the next', async () => {
  const data = filled(6000, random)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  const restored = join(newFolder(), 'restored')
  await dies('backup', { data, to }, 'mid-backup:1')
  await refused('verify', { data: to, key }, /this copy is unfinished/)
  await refused('restore', { data: restored, from: to, key }, /is unfinished; run outcomex/)
  const output = await done('backup', { data, to })
  assert.ok(copiedOf(output) < seqOf(output), 'the rows of the first try are not copied again')
  await dies('restore', { data: restored, from: to, key }, 'mid-backup:1')
  assert.ok(!existsSync(restored), 'a data folder is whole or not there')
  await done('restore', { data: restored, from: to, key })
  assert.deepEqual(await verified(restored, key), await verified(data, key))
})

test('a restore says whether its start needs consent to the time that passed', async () => {
  const data = filled(100, random)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  const { lastMs } = copyDataFolder(data, to)
  assert.ok(lastMs !== null)
  for (const [passedMs, isOld] of [
    [DAY_MS, false],
    [DAY_MS + 1, true],
  ] as const) {
    const line = { data: join(newFolder(), 'restored'), from: to, key }
    const { code, stdout } = await run('restore', line, lastMs + passedMs)
    assert.deepEqual([code, stdout.endsWith(' --accept-clock')], [0, isOld], stdout)
  }
})

test('a backup that was cut off before its first row is no sound folder', async () => {
  const data = filled(100, random)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to })
  // The schema comes first, then the sealed key, then rows; the head comes last.
  for (const table of ['batches', 'marks']) {
    const journal = new SqliteDatabase(join(to, 'journal.db'))
    journal.exec(`DELETE FROM ${table}`)
    journal.close()
    for (const cutOff of [
      () => writeFileSync(join(to, 'journal.head'), ''),
      () => {
        rmSync(join(to, 'journal.head'))
      },
    ]) {
      cutOff()
      const why = /journal\.head: .* unfinished backup: run outcomex backup/
      await refused('verify', { data: to, key }, why)
      await refused('verify', { data: to }, why)
      const restored = join(newFolder(), 'x')
      await refused('restore', { data: restored, from: to, key }, /is unfinished; run outcomex/)
    }
  }
  await done('backup', { data, to })
  assert.deepEqual(await verified(to, key), await verified(data, key))
})

test('an empty folder takes a restore itself, and one that was cut off there goes on', async () => {
  const data = filled(6000, random)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to })
  const target = newFolder()
  mkdirSync(join(target, 'lost+found'))
  await dies('restore', { data: target, from: to, key }, 'mid-backup:1')
  assert.ok(!existsSync(join(target, 'journal.head')), 'no start reads it yet')
  assert.ok(!existsSync(`${target}.restoring`))
  const output = await done('restore', { data: target, from: to, key })
  assert.ok(copiedOf(output) < seqOf(output), 'the rows of the first try are not copied again')
  assert.deepEqual(await verified(target, key), await verified(data, key))
  await refused('restore', { data: target, from: to, key }, /it is not empty, and a restore/)
})

test('a backup leaves out a snapshot with a wrong byte', async () => {
  const data = newFolder()
  const server = await ServerProcess.start({ dataDir: data, args })
  after(() => server.signal('SIGKILL'))
  await new ExchangeClient(server.baseUrl).makeMarket('rain', false)
  await server.stop()
  const folder = join(data, 'snapshots')
  const [name] = readdirSync(folder)
  const whole = readFileSync(join(folder, name))
  const broken = Buffer.from(whole)
  broken[random.between(200, whole.length - 40)] ^= 1
  writeFileSync(join(folder, name), broken)
  const to = join(newFolder(), 'backup')
  assert.match(await done('backup', { data, to }), /^snapshots none$/m)
  assert.deepEqual(readdirSync(join(to, 'snapshots')), [])
  writeFileSync(join(folder, name), whole)
  assert.match(await done('backup', { data, to }), /^snapshots \d+$/m)
  // A copy that went bad later is taken again.
  writeFileSync(join(to, 'snapshots', name), broken)
  assert.match(await done('backup', { data, to }), /^snapshots \d+$/m)
  assert.deepEqual(readFileSync(join(to, 'snapshots', name)), whole)
})

test('a backup refuses what would make it worthless, and says what to do', async () => {
  const data = filled(500, random)
  const key = keyOf(data)
  const backup = join(newFolder(), 'backup')
  await done('backup', { data, to: backup })
  const full = newFolder()
  writeFileSync(join(full, 'thesis.txt'), 'x')
  const foreign = filled(700, random)
  const linked = join(newFolder(), 'linked')
  symlinkSync(data, linked)
  const absent = join(newFolder(), 'nothing')
  mkdirSync(absent)
  const rows: [words: string, line: Line, why: RegExp, code?: number][] = [
    ['backup', { data }, /required option '--to <DIR>' not specified/, 2],
    ['backup', { data, to: data }, /one of the two folders is inside the other/],
    ['backup', { data, to: join(data, 'backup') }, /one of the two folders is inside the other/],
    ['backup', { data, to: join(linked, 'new', 'backup') }, /one of the two folders is inside/],
    ['backup', { data, to: full }, /contains thesis\.txt, which is not part of a backup/],
    ['backup', { data: absent, to: backup }, /there is no journal here/],
    ['backup', { data: foreign, to: backup }, /copy of another exchange, or newer/],
    ['backup', { data, to: backup, key: keyOf(foreign) }, /this is not the key/],
    ['backup', { data, to: '/proc/backup' }, /no folder can be created there|may not use it/],
    [
      'restore',
      { data: full, from: backup, key },
      /it is not empty, and a restore never overwrites/,
    ],
    ['restore', { data: absent, from: full, key }, /there is no journal here/],
    ['restore', { data: absent, from: backup }, /the server key is missing/],
    ['restore', { data: absent, key }, /required option '--from <DIR>' not specified/, 2],
  ]
  for (const [words, line, why, code] of rows) await refused(words, line, why, code)
  assert.deepEqual(readdirSync(full), ['thesis.txt'])
  await verified(backup, key)
})

test('a changed record is found on the way, and the backup keeps what was good', async () => {
  const data = filled(500, random)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  const whole = copyFolder(data)
  const journal = new SqliteDatabase(join(data, 'journal.db'))
  const rows = journal.prepare<[], { seq: number }>('SELECT first_seq AS seq FROM batches').all()
  // A change of the last one is found before any copy: it is not what the head was written for.
  const { seq } = random.pick(rows.slice(0, -1))
  journal.prepare('UPDATE batches SET checksum = zeroblob(32) WHERE first_seq = ?').run(seq)
  journal.close()
  await refused('backup', { data, to }, new RegExp(`checksum of records ${seq} to`))
  await refused('restore', { data: join(newFolder(), 'x'), from: to, key }, /journal|finished/)
  await done('backup', { data: whole, to })
  await verified(to, key)
})

/** Flips one bit of one row that is not the last. */
function flipInOldRow(path: string): void {
  const journal = new SqliteDatabase(path)
  const rows = journal
    .prepare<[], { seq: number; records: Buffer }>('SELECT first_seq AS seq, records FROM batches')
    .all()
  const { seq, records } = random.pick(rows.slice(0, -1))
  records[random.below(records.length)] ^= 1 << random.below(8)
  journal.prepare('UPDATE batches SET records = ? WHERE first_seq = ?').run(records, seq)
  journal.close()
}

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] ^= 1
  writeFileSync(path, bytes)
}

test('a copy whose disk changed a bit is not whole, and a new one is', async () => {
  const data = filled(6000, random)
  const key = keyOf(data)
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to })
  const whole = copyFolder(to)
  const shown: number[] = []
  const { seq } = copyDataFolder(data, to, { onProgress: (at, goal) => shown.push(at, goal) })
  assert.deepEqual(shown.slice(-2), [seq, seq], 'the rows of the copy are read again')
  assert.ok(shown[0] < seq)
  const damages: [why: RegExp, damage: () => void][] = [
    [/journal\.db: .*records \d+/, () => flipInOldRow(join(to, 'journal.db'))],
    [/journal\.db: the file is not a database/, () => flipByte(join(to, 'journal.db'), 3)],
    [/journal\.head: the file is damaged/, () => flipByte(join(to, 'journal.head'), 20)],
  ]
  for (const [why, damage] of damages) {
    damage()
    await refused('backup', { data, to: `${to}/` }, why)
    await refused(
      'backup',
      { data, to },
      /no longer usable: remove the contents of .*backup and run the/,
    )
    rmSync(to, { recursive: true })
    cpSync(whole, to, { recursive: true })
  }
  rmSync(to, { recursive: true })
  await done('backup', { data, to })
  assert.deepEqual(await verified(to, key), await verified(data, key))
})

test('a new server key takes over at once, wherever the rotation died', async () => {
  const data = filled(300, random)
  const key = keyOf(data)
  const newKey = join(newFolder(), 'new.key')
  const rotate = { data, newKey }
  await dies('key rotate', rotate, 'mid-rotate:1')
  const mark = await verified(data, key)
  await refused('verify', { data, key: newKey }, /this is not the key/, 3)
  assert.match(await done('key rotate', rotate), /Start the exchange with --key-file .*new\.key/)
  assert.deepEqual(await verified(data, newKey), mark)
  await refused('verify', { data, key }, /this is not the key/, 3)
  assert.match(await done('key rotate', rotate), /opens the folder already/)
  const other = join(newFolder(), 'other.key')
  await refused('key rotate', { data, newKey: other }, /not the key .* nothing was changed/)
  await refused('key rotate', { data, newKey: key }, /must be another file/, 2)
  const copied = join(newFolder(), 'copied.key')
  cpSync(newKey, copied)
  await refused(
    'key rotate',
    { data, key: newKey, newKey: copied },
    /has the same key as .*new\.key/,
  )
  await refused('key rotate', { data }, /required option '--new-key-file <FILE>' not specified/, 2)
  await refused('key', { data, newKey }, /missing required argument 'rotate'/, 2)
  // A backup gets the new key with its next run.
  const to = join(newFolder(), 'backup')
  await done('backup', { data, to, key: newKey })
  assert.deepEqual(await verified(to, newKey), mark)
  const flags = ['--key-file', newKey, '--accept-clock']
  const server = await ServerProcess.start({ dataDir: data, args: [...args, ...flags] })
  await refused('key rotate', { data, key: newKey, newKey: other }, /another outcomex process/)
  await server.stop()
})
