import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient } from '../support/exchange-client.ts'
import { recoverAll } from '../support/journal-records.ts'
import { makeQuoter, QUOTED, QUOTER_RAW } from '../support/quoter.ts'
import { runProgram, ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

test('a heartbeat cancels every order once, although the server died half way', async () => {
  const dataDir = newFolder()
  const args = ['--market-threads', '2', '--no-rate-limit']
  const first = await ServerProcess.start({ dataDir, args, fault: 'mid-cancels:1' })
  const client = new ExchangeClient(first.baseUrl)
  const { trader } = await makeQuoter(client)
  const beat = (at: ExchangeClient, body: object) =>
    at.call(trader, 'POST', '/heartbeats', JSON.stringify(body))
  assert.equal((await beat(client, { cancelAt: Date.now() + 9000 })).status, 200)
  assert.equal((await first.ended).signal, 'SIGKILL')
  // The server died before its first cancel. The disk may have the heartbeat already, because
  // another thread commits; otherwise the heartbeat is due when the next server starts.
  assert.equal(countsOf(dataDir).canceled, 0)
  // The next server dies once the disk has the first part of the cancels, seldom all of them.
  const again = ['serve', '--data', dataDir, '--port', '0', ...args]
  const second = await runProgram(again, { fault: 'after-commit:1' })
  assert.equal(second.signal, 'SIGKILL')
  const half = countsOf(dataDir)
  console.log(JSON.stringify(half))
  assert.equal(half.fired, 1)
  const third = await ServerProcess.start({ dataDir, args })
  const after = new ExchangeClient(third.baseUrl)
  await until(async () => {
    assert.ok(!third.stderr.includes('fatal'))
    return (await beat(after, { cancelAt: Date.now() + 60_000 })).status !== 409
  })
  assert.deepEqual(await after.balances(trader), { freeRaw: QUOTER_RAW, reservedRaw: 0 })
  await third.stop()
  assert.deepEqual(countsOf(dataDir), { fired: 1, canceled: QUOTED })
})

/** Heartbeats that fired, and the orders that were canceled for them. */
function countsOf(dataDir: string): { fired: number; canceled: number } {
  let fired = 0
  let canceled = 0
  for (const command of recoverAll(dataDir).commands) {
    if (command.kind === 'fireHeartbeats') fired += command.profileIds.length
    if (command.kind === 'cancelOrders') canceled += command.count
  }
  return { fired, canceled }
}
