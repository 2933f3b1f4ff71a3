import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { simulateHistory } from './linearizable/simulated-history.ts'
import { ClientHistory, checkHistory, readHistory } from './support/client-history.ts'
import { newFolder } from './support/data-folder.ts'

const HISTORIES = fileURLToPath(new URL('./linearizable/histories', import.meta.url))
const ORDER = { account: 'alice', clientOrderId: 'a1' } as const
const PLACE = {
  kind: 'place',
  ...ORDER,
  market: 'rain',
  side: 'buy',
  ticks: 500,
  sizeRaw: 2_000_000,
} as const

/** A history whose clock counts its readings. */
function counted(): ClientHistory {
  let nowMs = 0
  return new ClientHistory(() => nowMs++)
}

test('a history is a line for each operation, with null for an unknown outcome', () => {
  const history = counted()
  const place = history.begin(3, PLACE)
  history.begin(4, { kind: 'deposit', account: 'alice', amountRaw: 5 }).lost()
  place.end({ kind: 'accepted', orderId: 'o1', seq: 7 })
  history.begin(3, { kind: 'balance', account: 'alice', minSeq: history.seenSeq(3) })
  const path = join(newFolder(), 'history.jsonl')
  history.write(path)
  assert.deepEqual(readHistory(path), [
    {
      client: 3,
      call: 0,
      return: 2,
      op: PLACE,
      reply: { kind: 'accepted', orderId: 'o1', seq: 7 },
    },
    {
      client: 4,
      call: 1,
      return: null,
      op: { kind: 'deposit', account: 'alice', amountRaw: 5 },
      reply: null,
    },
    {
      client: 3,
      call: 3,
      return: null,
      op: { kind: 'balance', account: 'alice', minSeq: 7 },
      reply: null,
    },
  ])
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 4)
})

test('a recorder refuses what is no history', () => {
  const history = counted()
  const place = history.begin(1, PLACE)
  assert.throws(() => history.begin(1, PLACE), /one operation at a time/)
  assert.throws(() => place.end({ kind: 'refused', code: 'LEADER_SILENT' }), /unknown/)
  const cancel = history.begin(2, { kind: 'cancel', ...ORDER })
  cancel.end({ kind: 'not_found', seq: 9 })
  assert.throws(() => cancel.lost(), /ends once/)
  assert.throws(() => history.begin(2, { kind: 'order', ...ORDER, minSeq: 8 }), /has seen/)
  assert.equal(history.seenSeq(2), 9)
})

/** The planted faults that the orders alone show; `make linearizable` finds all. */
const OF_ORDERS = [
  'fault-backward-read.jsonl',
  'fault-behind-min-seq.jsonl',
  'fault-cancel-of-nothing.jsonl',
  'fault-late-effect.jsonl',
  'fault-lost-place.jsonl',
  'fault-refused-appears.jsonl',
  'fault-stale-own-read.jsonl',
  'fault-two-order-ids.jsonl',
]

test('orders are neither lost, nor made of refusals, nor do they go back', () => {
  const found = readdirSync(HISTORIES).filter((name) => {
    return checkHistory(readHistory(join(HISTORIES, name))).length > 0
  })
  assert.deepEqual(found.sort(), OF_ORDERS)
})

test('a simulated cluster that keeps its promises has no fault', () => {
  for (const seed of [1, 2, 3]) {
    const { operations } = simulateHistory(seed, { accounts: 3, operations: 600 })
    assert.ok(operations.some(({ reply }) => reply === null))
    assert.deepEqual(checkHistory(operations), [])
  }
})
