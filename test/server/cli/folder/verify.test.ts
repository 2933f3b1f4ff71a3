import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWritable } from '../../../../persistence/database.ts'
import { Follower } from '../../../../persistence/follower/follower.ts'
import { rebuildReadTables } from '../../../../persistence/follower/rebuild.ts'
import { READ_SCHEMA } from '../../../../persistence/follower/schema/migrations.ts'
import { commands } from '../../../../server/cli/commands.ts'
import { runCommand } from '../../../../server/command-line.ts'
import { CommandFlow } from '../../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../../support/data-folder.ts'
import { fillJournal } from '../../../support/journal-fill.ts'

const COMMANDS = 3000

function soundFolder(): string {
  const dataDir = newFolder()
  const flow = new CommandFlow(7)
  while (flow.seq < COMMANDS) flow.run(1)
  fillJournal(dataDir, flow.records)
  rebuildReadTables(dataDir)
  return dataDir
}

const SOUND = soundFolder()

async function verify(dataDir: string, ...flags: string[]) {
  const output: string[] = []
  const code = await runCommand(commands, ['verify', '--data', dataDir, ...flags], '', {
    env: {},
    say: (text) => output.push(text),
    warn: (text) => output.push(text),
    nowMs: () => 0,
  })
  return { code, output: output.join('\n') }
}

test('verify of a sound folder ends with a verdict in words and code 0', async () => {
  const { code, output } = await verify(copyFolder(SOUND))
  assert.equal(code, 0)
  assert.match(output, /^seq \d{4}\nstate [0-9a-f]{64}\n/)
  assert.match(
    output,
    /\nThe folder is sound: all \d{4} commands, their chain and the invariants hold\.$/,
  )
})

test('verify prints assets and obligations, and their difference is zero', async () => {
  const { output } = await verify(SOUND)
  const raw = (line: RegExp) => BigInt((line.exec(output)?.[1] ?? '').replace('.', ''))
  const owedRaw =
    raw(/owed to profiles (-?\d+\.\d{6}) free/) +
    raw(/free, (\d+\.\d{6}) in orders/) +
    raw(/owed for shares (\d+\.\d{6}),/) +
    raw(/kept by the exchange (\d+\.\d{6})/)
  assert(owedRaw > 0n)
  assert.equal(raw(/assets (\d+\.\d{6}),/), owedRaw - raw(/less (\d+\.\d{6}) that/))
  assert.match(output, /\ndifference 0\.000000\n/)
})

test('verify adds up every token, and prints each with --tokens', async () => {
  assert.match((await verify(SOUND)).output, /\ntokens 7, 0 with a difference\n/)
  const { code, output } = await verify(SOUND, '--tokens')
  assert.equal(code, 0, output)
  const rows = [
    ...output.matchAll(/^token (.*): assets (\S+), obligations (\S+), difference (\S+)$/gm),
  ]
  const markets = [1, 2, 3].flatMap((id) => [`yes of market ${id}`, `no of market ${id}`])
  assert.deepEqual(
    rows.map(([, token]) => token),
    ['collateral', ...markets],
  )
  for (const [, token, assets, obligations, difference] of rows) {
    assert.deepEqual([assets, difference], [obligations, '0.000000'], token)
  }
})

/** Runs SQL on read.db, as a careless operator might. */
function tamper(path: string, sql: string): void {
  const connection = openWritable(path, {
    durability: 'normal',
    ...READ_SCHEMA,
    autocheckpointPages: 0,
  })
  connection.exec(sql)
  connection.close()
}

const USELESS: readonly (readonly [what: RegExp, spoil: (path: string) => void])[] = [
  [/read\.db is missing/, (path) => rmSync(path)],
  [/read\.db is empty/, (path) => writeFileSync(path, '')],
  [/read\.db is damaged/, (path) => writeFileSync(path, 'no database, but long enough to be read')],
  [/read\.db is damaged/, (path) => writeFileSync(path, readFileSync(path).fill(0, 100, 4096))],
  [/read\.db has unexpected tables/, (path) => tamper(path, 'DROP TABLE trades')],
  [/read\.db has unexpected tables/, (path) => tamper(path, 'DROP TABLE applied')],
  [/read\.db was written by another version/, (path) => tamper(path, 'PRAGMA user_version = 99')],
  [/read\.db was written by another version/, (path) => tamper(path, 'PRAGMA user_version = 11')],
  [
    /read\.db was not made from this journal \(it is at seq 77\)/,
    (path) => tamper(path, 'UPDATE applied SET seq = 77'),
  ],
]

test('read tables that a start rebuilds do not make the folder unsound', async () => {
  for (const [what, spoil] of USELESS) {
    const dataDir = copyFolder(SOUND)
    spoil(join(dataDir, 'read.db'))
    const { code, output } = await verify(dataDir)
    assert.equal(code, 0, `${what}: ${output}`)
    assert.match(output, what)
    assert.match(output, /; the next start rebuilds them$/m)
    assert.match(output, /\nThe folder is sound: .* The next start will rebuild the read tables\.$/)
    // A start does what verify has reported.
    const follower = new Follower(keyed(dataDir))
    assert.equal(follower.readSeq, 0, String(what))
    while (follower.step(COMMANDS));
    follower.close()
    assert.doesNotMatch((await verify(dataDir)).output, /rebuild/)
  }
})

/** Writes over the page in the middle of a database. */
function damagePage(path: string): void {
  const bytes = readFileSync(path)
  const page = 4096 * Math.floor(bytes.length / 4096 / 2)
  writeFileSync(path, bytes.fill(0xff, page, page + 4096))
}

test('verify requires a rebuild if the read tables have damage that no start sees', async () => {
  const dataDir = copyFolder(SOUND)
  damagePage(join(dataDir, 'read.db'))
  const { code, output } = await verify(dataDir)
  assert.equal(code, 1, output)
  assert.match(
    output,
    /\nread tables seq \d+, but read\.db is damaged \(.*\); run outcomex rebuild\n/,
  )
  assert.match(output, /\nThe journal is sound, the read tables are not: run outcomex rebuild\.$/)
  rebuildReadTables(dataDir)
  assert.equal((await verify(dataDir)).code, 0)
})

test('verify of a journal that is damaged ends with a verdict in words and code 1', async () => {
  const dataDir = copyFolder(SOUND)
  damagePage(join(dataDir, 'journal.db'))
  const { code, output } = await verify(dataDir)
  assert.equal(code, 1, output)
  assert.match(output, /\nThe folder is not sound: follow the advice above, then verify again\.$/)
})

test('verify names a snapshot that a start passes over, and files that nothing reads', async () => {
  const dataDir = copyFolder(SOUND)
  mkdirSync(join(dataDir, 'snapshots'))
  writeFileSync(join(dataDir, 'snapshots', '64.snapshot'), 'no snapshot')
  writeFileSync(join(dataDir, 'snapshots', '99.snapshot.unfinished'), '')
  writeFileSync(join(dataDir, 'notes.txt'), '')
  const { code, output } = await verify(dataDir)
  assert.equal(code, 0)
  assert.match(output, /^snapshot seq 64 is truncated; a start passes it over$/m)
  assert.match(output, /^left over notes\.txt; nothing reads it$/m)
  assert.match(output, /^left over snapshots\/99\.snapshot\.unfinished; nothing reads it$/m)
  assert.match(output, / The next start will pass over 1 of 1 snapshots\.$/)
})

test('verify checks nothing without the server key, and takes --key-file', async () => {
  const dataDir = copyFolder(SOUND)
  const kept = join(newFolder(), 'kept.key')
  writeFileSync(kept, readFileSync(join(dataDir, 'server.key')))
  rmSync(join(dataDir, 'server.key'))
  const { code, output } = await verify(dataDir)
  assert.equal(code, 3)
  assert.match(output, /server\.key: the server key is missing and the journal holds secrets/)
  assert.match(output, /\nThe folder could not be checked\.$/)
  assert.doesNotMatch(output, /sound/)
  assert.equal((await verify(dataDir, '--key-file', kept)).code, 0)
})

test('a folder without an exchange gets no verdict', async () => {
  const { code, output } = await verify(newFolder())
  assert.deepEqual([code, /verdict|sound/.test(output)], [3, false])
})
