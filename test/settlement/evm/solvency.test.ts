import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Abi, getAddress, isHex, parseAbi } from 'viem'
import { anvilSkip } from '../../support/anvil.ts'
import { newFolder } from '../../support/data-folder.ts'
import { EvmStage } from '../../support/evm-stage.ts'
import { exchange, stopAndVerify } from '../../support/exchange.ts'
import { done } from '../../support/folder-commands.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { LiveExchange } from '../../support/live-exchange.ts'
import { until } from '../../support/until.ts'

// A proof of solvency states where wallets on a chain have the collateral, and the chain agrees.

const FUNDS_RAW = 1_000_000_000
const UNIT = 1_000_000
const ABI: Abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function collateral() view returns (address)',
  'function conditionalTokens() view returns (address)',
])
const skip = anvilSkip
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

/** What a contract that a proof names states, at the block that it names. */
async function readAt(chain: unknown, address: string, functionName: string, args: string[] = []) {
  const blockHash = textAt(chain, 'blockHash')
  assert.ok(isHex(blockHash))
  const blockNumber = BigInt(String(at(chain, 'block')))
  const { client } = stage.anvil
  assert.equal((await client.getBlock({ blockNumber })).hash, blockHash)
  const call = { address: getAddress(address), abi: ABI, functionName, args, blockNumber }
  return client.readContract(call)
}

async function proofFile(live: LiveExchange, trader: Parameters<LiveExchange['call']>[0]) {
  const { body, text } = await live.call(trader, 'GET', '/solvency/proof')
  const file = join(newFolder(), 'proof.json')
  writeFileSync(file, text)
  return { proof: at(body, 'proof'), file }
}

test('a proof names the contracts and the block of the collateral', { skip }, async () => {
  const flags = await stage.servedBy()
  const { live, ann, ben, pier } = await exchange({
    flags,
    traders: ['ann', 'ben'],
    markets: ['pier'],
  })
  const { clearing } = live.exchange.pipeline
  await stage.fundAll(clearing, [ann, ben], FUNDS_RAW)
  await live.trade(ann, ben, pier, { ticks: 600, sizeRaw: 10 * UNIT })
  await until(() => live.exchange.pipeline.mining?.waitingCount === 0)
  await stage.send(stage.at.collateral, 'mint', [ben.account, BigInt(UNIT)])
  const newest = Number(await stage.anvil.client.getBlockNumber())
  await until(() => clearing.chainFunds.place?.block === newest)
  assert.equal(await live.exchange.solvency.count(), true)

  const { proof, file } = await proofFile(live, ann)
  const chain = at(proof, 'snapshot', 'chain')
  const exchangeAddress = textAt(chain, 'exchangeAddress')
  assert.equal(exchangeAddress, stage.at.exchange.toLowerCase())
  assert.equal(at(chain, 'chainId'), await stage.anvil.client.getChainId())
  for (const name of ['collateral', 'conditionalTokens']) {
    const found = await readAt(chain, exchangeAddress, name)
    assert.equal(String(found).toLowerCase(), textAt(chain, `${name}Address`))
  }
  const [heldRaw, lockedRaw] = await Promise.all(
    [ann.account, textAt(chain, 'conditionalTokensAddress')].map((holder) =>
      readAt(chain, textAt(chain, 'collateralAddress'), 'balanceOf', [holder]),
    ),
  )
  assert.equal(String(heldRaw), textAt(proof, 'balances', 0, 'balanceRaw'))
  const { body } = await live.send('GET', '/solvency')
  assert.equal(String(lockedRaw), textAt(body, 'obligations', 'sharesRaw'))
  const printed = await done(`verify-proof ${file}`, {})
  assert.match(printed, new RegExp(`wallets as of block ${at(chain, 'block')} 0x`))

  // A start has the same root, once the chain has answered.
  const root = textAt(proof, 'snapshot', 'root')
  await live.restart({ flags: [...flags, '--solvency-minutes', '10'] })
  const { solvency } = live.exchange
  await until(() => {
    solvency.tick(0)
    return solvency.summary !== null
  })
  assert.equal(solvency.summary?.snapshot.root, root)
  await stopAndVerify(live)
})
