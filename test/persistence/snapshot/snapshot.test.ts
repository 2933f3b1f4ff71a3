import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { balanceDigest } from '../../../engine/core/state/balance-digest.ts'
import { Fault } from '../../../engine/domain/assert.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { SqliteJournalReader } from '../../../persistence/journal/sqlite-reader.ts'
import { journalEnd, recoverExchange } from '../../../persistence/snapshot/recovery.ts'
import { saveSnapshot, takeSnapshot } from '../../../persistence/snapshot/snapshot.ts'
import { SNAPSHOT_FORMAT } from '../../../persistence/snapshot/snapshot-file.ts'
import { snapshotPath, snapshotSeqs } from '../../../persistence/snapshot/snapshot-folder.ts'
import { SECTIONS } from '../../../persistence/snapshot/snapshot-sections.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed } from '../../support/random.ts'

const SEED = freshSeed()
const BATCH = 32
const OLDER = 12 * BATCH
const NEWER = 24 * BATCH
const COMMANDS = 36 * BATCH

interface Folder {
  readonly dataDir: string
  readonly seq: number
  readonly stateHash: string
}

function follow(follower: Follower, seq: number): void {
  while (follower.step(seq)) assert.ok(follower.stateSeq <= seq)
  assert.equal(follower.stateSeq, seq)
}

async function save(follower: Follower, balances?: string): Promise<string | null> {
  const { stateSeq: seq } = follower
  follower.order({ seq, balances: balances ?? balanceDigest(follower.exchange.clearing) })
  const saved = await follower.takeDue()
  assert.equal(saved?.seq, seq)
  return saved?.failure ?? null
}

/** All histories share one key, so only the journal distinguishes them. */
const KEYED = newFolder()
keyed(KEYED)

/** A journal whose follower saved snapshots at `seqs` and read on to `endSeq`. */
async function folderWith(seed: number, seqs: readonly number[], endSeq?: number): Promise<Folder> {
  const dataDir = copyFolder(KEYED)
  const flow = new CommandFlow(seed)
  while (flow.seq < COMMANDS) flow.run(1)
  fillJournal(dataDir, flow.records, BATCH)
  const { seq } = flow
  const stateHash = flow.exchange.stateHash()
  const follower = new Follower(keyed(dataDir))
  for (const at of seqs) {
    follow(follower, at)
    assert.equal(await save(follower), null)
  }
  follow(follower, endSeq ?? seq)
  follower.close()
  return { dataDir, seq, stateHash }
}

// Made before the first test, because a thread holds one exchange at a time.
const FOREIGN = await folderWith(SEED + 1, [OLDER, NEWER])
const SAVED = await folderWith(SEED, [OLDER, NEWER])
const COPY = (): Folder => ({ ...SAVED, dataDir: copyFolder(SAVED.dataDir) })

function start({ dataDir, seq, stateHash }: Folder) {
  let visits = 0
  const found = recoverExchange(keyed(dataDir), journalEnd(keyed(dataDir)).tail, {
    onStart: () => {},
    visit: (command, exchange) => {
      visits++
      exchange.apply(command)
    },
  })
  assert.equal(found.tail.seq, seq)
  assert.equal(found.exchange.stateHash(), stateHash)
  assert.equal(visits, seq - found.snapshotSeq, 'only commands behind the snapshot are applied')
  return found
}

function tables(dataDir: string): unknown[] {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  const all = ['orders', 'trades', 'maker_fills', 'applied'].map((table) =>
    connection.prepare(`SELECT * FROM ${table}`).all(),
  )
  connection.close()
  return all
}

test('a start takes the newest snapshot and the journal behind it', () => {
  const { snapshotSeq, passedOver, exchange } = start(SAVED)
  assert.equal(snapshotSeq, NEWER)
  assert.equal(exchange.clearing.seen.filters, null, 'only a follower keeps the names of orders')
  assert.deepEqual(passedOver, [])
  const report = verifyFolder(SAVED.dataDir)
  assert.deepEqual(report.snapshots, [
    { seq: NEWER, unusable: null },
    { seq: OLDER, unusable: null },
  ])
})

test('the two newest snapshots stay, for their owner only; unfinished files go', async () => {
  const { dataDir, seq } = COPY()
  const folder = dirname(snapshotPath(dataDir, 1))
  writeFileSync(`${snapshotPath(dataDir, 99)}.unfinished`, 'a kill left this')
  const follower = new Follower(keyed(dataDir))
  follow(follower, seq)
  assert.equal(await save(follower), null)
  follower.close()
  assert.deepEqual(readdirSync(folder).sort(), [`${NEWER}.snapshot`, `${seq}.snapshot`].sort())
  assert.equal(statSync(snapshotPath(dataDir, seq)).mode & 0o777, 0o600)
})

/** With the age of the only filter of names. */
const HEAD_BYTES = 88 + 4 + 48

type Damage = readonly [why: RegExp, spoil: (path: string) => void]

function changing(change: (bytes: Buffer) => Uint8Array): (path: string) => void {
  return (path) => writeFileSync(path, change(readFileSync(path)))
}

function flipped(at: (bytes: Buffer) => number): (path: string) => void {
  return changing((bytes) => {
    bytes[at(bytes)] ^= 0x10
    return bytes
  })
}

/** First and last byte of each part of a file, and its length; each field of the names. */
function edgesOf(path: string): number[] {
  const bytes = readFileSync(path)
  const edges = [0, 87, 88, 92, 100, 108, HEAD_BYTES - 1]
  let at = HEAD_BYTES
  for (let section = 0; at < bytes.length - 32; section++) {
    if (section === SECTIONS.length) {
      edges.push(at, at + 4)
      at += 8
    }
    if (section >= SECTIONS.length) edges.push(at + 8, at + 12, at + 16)
    const length = bytes.readUInt32LE(at)
    edges.push(at, at + 4, at + 3 + length)
    at += 4 + length
  }
  edges.push(at, bytes.length - 1)
  assert.equal(at + 32, bytes.length, 'sections and a checksum are the file')
  return edges
}

const DAMAGE: readonly Damage[] = [
  ...edgesOf(snapshotPath(SAVED.dataDir, NEWER)).map(
    (at): Damage => [/is damaged|is truncated|is not a snapshot/, flipped(() => at)],
  ),
  [/is truncated/, changing((bytes) => bytes.subarray(0, bytes.length - 1))],
  [/is truncated/, changing((bytes) => bytes.subarray(0, HEAD_BYTES + 2))],
  [/is truncated/, changing(() => new Uint8Array(0))],
  [/is damaged/, changing((bytes) => Buffer.concat([bytes, Buffer.alloc(8)]))],
  [
    new RegExp(`has format 1, but this version of outcomex reads ${SNAPSHOT_FORMAT}`),
    changing((bytes) => bytes.fill(1, 8, 9)),
  ],
  [
    /was not made from this journal/,
    (path) => copyFileSync(snapshotPath(FOREIGN.dataDir, NEWER), path),
  ],
  [/has seq \d+, which differs from its name/, (path) => copyFileSync(olderThan(path), path)],
]

function olderThan(path: string): string {
  return snapshotPath(dirname(dirname(path)), OLDER)
}

test('whatever is wrong with the newest snapshot, the older one is taken', () => {
  for (const [why, spoil] of DAMAGE) {
    const folder = COPY()
    spoil(snapshotPath(folder.dataDir, NEWER))
    const { snapshotSeq, passedOver } = start(folder)
    assert.equal(snapshotSeq, OLDER, String(why))
    assert.equal(passedOver.length, 1)
    assert.match(passedOver[0], why)
    assert.match(passedOver[0], new RegExp(`${NEWER}\\.snapshot .*; this snapshot is skipped`))
    const [found] = verifyFolder(folder.dataDir).snapshots
    assert.match(found.unusable ?? '', why)
  }
})

test('without a good snapshot the journal is read from its beginning', () => {
  const bad = COPY()
  for (const seq of [OLDER, NEWER]) flipped(() => 200)(snapshotPath(bad.dataDir, seq))
  const found = start(bad)
  assert.deepEqual([found.snapshotSeq, found.passedOver.length], [0, 2])
  const gone = COPY()
  rmSync(dirname(snapshotPath(gone.dataDir, 1)), { recursive: true })
  assert.deepEqual(start(gone).passedOver, [])
})

test('a snapshot past the end of the journal is not taken; the next one deletes it', async () => {
  const short = newFolder()
  const flow = new CommandFlow(SEED)
  while (flow.seq < NEWER - BATCH) flow.run(1)
  fillJournal(short, flow.records, BATCH)
  const { seq } = flow
  const stateHash = flow.exchange.stateHash()
  const follower = new Follower(keyed(short))
  follow(follower, OLDER)
  assert.equal(await save(follower), null)
  copyFileSync(snapshotPath(SAVED.dataDir, NEWER), snapshotPath(short, NEWER))
  assert.equal(start({ dataDir: short, seq, stateHash }).snapshotSeq, OLDER)
  const again = new Follower(keyed(short))
  follow(again, seq)
  assert.equal(await save(again), null)
  assert.deepEqual(snapshotSeqs(short), [seq, OLDER])
  again.close()
  follower.close()
})

test('verify finds a whole snapshot that holds another state', async () => {
  const { dataDir } = COPY()
  const follower = new Follower(keyed(dataDir))
  follow(follower, COMMANDS)
  follower.exchange.clearing.accounts.adminTokenDigest = 'somebody else'
  const reader = new SqliteJournalReader(keyed(dataDir))
  const checksumAt = (seq: number) => reader.checksumAt(seq)
  const checksum = reader.checksumAt(COMMANDS)
  assert.ok(checksum !== null)
  const taken = takeSnapshot(follower.exchange, { seq: COMMANDS, checksum })
  await saveSnapshot(keyed(dataDir), taken, checksumAt)
  reader.close()
  follower.close()
  assert.throws(
    () => verifyFolder(dataDir),
    /the state of the snapshot differs from the journal's at seq/,
  )
})

const TABLES = tables(SAVED.dataDir)

for (const [name, readSeq, from] of [
  ['missing', 0, 0],
  ['before both snapshots', OLDER - BATCH, 0],
  ['between the snapshots', NEWER - BATCH, OLDER],
  ['past the snapshots', NEWER + BATCH, NEWER],
] as const) {
  test(`read tables that are ${name} go on without a gap`, async () => {
    const { dataDir, seq } = COPY()
    rmSync(join(dataDir, 'read.db'))
    const lagging = new Follower(keyed(dataDir))
    while (lagging.readSeq < readSeq) lagging.step(readSeq)
    lagging.close()
    const follower = new Follower(keyed(dataDir))
    assert.equal(follower.stateSeq, from)
    assert.equal(follower.readSeq, readSeq)
    follow(follower, seq)
    follower.close()
    assert.deepEqual(tables(dataDir), TABLES)
  })
}

test('balances that differ from those of main are a fault', async () => {
  const { dataDir, seq } = COPY()
  const follower = new Follower(keyed(dataDir))
  follow(follower, seq)
  const { ledger } = follower.exchange.clearing
  ledger.collateralFreeRaw[1] += 1
  const theirs = balanceDigest(follower.exchange.clearing)
  ledger.collateralFreeRaw[1] -= 1
  await assert.rejects(
    save(follower, theirs),
    (error) =>
      error instanceof Fault && /main and of the follower differ at seq/.test(error.message),
  )
  follower.close()
})

test('a snapshot that cannot be written is reported, and the follower goes on', async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(BATCH * 2)
  fillJournal(dataDir, flow.records, BATCH)
  const follower = new Follower(keyed(dataDir))
  follow(follower, BATCH)
  writeFileSync(join(dataDir, 'snapshots'), 'a file stands where the folder should be')
  assert.match((await save(follower)) ?? '', /snapshots: /)
  follow(follower, flow.seq)
  follower.close()
})

test('a rest of a snapshot that cannot be deleted does not end the follower', async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(BATCH)
  fillJournal(dataDir, flow.records, BATCH)
  const follower = new Follower(keyed(dataDir))
  follow(follower, flow.seq)
  mkdirSync(`${snapshotPath(dataDir, flow.seq)}.unfinished`, { recursive: true })
  assert.match((await save(follower)) ?? '', /[.]snapshot: the path is a folder, not a file/)
  follower.close()
})
