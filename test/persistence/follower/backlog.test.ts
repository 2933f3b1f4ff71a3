import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reversalOf } from '../../../engine/core/money/reversal.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { ORDER_STATUSES, SIDE } from '../../../engine/domain/order.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { FollowerHandle, type Rests } from '../../../persistence/follower/follower-handle.ts'
import { readPath } from '../../../persistence/follower/read-database.ts'
import { AllRows } from '../../../persistence/query/all-rows.ts'
import { QueryHandle } from '../../../persistence/query/query-handle.ts'
import { orderBySlot, userOrders } from '../../../persistence/query/read/orders/user-orders.ts'
import { history } from '../../../persistence/query/read/portfolio/history.ts'
import { settledTrade, tradesAfter } from '../../../persistence/query/read/settlements.ts'
import { tradeParts } from '../../../persistence/query/read/trade-parts.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { startJournal } from '../../support/journal-records.ts'
import { patientSlice } from '../../support/patient-slice.ts'
import { freshSeed, Random } from '../../support/random.ts'

const SHARE = 1_000_000
const [LIVE, CANCELED] = (['LIVE', 'CANCELED'] as const).map((each) => ORDER_STATUSES.indexOf(each))
const ALL_AT_ONCE = { directEndsMax: Number.POSITIVE_INFINITY }

/** Tables that depend on when rows were written. */
const BY_CHUNK = ['order_names', 'name_layers', 'own_makers']
/** Their volumes are shown once a minute. */
const BY_MINUTE = ['profile_standings', 'profile_prefixes', 'profile_parts']

/** Every table, without what depends on the chunks. */
function tablesOf(dataDir: string): Map<string, string[]> {
  const connection = openReadOnly(readPath(dataDir))
  const all = (sql: string) =>
    connection
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row))
  const names = connection
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
  const tables = new Map<string, string[]>()
  for (const name of names) {
    if ([...BY_CHUNK, ...BY_MINUTE].includes(name)) continue
    tables.set(name, all(`SELECT * FROM ${name}`).sort())
  }
  tables.set('names', all('SELECT DISTINCT name, placed_seq FROM order_names ORDER BY 1, 2'))
  const own = 'SELECT taker_placed_seq, maker_placed_seq FROM own_makers'
  tables.set('own_makers', all(`${own} ORDER BY taker_placed_seq, position`))
  connection.close()
  return tables
}

function followAll(dataDir: string, seq: number): void {
  const follower = new Follower(keyed(dataDir), ALL_AT_ONCE)
  while (follower.step(seq));
  assert.equal(follower.backlogRows, 0)
  follower.close()
}

/** Cancels every order of a market that is open, with one command. */
function cancelAll(flow: CommandFlow, marketId: number): void {
  const { orders } = flow.exchange.clearing
  const named: { slot: number; generation: number }[] = []
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.OPEN || orders.marketOf(slot) !== marketId) continue
    named.push({ slot, generation: orders.generationOf(slot) })
  }
  flow.cancel(named, marketId, 1)
}

/** Meets every bid of market 1 with one order of account 8, which cancels its own makers. */
function sweep(flow: CommandFlow): void {
  const takes = { accountId: 8, marketId: 1, side: SIDE.BUY, outcome: 1, orderType: 1, stp: 1 }
  flow.place({ ...takes, priceTicks: 999, sizeRaw: 50_000 * SHARE })
}

/** Trades of the flow so far, newest first, as the tables have them. */
function tradesOf(flow: CommandFlow, limit: number) {
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records)
  followAll(dataDir, flow.seq)
  const connection = openReadOnly(readPath(dataDir))
  const tradeOf = settledTrade.open(connection)
  const trades = tradesAfter
    .open(connection)({ seq: 0, limit })
    .map((tradeSeq) => {
      const trade = tradeOf({ tradeSeq })
      assert.ok(trade !== null)
      return { tradeSeq, ...reversalOf(trade) }
    })
  connection.close()
  return trades
}

function firstPart(seed: number): CommandFlow {
  const flow = new CommandFlow(seed)
  flow.run(500)
  sweep(flow)
  return flow
}

/** Wide cancels, sweeps, and trades that end outside their blocks, among random orders. */
function wideFlow(seed: number): CommandFlow {
  const [swept, ...others] = tradesOf(firstPart(seed), 6)
  // A thread has one exchange at a time, so the same orders come again.
  const flow = firstPart(seed)
  flow.run(200)
  cancelAll(flow, 2)
  flow.control({ kind: 'failSettlement', ...swept })
  flow.run(100)
  cancelAll(flow, 1)
  for (const { tradeSeq } of others.slice(0, 2)) flow.control({ kind: 'retrySettlement', tradeSeq })
  flow.control({ kind: 'mineBlock', height: 1, throughSeq: others[0].tradeSeq, chainId: 1 })
  flow.control({ kind: 'settleTrade', tradeSeq: others[0].tradeSeq, height: 1 })
  flow.run(300)
  sweep(flow)
  flow.control({ kind: 'failSettlement', ...others[1] })
  flow.run(100)
  for (const marketId of [1, 2, 3]) cancelAll(flow, marketId)
  flow.run(60)
  return flow
}

test('late rows make the tables that rows at once make, whatever happens in between', () => {
  const random = new Random(freshSeed())
  const whole = newFolder()
  const flow = wideFlow(random.below(1e9))
  fillJournal(whole, flow.records, 8)
  const folders = Array.from({ length: 3 }, () => copyFolder(whole))
  followAll(whole, flow.seq)
  const expected = tablesOf(whole)
  for (const dataDir of folders) {
    const directEndsMax = random.pick([0, 1, 8])
    let follower = new Follower(keyed(dataDir), { directEndsMax })
    let mostRows = 0
    for (let seq = 0; seq < flow.seq; ) {
      seq = Math.min(flow.seq, seq + random.between(1, 120))
      while (follower.step(seq));
      mostRows = Math.max(mostRows, follower.backlogRows)
      for (let page = random.below(4); page > 0; page--) {
        follower.writePage(random.chance(0.5) ? [random.between(1, 9), 3] : [])
      }
      if (!random.chance(0.15)) continue
      // A process that ends here has committed exactly this.
      follower.close()
      follower = new Follower(keyed(dataDir), { directEndsMax })
    }
    assert.ok(mostRows > 50, `${mostRows} rows were late`)
    while (follower.writePage([random.between(1, 9)]));
    follower.close()
    const tables = tablesOf(dataDir)
    for (const [name, rows] of expected) assert.deepEqual(tables.get(name), rows, name)
  }
})

/** One command cancels 40 orders of account 1; account 2 trades and places after it. */
function canceledFlow() {
  const flow = new CommandFlow(1)
  const bid = { side: SIDE.BUY, outcome: 0, orderType: 0, priceTicks: 500, sizeRaw: SHARE }
  const orders = Array.from({ length: 40 }, () => flow.place({ ...bid, accountId: 1 }))
  flow.place({ ...bid, accountId: 2 })
  const before = flow.seq
  flow.cancel(orders)
  const canceled = flow.seq
  const meets = { side: SIDE.BUY, outcome: 1, orderType: 1, priceTicks: 500, sizeRaw: SHARE }
  flow.place({ ...meets, accountId: 3 })
  const newest = flow.place({ ...bid, accountId: 2, priceTicks: 400 })
  return { flow, before, canceled, orders, newest }
}

const ordersOf = (accountId: number, status: number) => {
  return { accountId, marketId: 1, statuses: [status], limit: 100 }
}

test('reads of others are answered while rows are late, and those of owners wait', async (t) => {
  const { flow, before, canceled, orders, newest } = canceledFlow()
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records, 1)
  const follower = new Follower(keyed(dataDir), { directEndsMax: 3 })
  for (const seq of [before, canceled, flow.seq]) while (follower.step(seq));
  assert.ok(follower.backlogRows > 0, 'the cancel is applied and not written')
  assert.equal(follower.readSeq, flow.seq)
  const wanted: { rests: Rests; resolve: () => void }[] = []
  const whenWritten = (rests: Rests) => {
    return new Promise<void>((resolve) => wanted.push({ rests, resolve }))
  }
  const query = new QueryHandle({ folder: keyed(dataDir), onFault: assert.fail, whenWritten })
  t.after(() => query.stop())
  const request = (accountId: number, status: number) =>
    query.request(userOrders, ordersOf(accountId, status), patientSlice(accountId))
  const [live, ended] = [request(1, LIVE), request(1, CANCELED)]
  const single = query.request(orderBySlot, orders[0], patientSlice(2))
  // Account 2 has traded and placed after the cancel, and sees all of it.
  const ofOther = await request(2, LIVE)
  assert.deepEqual(
    ofOther?.map(({ placedSeq }) => placedSeq),
    [newest.seq],
  )
  assert.equal((await query.request(orderBySlot, newest, patientSlice(1)))?.status, LIVE)
  const all = { owner: 2, before: { seq: flow.seq + 1, leg: 0 }, limit: 10, marketId: null }
  const trades = (await query.request(history, all, patientSlice(2)))?.rows
  assert.equal(trades?.filter(({ what }) => what === 'TRADE').length, 1)
  assert.deepEqual(
    wanted.map(({ rests }) => rests),
    [{ owner: 1 }, { owner: 1 }, { owner: 1 }],
  )
  while (follower.writePage([1]));
  for (const { resolve } of wanted) resolve()
  assert.deepEqual(await live, [])
  const rows = await ended
  assert.deepEqual(
    rows?.map(({ placedSeq }) => placedSeq),
    orders.map(({ seq }) => seq).reverse(),
  )
  assert.equal((await single)?.status, CANCELED)
  follower.close()
})

test('a question whose deadline passes while rows are late gets no answer', async (t) => {
  const { flow, before } = canceledFlow()
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records, 1)
  const follower = new Follower(keyed(dataDir), { directEndsMax: 3 })
  while (follower.step(before));
  while (follower.step(flow.seq));
  let onWanted = () => {}
  const never = () => {
    onWanted()
    return new Promise<void>(() => {})
  }
  const query = new QueryHandle({
    folder: keyed(dataDir),
    onFault: assert.fail,
    whenWritten: never,
  })
  t.after(() => query.stop())
  await query.warm()
  const slice = { ...patientSlice(1), untilMs: performance.now() + 50 }
  assert.equal(await query.request(userOrders, ordersOf(1, LIVE), slice), undefined)
  const isWanted = new Promise<void>((resolve) => {
    onWanted = resolve
  })
  void query.request(userOrders, ordersOf(1, LIVE), patientSlice(1))
  await isWanted
  assert.equal(query.waiting, 0, 'a question that waits for rows has no place in the queue')
  follower.close()
})

test('the makers of a trade are read whole or not at all', async (t) => {
  const flow = new CommandFlow(1)
  const bid = { side: SIDE.BUY, outcome: 0, orderType: 0, sizeRaw: SHARE }
  for (let maker = 0; maker < 30; maker++) {
    flow.place({ ...bid, accountId: 1 + (maker % 4), priceTicks: 400 + maker })
  }
  const before = flow.seq
  const takes = { side: SIDE.BUY, outcome: 1, orderType: 1, priceTicks: 999 }
  const { seq: tradeSeq } = flow.place({ ...takes, accountId: 8, sizeRaw: 30 * SHARE })
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records, 1)
  const follower = new Follower(keyed(dataDir), { directEndsMax: 2 })
  while (follower.step(before));
  while (follower.step(flow.seq));
  const wanted: Rests[] = []
  let fill = () => {}
  const whenWritten = (rests: Rests) => {
    wanted.push(rests)
    return new Promise<void>((resolve) => {
      fill = resolve
    })
  }
  const query = new QueryHandle({ folder: keyed(dataDir), onFault: assert.fail, whenWritten })
  t.after(() => query.stop())
  const parts = query.request(
    tradeParts,
    { tradeSeqs: [tradeSeq], accountIds: [8] },
    patientSlice(),
  )
  const taker = { owner: 8, before: { seq: tradeSeq + 1, leg: 0 }, limit: 1, marketId: null }
  assert.equal(
    await query.request(history, { ...taker, owner: 5 }, patientSlice())?.then(lengthOf),
    0,
  )
  assert.deepEqual(wanted, [{ tradeSeqs: [tradeSeq] }])
  assert.equal(follower.isWhole({ owner: 8 }), false, 'the taker is whole with its makers')
  assert.equal(follower.isWhole({ owner: 5 }), true)
  const all = new AllRows(dataDir)
  assert.equal(all.lateCount, follower.backlogRows)
  all.close()
  while (follower.writePage());
  fill()
  assert.equal((await parts)?.[0].parts.length, 31)
  follower.close()
})

function lengthOf(page: { rows: readonly unknown[] } | undefined): number | undefined {
  return page?.rows.length
}

test('threads: reads during a command of thousands of orders are whole', async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(1)
  const bid = { side: SIDE.BUY, outcome: 0, orderType: 0, sizeRaw: 1000, priceTicks: 500 }
  const orders = Array.from({ length: 10_000 }, (_none, index) => {
    return flow.place({ ...bid, accountId: 1 + (index % 2) })
  })
  const onFault = (message: string) => assert.fail(message)
  const follower = await FollowerHandle.start({ folder: keyed(dataDir), seq: 0, onFault })
  const { journal, durable } = await startJournal(dataDir, {
    onDurable: (seq) => follower.advance(seq),
  })
  const whenWritten = (rests: Rests) => follower.whenWritten(rests)
  const query = new QueryHandle({ folder: keyed(dataDir), onFault, whenWritten })
  for (let from = 0; from < orders.length; from += 1000) {
    flow.cancel(orders.slice(from, from + 1000), 1, 1)
  }
  flow.place({ ...bid, accountId: 3 })
  for (const [index, record] of flow.records.entries()) journal.append(index + 1, record)
  journal.send()
  await durable(flow.seq)
  assert.equal(await follower.whenApplied(flow.seq, 600_000), true)
  const counts = [1, 2, 3].map(async (accountId) => {
    const live = await query.request(userOrders, ordersOf(accountId, LIVE), patientSlice(accountId))
    return live?.length
  })
  assert.deepEqual(await Promise.all(counts), [0, 0, 1])
  for (const owner of [1, 2, 3]) await follower.whenWritten({ owner })
  await query.stop()
  await follower.stop()
  await journal.stop()
})
