import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Exchange } from '../../../engine/core/exchange.ts'
import { type Connection, openInMemory } from '../../../persistence/database.ts'
import { Projector } from '../../../persistence/follower/boards/projector.ts'
import { OldEpochs } from '../../../persistence/follower/pruning/old-epochs.ts'
import { Pruner } from '../../../persistence/follower/pruning/pruner.ts'
import { READ_SCHEMA } from '../../../persistence/follower/schema/migrations.ts'
import { AuditTable } from '../../../persistence/follower/tables/accounts/audit.ts'
import { PositionCosts } from '../../../persistence/follower/tables/accounts/average-cost.ts'
import { CandlesTable } from '../../../persistence/follower/tables/candles.ts'
import { MarketsTable } from '../../../persistence/follower/tables/markets/markets.ts'
import { MatchesTable } from '../../../persistence/follower/tables/markets/matches.ts'
import { OracleCandlesTable } from '../../../persistence/follower/tables/markets/oracle-candles.ts'
import { SeriesTables } from '../../../persistence/follower/tables/markets/series.ts'
import { MinedTradesTable } from '../../../persistence/follower/tables/mined-trades.ts'
import { Backlog } from '../../../persistence/follower/tables/orders/backlog.ts'
import { OrderEventsTable } from '../../../persistence/follower/tables/orders/order-events.ts'
import { OrdersTable } from '../../../persistence/follower/tables/orders/orders.ts'
import { UNPACED } from '../../../persistence/follower/tables/pace.ts'
import { SettlementsTable } from '../../../persistence/follower/tables/settlements.ts'
import { ProfileTables } from '../../../persistence/follower/tables/social/profile-tables.ts'
import { TradesTable } from '../../../persistence/follower/tables/trades.ts'
import { LateRows } from '../../../persistence/query/late-rows.ts'
import { READS } from '../../../persistence/query/reads.ts'

// Every statement of the read tables finds its rows by a key. SQLite says so itself, in the plan of
// each statement that a read or a table of the follower prepares.

/** The makers of one trade are added up by order: there are as many as the match had fills. */
const SORTS_ONE_TRADE = 'USE TEMP B-TREE FOR GROUP BY'
/**
 * `part` is that sum and `passed` the first rows of a search; a row of constants is no table, a
 * MATCH is a search of an index, the schema has a row for each table, and 0x2 is one tree.
 */
const IS_NO_TABLE =
  /^SCAN (part|passed|sqlite_schema|CONSTANT ROW|\w+ VIRTUAL TABLE INDEX (\d+:[rM\d]+|0x2:))$/
/** The end of a table in the order of its key: `LIMIT` ends the walk at once. */
const IS_END_OF_TABLE = /^\s*SELECT [^?()]* FROM \w+ ORDER BY \w+( DESC)? LIMIT (\?|1)$/

/** Placed before the first command, so that there is history to delete. */
const ONE_ORDER = `
INSERT INTO order_terms
VALUES (0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, -1, NULL, 1, 1, 0, 0, 0, 0, NULL, NULL,
  NULL)`

interface Prepared {
  readonly by: string
  readonly sql: string
}

/** A connection that notes each statement that is prepared on it. */
function noting(connection: Connection, by: string, found: Prepared[]): Connection {
  return new Proxy(connection, {
    get(target, name) {
      if (name === 'prepare') {
        return (sql: string) => {
          found.push({ by, sql })
          return target.prepare(sql)
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function planOf(connection: Connection, sql: string): string[] {
  const statement = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
  const named = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1])
  const marks = Array<number>(sql.split('?').length - 1).fill(1)
  const rows = named.length > 0 ? statement.all(Object.fromEntries(named)) : statement.all(...marks)
  return rows.map(({ detail }) => detail)
}

/** The steps of a plan that may visit a whole table, or sort one. */
function wideSteps(connection: Connection, { sql }: Prepared): string[] {
  return planOf(connection, sql).filter((step) => {
    if (step.includes('TEMP B-TREE')) return step !== SORTS_ONE_TRADE
    // Without a key a search for the least or the greatest is a scan.
    if (step.startsWith('SEARCH')) return !step.includes(' USING ')
    return step.startsWith('SCAN') && !IS_NO_TABLE.test(step) && !IS_END_OF_TABLE.test(sql)
  })
}

function prepareTables(connection: Connection): void {
  const { clearing } = new Exchange()
  const { orders } = clearing
  const backlog = new Backlog(connection, 1)
  const { names } = new OrdersTable(connection, orders, backlog)
  new LateRows(connection)
  const positions = new PositionCosts(connection)
  const candles = new CandlesTable(connection)
  const world = { followersOf: () => 0, nowMs: () => 0, familyOf: (profileId: number) => profileId }
  const { standings, links } = new ProfileTables(connection, world)
  new TradesTable(connection, orders, { positions, candles, standings, links })
  new OrderEventsTable(connection, orders, { backlog, writeLate: () => {} })
  new SettlementsTable(connection, names)
  new MinedTradesTable(connection)
  new AuditTable(connection)
  new MarketsTable(connection)
  new SeriesTables(connection)
  new OracleCandlesTable(connection)
  new MatchesTable(connection)
  new Projector(connection, clearing, { positions }, UNPACED)
  // Its statements are prepared on the way.
  connection.exec(ONE_ORDER)
  new Pruner(connection, clearing, { windowMs: 1, names, rememberedSeq: () => 1 }).work(() => false)
  for (const _step of new OldEpochs(connection).forget(1));
}

function allPrepared(db: Connection): Prepared[] {
  const found: Prepared[] = []
  for (const { name, open } of READS) open(noting(db, `the read ${name}`, found))
  prepareTables(noting(db, 'the follower', found))
  return found
}

test('no statement of a read or of the follower visits a whole table or sorts one', () => {
  const db = openInMemory(READ_SCHEMA.migrations)
  const prepared = allPrepared(db)
  assert.ok(new Set(prepared.map(({ by }) => by)).size > READS.length, 'each read has a statement')
  for (const each of prepared) {
    assert.deepEqual(wideSteps(db, each), [], `${each.by}: ${each.sql}`)
  }
})

test('a wide plan is noticed', () => {
  const db = openInMemory(READ_SCHEMA.migrations)
  const wide = [
    'SELECT seq FROM trades WHERE yes_ticks = ?',
    'SELECT max(fee_raw) FROM trades',
    'SELECT seq FROM trades ORDER BY fee_raw LIMIT 1',
    'SELECT owner, count(*) FROM orders GROUP BY owner',
    'SELECT number FROM mined_trades WHERE market_id = ? ORDER BY trade_seq LIMIT 1',
  ]
  for (const sql of wide) assert.notDeepEqual(wideSteps(db, { by: 'a test', sql }), [], sql)
})
