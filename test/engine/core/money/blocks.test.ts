import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Blocks } from '../../../../engine/core/money/blocks.ts'
import { txHashOf } from '../../../../engine/core/money/tx-hash.ts'
import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { encodeControl } from '../../../../engine/wire/codec.ts'

const at = { seq: 100, nowMs: 1 }

function mined(...commands: CommandOf<'settlement'>[]): Blocks {
  const blocks = new Blocks()
  for (const command of commands) blocks.apply(command)
  return blocks
}

const block = (height: number, throughSeq: number): CommandOf<'settlement'> => {
  return { ...at, kind: 'mineBlock', height, throughSeq, chainId: 8453 }
}
const aside = (tradeSeq: number): CommandOf<'settlement'> => ({
  ...at,
  kind: 'retrySettlement',
  tradeSeq,
})
const settled = (tradeSeq: number, height: number): CommandOf<'settlement'> => {
  return { ...at, kind: 'settleTrade', tradeSeq, height }
}

test('a block covers every trade up to its seq, except trades set aside', () => {
  const blocks = mined(aside(7), block(1, 9))
  assert.deepEqual(
    [6, 7, 8, 9, 10].map((seq) => blocks.isOpen(seq)),
    [false, true, false, false, true],
  )
  blocks.apply(block(2, 9))
  blocks.apply(settled(7, 2))
  assert.equal(blocks.isOpen(7), false)
  assert.equal(blocks.asideCount, 0)
})

test('blocks come in order and nothing is settled twice', () => {
  assert.throws(() => mined(block(2, 9)), /have no gaps/)
  assert.throws(
    () => mined(block(1, 9), block(2, 8)),
    /covers everything that the previous one did/,
  )
  assert.throws(() => mined(block(1, 100)), /covers only earlier commands/)
  assert.throws(() => mined(block(1, 9), aside(9)), /open trade/)
  assert.throws(() => mined(block(1, 9), settled(9, 1)), /set aside is retried/)
  assert.throws(() => mined(aside(7), block(1, 9), block(2, 9), settled(7, 1)), /newest block/)
  assert.throws(() => mined(aside(7), settled(7, 0)), /passed the retried trade/)
})

test('a trade is reversed once, whether a block has passed it or not', () => {
  const back = (tradeSeq: number): CommandOf<'settlement'> => {
    const moved = { legs: [], conditions: [] }
    return { ...at, kind: 'failSettlement', tradeSeq, ...moved }
  }
  const blocks = mined(aside(7), block(1, 9), back(7), back(12))
  assert.deepEqual([blocks.isOpen(7), blocks.isOpen(12), blocks.isOpen(13)], [false, false, true])
  assert.throws(() => blocks.apply(back(7)), /reversed once/)
  assert.throws(() => blocks.apply(back(12)), /reversed once/)
  blocks.apply(block(2, 15))
  assert.throws(() => blocks.apply(back(12)), /reversed once/)
})

test('a trade that is partly taken back is open, and no block covers it before the rest', () => {
  const part = (tradeSeq: number, fillsLeft?: number): CommandOf<'settlement'> => {
    const left = fillsLeft === undefined ? {} : { fillsLeft }
    return { ...at, kind: 'failSettlement', tradeSeq, legs: [], conditions: [], ...left }
  }
  const blocks = mined(part(5, 9))
  assert.equal(blocks.isOpen(5), true)
  assert.equal(blocks.fillsLeftOf(5), 9)
  assert.deepEqual(blocks.reversing(), [5])
  assert.throws(() => blocks.apply(block(1, 5)), /partly reversed/)
  assert.throws(() => blocks.apply(aside(5)), /partly reversed/)
  assert.throws(() => blocks.apply(part(5, 9)), /some of the fills/)
  const copy = new Blocks()
  copy.restore(blocks.capture())
  assert.deepEqual([...copy.hashedFields()], [...blocks.hashedFields()])
  assert.equal(copy.fillsLeftOf(5), 9)
  copy.apply(part(5, 2))
  copy.apply(part(5))
  assert.equal(copy.fillsLeftOf(5), undefined)
  assert.equal(copy.isOpen(5), false)
  copy.apply(block(1, 5))
  const late = mined(aside(7), block(1, 9), part(7, 3))
  assert.throws(() => late.apply(settled(7, 1)), /partly reversed/)
  late.apply(block(2, 12))
  late.apply(part(7))
  assert.equal(late.holdsAllThrough(7), true)
})

test('the state has no block field before the first block, and a copy has the same fields', () => {
  assert.deepEqual([...new Blocks().hashedFields()], [])
  const blocks = mined(aside(7), aside(3), block(1, 5))
  const copy = new Blocks()
  copy.restore(blocks.capture())
  assert.deepEqual([...copy.hashedFields()], [['blocks', 1, 5, [3, 7], []]])
})

test('the hash of a transaction is what its docstring says', () => {
  const bytes = Buffer.alloc(24)
  for (const [index, value] of [8453, 12, 2 ** 40 + 1].entries()) {
    bytes.writeBigUInt64BE(BigInt(value), index * 8)
  }
  const expected = `0x${createHash('sha256').update(bytes).digest('hex')}`
  assert.equal(txHashOf(8453, 12, 2 ** 40 + 1), expected)
  assert.notEqual(txHashOf(8453, 13, 2 ** 40 + 1), expected)
})

test('the widest reversal fits a record', () => {
  const legs = Array.from({ length: LIMITS.reversalLegsMax }, (_each, index) => ({
    accountId: 2 ** 23 - index,
    marketId: LIMITS.marketsEverMax,
    outcome: 1,
    collateralRaw: Number.MIN_SAFE_INTEGER + index,
    sharesRaw: Number.MAX_SAFE_INTEGER - index,
  }))
  const conditions = [{ marketId: LIMITS.marketsEverMax, collateralRaw: Number.MIN_SAFE_INTEGER }]
  const names = { tradeSeq: 2 ** 50, conditions }
  const record = encodeControl({ ...at, kind: 'failSettlement', legs, ...names })
  assert(record.length <= LIMITS.recordBytesMax)
})
