import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientKey, findClientKey } from '../../../engine/core/orders/client-key.ts'
import { type OrderMemory, orderMemory } from '../../../engine/core/orders/seen-filters.ts'
import { balanceDigest } from '../../../engine/core/state/balance-digest.ts'
import { copyForNode } from '../../../persistence/backup/node-copy.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { MAC_BYTES, macsOf } from '../../../persistence/keyed-folder.ts'
import { savedNamesOf } from '../../../persistence/snapshot/snapshot-check.ts'
import { SNAPSHOT_FORMAT } from '../../../persistence/snapshot/snapshot-file.ts'
import { folderOf, namesPath, snapshotPath } from '../../../persistence/snapshot/snapshot-folder.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed } from '../../support/random.ts'

const SEED = freshSeed()
const BATCH = 32
const COMMANDS = 60 * BATCH
const START_MS = 1_700_000_000_000

interface OrderRow {
  readonly owner: number
  readonly placedSeq: number
  readonly clientOrderId: string | null
  readonly high: number
  readonly low: number
}

const ORDERS = `
SELECT owner, placed_seq AS placedSeq, client_order_id AS clientOrderId, hash_high AS high,
  hash_low AS low
FROM order_terms`

async function save(follower: Follower): Promise<number> {
  const { stateSeq: seq } = follower
  follower.order({ seq, balances: balanceDigest(follower.exchange.clearing) })
  const saved = await follower.takeDue()
  assert.equal(saved?.failure, null)
  return saved.bytes
}

/** Follows batch by batch, so that each may close a filter. */
function follow(follower: Follower, seq: number): void {
  while (follower.stateSeq < seq) follower.step(Math.min(seq, follower.stateSeq + BATCH))
}

function namesIn(dataDir: string): string[] {
  return readdirSync(folderOf(dataDir)).filter((name) => name.endsWith('.names'))
}

/** All orders from `firstSeq` on are in the filters, which have at least so many closed ones. */
function assertKnown(follower: Follower, dataDir: string, firstSeq = 1): void {
  const { filters } = follower.exchange.clearing.seen
  assert.ok(filters !== null)
  const connection = openReadOnly(join(dataDir, 'read.db'))
  const rows = connection.prepare<[], OrderRow>(ORDERS).all()
  connection.close()
  assert.ok(rows.length > COMMANDS / 4)
  for (const { owner, placedSeq, clientOrderId, high, low } of rows) {
    if (placedSeq < firstSeq) continue
    assert.ok(filters.mayHold(high, low), `order ${placedSeq}`)
    if (clientOrderId === null) continue
    findClientKey(owner, clientOrderId)
    assert.ok(filters.mayHold(clientKey.high, clientKey.low), `client id of ${placedSeq}`)
  }
}

const flow = new CommandFlow(SEED)
while (flow.seq < COMMANDS) flow.run(1)
const DATA = newFolder()
fillJournal(DATA, flow.records, BATCH)
const SPAN_MS = flow.exchange.clearing.lastNowMs - START_MS
/** Some eight filters are closed, and none is dropped. */
const ALL: OrderMemory = { windowMs: SPAN_MS, bytesMax: 2 ** 26 }
const OLDER = COMMANDS / 2
const NEWER = (COMMANDS / 4) * 3

const first = new Follower(keyed(DATA), { memory: ALL })
follow(first, OLDER)
await save(first)
const SAVED_FIRST = namesIn(DATA).map((name) => [name, statSync(join(folderOf(DATA), name)).ino])
follow(first, NEWER)
const ADDED_BYTES = await save(first)
follow(first, COMMANDS)
first.close()

/** The first names of the same journal if filters are closed later. */
const OTHER_NAMES = await (async () => {
  const dataDir = copyFolder(DATA)
  rmSync(folderOf(dataDir), { recursive: true })
  const follower = new Follower(keyed(dataDir), { memory: { ...ALL, windowMs: SPAN_MS * 2 } })
  follow(follower, COMMANDS)
  await save(follower)
  follower.close()
  return namesPath(dataDir, 1)
})()

test('a closed filter of names is saved once, and snapshots refer to it', () => {
  assert.ok(SAVED_FIRST.length >= 2, `${SAVED_FIRST.length} closed filters`)
  for (const [name, ino] of SAVED_FIRST) {
    assert.equal(statSync(join(folderOf(DATA), String(name))).ino, ino)
  }
  const added = namesIn(DATA).filter((name) => SAVED_FIRST.every(([saved]) => saved !== name))
  assert.ok(added.length > 0)
  const sizes = added.map((name) => statSync(join(folderOf(DATA), name)).size)
  const snapshot = statSync(snapshotPath(DATA, NEWER)).size
  assert.equal(ADDED_BYTES, snapshot + sizes.reduce((sum, size) => sum + size, 0))
  const saved = savedNamesOf(keyed(DATA), NEWER).map(({ firstSeq }) => `${firstSeq}.names`)
  assert.deepEqual(saved.sort(), namesIn(DATA).sort())
  const follower = new Follower(keyed(DATA), { memory: ALL })
  assert.equal(follower.stateSeq, NEWER)
  follow(follower, COMMANDS)
  assertKnown(follower, DATA)
  follower.close()
  assert.deepEqual(verifyFolder(DATA).unusableNames, [])
})

function flip(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] ^= 1
  writeFileSync(path, bytes)
}

for (const [what, spoil, why] of [
  ['missing', (path: string) => rmSync(path), /cannot be read: ENOENT/],
  ['damaged', flip, /is damaged/],
  ['cut', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 20)), /truncated/],
  [
    'another one',
    (path: string) => copyFileSync(join(folderOf(DATA), namesIn(DATA).at(-1) ?? ''), path),
    /is damaged/,
  ],
  [
    'that of another snapshot',
    (path: string) => copyFileSync(OTHER_NAMES, path),
    /was written for another snapshot/,
  ],
] as const) {
  test(`names whose file is ${what} are read from the tables, and saved again`, async () => {
    const dataDir = copyFolder(DATA)
    const [{ firstSeq }] = savedNamesOf(keyed(dataDir), NEWER)
    const path = namesPath(dataDir, firstSeq)
    spoil(path)
    const [sentence, ...more] = verifyFolder(dataDir).unusableNames
    assert.match(sentence, why)
    assert.ok(sentence.startsWith(`${firstSeq}.names `) && more.length === 0, sentence)
    const follower = new Follower(keyed(dataDir), { memory: ALL })
    assert.equal(follower.stateSeq, NEWER, 'the snapshot is used')
    follow(follower, COMMANDS)
    assertKnown(follower, dataDir)
    await save(follower)
    follower.close()
    const [repaired] = savedNamesOf(keyed(dataDir), COMMANDS)
    assert.equal(repaired.firstSeq, firstSeq)
    const again = new Follower(keyed(dataDir), { memory: ALL })
    assertKnown(again, dataDir)
    again.close()
  })
}

test('names that no snapshot refers to are deleted', async () => {
  const dataDir = copyFolder(DATA)
  writeFileSync(`${namesPath(dataDir, 7)}.unfinished`, 'a kill left this')
  assert.deepEqual(verifyFolder(dataDir).leftOver, ['snapshots/7.names.unfinished'])
  const short = { ...ALL, windowMs: SPAN_MS / 8 }
  const follower = new Follower(keyed(dataDir), { memory: short })
  const [before, last] = [COMMANDS - BATCH, COMMANDS]
  for (const seq of [before, last]) {
    follow(follower, seq)
    await save(follower)
  }
  const { filters } = follower.exchange.clearing.seen
  assert.ok(filters !== null)
  const { firstSeq } = filters.oldest
  assert.ok(firstSeq > NEWER / 2, 'filters were dropped')
  assertKnown(follower, dataDir, firstSeq)
  const of = (seq: number) => savedNamesOf(keyed(dataDir), seq).map((each) => each.firstSeq)
  const wanted = [...new Set([...of(before), ...of(last)])].map((seq) => `${seq}.names`)
  assert.deepEqual(namesIn(dataDir).sort(), wanted.sort())
  assert.ok(!wanted.includes('1.names'))
  follower.close()
  assert.deepEqual(verifyFolder(dataDir).leftOver, [])
})

test('a copy for another node has the names of its snapshots', async () => {
  const copyDir = join(newFolder(), 'copy')
  const { files } = await copyForNode({ dataDir: DATA, copyDir, keyFile: undefined })
  const copied = files.map(({ name }) => name).filter((name) => name.endsWith('.names'))
  assert.deepEqual(
    copied.sort(),
    namesIn(DATA)
      .map((name) => join('snapshots', name))
      .sort(),
  )
  copyFileSync(join(DATA, 'server.key'), join(copyDir, 'server.key'))
  const follower = new Follower(keyed(copyDir), { memory: ALL })
  assert.equal(follower.stateSeq, NEWER)
  follow(follower, COMMANDS)
  assertKnown(follower, copyDir)
  follower.close()
})

/** The snapshot as the version before wrote it: all names in one filter, and no list of filters. */
function asFormat17(dataDir: string, seq: number): void {
  const bytes = readFileSync(snapshotPath(dataDir, seq))
  assert.equal(bytes.readUInt32LE(8), SNAPSHOT_FORMAT)
  assert.equal(bytes.readUInt32LE(88), 0, 'it has one filter')
  bytes.writeUInt32LE(17, 8)
  const body = Buffer.concat([bytes.subarray(0, 88), bytes.subarray(140, -MAC_BYTES)])
  const mac = macsOf(keyed(dataDir), 'snapshot')().update(body).digest()
  writeFileSync(snapshotPath(dataDir, seq), Buffer.concat([body, mac]))
}

test('a snapshot of the version before is read, and its names are remembered', async () => {
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records, BATCH)
  const before = new Follower(keyed(dataDir), { memory: orderMemory() })
  follow(before, NEWER)
  await save(before)
  follow(before, COMMANDS)
  before.close()
  asFormat17(dataDir, NEWER)
  assert.deepEqual(verifyFolder(dataDir).snapshots, [{ seq: NEWER, unusable: null }])
  const follower = new Follower(keyed(dataDir), { memory: ALL })
  assert.equal(follower.stateSeq, NEWER)
  follow(follower, COMMANDS)
  assertKnown(follower, dataDir)
  assert.equal(follower.exchange.clearing.seen.filters?.oldest.firstSeq, 1)
  follower.close()
})
