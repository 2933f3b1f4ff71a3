import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ORDER_STATUSES } from '../../../engine/domain/order.ts'
import {
  type Connection,
  openInMemory,
  openReadOnly,
  openWritable,
} from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { knownInTables } from '../../../persistence/query/read/orders/known-orders.ts'
import { orderStatuses } from '../../../persistence/query/read/orders/order-status.ts'
import {
  openOrders,
  orderByClientId,
  orderBySlot,
  userOrders,
} from '../../../persistence/query/read/orders/user-orders.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed, Random } from '../../support/random.ts'

// Reads of orders against a plain list of all of them, at several seqs of one journal. The follower
// starts again for each seq, and is behind the journal until the last.

const SEED = freshSeed()
const PER_BATCH = 64
const COMMANDS = 9000
const STOPS = 5
const STATUSES = [0, 1, 2, 3]
const LIVE = ORDER_STATUSES.indexOf('LIVE')
const PLAIN = `
SELECT placed_seq AS placedSeq, slot, generation, owner, market_id AS marketId, status,
  client_order_id AS clientOrderId, hash_high AS hashHigh, hash_low AS hashLow FROM orders`

interface Plain {
  readonly placedSeq: number
  readonly slot: number
  readonly generation: number
  readonly owner: number
  readonly marketId: number
  readonly status: number
  readonly clientOrderId: string | null
  readonly hashHigh: number
  readonly hashLow: number
}

function checkLists(db: Connection, all: readonly Plain[], random: Random): number {
  const read = userOrders.open(db)
  let shown = 0
  for (const accountId of new Set(all.map(({ owner }) => owner))) {
    for (const marketId of new Set(all.map((order) => order.marketId))) {
      const statuses = STATUSES.filter(() => random.chance(0.6))
      const limit = random.between(1, 40)
      const expected = all
        .filter((order) => order.owner === accountId && order.marketId === marketId)
        .filter(({ status }) => statuses.includes(status))
        .map(({ placedSeq }) => placedSeq)
        .sort((a, b) => b - a)
        .slice(0, limit)
      const found = read({ accountId, marketId, statuses, limit })
      const seqs = found.map(({ placedSeq }) => placedSeq)
      assert.deepEqual(seqs, expected, `${accountId} ${marketId} ${statuses} ${limit}`)
      shown += seqs.length
    }
  }
  return shown
}

/** Walks the open orders of each owner, a page at a time. */
function checkOpen(db: Connection, all: readonly Plain[], random: Random): number {
  const read = openOrders.open(db)
  let shown = 0
  for (const accountId of new Set(all.map(({ owner }) => owner))) {
    const expected = all
      .filter(({ owner, status }) => owner === accountId && status === LIVE)
      .map(({ placedSeq }) => placedSeq)
      .sort((a, b) => b - a)
    const found: number[] = []
    const limit = random.between(1, 10)
    for (let beforeSeq = Number.MAX_SAFE_INTEGER; ; ) {
      const page = read({ accountId, beforeSeq, limit })
      found.push(...page.map(({ placedSeq }) => placedSeq))
      if (page.length < limit) break
      beforeSeq = page[limit - 1].placedSeq
    }
    assert.deepEqual(found, expected, `${accountId} ${limit}`)
    shown += found.length
  }
  return shown
}

function checkSingles(db: Connection, all: readonly Plain[], seq: number): void {
  const bySlot = orderBySlot.open(db)
  const byClientId = orderByClientId.open(db)
  const statuses = orderStatuses.open(db)
  const known = knownInTables.open(db)
  for (const { placedSeq, slot, generation, owner, clientOrderId, ...order } of all) {
    assert.equal(bySlot({ slot, generation })?.placedSeq, placedSeq)
    const request = { accountId: owner, makersMax: 1, makersInAllMax: 1 }
    const [status] = statuses({ ...request, names: [{ slot, generation }] })
    assert.deepEqual([status?.order.placedSeq, status?.order.status], [placedSeq, order.status])
    const others = statuses({ ...request, accountId: owner + 1, names: [{ slot, generation }] })
    assert.deepEqual(others, [null], 'another account does not see it')
    const hash = { hashHigh: order.hashHigh, hashLow: order.hashLow }
    const key = { ...hash, accountId: owner, clientOrderId: clientOrderId ?? '', oldestSeq: 1 }
    const named = clientOrderId !== null
    assert.deepEqual(known(key), { seq, hash: true, clientId: named })
    if (!named) continue
    assert.equal(byClientId({ accountId: owner, clientOrderId })?.clientOrderId, clientOrderId)
    assert.equal(byClientId({ accountId: owner + 1000, clientOrderId }), null)
  }
}

interface SchemaPart {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** Tables come last: what refers to them is dropped before them. */
const PARTS = `
SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'table'`
const COLUMNS = 'SELECT name FROM pragma_table_info(?)'

/** Columns of orders that a migration drops. */
const DROPPED: readonly string[] = ['salt', 'maker', 'signer', 'signature']

const partsOf = (db: Connection) => db.prepare<[], SchemaPart>(PARTS).all()
const columnsOf = (db: Connection, table: string) =>
  db.prepare<[string], string>(COLUMNS).pluck().all(table)

/** Undoes all migrations but the first, so that the next start makes them again of the rows. */
function age(path: string): void {
  const first = openInMemory(READ_SCHEMA.migrations.slice(0, 1))
  const kept = new Map(partsOf(first).map(({ name, sql }) => [name, sql]))
  const db = openWritable(path, { durability: 'normal', ...READ_SCHEMA, autocheckpointPages: 0 })
  const changed = partsOf(db).filter(({ name, sql }) => kept.get(name) !== sql)
  assert.ok(changed.length > 0, 'the newer migrations made something')
  for (const { type, name } of changed) {
    if (type !== 'table' || !kept.has(name)) db.exec(`DROP ${type} ${name}`)
    else {
      const dropped = name === 'order_terms' ? DROPPED : []
      const columns = columnsOf(first, name).filter((column) => !dropped.includes(column))
      // A migration renames a column in its place, and adds columns after the others.
      for (const [at, column] of columnsOf(db, name).entries()) {
        if (at >= columns.length) db.exec(`ALTER TABLE ${name} DROP COLUMN ${column}`)
        else if (column !== columns[at]) {
          db.exec(`ALTER TABLE ${name} RENAME COLUMN ${column} TO ${columns[at]}`)
        }
      }
      assert.deepEqual(columnsOf(db, name), columns)
      db.exec(dropped.map((column) => `ALTER TABLE ${name} ADD COLUMN ${column} BLOB;`).join(''))
    }
  }
  for (const { type, name } of changed) if (type !== 'table') db.exec(kept.get(name) ?? '')
  db.pragma(`user_version = ${READ_SCHEMA.baseVersion + 1}`)
  db.close()
  first.close()
}

test(`reads find each order that a plain list has, and no other (SEED=${SEED})`, () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(COMMANDS)
  fillJournal(dataDir, flow.records, PER_BATCH)
  const random = new Random(SEED)
  const batches = Math.floor(flow.records.length / PER_BATCH)
  const stops = Array.from({ length: STOPS - 1 }, () => random.between(1, batches) * PER_BATCH)
  let [shown, open] = [0, 0]
  let agedSeq = 0
  for (const seq of [...stops.sort((a, b) => a - b), flow.seq]) {
    const follower = new Follower(keyed(dataDir))
    assert.equal(follower.readSeq, agedSeq, 'the aged tables are migrated, not made again')
    // Orders live from one chunk of rows into the next.
    while (follower.step(Math.floor(seq / 2 / PER_BATCH) * PER_BATCH));
    while (follower.step(seq));
    follower.close()
    const db = openReadOnly(join(dataDir, 'read.db'))
    const all = db.prepare<[], Plain>(PLAIN).all()
    assert.ok(all.every(({ placedSeq }) => placedSeq <= seq))
    shown += checkLists(db, all, random)
    open += checkOpen(db, all, random)
    checkSingles(db, all, seq)
    db.close()
    age(join(dataDir, 'read.db'))
    agedSeq = seq
  }
  assert.ok(shown > 100, 'lists have orders')
  assert.ok(open > 0, 'owners have open orders')
})
