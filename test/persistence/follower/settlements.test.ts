import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { reversalOf } from '../../../engine/core/money/reversal.ts'
import { txHashOf } from '../../../engine/core/money/tx-hash.ts'
import { FEE_ACCOUNT } from '../../../engine/domain/ids.ts'
import { ORDER_STATUSES, OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import { type Connection, openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { rebuildReadTables } from '../../../persistence/follower/rebuild.ts'
import { QueryHandle } from '../../../persistence/query/query-handle.ts'
import {
  newestTrades,
  Settlements,
  settledTrade,
  tradesAfter,
} from '../../../persistence/query/read/settlements.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { keyed, newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { patientSlice } from '../../support/patient-slice.ts'
import { freshSeed } from '../../support/random.ts'

const CHAIN = 8453

function follow(dataDir: string, seq: number): void {
  const follower = new Follower(keyed(dataDir))
  while (follower.step(seq));
  assert.equal(follower.readSeq, seq)
  follower.close()
}

function reading<T>(dataDir: string, work: (connection: Connection) => T): T {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}

/** Free and reserved balances together, of every account and row. */
function totals({ exchange: { clearing } }: CommandFlow): number[] {
  const { ledger, accounts, catalogue } = clearing
  const profiles = Array.from({ length: accounts.count }, (_each, index) => index + 1)
  const cash = [FEE_ACCOUNT, ...profiles].map((account) => {
    return ledger.freeRaw(account) + ledger.reservedRaw(account)
  })
  const shares = Array.from({ length: ledger.rows.end * 2 }, (_each, index) => {
    return ledger.sharesFreeRaw[index] + ledger.sharesReservedRaw[index]
  })
  return [...cash, ...shares, ...catalogue.all().map(({ conditionRaw }) => conditionRaw)]
}

test('a trade is read out of the tables just as it was settled', () => {
  const flow = new CommandFlow(freshSeed())
  flow.run(1500)
  for (const outcome of [OUTCOME.YES, OUTCOME.NO]) {
    for (const accountId of [4, 5]) {
      const rests = { marketId: 1, accountId, side: SIDE.BUY, outcome, priceTicks: 100 }
      flow.place({ ...rests, sizeRaw: 100_000_000 })
    }
  }
  const before = totals(flow)
  const taken = { marketId: 1, orderType: 1, accountId: 3, sizeRaw: 400_000_000 }
  flow.place({ ...taken, side: SIDE.BUY, outcome: OUTCOME.YES, priceTicks: 900 })
  const bought = flow.seq
  const between = totals(flow)
  flow.place({ ...taken, side: SIDE.BUY, outcome: OUTCOME.NO, priceTicks: 900 })
  const other = flow.seq
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records)
  follow(dataDir, flow.seq)
  const [yes, no] = reading(dataDir, (connection) => {
    return [bought, other].map((tradeSeq) => settledTrade.open(connection)({ tradeSeq }))
  })
  assert(yes && no && yes.fills.length > 1 && no.fills.length > 1, 'both trades have several fills')
  flow.control({ kind: 'failSettlement', tradeSeq: other, ...reversalOf(no) })
  assert.deepEqual(totals(flow).slice(0, 9), between.slice(0, 9), 'collateral')
  assert.deepEqual(totals(flow).slice(-4), between.slice(-4), 'conditions')
  flow.control({ kind: 'failSettlement', tradeSeq: bought, ...reversalOf(yes) })
  const after = totals(flow)
  assert.deepEqual(after.slice(0, 9), before.slice(0, 9), 'collateral')
  assert.deepEqual(after.slice(-4), before.slice(-4), 'conditions')
  assert.equal(flow.exchange.checkInvariants(), null)
  assert.equal(
    reading(dataDir, (connection) => settledTrade.open(connection)({ tradeSeq: 1 })),
    null,
  )
})

test('each trade shows its settlement status, and a rebuild shows the same', async () => {
  const flow = new CommandFlow(freshSeed())
  flow.run(600)
  const cut = flow.seq
  const first = newFolder()
  fillJournal(first, flow.records)
  follow(first, cut)
  const { seqs, reversal } = reading(first, (connection) => {
    const seqs = tradesAfter.open(connection)({ seq: 0, limit: 8 })
    const trade = settledTrade.open(connection)({ tradeSeq: seqs[2] })
    assert(trade !== null)
    return { seqs, reversal: reversalOf(trade) }
  })
  const [newest, late, failed, tried] = seqs
  assert(new Set(seqs).size === 8 && newest <= cut, 'trades come newest first')
  flow.control({ kind: 'retrySettlement', tradeSeq: late })
  flow.control({ kind: 'retrySettlement', tradeSeq: tried })
  flow.control({ kind: 'failSettlement', tradeSeq: failed, ...reversal })
  flow.control({ kind: 'mineBlock', height: 1, throughSeq: newest - 1, chainId: CHAIN })
  const dataDir = newFolder()
  const states = (folder: string) => {
    return reading(folder, (connection) => {
      const settlements = new Settlements(connection)
      return seqs.map((seq) => settlements.of(seq))
    })
  }
  fillJournal(dataDir, flow.records)
  follow(dataDir, flow.seq)
  const of = (folder: string) => states(folder).map(({ status }) => status)
  assert.deepEqual(of(dataDir).slice(0, 4), ['MATCHED', 'RETRYING', 'FAILED', 'RETRYING'])
  assert.deepEqual(of(dataDir).slice(4), ['MINED', 'MINED', 'MINED', 'MINED'])
  flow.control({ kind: 'mineBlock', height: 2, throughSeq: newest, chainId: CHAIN })
  flow.control({ kind: 'settleTrade', tradeSeq: late, height: 2 })
  const whole = newFolder()
  fillJournal(whole, flow.records)
  follow(whole, flow.seq)
  const shown = states(whole)
  const mined = (seq: number, height: number) => {
    const { minedMs } = shown.find((each) => each.height === height) ?? { minedMs: null }
    return { status: 'MINED', txHash: txHashOf(CHAIN, height, seq), height, minedMs }
  }
  assert.deepEqual(shown[0], mined(newest, 2))
  assert.equal(shown[1].txHash, mined(late, 2).txHash)
  assert.equal(of(whole)[3], 'RETRYING')
  assert.deepEqual(shown[4], mined(seqs[4], 1))
  rebuildReadTables(whole)
  assert.deepEqual(states(whole), shown)
  const query = new QueryHandle({ folder: keyed(whole), onFault: assert.fail })
  try {
    assert.deepEqual(await query.request(tradesAfter, { seq: 0, limit: 8 }, patientSlice()), seqs)
    const listed = await query.request(newestTrades, { limit: 8 }, patientSlice())
    assert.deepEqual(
      listed?.map(({ tradeSeq, tradedMs: _ms, ...rest }) => [tradeSeq, rest]),
      seqs.map((seq, index) => [seq, shown[index]]),
    )
    assert.equal(await query.request(settledTrade, { tradeSeq: 1 }, patientSlice()), null)
  } finally {
    await query.stop()
  }
})

interface UndoneOrder {
  seq: number
  status: number
  undone: number
  filled: number
}

/** The orders with a reversed fill, and the fields that distinguish them from other orders. */
function undoneOrders(dataDir: string): UndoneOrder[] {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  try {
    const sql =
      'SELECT placed_seq AS seq, status, undone_raw AS undone, filled_raw AS filled, ' +
      'cancel_reason AS reason FROM orders WHERE undone_raw > 0 ORDER BY placed_seq'
    return connection.prepare<[], UndoneOrder>(sql).all()
  } finally {
    connection.close()
  }
}

test('failed trades mark their orders, however the journal is cut', () => {
  const flow = new CommandFlow(freshSeed())
  flow.run(1500)
  const cut = flow.seq
  const first = newFolder()
  fillJournal(first, flow.records)
  follow(first, cut)
  const failed = reading(first, (connection) => {
    const tradeOf = settledTrade.open(connection)
    return tradesAfter
      .open(connection)({ seq: 0, limit: 60 })
      .map((tradeSeq) => {
        const trade = tradeOf({ tradeSeq })
        assert(trade !== null)
        return { tradeSeq, ...reversalOf(trade) }
      })
  })
  for (const each of failed) flow.control({ kind: 'failSettlement', ...each })
  const whole = newFolder()
  const parts = newFolder()
  for (const folder of [whole, parts]) fillJournal(folder, flow.records, 7)
  follow(whole, flow.seq)
  for (const seq of [700, cut + 5 - ((cut + 5) % 7), flow.seq]) {
    const follower = new Follower(keyed(parts))
    while (follower.step(seq));
    follower.close()
  }
  const marked = undoneOrders(whole)
  assert(marked.length > 60, `${marked.length} orders`)
  const [LIVE, CANCELED] = (['LIVE', 'CANCELED'] as const).map((each) =>
    ORDER_STATUSES.indexOf(each),
  )
  for (const { status, undone, filled } of marked) {
    assert([LIVE, CANCELED].includes(status), 'no order of a failed trade is MATCHED')
    assert(undone <= filled, 'no more is reversed than was filled')
  }
  assert.deepEqual(undoneOrders(parts), marked)
  rebuildReadTables(parts)
  assert.deepEqual(undoneOrders(parts), marked)
})

test('an order with a reversed fill ends as canceled, though fills end it', () => {
  const seed = freshSeed()
  const rests = { accountId: 1, side: SIDE.BUY, outcome: OUTCOME.YES, priceTicks: 500 }
  const takes = { ...rests, accountId: 2, outcome: OUTCOME.NO, sizeRaw: 4_000_000 }
  const traded = () => {
    const flow = new CommandFlow(seed)
    const maker = flow.place({ ...rests, sizeRaw: 10_000_000 })
    return { flow, makerSeq: maker.seq, tradeSeq: flow.place(takes).seq }
  }
  const first = newFolder()
  const { flow: before } = traded()
  fillJournal(first, before.records)
  follow(first, before.seq)
  const { flow, makerSeq, tradeSeq } = traded()
  const trade = reading(first, (connection) => settledTrade.open(connection)({ tradeSeq }))
  assert(trade !== null)
  flow.control({ kind: 'failSettlement', tradeSeq, ...reversalOf(trade) })
  const failedSeq = flow.seq
  flow.place({ ...takes, sizeRaw: 6_000_000 })
  // The fill that ends it comes with its reversal, or after it.
  for (const seqs of [[flow.seq], [failedSeq, flow.seq]]) {
    const dataDir = newFolder()
    fillJournal(dataDir, flow.records, 1)
    for (const seq of seqs) follow(dataDir, seq)
    const undone = undoneOrders(dataDir).filter((order) => order.seq === makerSeq)
    assert.deepEqual(
      undone.map((order) => [ORDER_STATUSES[order.status], order.undone, order.filled]),
      [['CANCELED', 4_000_000, 10_000_000]],
    )
  }
})
