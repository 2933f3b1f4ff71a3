import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { ORDER_STATUSES, SIDE } from '../../../engine/domain/order.ts'
import { type Connection, openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { openFloor, type StoredFloor } from '../../../persistence/follower/pruning/history-floor.ts'
import { rebuildReadTables } from '../../../persistence/follower/rebuild.ts'
import { startSeqOf } from '../../../persistence/follower/tables/orders/order-names.ts'
import { minedTrades } from '../../../persistence/query/read/history/mined-trades.ts'
import { tape } from '../../../persistence/query/read/history/tape.ts'
import { missedEvents } from '../../../persistence/query/read/orders/missed-events.ts'
import { orderStatuses } from '../../../persistence/query/read/orders/order-status.ts'
import { userOrders } from '../../../persistence/query/read/orders/user-orders.ts'
import { history } from '../../../persistence/query/read/portfolio/history.ts'
import type { Query } from '../../../persistence/query/read/query.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed } from '../../support/random.ts'

const SEED = freshSeed()
/** More than two of the first layers of names. */
const COMMANDS = 20_000
const BLOCK_EVERY = 300
const ALL = { memory: { windowMs: 1, bytesMax: 2 ** 26 } }

const flow = new CommandFlow(SEED)
let height = 0
/** Trades that a block left out. */
const aside: number[] = []
while (flow.seq < COMMANDS) {
  flow.run(BLOCK_EVERY)
  const { lastTradeSeq } = flow.exchange.clearing.catalogue.existing(2)
  if (height % 3 === 0 && flow.exchange.clearing.blocks.isOpen(lastTradeSeq)) {
    flow.control({ kind: 'retrySettlement', tradeSeq: lastTradeSeq })
    aside.push(lastTradeSeq)
  }
  if (flow.seq % 7 === 0) {
    const [marketId, amountRaw] = [1, 1_000_000]
    flow.control({ kind: 'splitPosition', marketId, profileId: 1, amountRaw })
  }
  flow.control({ kind: 'mineBlock', height: ++height, throughSeq: flow.seq, chainId: 1 })
  const tradeSeq = height % 3 === 2 ? aside.shift() : undefined
  if (tradeSeq !== undefined) flow.control({ kind: 'settleTrade', tradeSeq, height })
}
const END = flow.seq
const SPAN_MS = END * 3
const HISTORY_MS = SPAN_MS / 4
const START_MS = 1_700_000_000_000
const JOURNAL = newFolder()
fillJournal(JOURNAL, flow.records)

/** Rows of these go; the key has their command. */
const HISTORY = {
  order_terms: 'placed_seq',
  order_states: 'placed_seq',
  own_makers: 'taker_placed_seq',
  order_events: 'seq',
  trades: 'seq',
  maker_fills: 'trade_seq',
  sold_costs: 'trade_seq',
  settlements: 'trade_seq',
  moves: 'seq',
  blocks: 'through_seq',
} as const
const BY_LAYER = ['order_names', 'name_layers', 'mined_trades', 'mined_epochs', 'trade_epochs']
const OTHER = new Set([...Object.keys(HISTORY), ...BY_LAYER, 'pruned', 'applied'])

const TABLES = `
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`

type Row = Readonly<Record<string, unknown>>

function opened<T>(dataDir: string, work: (db: Connection) => T): T {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

function rowsOf(db: Connection, table: string): Row[] {
  return db.prepare<[], Row>(`SELECT * FROM ${table}`).all()
}

function sumsOf(dataDir: string): (readonly [table: string, rows: readonly Row[]])[] {
  return opened(dataDir, (db) => {
    const names = db.prepare<[], { name: string }>(TABLES).all()
    const kept = names.map(({ name }) => name).filter((name) => !OTHER.has(name))
    assert.ok(kept.length > 30 && kept.includes('positions') && kept.includes('pnl_hours'))
    return kept.map((name) => [name, rowsOf(db, name)] as const)
  })
}

/** Follows to a seq, and deletes what may go after each step, as the thread does. */
function follow(dataDir: string, seq: number, historyMs: number, commands = 500): Follower {
  const follower = new Follower(keyed(dataDir), { ...ALL, historyMs })
  for (let target = 0; target < seq; ) {
    target = Math.min(seq, target + commands)
    follower.step(target)
    while (follower.isPruning) follower.prune(endsSoon())
  }
  return follower
}

/** A slice of a few steps. */
function endsSoon(): () => boolean {
  let steps = 0
  return () => steps++ > 3
}

const WHOLE = copyFolder(JOURNAL)
follow(WHOLE, END / 2, 0).close()
follow(WHOLE, END, 0).close()
const PRUNED = copyFolder(JOURNAL)
follow(PRUNED, END / 2, HISTORY_MS).close()
const last = follow(PRUNED, END, HISTORY_MS)
const { orders } = last.exchange.clearing
const LIVE = new Set<number>()
for (let slot = 1; slot <= orders.highSlot; slot++) {
  if (orders.stateOf(slot) !== STATE.FREE) LIVE.add(orders.seqOf(slot))
}
const NEWEST = new Set<number>()
for (const { lastTradeSeq } of last.exchange.clearing.catalogue.all()) NEWEST.add(lastTradeSeq)
last.close()
const FLOOR: StoredFloor = opened(PRUNED, (db) => openFloor(db)())

test('history goes up to the floor, and nothing else does', () => {
  assert.ok(FLOOR.seq > END * 0.65 && FLOOR.seq < END * 0.75, `${FLOOR.seq} of ${END}`)
  assert.ok(FLOOR.eventsSeq > FLOOR.seq)
  const endedMs = new Map(
    opened(WHOLE, (db) => rowsOf(db, 'order_states')).map((row) => [row.placed_seq, row.ended_ms]),
  )
  for (const [table, column] of Object.entries(HISTORY)) {
    const [whole, pruned] = [WHOLE, PRUNED].map((each) => opened(each, (db) => rowsOf(db, table)))
    const left = new Set(pruned.map((row) => JSON.stringify(row)))
    let gone = 0
    for (const row of whole) {
      const seq = Number(row[column])
      if (left.delete(JSON.stringify(row))) continue
      gone++
      assert.ok(seq <= FLOOR.seq, `${table}: the row of ${seq} is gone, the floor is ${FLOOR.seq}`)
      if (table !== 'order_terms') continue
      assert.ok(!LIVE.has(seq), 'a live order stays')
      assert.ok(Number(endedMs.get(seq)) < START_MS + FLOOR.seq * 3, 'it ended before')
    }
    assert.deepEqual([...left], [], `${table} has no other row`)
    if (whole.length > 100) assert.ok(gone > whole.length / 3, `${gone} of ${table} are gone`)
    const old = pruned.filter((row) => Number(row[column]) <= FLOOR.seq)
    if (table === 'trades') assert.ok(old.every((row) => NEWEST.has(Number(row.seq))))
    if (table === 'order_events' || table === 'moves') assert.deepEqual(old, [])
  }
})

test('sums are those of the whole history', () => {
  const whole = new Map(sumsOf(WHOLE))
  for (const [table, rows] of sumsOf(PRUNED)) assert.deepEqual(rows, whole.get(table), table)
})

test('names of orders go with them', () => {
  const layers = opened(PRUNED, (db) => rowsOf(db, 'name_layers'))
  const names = opened(PRUNED, (db) => rowsOf(db, 'order_names'))
  const terms = new Set(opened(PRUNED, (db) => rowsOf(db, 'order_terms')).map((r) => r.placed_seq))
  const before = opened(WHOLE, (db) => rowsOf(db, 'order_names'))
  const ends = new Map(layers.map((row) => [row.layer, Number(row.end_seq)]))
  assert.ok(names.length < before.length * 0.7, `${names.length} of ${before.length} names`)
  let split = 0
  for (const { layer, placed_seq: seq } of names) {
    const end = ends.get(layer)
    assert.ok(end !== undefined, 'each name is in a layer')
    if (startSeqOf(Number(layer)) > FLOOR.seq) continue
    assert.ok(terms.has(seq), `a name of the deleted order ${seq}`)
    if (end > FLOOR.seq) split++
  }
  assert.ok(split > 100, 'the floor is within a layer')
  const kept = before.filter((row) => terms.has(row.placed_seq))
  assert.ok(kept.length > 1000)
  const left = new Set(names.map((row) => `${row.name} ${row.placed_seq}`))
  for (const row of kept) assert.ok(left.has(`${row.name} ${row.placed_seq}`))
})

/** The same read of the pruned and of the whole tables. */
function both<Params, Answer>(read: Query<Params, Answer>, params: Params): [Answer, Answer] {
  const [pruned, whole] = [PRUNED, WHOLE].map((each) => opened(each, (db) => read.open(db)(params)))
  return [pruned, whole]
}

const keyOf = ({ seq, leg }: { readonly seq: number; readonly leg: number }) => `${seq} ${leg}`

const BACK = Math.floor((END + FLOOR.eventsSeq) / 2)

test('orders that are there have the status they had', () => {
  const orders = opened(PRUNED, (db) => rowsOf(db, 'orders'))
  for (const order of orders.filter((_each, index) => index % 25 === 0)) {
    const names = [{ slot: Number(order.slot), generation: Number(order.generation) }]
    const accountId = Number(order.owner)
    const [[status], [was]] = both(orderStatuses, {
      accountId,
      names,
      makersMax: 9,
      makersInAllMax: 9,
    })
    const seq = Number(order.last_trade_seq ?? Number.POSITIVE_INFINITY)
    if (seq > FLOOR.seq || NEWEST.has(seq)) {
      assert.deepEqual(status?.trade, was?.trade)
      // The makers that it canceled on arrival ended then.
      const isOld = Number(order.placed_seq) <= FLOOR.seq
      if (!isOld) assert.deepEqual(status?.ownMakers, was?.ownMakers)
    } else assert.equal(status?.trade?.settlement.status, 'MINED')
    assert.deepEqual(status?.order, was?.order)
  }
})

test('lists of orders end where the history ends', () => {
  const terms = opened(PRUNED, (db) => rowsOf(db, 'order_terms'))
  const left = new Set(terms.map((row) => row.placed_seq))
  for (const status of ['MATCHED', 'CANCELED', 'LIVE'] as const) {
    const statuses = [ORDER_STATUSES.indexOf(status)]
    const lists = both(userOrders, { accountId: 2, marketId: 1, statuses, limit: 5000 })
    const [pruned, whole] = lists.map((rows) => rows.map(({ placedSeq }) => placedSeq))
    assert.ok(status === 'LIVE' || pruned.length > 0)
    assert.deepEqual(
      pruned,
      whole.filter((seq) => left.has(seq)),
    )
    if (status !== 'LIVE') assert.ok(pruned.length < whole.length / 2)
  }
})

test('the history of an account has all trades after the floor, as they were', () => {
  const before = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }
  for (let owner = 1; owner <= 8; owner++) {
    const pages = both(history, { owner, before, limit: 20_000, marketId: null })
    const [pruned, whole] = pages.map(({ rows }) => new Map(rows.map((row) => [keyOf(row), row])))
    assert.ok(pruned.size > 100 && pruned.size < whole.size / 2)
    for (const [key, row] of pruned) assert.deepEqual(row, whole.get(key))
    for (const [key, { seq }] of whole) if (seq > FLOOR.seq) assert.ok(pruned.has(key))
  }
})

test('pages of mined trades end there, and count all', () => {
  const [{ count, trades }, whole] = both(minedTrades, { marketId: 1, skip: 0, limit: 50 })
  assert.ok(count > 1000)
  assert.deepEqual([count, trades], [whole.count, whole.trades])
  const [last, wasLast] = both(minedTrades, { marketId: 1, skip: count - 5, limit: 50 })
  assert.deepEqual([last.trades.length, wasLast.trades.length], [0, 5])
})

test('a tape shows its reader that trades are gone', () => {
  const newest = both(tape, { marketIds: [1, 2], afterSeq: null, limit: 20 })
  assert.deepEqual(newest[0], newest[1])
  const late = both(tape, { marketIds: [1], afterSeq: BACK, limit: 20 })
  assert.deepEqual(late[0], late[1])
  const afterSeq = Math.floor(FLOOR.seq / 2)
  const [gone, whole] = both(tape, { marketIds: [1], afterSeq, limit: 20 })
  assert.ok(whole.prevSeq <= afterSeq && gone.prevSeq > afterSeq)
})

test('a client that was away for too long has missed events', () => {
  const common = { accountId: 3, afterEnd: null, lateMs: 1000, eventsMax: 1e6, rowsMax: 1e6 }
  const from = (seq: number) => ({ ...common, after: { kind: 'number' as const, seq, index: 0 } })
  const [recent, whole] = both(missedEvents, from(BACK))
  assert.ok(Array.isArray(recent.events) && recent.events.length > 100)
  assert.deepEqual(recent, whole)
  for (const seq of [0, FLOOR.seq - 1, FLOOR.eventsSeq - 500]) {
    const [old, was] = both(missedEvents, from(seq))
    assert.equal(old.events, 'many')
    assert.ok(Array.isArray(was.events))
  }
})

test('a live order keeps its totals when its trade is gone', () => {
  const dataDir = newFolder()
  const story = new CommandFlow(SEED)
  const terms = { marketId: 1, outcome: 0, priceTicks: 400, orderType: 0 } as const
  const maker = story.place({ ...terms, accountId: 1, side: SIDE.BUY, sizeRaw: 100_000_000 })
  story.control({ kind: 'splitPosition', marketId: 1, profileId: 2, amountRaw: 50_000_000 })
  story.place({ ...terms, accountId: 2, side: SIDE.SELL, sizeRaw: 40_000_000 })
  // A later trade is the newest of the market.
  const later = { ...terms, priceTicks: 500, sizeRaw: 1_000_000 }
  story.place({ ...later, accountId: 3, side: SIDE.BUY })
  story.place({ ...later, accountId: 2, side: SIDE.SELL })
  story.control({ kind: 'mineBlock', height: 1, throughSeq: story.seq, chainId: 1 })
  const rest = (untilSeq: number) => {
    const low = { ...later, accountId: 3, side: SIDE.BUY, priceTicks: 10 }
    while (story.seq < untilSeq) story.place(low)
  }
  rest(900)
  story.control({ kind: 'splitPosition', marketId: 2, profileId: 2, amountRaw: 50_000_000 })
  story.place({ ...later, marketId: 2, accountId: 2, side: SIDE.SELL })
  story.place({ ...later, marketId: 2, accountId: 3, side: SIDE.BUY })
  story.control({ kind: 'mineBlock', height: 2, throughSeq: story.seq, chainId: 1 })
  rest(1200)
  fillJournal(dataDir, story.records)
  const follower = follow(dataDir, story.seq, 600, 100)
  assert.deepEqual(follower.state().hash, story.exchange.stateHash())
  follower.close()
  const { slot, generation } = maker
  const [status] = opened(dataDir, (db) => {
    assert.equal(rowsOf(db, 'trades').length, 2)
    // The newest trade of the market is there for both of its sides.
    const page = { before: { seq: story.seq, leg: 0 }, limit: 9, marketId: 1 }
    for (const [owner, count] of [
      [1, 0],
      [2, 1],
      [3, 1],
    ] as const) {
      const { rows } = history.open(db)({ ...page, owner })
      assert.equal(rows.filter(({ what }) => what === 'TRADE').length, count)
      for (const row of rows) assert.equal(row.minedMs, START_MS + 26 * 3)
    }
    return orderStatuses.open(db)({
      accountId: 1,
      names: [{ slot, generation }],
      makersMax: 9,
      makersInAllMax: 9,
    })
  })
  assert.equal(status?.order.filledRaw, 40_000_000)
  assert.deepEqual(status.trade?.settlement, {
    status: 'MINED',
    txHash: null,
    height: null,
    minedMs: null,
  })
})

test('a rebuild has the whole history again, and verify accepts both', () => {
  assert.equal(verifyFolder(PRUNED).seq, END)
  assert.equal(rebuildReadTables(PRUNED), END)
  assert.equal(verifyFolder(PRUNED).seq, END)
  const [rebuilt, whole] = [PRUNED, WHOLE].map((each) => {
    return opened(each, (db) => ['orders', 'trades', 'moves'].map((table) => rowsOf(db, table)))
  })
  assert.deepEqual(rebuilt, whole)
})
