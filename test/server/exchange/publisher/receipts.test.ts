import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { blankPlace } from '../../../../engine/wire/place-codec.ts'
import {
  type CancelReceipt,
  type OrderReceipt,
  type Receipt,
  Receipts,
} from '../../../../server/exchange/publisher/receipts.ts'
import { freshSeed, Random } from '../../../support/random.ts'

const MORE = { filledCollateralRaw: 7, leftRaw: 3 }
const noOrder = () => assert.fail('no order of a request is on its way')

interface Model {
  receipt: Receipt
  cancels: CancelReceipt
}

const blank = (seq: number, nowMs: number): Model => ({
  receipt: {
    seq,
    nowMs,
    result: 0,
    filledSharesRaw: 0,
    filledCollateralRaw: 0,
    feeRaw: 0,
    leftRaw: 0,
    makers: [],
    stpCanceled: [],
  },
  cancels: { canceled: [], notOpen: [] },
})

test('receipts equal a plain map, at any distance between oldest and newest', () => {
  const random = new Random(freshSeed())
  const receipts = new Receipts(noOrder)
  const model = new Map<number, Model>()
  const reported: Model[] = []
  let newest = 2 ** 31 - 2000
  for (let step = 0; step < 30_000; step++) {
    const seqs = [...(step % 50 === 0 ? model.keys() : [])]
    const seq = random.chance(0.9) ? newest - random.below(50) : (seqs[0] ?? newest)
    const known = model.get(seq)
    assert.equal(receipts.has(seq), known !== undefined)
    // A few stay long, so that the columns have to grow.
    if (random.chance(0.5)) {
      const nowMs = random.below(1e6)
      model.set(++newest, blank(newest, nowMs))
      receipts.open(newest, nowMs, (receipt, { canceled, notOpen }) => {
        reported.push({ receipt, cancels: { canceled, notOpen } })
      })
    } else if (known !== undefined) {
      change(receipts, known, random)
      if (random.chance(0.5)) {
        receipts.finish(seq)
        model.delete(seq)
        assert.deepEqual(reported.pop(), known)
      }
    }
    assert.equal(receipts.count, model.size)
  }
  assert.ok(model.size > 2048, 'the columns grew twice')
  for (const [seq, known] of model) {
    receipts.finish(seq)
    assert.deepEqual(reported.pop(), known)
  }
  assert.equal(receipts.count, 0)
})

function change(receipts: Receipts, known: Model, random: Random): void {
  const { seq } = known.receipt
  const [slot, generation, sizeRaw] = [random.below(1e6), random.below(9), random.below(1e9)]
  const order = { slot, generation }
  const added = { ...known.receipt }
  const cancels = { ...known.cancels }
  switch (random.below(5)) {
    case 0:
      receipts.addMaker(seq, slot, generation, sizeRaw)
      added.makers = [...added.makers, { ...order, sizeRaw }]
      break
    case 1:
      receipts.addStpCanceled(seq, slot, generation)
      added.stpCanceled = [...added.stpCanceled, order]
      break
    case 2:
      receipts.addCanceled(seq, { ...order, filledSharesRaw: sizeRaw, ...MORE })
      cancels.canceled = [...cancels.canceled, { ...order, filledSharesRaw: sizeRaw, ...MORE }]
      break
    case 3:
      receipts.addNotOpen(seq, { ...order, isMatched: true })
      cancels.notOpen = [...cancels.notOpen, { ...order, isMatched: true }]
      break
    default:
      receipts.end(seq, generation, slot + 2)
      receipts.fill(seq, sizeRaw, slot, sizeRaw + 1)
      Object.assign(added, { result: generation, filledSharesRaw: sizeRaw })
      Object.assign(added, { filledCollateralRaw: slot, feeRaw: sizeRaw + 1, leftRaw: slot + 2 })
  }
  known.receipt = added
  known.cancels = cancels
}

test('a reply names a bounded number of makers and of canceled orders, the first ones', () => {
  const receipts = new Receipts(noOrder)
  let reported: Receipt | undefined
  receipts.open(7, 1, (receipt) => {
    reported = receipt
  })
  for (let slot = 1; slot <= LIMITS.replyOrdersMax + 5; slot++) {
    receipts.addMaker(7, slot, 1, 1000)
    receipts.addStpCanceled(7, slot, 1)
  }
  receipts.finish(7)
  assert(reported !== undefined)
  for (const list of [reported.makers, reported.stpCanceled]) {
    assert.deepEqual(
      list.map(({ slot }) => slot),
      Array.from({ length: LIMITS.replyOrdersMax }, (_none, index) => index + 1),
    )
  }
  assert.deepEqual(receipts.cancelsOf(7).canceled, [], 'nobody waits for it any more')
})

test('a command starts with nothing of the command that had its cell', () => {
  const receipts = new Receipts(noOrder)
  const reported: Receipt[] = []
  // Every power of two up to a million: one of them is the number of cells.
  for (let cells = 1; cells <= 1 << 20; cells *= 2) {
    for (const seq of [7, 7 + cells]) {
      receipts.open(seq, seq, (receipt) => reported.push(receipt))
      if (seq === 7) {
        receipts.addMaker(7, 1, 1, 1000)
        receipts.end(7, 3, 4)
        receipts.fill(7, 1, 2, 3)
      }
      receipts.finish(seq)
    }
    assert.deepEqual(reported.pop(), blank(7 + cells, 7 + cells).receipt)
  }
})

test('a request receives its order with its terms, however the columns grew meanwhile', () => {
  const reported: [number, OrderReceipt][] = []
  const receipts = new Receipts((requestId, receipt) => reported.push([requestId, receipt]))
  const terms = {
    slot: 5,
    generation: 2 ** 32 - 2,
    accountId: 7,
    marketId: 10_000_000,
    side: 1,
    feeBps: 300,
    takerDelayMs: 500,
    clientOrderId: 'mine',
  }
  const orderFields = '"salt":"1"'
  receipts.openOrder({ ...blankPlace(), ...terms, seq: 9, nowMs: 4 }, orderFields, 12)
  receipts.addMaker(9, 3, 1, 1000)
  for (let cells = 1; cells <= 1 << 14; cells *= 2) receipts.open(9 + cells, 1, () => {})
  receipts.finish(9)
  const receipt = { ...blank(9, 4).receipt, makers: [{ slot: 3, generation: 1, sizeRaw: 1000 }] }
  assert.deepEqual(reported, [[12, { ...receipt, ...terms, orderFields, replaced: undefined }]])
})
