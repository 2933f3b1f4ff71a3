import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { openReadOnly, openWritable } from '../../../persistence/database.ts'
import { readPath } from '../../../persistence/follower/read-database.ts'
import { rebuildReadTables } from '../../../persistence/follower/rebuild.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { searchMarkets } from '../../../persistence/query/read/markets/search.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { MARKETS_TO_SEARCH } from '../../support/markets-to-search.ts'
import { Random } from '../../support/random.ts'
import { SearchDesk } from '../../support/search-desk.ts'

const SEED = Number(process.env.SEED ?? 90_125)
const QUERIES = ['crypto', 'football', 'interest rates', 'trump', 'weather', 'win', 'zurich']

/** What a reader finds that reads all markets now. */
function refound(desk: SearchDesk): unknown[] {
  const connection = openReadOnly(readPath(desk.dataDir))
  const search = searchMarkets.open(connection)
  const wanted = { similarityMin: 0.2, skip: 0, limit: 1000 }
  const found = QUERIES.map((text) => search({ ...wanted, text }))
  connection.close()
  return found
}

function foundAsBefore(desk: SearchDesk): unknown[] {
  return QUERIES.map((text) => desk.search(text, 0.2, 0, 1000))
}

/** Markets come, are locked and end at random; each leaves the list of those that are alive. */
function live(desk: SearchDesk, random: Random, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const act = random.below(4)
    if (act < 2) {
      const number = desk.slugs.length
      const [slug, title, of] = MARKETS_TO_SEARCH[random.below(MARKETS_TO_SEARCH.length)]
      desk.market(`${slug}-${number}`, title, { categories: of.split(',') })
      desk.alive.push(`${slug}-${number}`)
    } else if (desk.alive.length > 0) {
      const [slug] = desk.alive.splice(random.below(desk.alive.length), 1)
      if (act === 2) desk.resolve(slug)
      else desk.lock(slug)
    }
  }
}

test(`a reader that follows the changes finds what a new one finds (SEED=${SEED})`, () => {
  const desk = new SearchDesk()
  const random = new Random(SEED)
  for (let round = 0; round < 12; round++) {
    live(desk, random, 40)
    desk.follow()
    assert.deepEqual(foundAsBefore(desk), refound(desk), `round ${round}`)
  }
  const before = refound(desk)
  desk.close()
  rebuildReadTables(desk.dataDir)
  assert.deepEqual(refound(desk), before, 'the tables follow from the journal alone')
  assert.equal(verifyFolder(desk.dataDir).readTables.damage, null)
})

test('a reader that missed more changes than are kept reads all markets', () => {
  const desk = new SearchDesk()
  desk.market('first', 'Snow in Oslo?')
  desk.market('second', 'Snow in Bergen?')
  desk.follow()
  assert.deepEqual(desk.found('snow'), ['second', 'first'])
  desk.resolve('first')
  const countMax = LIMITS.booksMax - 2
  for (let at = 0; at < countMax; at++) desk.market(`other-${at}`, 'Gold?')
  desk.follow()
  for (let at = 0; at < 100; at++) desk.resolve(`other-${at}`)
  desk.follow()
  const kept = desk.connection
    .prepare<[], { count: number; oldest: number }>(
      'SELECT count(*) AS count, min(change) AS oldest FROM search_changes',
    )
    .get()
  assert.equal(kept?.count, LIMITS.searchChangesMax)
  assert.ok((kept?.oldest ?? 0) > 4, 'the reader missed changes')
  assert.deepEqual(desk.found('snow'), ['second'])
  assert.equal(desk.search('gold', 1).total, LIMITS.searchFoundMax)
  desk.close()
})

test('vectors of words that meant something else are rebuilt', () => {
  const desk = new SearchDesk()
  desk.market('coin', 'Bitcoin above one?')
  desk.follow()
  const writer = openWritable(readPath(desk.dataDir), {
    durability: 'normal',
    autocheckpointPages: 0,
    ...READ_SCHEMA,
  })
  writer.exec(`UPDATE search_made SET fingerprint = 'other'`)
  writer.exec('UPDATE search_markets SET vector = zeroblob(length(vector))')
  writer.close()
  assert.deepEqual(desk.found('crypto'), [])
  desk.market('rain', 'Rain?')
  desk.follow()
  assert.deepEqual(desk.found('crypto'), ['coin'])
  desk.close()
})

test('a market that comes and ends in one chunk leaves no trace', () => {
  const desk = new SearchDesk()
  desk.market('stays', 'Rain?')
  desk.market('brief', 'Snow?')
  desk.resolve('brief')
  desk.follow()
  const changes = desk.connection.prepare('SELECT market_id AS id FROM search_changes').all()
  assert.deepEqual(changes, [{ id: 1 }])
  desk.close()
})
