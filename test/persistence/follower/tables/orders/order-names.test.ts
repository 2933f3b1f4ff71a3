import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Connection, openInMemory } from '../../../../../persistence/database.ts'
import { READ_SCHEMA } from '../../../../../persistence/follower/schema/migrations.ts'
import {
  clientIdName,
  hashName,
  listName,
  NAMES_END,
  slotName,
} from '../../../../../persistence/follower/tables/accounts/names.ts'
import { OrderNames } from '../../../../../persistence/follower/tables/orders/order-names.ts'
import { UNPACED } from '../../../../../persistence/follower/tables/pace.ts'
import { NamedOrders } from '../../../../../persistence/query/read/orders/user-orders.ts'
import { freshSeed, Random } from '../../../../support/random.ts'

// Names of orders stand in layers, and move from layer to layer. The reference model is a plain
// list of all names that were given.

const SEED = freshSeed()
const LEVEL_0_COMMANDS = 8192
const MOST_LAYERS = 3 * 16 * 2

interface Given {
  readonly name: number
  readonly placedSeq: number
}

const layersOf = (db: Connection) =>
  db.prepare<[], { count: number }>('SELECT count(*) AS count FROM name_layers').get()?.count
const countOf = (db: Connection) =>
  db.prepare<[], { count: number }>('SELECT count(*) AS count FROM order_names').get()?.count

/** Reads as the query thread does, and compares with the list. */
function checkNames(db: Connection, all: readonly Given[], names: readonly number[]): void {
  const named = new NamedOrders(db)
  for (const name of names) {
    const seqs = all.filter((given) => given.name === name).map(({ placedSeq }) => placedSeq)
    const expected = [...new Set(seqs)].sort((a, b) => b - a)
    const rows = named.list(name, 5, (placedSeq) => ({ placedSeq }))
    assert.deepEqual(
      rows.map(({ placedSeq }) => placedSeq),
      expected.slice(0, 5),
    )
    // An order of another name is passed over.
    const least = expected.at(-1)
    const found = named.newest(name, (placedSeq) => (placedSeq === least ? placedSeq : undefined))
    assert.equal(found, least ?? null)
  }
}

test(`each name is found in its layer, also after a restart midway (SEED=${SEED})`, () => {
  const db = openInMemory(READ_SCHEMA.migrations)
  const random = new Random(SEED)
  const pool = Array.from({ length: 400 }, (_none, slot) => slotName(slot, 1))
  const all: Given[] = []
  let names = new OrderNames(db)
  let seq = 0
  // Long steps, so that forty million commands fill every level.
  for (let chunk = 0; chunk < 600; chunk++) {
    if (random.chance(0.02)) names = new OrderNames(db)
    for (let row = random.between(0, 20); row > 0; row--) {
      seq += random.between(1, 2 ** random.between(1, 14))
      const name = random.pick(pool)
      // An order that ended long after it came has an old seq in a new layer.
      const placedSeq = random.chance(0.3) ? random.between(1, seq) : seq
      names.add(name, placedSeq, seq)
      all.push({ name, placedSeq })
    }
    names.flush(UNPACED)
    if (chunk % 20 === 0) checkNames(db, all, [random.pick(pool), random.pick(pool), 7])
  }
  assert.ok(seq > 2 ** 22, 'the names reach the upper levels')
  checkNames(db, all, pool)
})

test('names move up as fast as they come, so a reader has few layers to ask', () => {
  const db = openInMemory(READ_SCHEMA.migrations)
  let names = new OrderNames(db)
  const commands = 40 * LEVEL_0_COMMANDS * 16
  let given = 0
  for (let seq = 0; seq < commands; seq += 1000) {
    if (seq % 500_000 === 0) names = new OrderNames(db)
    for (let row = 0; row < 10; row++) {
      given++
      names.add(hashName(seq, row), seq + row, seq + row)
    }
    names.flush(UNPACED)
    assert.ok(Number(layersOf(db)) <= MOST_LAYERS)
  }
  assert.equal(countOf(db), given, 'no name is lost, and none stands twice')
})

test('names are spread over all numbers, and differ by every word', () => {
  const spread = new Set<number>()
  const words = [-1, 0, 1, 2, 0x7fffffff]
  for (const one of words) {
    for (const two of words) {
      const names = [hashName(one, two), slotName(one, two), listName(one, two, 1)]
      for (const name of [...names, clientIdName(one, `id ${two}`)]) {
        assert.ok(Number.isSafeInteger(name) && name >= 0 && name < NAMES_END)
        spread.add(name)
      }
    }
  }
  assert.equal(spread.size, words.length ** 2 * 4)
  const halves = [...spread].filter((name) => name < NAMES_END / 2).length
  assert.ok(halves > spread.size / 4 && halves < (spread.size * 3) / 4)
})
