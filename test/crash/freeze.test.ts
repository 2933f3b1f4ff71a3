import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient } from '../support/exchange-client.ts'
import { recoverAll } from '../support/journal-records.ts'
import { makeQuoter, QUOTE, QUOTED, QUOTER_RAW } from '../support/quoter.ts'
import { ADMIN_TOKEN, ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

test('a freeze cancels every order once, although the server died half way', async () => {
  const dataDir = newFolder()
  const args = ['--market-threads', '2', '--no-rate-limit']
  const first = await ServerProcess.start({ dataDir, args })
  const { trader, markets } = await makeQuoter(new ExchangeClient(first.baseUrl))
  await first.stop()
  // The server dies among the cancels, when the disk may have none of the freeze. In that case a
  // next server dies once the disk has the first part of it.
  for (const fault of ['mid-cancels:100', 'after-commit:1']) {
    const dying = await ServerProcess.start({ dataDir, args, fault })
    await freeze(dying, trader.profileId).catch(() => {})
    assert.equal((await dying.ended).signal, 'SIGKILL')
    const half = countsOf(dataDir)
    console.log(fault, JSON.stringify(half))
    if (half.frozen > 0) break
  }
  assert.equal(countsOf(dataDir).frozen, 1)
  const last = await ServerProcess.start({ dataDir, args })
  const after = new ExchangeClient(last.baseUrl)
  await until(async () => {
    assert.ok(!last.stderr.includes('fatal'))
    return (await after.balances(trader)).reservedRaw === 0
  })
  assert.deepEqual(await after.balances(trader), { freeRaw: QUOTER_RAW, reservedRaw: 0 })
  await assert.rejects(after.placed(trader, markets[0], { ...QUOTE, salt: 999 }), /PROFILE_FROZEN/)
  const again = await freeze(last, trader.profileId)
  assert.equal(again.status, 200)
  await last.stop()
  assert.deepEqual(countsOf(dataDir), { frozen: 1, canceled: QUOTED })
})

function freeze({ baseUrl }: ServerProcess, profileId: number): Promise<Response> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  return fetch(`${baseUrl}/admin/profiles/${profileId}/freeze`, { method: 'POST', headers })
}

/** Freezes, and the orders that were canceled for them. */
function countsOf(dataDir: string): { frozen: number; canceled: number } {
  let frozen = 0
  let canceled = 0
  for (const command of recoverAll(dataDir).commands) {
    if (command.kind === 'freezeProfile') frozen++
    if (command.kind === 'cancelOrders') canceled += command.count
  }
  return { frozen, canceled }
}
