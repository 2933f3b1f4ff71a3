import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ORDER_STATUSES, ORDER_TYPES, SIDE } from '../../../../../engine/domain/order.ts'
import { openReadOnly } from '../../../../../persistence/database.ts'
import { Follower } from '../../../../../persistence/follower/follower.ts'
import { firstOrder } from '../../../../../persistence/query/read/orders/first-order.ts'
import { CommandFlow } from '../../../../support/command-flow.ts'
import { keyed, newFolder } from '../../../../support/data-folder.ts'
import { fillJournal } from '../../../../support/journal-fill.ts'

// What the tables hold of orders under taker delay (rules §4.3), however many commands a chunk has.

const DELAY_MS = 500
const SHARE = 1_000_000
const MAKER = 2
const TAKER = 1
const [GTC, FAK] = (['GTC', 'FAK'] as const).map((type) => ORDER_TYPES.indexOf(type))
const ORDERS = `
SELECT placed_seq AS seq, status, filled_raw AS filledRaw, remaining_raw AS remainingRaw,
  held_until_ms - placed_ms AS heldMs, eligible_ms IS NOT NULL AS isHeld
FROM orders WHERE owner = ? ORDER BY placed_seq`

interface Row {
  readonly seq: number
  readonly status: number
  readonly filledRaw: number
  readonly remainingRaw: number
  readonly heldMs: number | null
  readonly isHeld: number
}

/** Orders that were held, each with another end; the last still is. */
function heldFlow(): CommandFlow {
  const flow = new CommandFlow(1)
  const common = { side: SIDE.BUY, priceTicks: 500 }
  const ask = (marketId = 2) => {
    return flow.place({ ...common, marketId, accountId: MAKER, outcome: 1, sizeRaw: SHARE })
  }
  const hold = (orderType: number, marketId = 2) => {
    const terms = { accountId: TAKER, outcome: 0, sizeRaw: 3 * SHARE, takerDelayMs: DELAY_MS }
    return flow.place({ ...common, ...terms, marketId, orderType })
  }
  ask()
  flow.cancel([hold(FAK)], 2)
  flow.release(hold(FAK))
  ask()
  const filled = hold(GTC)
  flow.release(filled)
  flow.cancel([filled], 2)
  ask()
  flow.release(hold(GTC))
  const other = ask(1)
  const unfilled = hold(GTC, 1)
  flow.cancel([other], 1)
  flow.release(unfilled)
  ask(3)
  hold(GTC, 3)
  return flow
}

function rowsOf(flow: CommandFlow, perBatch: number) {
  const dataDir = newFolder()
  fillJournal(dataDir, flow.records, perBatch)
  const follower = new Follower(keyed(dataDir))
  for (let seq = perBatch; seq < flow.seq; seq += perBatch) while (follower.step(seq));
  while (follower.step(flow.seq));
  follower.close()
  const db = openReadOnly(join(dataDir, 'read.db'))
  const rows = db.prepare<[number], Row>(ORDERS).all(TAKER)
  const first = firstOrder.open(db)
  const replies = rows.map(({ seq }) => {
    const hash = db
      .prepare<[number], { hashHigh: number; hashLow: number }>(
        'SELECT hash_high AS hashHigh, hash_low AS hashLow FROM orders WHERE placed_seq = ?',
      )
      .get(seq)
    assert.ok(hash !== undefined)
    const found = first({ accountId: TAKER, ...hash, clientOrderId: '', makersMax: 9 })
    return [found?.order.heldUntilMs !== null, found?.trade, found?.isStopped]
  })
  db.close()
  return { rows, replies }
}

test('a hold is kept whether it ends in the chunk of its arrival or later', () => {
  const flow = heldFlow()
  const { rows, replies } = rowsOf(flow, 1)
  const shown = rows.map(({ status, filledRaw, remainingRaw, heldMs, isHeld }) => {
    return [ORDER_STATUSES[status], filledRaw / SHARE, remainingRaw / SHARE, heldMs, isHeld]
  })
  assert.deepEqual(shown, [
    ['CANCELED', 0, 3, DELAY_MS, 0],
    ['MATCHED', 1, 2, DELAY_MS, 0],
    ['CANCELED', 1, 2, DELAY_MS, 0],
    ['LIVE', 1, 2, DELAY_MS, 0],
    ['LIVE', 0, 3, DELAY_MS, 0],
    ['LIVE', 0, 3, DELAY_MS, 1],
  ])
  for (const reply of replies) assert.deepEqual(reply, [true, null, false], 'held on arrival')
  for (const perBatch of [2, 3, 5, 1000]) {
    assert.deepEqual(rowsOf(flow, perBatch), { rows, replies }, `${perBatch} commands a chunk`)
  }
})
