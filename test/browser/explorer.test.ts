import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { anvilSkip } from '../support/anvil.ts'
import { BrowserStage, part } from '../support/browser-stage.ts'
import { shown } from '../support/chain-desk.ts'
import { EvmStage } from '../support/evm-stage.ts'
import { at, textAt } from '../support/json-path.ts'
import { until } from '../support/until.ts'

// Trades that settle on a chain lead to their transactions in a block explorer.

const FUNDS_RAW = 1_000_000_000
/** No host: a page must not call it. */
const EXPLORER = 'https://explorer.example/base'
const skip = anvilSkip
let chain: EvmStage
let stage: BrowserStage
before(async () => {
  if (skip !== false) return
  chain = await EvmStage.open()
  const flags = await chain.servedBy({ 'explorer-url': `${EXPLORER}/`, 'chain-confirmations': 2 })
  stage = await BrowserStage.open({ flags })
})
after(async () => {
  await stage?.close()
  await chain?.end()
})

async function assertLeads(link: Locator, hash: string | null): Promise<void> {
  await link.waitFor()
  assert.equal(await link.getAttribute('href'), `${EXPLORER}/tx/${hash}`)
  assert.equal(await link.getAttribute('target'), '_blank')
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
}

test('a mined trade links to its transaction, on the tape and in the history', {
  skip,
}, async () => {
  const { live } = stage
  const { body } = await live.send('GET', '/exchange-info')
  assert.equal(at(body, 'chain', 'explorerUrl'), EXPLORER)
  assert.equal(at(body, 'chain', 'confirmations'), 2)
  assert.ok(!JSON.stringify(body).includes(new URL(chain.anvil.url).host), 'no RPC URL')
  const market = await live.openMarket('rain')
  const [maker, taker] = [await live.trader(0), await live.trader(0)]
  await chain.fundAll(live.exchange.pipeline.clearing, [maker, taker], FUNDS_RAW)
  const visited = await stage.visit('/#/market/rain')
  const tape = part(visited.page, 'Trades')
  await tape.getByText('No trades yet.').waitFor()
  const reply = await live.trade(maker, taker, market, { ticks: 600 })
  const id = textAt(reply.body, 'execution', 'tradeEventId')
  await tape.getByRole('row', { name: /60(?:\.0)?¢/ }).waitFor()
  assert.equal(await tape.getByRole('link').count(), 0, 'it is in no final block yet')
  // The transaction may not be sent yet: what is upon its block makes it final.
  await until(async () => {
    await chain.anvil.client.mine({ blocks: 1 })
    return (await shown(live, id)).settlementStatus === 'MINED'
  })
  const { txHash } = await shown(live, id)
  await assertLeads(tape.getByRole('link'), txHash)
  await visited.close()
  const member = await stage.member(taker, '/#/account')
  const history = part(member.page, 'History')
  await assertLeads(history.getByRole('link', { name: /\d{4}, \d/ }), txHash)
  await member.close()
})
