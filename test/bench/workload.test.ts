import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CoreContender } from '../../bench/contenders/core.ts'
import { OurBook } from '../../bench/contenders/our-book.ts'
import { PlainContender } from '../../bench/contenders/plain-contender.ts'
import { OP, workloadOf } from '../../bench/workload/workload.ts'
import { freshSeed } from '../support/random.ts'

const seed = freshSeed()
const options = { seed, live: 500, books: 3, accounts: 8, ops: 20_000 }
const work = workloadOf(options)

test('a workload is the same for the same seed', () => {
  const again = workloadOf(options)
  assert.deepEqual(again.op, work.op)
  assert.deepEqual(again.ticks, work.ticks)
  assert.deepEqual(again.sizeRaw, work.sizeRaw)
  assert.deepEqual(again.slot, work.slot)
  assert.equal(again.filledRaw, work.filledRaw)
})

test('an expiry ends a live order at a time of its own', () => {
  let lastSec = 0
  let expiries = 0
  for (let row = 0; row < work.count; row++) {
    if (work.isExpiry[row] === 0) continue
    assert.equal(work.op[row], OP.CANCEL)
    const sec = work.expirationSec[work.target[row]]
    assert.ok(sec > lastSec, 'orders expire one after the other')
    lastSec = sec
    expiries++
  }
  const part = expiries / options.ops
  assert.ok(part > 0.04 && part < 0.06, `${expiries} orders expire`)
  const far = work.expirationSec.filter((sec) => sec > lastSec)
  assert.ok(far.length > 0, 'some orders end before their expiry')
})

test('a workload has the promised mix and keeps its number of live orders', () => {
  let cancels = 0
  for (let row = work.filled; row < work.count; row++) if (work.op[row] === OP.CANCEL) cancels++
  assert.ok(Math.abs(cancels / options.ops - 0.35) < 0.02, `cancels are ${cancels}`)
  assert.ok(work.fills > options.ops * 0.1, 'marketable orders find makers')
  const live = work.survivors.length
  assert.ok(live > options.live / 2 && live < options.live * 2, `${live} orders live at the end`)
})

for (const Contender of [OurBook, PlainContender, CoreContender]) {
  test(`${Contender.name} makes the fills of the workload, pass after pass`, () => {
    const contender = new Contender(work)
    for (let pass = 0; pass < 2; pass++) {
      contender.run(0, work.filled)
      contender.fills.take()
      contender.run(work.filled, work.count)
      const { fills, filledRaw } = contender.fills.take()
      assert.deepEqual({ fills, filledRaw }, { fills: work.fills, filledRaw: work.filledRaw })
      contender.empty()
    }
    if (contender instanceof CoreContender) {
      assert.equal(contender.exchange.checkInvariants(), null)
      assert.equal(contender.exchange.clearing.orders.live.all, 0)
    }
  })
}
