import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OrderTable, STATE } from '../../../../engine/core/orders/order-table.ts'
import { SIDE } from '../../../../engine/domain/order.ts'
import { decodeCommand } from '../../../../engine/wire/codec.ts'
import { blankPlace } from '../../../../engine/wire/place-codec.ts'
import { encodeCommand } from '../../../support/encode-command.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const CAPACITY = 64

function admit(table: OrderTable, slot: number, row: number, clientOrderId = ''): number {
  const generation = table.generationOf(slot) + 1
  table.admit({ ...blankPlace(), slot, generation, sizeRaw: 1000, clientOrderId }, row)
  return generation
}

function slotsOfRow(table: OrderTable, row: number): number[] {
  const slots: number[] = []
  for (let slot = table.firstOfRow(row); slot !== 0; slot = table.nextOf(slot)) slots.push(slot)
  return slots
}

test('slots, generations and rows equal plain maps through random admissions and ends', () => {
  const random = new Random(freshSeed())
  const table = new OrderTable(CAPACITY)
  const rows = new Map<number, { row: number; generation: number }>()
  const dead: { slot: number; generation: number }[] = []
  for (let step = 0; step < 60_000; step++) {
    const filling = step % 2000 < 1000
    if (random.chance(filling ? 0.7 : 0.3)) {
      const slot = table.freeSlot(1)
      assert.equal(slot === 0, rows.size === CAPACITY - 1)
      if (slot === 0) continue
      assert(!rows.has(slot), 'a free slot holds no order')
      // A replay admits into any free slot, not only into the one that the table names.
      const other = random.between(1, CAPACITY - 1)
      const chosen = rows.has(other) || random.chance(0.5) ? slot : other
      const row = random.between(1, 5)
      rows.set(chosen, { row, generation: admit(table, chosen, row) })
    } else if (rows.size > 0) {
      const [slot, { generation }] = random.pick([...rows])
      table.free(slot, false)
      rows.delete(slot)
      dead.push({ slot, generation })
    }
    assert.equal(table.live.all, rows.size)
    if (step % 20 !== 0) continue
    for (const [slot, { generation }] of rows) assert(table.isLive(slot, generation))
    for (const { slot, generation } of dead.slice(-50)) assert(!table.isLive(slot, generation))
    for (let row = 1; row <= 5; row++) {
      const expected = [...rows].filter(([, each]) => each.row === row).map(([slot]) => slot)
      assert.deepEqual(slotsOfRow(table, row).sort(), expected.sort())
    }
  }
})

test('a full table names no free slot, and an order that ends frees one', () => {
  const table = new OrderTable(4)
  for (const slot of [1, 2, 3]) {
    assert.equal(table.freeSlot(1), slot)
    admit(table, slot, 1)
  }
  assert.equal(table.freeSlot(1), 0)
  table.free(2, false)
  assert.equal(table.freeSlot(1), 2)
})

test('slots outside the table and slot 0 are never live', () => {
  const table = new OrderTable(4)
  admit(table, 1, 1)
  for (const slot of [-1, 0, 2, 4, 5, 1.5, Number.NaN]) assert(!table.isLive(slot, 1))
  assert(table.isLive(1, 1))
  assert(!table.isLive(1, 2))
})

test('breaking an invariant of the table is a fault', () => {
  const table = new OrderTable(4)
  admit(table, 1, 1, 'mine')
  assert.equal(table.clientIdOf(1), 'mine')
  const again = { ...blankPlace(), slot: 1, generation: 2 }
  assert.throws(() => table.admit(again, 1), /a slot holds one order/)
  const skipped = { ...blankPlace(), slot: 2, generation: 2 }
  assert.throws(() => table.admit(skipped, 1), /generations count by one/)
  assert.throws(() => table.admit({ ...blankPlace(), slot: 4 }, 1), /a slot lies in the table/)
  assert.equal(table.stateOf(1), STATE.IN_FLIGHT)
  table.opened(1)
  assert.throws(() => table.opened(1), /only an arriving order comes to rest/)
  table.setOpen(1, 1000, 1)
  assert.throws(() => table.free(1, false), /an ended order reserves nothing/)
  table.setOpen(1, 1000, 0)
  table.free(1, false)
  assert.equal(table.clientIdOf(1), '')
  assert.throws(() => table.free(1, false), /an order ends once/)
})

const LAST = 2 ** 32 - 1

/** A table of which every slot has had all generations but two. */
function agedTable(capacity: number): OrderTable {
  const table = new OrderTable(capacity)
  table.restoreSlots(new Uint32Array(capacity).fill(LAST - 2))
  table.restoreOpen(new Uint32Array(0), new Int32Array(0))
  return table
}

test('a slot retires with the last generation that 32 bits hold', () => {
  const table = agedTable(3)
  for (const generation of [LAST - 1, LAST]) {
    assert.equal(table.freeSlot(1), 1)
    assert.equal(admit(table, 1, 1), generation)
    table.free(1, false)
  }
  assert.equal(table.freeSlot(1), 2)
  const restored = new OrderTable(3)
  restored.restoreSlots(table.generations())
  restored.restoreOpen(new Uint32Array(0), new Int32Array(0))
  assert.equal(restored.freeSlot(1), 2, 'a retired slot stays retired in a snapshot')
})

test('a journal that reaches the end of the generations is read again to the same state', () => {
  const driver = new ExchangeDriver(8, agedTable(8))
  const records: Uint8Array[] = []
  const [alice, bob] = [driver.addAccount(1e9), driver.addAccount(1e9)]
  const marketId = driver.addMarket()
  driver.onCommand = (command) => records.push(new Uint8Array(encodeCommand(command)))
  const wanted = { marketId, side: SIDE.BUY, type: 'GTC', priceTicks: 500, sizeRaw: 1000 } as const
  let placed = 0
  for (;;) {
    const bid = driver.place({ ...wanted, account: alice, outcome: placed % 2 })
    if (bid.refused === 'CAPACITY') break
    assert.equal(bid.refused, null)
    assert(++placed < 100, 'slots retire')
    if (placed % 4 === 1) driver.cancel(alice, bid)
    else if (placed % 4 === 2) driver.place({ ...wanted, account: bob, outcome: 1 - (placed % 2) })
  }
  const hash = driver.exchange.stateHash()
  const replayed = new ExchangeDriver(8, agedTable(8))
  replayed.addAccount(1e9)
  replayed.addAccount(1e9)
  replayed.addMarket()
  for (const record of records) replayed.apply(decodeCommand(record))
  assert.equal(replayed.exchange.stateHash(), hash)
  assert(placed > 7, 'slots served more than once')
})
