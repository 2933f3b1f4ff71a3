import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeySet } from '../../../../engine/core/cells/key-set.ts'
import { clientKey, findClientKey } from '../../../../engine/core/orders/client-key.ts'
import { LiveClientIds } from '../../../../engine/core/orders/live-client-ids.ts'
import { SeenFilter } from '../../../../engine/core/orders/seen-filter.ts'
import { SeenFilters } from '../../../../engine/core/orders/seen-filters.ts'
import { SEEN, type SeenOrder, SeenOrders } from '../../../../engine/core/orders/seen-orders.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const random = new Random(freshSeed())
const word = () => random.below(2 ** 32)

test('a key set equals a set, with removals that close gaps and growth in between', () => {
  for (const seed of [0, word() | 0]) {
    const keys = new KeySet(seed)
    const model = new Map<string, [number, number]>()
    // Few low words and few high words make long runs of cells that follow each other and wrap.
    const lows = Array.from({ length: 20 }, word)
    lows.push(0, 1, 4094, 4095, 4096, 8191, 2 ** 32 - 1, 2 ** 32 - 2)
    for (let step = 0; step < 30_000; step++) {
      const high = 1 + random.below(step < 15_000 ? 3 : 8)
      const low = random.chance(0.5) ? random.pick(lows) : random.below(2000)
      const key = `${high}:${low}`
      assert.equal(keys.has(high, low), model.has(key))
      if (model.has(key)) assert(keys.remove(high, low))
      else keys.add(high, low)
      if (!model.delete(key)) model.set(key, [high, low])
      assert.equal(keys.count, model.size)
      if (step % 5_000 !== 0) continue
      for (const [h, l] of model.values()) assert(keys.has(h, l), 'a key stays')
    }
    assert(!keys.remove(9, 9))
    keys.clear()
    for (const [h, l] of model.values()) assert(!keys.has(h, l), 'a cleared set is empty')
  }
})

test('a filter never misses an added key, however it split, and errs as rarely as promised', () => {
  const seed = word() | 0
  const writer = new SeenFilter(seed)
  const reader = new SeenFilter(seed)
  const keys: number[] = []
  for (let step = 1; step <= 600_000; step++) {
    const [high, low] = [word(), word()]
    keys.push(high, low)
    writer.add(high, low)
    if (step % 50_000 !== 0) continue
    reader.adopt(writer.takeUpdates())
    for (let at = 0; at < keys.length; at += 2) {
      if (!reader.mayHold(keys[at], keys[at + 1])) assert.fail(`key ${at / 2} is missing`)
    }
    const bytes = writer.bytes / step
    assert(step < 120_000 || bytes < 4.4, `${bytes} bytes a key at ${step} keys`)
  }
  const restored = new SeenFilter(seed)
  restored.restore(writer.copy())
  for (let at = 0; at < keys.length; at += 2) {
    if (!restored.mayHold(keys[at], keys[at + 1])) assert.fail(`key ${at / 2} is lost`)
  }
  // The promise is n / 2^31, 0.028% here; 2,000,000 such draws exceed 850 only if it is broken.
  let wrong = 0
  for (let draw = 0; draw < 2_000_000; draw++) if (reader.mayHold(word(), word())) wrong++
  console.log(
    `${wrong} new keys of 2,000,000 taken for old ones, ${(2e6 * 6e5) / 2 ** 31} expected`,
  )
  assert(wrong > 350 && wrong < 850, `${wrong} of 2,000,000`)
})

function orderOf(seq: number, named: boolean): SeenOrder {
  const clientOrderId = named ? `id-${seq}` : ''
  const accountId = random.between(1, 3)
  return { seq, accountId, hashHigh: word(), hashLow: word(), clientOrderId }
}

test('main knows each order past its forgotten seq exactly, and each earlier one perhaps', () => {
  const filter = new SeenFilters(7)
  const follower = new SeenOrders()
  follower.countOnly(filter)
  const read = new SeenFilters()
  const main = new SeenOrders()
  main.decideWith(read, 0, word())
  const alone = new SeenOrders()
  const kept: SeenOrder[] = []
  // Admitted orders without an answer; the follower may know how one ends before main does.
  const inFlight: { order: SeenOrder; crossed: boolean }[] = []
  let followed = 0
  const history: { order: SeenOrder; crossed: boolean }[] = []
  for (let seq = 1; seq <= 60_000; seq++) {
    const again = kept.length > 0 && random.chance(0.1) ? random.pick(kept) : null
    if (again !== null) {
      const seen = main.hash(again.hashHigh, again.hashLow)
      assert.equal(seen === SEEN.YES, again.seq > main.forgottenSeq)
      assert.notEqual(seen, SEEN.NO)
      assert.equal(alone.hash(again.hashHigh, again.hashLow), SEEN.YES)
      if (again.clientOrderId !== '') {
        assert.equal(main.clientId(again.accountId, again.clientOrderId), seen)
      }
    }
    const order = orderOf(seq, random.chance(0.3))
    const crossed = random.chance(0.05)
    for (const each of [main, follower, alone]) each.admit(order)
    inFlight.push({ order, crossed })
    history.push({ order, crossed })
    if (random.chance(0.01)) {
      for (; followed < history.length; followed++) {
        const next = history[followed]
        if (next.crossed) follower.forget(next.order)
        else follower.keep(next.order)
      }
      read.adopt(filter.takeUpdates())
      main.forgetThrough(followed)
    }
    while (inFlight.length > 0 && random.chance(0.55)) {
      const next = inFlight.shift()
      if (next === undefined) break
      if (next.crossed) for (const each of [main, alone]) each.forget(next.order)
      else kept.push(next.order)
      const { accountId, clientOrderId, hashHigh, hashLow } = next.order
      if (!next.crossed) continue
      assert.equal(alone.hash(hashHigh, hashLow), SEEN.NO)
      assert.notEqual(main.hash(hashHigh, hashLow), SEEN.YES)
      assert(clientOrderId === '' || main.clientId(accountId, clientOrderId) !== SEEN.YES)
    }
  }
  assert(main.forgottenSeq > 50_000, 'generations were dropped')
  for (const { order, crossed } of inFlight)
    if (crossed) for (const each of [main, alone]) each.forget(order)
  for (const { order, crossed } of history.slice(followed)) if (crossed) follower.forget(order)
  for (const each of [main, follower]) {
    assert.equal(each.count, alone.count)
    assert.equal(each.clientIdCount, alone.clientIdCount)
    assert.deepEqual(each.folded, alone.folded)
  }
})

test('a forgotten order that came again is not forgotten twice', () => {
  const main = new SeenOrders()
  main.decideWith(new SeenFilters(), 0, 1)
  const first = orderOf(1, true)
  main.admit(first)
  main.forgetThrough(0)
  main.forgetThrough(1)
  assert.equal(main.hash(first.hashHigh, first.hashLow), SEEN.NO)
  main.admit({ ...first, seq: 2 })
  main.forget(first)
  assert.equal(main.hash(first.hashHigh, first.hashLow), SEEN.YES)
  assert.equal(main.clientId(first.accountId, first.clientOrderId), SEEN.YES)
  assert.equal(main.count, 1)
})

test('a client order id is used once per account, unless it left no trace', () => {
  const seen = new SeenOrders()
  const order = { seq: 1, accountId: 1, hashHigh: 1, hashLow: 1, clientOrderId: 'a' }
  seen.admit(order)
  seen.admit({ ...order, seq: 2, hashHigh: 2, clientOrderId: '1:a' })
  assert.equal(seen.clientId(1, 'a'), SEEN.YES)
  assert.equal(seen.clientId(2, 'a'), SEEN.NO)
  assert.equal(seen.clientId(11, 'a'), SEEN.NO)
  seen.forget({ ...order, seq: 2, hashHigh: 2, clientOrderId: '1:a' })
  assert.equal(seen.clientId(1, '1:a'), SEEN.NO)
  assert.equal(seen.clientId(1, 'a'), SEEN.YES)
})

test('client order ids of live orders equal a map, whatever their text', () => {
  const slots = 2000
  const ids = new LiveClientIds(slots)
  const model = new Map<number, { account: number; id: string }>()
  for (let step = 0; step < 30_000; step++) {
    const slot = random.between(1, slots - 1)
    const known = model.get(slot)
    if (known === undefined) {
      const length = random.pick([1, 9, 10, 11, 12, 22, 23, 36, 128])
      const id = `${step}${random.pick(['é', '0', '漢', '\u0000'])}`.padEnd(length, '-')
      const account = random.between(1, 4)
      ids.add(slot, account, id)
      model.set(slot, { account, id })
    } else {
      ids.remove(slot)
      model.delete(slot)
      assert.equal(ids.slotOf(known.account, known.id), 0)
    }
    const other = random.between(1, slots - 1)
    const live = model.get(other)
    assert.equal(ids.textOf(other), live?.id ?? '')
    if (live === undefined) ids.remove(other)
    else assert.equal(ids.slotOf(live.account, live.id), other)
  }
  for (const [slot, { account, id }] of model) {
    assert.equal(ids.slotOf(account, id), slot)
    assert.equal(ids.slotOf(account + 4, id), 0)
  }
})

test('a generation is forgotten once the tables show its last order, and not earlier', () => {
  const main = new SeenOrders()
  main.decideWith(new SeenFilters(), 0, word())
  const orders = Array.from({ length: 10 }, (_none, index) => orderOf(index + 1, false))
  for (const order of orders) main.admit(order)
  main.forgetThrough(9)
  assert.equal(main.forgottenSeq, 0)
  for (const { hashHigh, hashLow } of orders) assert.equal(main.hash(hashHigh, hashLow), SEEN.YES)
  main.forgetThrough(10)
  assert.equal(main.forgottenSeq, 10)
  for (const { hashHigh, hashLow } of orders)
    assert.notEqual(main.hash(hashHigh, hashLow), SEEN.YES)
})

test('an order whose hash equals the key of its client id is admitted, and both stay known', () => {
  const filter = new SeenFilters(7)
  const follower = new SeenOrders()
  follower.countOnly(filter)
  const main = new SeenOrders()
  main.decideWith(new SeenFilters(), 0, word())
  const alone = new SeenOrders()
  findClientKey(1, 'tie')
  const { high, low } = clientKey
  const tied = { seq: 1, accountId: 1, hashHigh: high, hashLow: low, clientOrderId: 'tie' }
  const crossed = { ...orderOf(2, false), hashHigh: high, hashLow: low }
  for (const each of [main, alone]) {
    assert.equal(each.hash(high, low), SEEN.NO)
    each.admit(tied)
    assert.equal(each.hash(high, low), SEEN.YES)
    assert.equal(each.clientId(1, 'tie'), SEEN.YES)
    each.forget(tied)
    assert.equal(each.hash(high, low), SEEN.NO)
    assert.equal(each.clientId(1, 'tie'), SEEN.NO)
    // The hash of one order and the client id of another.
    each.admit(crossed)
    assert.equal(each.clientId(1, 'tie'), SEEN.NO)
    each.admit({ ...tied, seq: 3, hashHigh: high ^ 1 })
    each.forget(crossed)
    assert.equal(each.hash(high, low), SEEN.NO)
    assert.equal(each.clientId(1, 'tie'), SEEN.YES)
  }
  follower.admit(tied)
  follower.keep(tied)
  assert(filter.mayHold(high, low))
})

test('two client order ids of one key are two ids', () => {
  const ids = new LiveClientIds(16)
  /** Gives the id the key of `first`: the last key is kept. */
  const withKeyOf = (first: string, id: string, act: () => void) => {
    findClientKey(1, first)
    const { high, low } = clientKey
    findClientKey(1, id)
    Object.assign(clientKey, { high, low })
    act()
    findClientKey(2, 'another')
  }
  ids.add(5, 1, 'first')
  withKeyOf('first', 'second', () => ids.add(6, 1, 'second'))
  withKeyOf('first', 'second', () => assert.equal(ids.slotOf(1, 'second'), 6))
  assert.equal(ids.slotOf(1, 'first'), 5)
  ids.remove(5)
  withKeyOf('first', 'second', () => assert.equal(ids.slotOf(1, 'second'), 6))
  assert.equal(ids.slotOf(1, 'first'), 0)
})
