import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { CANCEL_REASONS } from '../../../engine/domain/event.ts'
import { FEE_ACCOUNT } from '../../../engine/domain/ids.ts'
import { ORDER_STATUSES, type OrderStatus } from '../../../engine/domain/order.ts'
import { openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { FollowerHandle } from '../../../persistence/follower/follower-handle.ts'
import { rebuildReadTables } from '../../../persistence/follower/rebuild.ts'
import { SELF_TRADE_REASON } from '../../../persistence/follower/tables/orders/orders.ts'
import { QueryHandle } from '../../../persistence/query/query-handle.ts'
import {
  orderByClientId,
  orderBySlot,
  userOrders,
} from '../../../persistence/query/read/orders/user-orders.ts'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { copyFolder, keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { startJournal } from '../../support/journal-records.ts'
import { patientSlice } from '../../support/patient-slice.ts'

const SEED = Number(process.env.SEED ?? 20_231)
const SHARE = 1_000_000
const LIVE = ORDER_STATUSES.indexOf('LIVE')

function rows<Row>(dataDir: string, sql: string): Row[] {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  try {
    return connection.prepare<[], Row>(sql).all()
  } finally {
    connection.close()
  }
}

function follow(dataDir: string, seq: number): void {
  const follower = new Follower(keyed(dataDir))
  while (follower.step(seq)) assert.ok(follower.readSeq <= seq)
  assert.equal(follower.readSeq, seq)
  follower.close()
}

function dump(dataDir: string): unknown[] {
  return ['orders', 'trades', 'maker_fills', 'applied'].map((table) =>
    rows(dataDir, `SELECT * FROM ${table}`),
  )
}

/** Open orders of an exchange, as the read tables should show them. */
function openOrders({ exchange }: CommandFlow): unknown[] {
  const { orders } = exchange.clearing
  const open: unknown[] = []
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.OPEN) continue
    open.push({
      seq: orders.seqOf(slot),
      slot,
      generation: orders.generationOf(slot),
      owner: orders.accountOf(slot),
      left: orders.leftRawOf(slot),
    })
  }
  return open
}

test(`the tables show what the exchange holds (SEED=${SEED})`, () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(20_000)
  fillJournal(dataDir, flow.records)
  const open = openOrders(flow)
  const { catalogue, ledger } = flow.exchange.clearing
  const volumes = catalogue.all().map((market) => ({
    marketId: market.marketId,
    volumeRaw: market.volume.raw,
  }))
  const feesRaw = ledger.freeRaw(FEE_ACCOUNT)
  const hash = flow.exchange.stateHash()
  follow(dataDir, flow.seq)
  const live =
    'SELECT placed_seq AS seq, slot, generation, owner, remaining_raw AS left FROM orders'
  assert.deepEqual(rows(dataDir, `${live} WHERE status = ${LIVE} ORDER BY slot`), open)
  assert.deepEqual(
    rows(
      dataDir,
      'SELECT market_id AS marketId, sum(collateral_raw) AS volumeRaw  ' +
        'FROM trades GROUP BY market_id ORDER BY market_id',
    ),
    volumes,
  )
  assert.deepEqual(rows(dataDir, 'SELECT sum(fee_raw) AS feesRaw FROM trades WHERE side = 1'), [
    { feesRaw },
  ])
  assert.equal(countUnlike(dataDir), 0)
  assert.equal(verifyFolder(dataDir).stateHash, hash)
})

/** Orders whose `filled_raw` is not the sum of their fills, as maker and as taker. */
function countUnlike(dataDir: string): number {
  const filled = new Map<number, number>()
  const add = (seq: number, raw: number) => filled.set(seq, (filled.get(seq) ?? 0) + raw)
  for (const fill of rows<{ seq: number; raw: number }>(
    dataDir,
    'SELECT maker_placed_seq AS seq, size_raw AS raw FROM maker_fills',
  )) {
    add(fill.seq, fill.raw)
  }
  for (const trade of rows<{ seq: number; raw: number }>(
    dataDir,
    'SELECT seq, shares_raw AS raw FROM trades',
  )) {
    add(trade.seq, trade.raw)
  }
  const orders = rows<{ seq: number; filled: number; left: number; size: number; form: number }>(
    dataDir,
    'SELECT placed_seq AS seq, filled_raw AS filled, remaining_raw AS left, size_raw AS size, ' +
      'market_form AS form FROM orders',
  )
  return orders.filter(
    ({ seq, filled: raw, left, size, form }) =>
      raw !== (filled.get(seq) ?? 0) || (form === 0 && raw + left !== size),
  ).length
}

test('each way that an order ends has its status', () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  const buy = { side: 0, outcome: 0, orderType: 0, priceTicks: 500, sizeRaw: 10 * SHARE }
  const buyNo = { ...buy, outcome: 1 }
  const reported: [string, number, OrderStatus, number | null, number][] = []
  const { MAKER, TAKER } = SELF_TRADE_REASON
  const expect = (
    name: string,
    seq: number,
    status: OrderStatus,
    reason: number | null,
    left: number,
  ) => reported.push([name, seq, status, reason, left])
  const half = flow.place({ ...buy, accountId: 1 })
  const maker = flow.place({ ...buyNo, accountId: 2, sizeRaw: 4 * SHARE })
  expect('half filled and left open', half.seq, 'LIVE', null, 6 * SHARE)
  expect('filled on arrival', maker.seq, 'MATCHED', null, 0)
  const fak = flow.place({ ...buyNo, accountId: 3, orderType: 1, sizeRaw: 8 * SHARE })
  expect('FAK filled in part, then killed', fak.seq, 'MATCHED', null, 2 * SHARE)
  reported[0] = ['filled by two', half.seq, 'MATCHED', null, 0]
  const fok = flow.place({ ...buyNo, accountId: 3, orderType: 2, sizeRaw: SHARE })
  expect('FOK without a fill', fok.seq, 'UNMATCHED', null, SHARE)
  const unfilled = { side: 0, outcome: 0, orderType: 2, marketForm: true, spendRaw: SHARE }
  const spent = flow.place({ ...unfilled, accountId: 3 })
  expect('a market buy without a fill has no shares left', spent.seq, 'UNMATCHED', null, 0)
  const byUser = flow.place({ ...buy, accountId: 1, clientOrderId: 'mine' })
  const cross = flow.place({ ...buyNo, accountId: 2, postOnly: true })
  flow.cancel([byUser])
  expect('cancelled by its user', byUser.seq, 'CANCELED', 0, 10 * SHARE)
  const expired = flow.place({ ...buy, accountId: 1 })
  flow.cancel([expired], 1, CANCEL_REASONS.indexOf('EXPIRED'))
  expect('expired', expired.seq, 'CANCELED', 1, 10 * SHARE)
  const own = flow.place({ ...buy, accountId: 4 })
  const stopped = flow.place({ ...buyNo, accountId: 4, stp: 2 })
  expect('own maker canceled', own.seq, 'CANCELED', MAKER, 10 * SHARE)
  expect('taker stopped at its own maker', stopped.seq, 'CANCELED', TAKER, 10 * SHARE)
  fillJournal(dataDir, flow.records, 5)
  follow(dataDir, flow.seq)
  const connection = openReadOnly(join(dataDir, 'read.db'))
  const byClientId = orderByClientId.open(connection)
  const bySlot = orderBySlot.open(connection)
  const found = rows<{ seq: number; status: number; reason: number | null; left: number }>(
    dataDir,
    'SELECT placed_seq AS seq, status, cancel_reason AS reason, remaining_raw AS left FROM orders',
  )
  for (const [name, seq, status, reason, left] of reported) {
    const row = found.find((order) => order.seq === seq)
    assert.deepEqual(row, { seq, status: ORDER_STATUSES.indexOf(status), reason, left }, name)
  }
  assert.equal(
    found.find((order) => order.seq === cross.seq),
    undefined,
    'no trace of post-only',
  )
  assert.equal(byClientId({ accountId: 1, clientOrderId: 'mine' })?.placedSeq, byUser.seq)
  assert.equal(byClientId({ accountId: 2, clientOrderId: 'mine' }), null)
  assert.equal(bySlot(byUser)?.placedSeq, byUser.seq)
  connection.close()
})

test('a held market buy that is canceled has no shares left', () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.place({ accountId: 5, side: 0, outcome: 1, priceTicks: 500, sizeRaw: 10 * SHARE })
  const spends = { side: 0, outcome: 0, orderType: 2, marketForm: true, spendRaw: SHARE }
  const held = flow.place({ ...spends, accountId: 3, takerDelayMs: 500 })
  assert.equal(flow.exchange.clearing.orders.stateOf(held.slot), STATE.HELD)
  flow.cancel([held])
  fillJournal(dataDir, flow.records)
  follow(dataDir, flow.seq)
  const sql = 'SELECT status, remaining_raw AS left FROM orders WHERE placed_seq = '
  const canceled = { status: ORDER_STATUSES.indexOf('CANCELED'), left: 0 }
  assert.deepEqual(rows(dataDir, `${sql}${held.seq}`), [canceled])
})

test(`a follower stopped midway goes on from where its tables stand (SEED=${SEED})`, () => {
  const whole = newFolder()
  const flow = new CommandFlow(SEED + 1)
  flow.run(6000)
  fillJournal(whole, flow.records)
  const parts = copyFolder(whole)
  follow(whole, flow.seq)
  for (const seq of [64, 640, 1280, flow.seq]) follow(parts, seq)
  assert.deepEqual(dump(parts), dump(whole))
  assert.equal(rebuildReadTables(parts), flow.seq)
  assert.deepEqual(dump(parts), dump(whole))
})

test('the tables show no batch that ends past the seq they were given', () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(300)
  fillJournal(dataDir, flow.records, 64)
  const follower = new Follower(keyed(dataDir))
  for (const [target, shown] of [
    [63, 0],
    [64, 64],
    [127, 64],
    [130, 128],
  ]) {
    follower.step(target)
    assert.deepEqual([follower.readSeq, follower.stateSeq], [shown, shown])
  }
  follower.close()
})

test('read tables of another journal, or ahead of their journal, are rebuilt', () => {
  const dataDir = newFolder()
  const longer = new CommandFlow(SEED + 2)
  longer.run(500)
  fillJournal(dataDir, longer.records)
  follow(dataDir, longer.seq)
  const other = newFolder()
  const shorter = new CommandFlow(SEED + 3)
  shorter.run(100)
  fillJournal(other, shorter.records)
  follow(other, shorter.seq)
  const expected = dump(other)
  copyFileSync(join(dataDir, 'read.db'), join(other, 'read.db'))
  follow(other, shorter.seq)
  assert.deepEqual(dump(other), expected)
  // A journal of the same length: only its checksum distinguishes the two.
  const alike = newFolder()
  fillJournal(alike, longer.records.slice(0, shorter.seq))
  follow(alike, shorter.seq)
  copyFileSync(join(alike, 'read.db'), join(other, 'read.db'))
  follow(other, shorter.seq)
  assert.deepEqual(dump(other), expected)
})

test('a wait for the tables goes on once while a snapshot is copied', async (t) => {
  const onFault = (message: string) => assert.fail(message)
  const follower = await FollowerHandle.start({ folder: keyed(newFolder()), seq: 0, onFault })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const outcomes: boolean[] = []
  const wait = () => follower.whenApplied(1, 1000).then((isThere) => outcomes.push(isThere))
  const after = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise(setImmediate)
    return outcomes.length
  }
  wait()
  assert.equal(await after(1000), 1)
  // Nothing is durable, so the follower does not come to the seq of the snapshot.
  follower.snapshot({ seq: 1, balances: '' })
  wait()
  assert.equal(await after(1000), 1)
  assert.equal(await after(999), 1)
  assert.equal(await after(1), 2)
  assert.deepEqual(outcomes, [false, false])
  t.mock.timers.reset()
  await follower.stop()
})

test('a follower that was abandoned reports nothing more', async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  flow.run(5000)
  fillJournal(dataDir, flow.records)
  const applied: number[] = []
  const launch = FollowerHandle.launch({
    folder: keyed(dataDir),
    seq: flow.seq,
    onApplied: ({ seq }) => applied.push(seq),
    onFault: (message) => assert.fail(message),
  })
  // This thread does not yield, so the messages of the other one wait.
  while (appliedIn(dataDir) < flow.seq);
  await launch.abandon()
  await new Promise(setImmediate)
  assert.deepEqual(applied, [])
})

/** The seq of the read tables; 0 while there are none. */
function appliedIn(dataDir: string): number {
  try {
    const [row] = rows<{ seq: number }>(dataDir, 'SELECT seq FROM applied')
    return row?.seq ?? 0
  } catch {
    return 0
  }
}

test(`the follower thread keeps up with a live journal (SEED=${SEED})`, async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED + 4)
  flow.run(3000)
  const hash = flow.exchange.stateHash()
  const faults: string[] = []
  const onFault = (message: string) => faults.push(message)
  const follower = await FollowerHandle.start({ folder: keyed(dataDir), seq: 0, onFault })
  const { journal, durable } = await startJournal(dataDir, {
    onDurable: (seq) => follower.advance(seq),
  })
  flow.records.forEach((record, index) => {
    journal.append(index + 1, record)
    if (index % 10 === 0) journal.send()
  })
  journal.send()
  assert.equal(await follower.whenApplied(flow.seq + 1, 5), false, 'a wait has a deadline')
  await durable(flow.seq)
  assert.equal(await follower.whenApplied(flow.seq, 5000), true)
  assert.deepEqual(await follower.stateHash(), { seq: flow.seq, hash })
  const query = new QueryHandle({ folder: keyed(dataDir), onFault })
  await checkQueries(query, dataDir)
  await query.stop()
  await follower.stop()
  await journal.stop()
  const again = await FollowerHandle.start({ folder: keyed(dataDir), seq: flow.seq, onFault })
  assert.equal(again.applied, flow.seq)
  assert.equal((await again.stateHash()).hash, hash)
  await again.stop()
  assert.deepEqual(faults, [])
})

async function checkQueries(query: QueryHandle, dataDir: string): Promise<void> {
  for (const statuses of [[LIVE], [1, 2], [0, 1, 2, 3]]) {
    const requested = { accountId: 3, marketId: 2, statuses, limit: 20 }
    const found = await query.request(userOrders, requested, patientSlice())
    const expected = rows<{ seq: number }>(
      dataDir,
      'SELECT placed_seq AS seq FROM orders WHERE owner = 3 AND market_id = 2 AND ' +
        `status IN (${statuses}) ORDER BY placed_seq DESC LIMIT 20`,
    )
    assert.deepEqual(
      found?.map((order) => order.placedSeq),
      expected.map((order) => order.seq),
    )
    assert.ok(expected.length > 0)
  }
  const [some] = rows<{ slot: number; generation: number; owner: number; id: string }>(
    dataDir,
    'SELECT slot, generation, owner, client_order_id AS id FROM orders ' +
      'WHERE client_order_id IS NOT NULL LIMIT 1',
  )
  assert.equal((await query.request(orderBySlot, some, patientSlice()))?.accountId, some.owner)
  const unknown = { slot: some.slot, generation: 1_000_000 }
  assert.equal(await query.request(orderBySlot, unknown, patientSlice()), null)
  const byClientId = (clientOrderId: string) =>
    query.request(orderByClientId, { accountId: some.owner, clientOrderId }, patientSlice())
  assert.equal((await byClientId(some.id))?.slot, some.slot)
  assert.equal(await byClientId('never given'), null)
}

test('the query queue is bounded, and a question past its bound gets no answer', async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  fillJournal(dataDir, flow.records)
  follow(dataDir, flow.seq)
  const query = new QueryHandle({ folder: keyed(dataDir), onFault: assert.fail })
  const asks = Array.from({ length: 1100 }, () =>
    query.request(orderBySlot, { slot: 1, generation: 1 }, patientSlice()),
  )
  const answers = await Promise.all(asks)
  assert.equal(answers.filter((answer) => answer === undefined).length, 1100 - 1024)
  assert.equal(query.waiting, 0)
  await query.stop()
})

test('a follower or query thread that dies is named in a fault, and its waits end', async () => {
  const dataDir = newFolder()
  const flow = new CommandFlow(SEED)
  fillJournal(dataDir, flow.records)
  const reported: string[] = []
  const onFault = (message: string) => reported.push(message)
  const follower = await FollowerHandle.start({ folder: keyed(dataDir), seq: flow.seq, onFault })
  const query = new QueryHandle({ folder: keyed(dataDir), onFault })
  const waiting = follower.whenApplied(flow.seq + 1, 60_000)
  await follower.kill()
  assert.equal(await waiting, false)
  await query.kill()
  assert.match(reported[0], /^The follower thread failed: /)
  assert.match(reported[1], /^The query thread failed: /)
})
