import assert from 'node:assert/strict'
import { test } from 'node:test'
import { txHashOf } from '../../engine/core/money/tx-hash.ts'
import { newFolder } from '../support/data-folder.ts'
import { ExchangeClient, SHARE, send } from '../support/exchange-client.ts'
import { recoverAll } from '../support/journal-records.ts'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN, compileProgram, ServerProcess, verify } from '../support/server-process.ts'
import { until } from '../support/until.ts'

await compileProgram()

const args = ['--block-ms', '0', '--market-threads', '1']

async function newestTrade(baseUrl: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { status, body } = await send(baseUrl, 'GET', '/admin/settlement?limit=5', { headers })
  assert.equal(status, 200)
  assert.equal(at(body, 'trades', 1), undefined, 'there is one trade')
  return at(body, 'trades', 0)
}

test('a server killed between a block and its reply comes back with the trade mined', async () => {
  const dataDir = newFolder()
  const first = await ServerProcess.start({ dataDir, args, fault: 'before-mined:1' })
  const client = new ExchangeClient(first.baseUrl)
  const maker = await client.makeTrader('maker', 100 * SHARE)
  const taker = await client.makeTrader('taker', 100 * SHARE)
  const market = await client.makeMarket('mined', false)
  const wanted = { isBuy: true, type: 'GTC', sizeRaw: 10 * SHARE } as const
  await client.placed(maker, market, { ...wanted, outcome: 'no', ticks: 400, salt: 1 })
  await assert.rejects(
    client.place(taker, market, { ...wanted, outcome: 'yes', ticks: 600, salt: 2 }),
  )
  assert.equal((await first.ended).signal, 'SIGKILL')
  const { stateHash } = await verify(dataDir)
  const second = await ServerProcess.start({ dataDir, args })
  try {
    assert.equal(second.recovered.stateHash, stateHash)
    const trade = await newestTrade(second.baseUrl)
    assert.equal(at(trade, 'settlementStatus'), 'MINED')
    const tradeSeq = Number(at(trade, 'tradeEventId'))
    assert.equal(at(trade, 'txHash'), txHashOf(8453, 1, tradeSeq))
  } finally {
    await second.stop()
  }
})

test('a server killed behind a reversal shows what its journal says of the trade', async () => {
  const dataDir = newFolder()
  const slow = ['--block-ms', '500', ...args.slice(2)]
  const first = await ServerProcess.start({ dataDir, args: slow, fault: 'mid-reversal:1' })
  const client = new ExchangeClient(first.baseUrl)
  const maker = await client.makeTrader('maker', 100 * SHARE)
  const taker = await client.makeTrader('taker', 100 * SHARE)
  const market = await client.makeMarket('taken-back', false)
  const wanted = { isBuy: true, type: 'GTC', sizeRaw: 10 * SHARE } as const
  await client.placed(maker, market, { ...wanted, outcome: 'no', ticks: 400, salt: 1 })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ next: 1, outcome: 'FAILED' })
  const armed = await send(first.baseUrl, 'POST', '/admin/settlement/faults', { headers, body })
  assert.ok(armed.status < 300, JSON.stringify(armed.body))
  await client.placed(taker, market, { ...wanted, outcome: 'yes', ticks: 600, salt: 2 })
  assert.equal((await first.ended).signal, 'SIGKILL')
  const isTakenBack = recoverAll(dataDir).commands.some(({ kind }) => kind === 'failSettlement')
  const second = await ServerProcess.start({ dataDir, args })
  try {
    const again = new ExchangeClient(second.baseUrl)
    let status: unknown
    await until(async () => {
      status = at(await newestTrade(second.baseUrl), 'settlementStatus')
      return status !== 'MATCHED'
    })
    assert.equal(status, isTakenBack ? 'FAILED' : 'MINED')
    const freeRaw = isTakenBack ? 100 * SHARE : 94 * SHARE
    assert.deepEqual(await again.balances(taker), { freeRaw, reservedRaw: 0 })
  } finally {
    await second.stop()
  }
})
