import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Exchange } from '../../../engine/core/exchange.ts'
import { OrderTable } from '../../../engine/core/orders/order-table.ts'
import { decodeCommand, eachRecord } from '../../../engine/wire/codec.ts'
import { encodeCommand } from '../../support/encode-command.ts'
import { ModelFlow } from '../../support/model-flow.ts'
import { freshSeed } from '../../support/random.ts'

test('commands replayed from their bytes give the same state hash as the first time', () => {
  const first = freshSeed()
  for (let seed = first; seed < first + 3; seed++) {
    const records: Uint8Array[] = []
    const flow = new ModelFlow(seed, (command) => records.push(encodeCommand(command)))
    for (let step = 0; step < 5000; step++) flow.step()
    const hash = flow.driver.exchange.stateHash()
    const replayed = new Exchange(new OrderTable(2048))
    eachRecord(Buffer.concat(records), (record) => replayed.apply(decodeCommand(record)))
    assert.equal(replayed.stateHash(), hash, `SEED=${seed}`)
    assert.equal(replayed.checkInvariants(), null)
  }
})

test('no settlement ever lowers a free balance', () => {
  const first = freshSeed()
  for (let seed = first; seed < first + 10; seed++) {
    const flow = new ModelFlow(seed)
    const { ledger } = flow.driver.clearing
    const snapshot = () => [
      ...ledger.systemRaw,
      ...ledger.collateralFreeRaw.subarray(0, 8),
      ...ledger.sharesFreeRaw.subarray(0, ledger.rows.end * 2),
    ]
    let before: number[] = []
    let settled = 0
    const check = () => {
      const now = snapshot()
      settled++
      for (const [index, raw] of before.entries()) {
        assert(now[index] >= raw, `SEED=${seed}: ${flow.lastAct}`)
      }
      before = []
    }
    // Called just before a chunk is settled; the chunk before it is settled by then.
    flow.driver.onChunk = () => {
      check()
      before = snapshot()
    }
    flow.driver.onCommand = () => {
      before = []
    }
    for (let step = 0; step < 3000; step++) {
      flow.step()
      check()
    }
    assert(settled > 3000, 'commands are settled')
  }
})
