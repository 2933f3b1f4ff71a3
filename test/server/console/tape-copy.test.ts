import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TapeTrade, TradeFrame } from '../../../server/console/exchange/shapes.ts'
import { isAnyWaiting, TapeCopy } from '../../../server/console/market/shown/tape-copy.ts'

// The tape in a browser: it finds what it lost, and keeps a trade that was taken back as such.

function trade(seq: number, prevSeq: number | null): TapeTrade {
  const timestamp = new Date(seq).toISOString()
  return {
    seq,
    prevSeq,
    tradeEventId: String(seq),
    price: 0.5,
    size: 1,
    side: 'BUY',
    timestamp,
  }
}

function frame(seq: number, prevSeq: number | null, sequence: number): TradeFrame {
  return { ...trade(seq, prevSeq), marketSlug: 'rain', sequence }
}

const seqs = (copy: TapeCopy) => copy.rows.map(({ trade: { seq } }) => seq)

test('trades stand newest first, and each is there once', () => {
  const copy = new TapeCopy()
  assert.equal(copy.takeFrame(frame(30, 20, 5)), null)
  copy.takeRead([trade(10, 0), trade(20, 10), trade(30, 20)])
  assert.deepEqual(seqs(copy), [30, 20, 10])
})

test('a trade that names an unknown one before it requests what is between', () => {
  const copy = new TapeCopy()
  copy.takeRead([trade(10, 0)])
  assert.deepEqual(copy.takeFrame(frame(30, 20, 7)), { afterSeq: 10 })
  // The next trade finds the same gap, as long as it is not filled.
  assert.deepEqual(copy.takeFrame(frame(40, 30, 8)), { afterSeq: 10 })
  copy.takeRead([trade(20, 10), trade(30, 20)])
  assert.equal(copy.missing, null)
  assert.deepEqual(seqs(copy), [40, 30, 20, 10])
})

test('a frame number that jumps without a missing trade is a lost bust', () => {
  const copy = new TapeCopy()
  copy.takeFrame(frame(10, 0, 5))
  assert.equal(copy.takeFrame(frame(20, 10, 7)), 'newest')
  copy.takeRead([{ ...trade(10, 0), busted: true }, trade(20, 10)])
  assert.deepEqual(
    copy.rows.map(({ isBusted }) => isBusted),
    [false, true],
  )
})

test('a bust marks its trade, and a later read does not clear the mark', () => {
  const copy = new TapeCopy()
  copy.takeFrame(frame(10, 0, 5))
  const bust = { marketSlug: 'rain', tradeEventId: '10', sequence: 6 }
  assert.equal(copy.takeBust(bust), null)
  copy.takeRead([trade(10, 0)])
  assert.equal(copy.rows[0]?.isBusted, true)
})

test('after a lost connection frames are counted again', () => {
  const copy = new TapeCopy()
  copy.takeFrame(frame(10, 0, 5))
  copy.lose()
  assert.equal(copy.takeFrame(frame(20, null, 1)), null)
  assert.equal(copy.takeFrame(frame(30, 20, 2)), null)
})

test('only the newest fifty are kept', () => {
  const copy = new TapeCopy()
  copy.takeRead(Array.from({ length: 70 }, (_, index) => trade(index + 1, index)))
  assert.equal(copy.rows.length, 50)
  assert.equal(seqs(copy)[0], 70)
})

test('transactions are looked for while a trade has none, unless it was taken back', () => {
  const copy = new TapeCopy()
  copy.takeRead([trade(10, 0), { ...trade(20, 10), busted: true }])
  assert.ok(isAnyWaiting(copy.rows, new Map()))
  assert.ok(!isAnyWaiting(copy.rows, new Map([['10', '0xab']])))
  copy.takeRead([trade(30, 20)])
  assert.ok(isAnyWaiting(copy.rows, new Map([['10', '0xab']])))
})
