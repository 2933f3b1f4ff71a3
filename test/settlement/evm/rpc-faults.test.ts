import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getAddress, numberToHex, toFunctionSelector } from 'viem'
import { brokenInvariant } from '../../../engine/core/state/invariants.ts'
import { isRecord } from '../../../server/edge/http/request-text.ts'
import { Anvil, anvilSkip } from '../../support/anvil.ts'
import { Reported } from '../../support/chain-desk.ts'
import { assertReconciled } from '../../support/chain-trades.ts'
import { EvmStage, FEE_RECEIVER } from '../../support/evm-stage.ts'
import { exchange, stopAndVerify } from '../../support/exchange.ts'
import { FaultyRpc, type Lie } from '../../support/faulty-rpc.ts'
import { at } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import { CHAIN_ID, type LiveMarket } from '../../support/live-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { assertRefused } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// An exchange with two URLs of --chain-rpc, of which one fails in some way, and with one that gives
// wrong answers: nothing is counted twice, nothing is lost, and orders are taken meanwhile.

const FUNDS_RAW = 1_000_000_000
const OTHER_ID = CHAIN_ID + 1
const FAR = 100
const WRONG_HASH = `0x${'ab'.repeat(32)}`
const BALANCE_OF = toFunctionSelector('balanceOf(address)')
const skip = anvilSkip
const random = new Random(freshSeed())
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

async function open(urls: readonly FaultyRpc[], more = {}) {
  const flags = await stage.servedBy({ 'chain-rpc': urls.map(({ url }) => url).join(','), ...more })
  const scene = await exchange({ flags, traders: ['ann', 'ben'], markets: ['dam'] })
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  const { clearing } = scene.live.exchange.pipeline
  await stage.fundAll(clearing, [scene.ann, scene.ben], FUNDS_RAW)
  return { ...scene, reported: new Reported(scene.live), clearing, feesRaw }
}

const openRpc = () => FaultyRpc.open(stage.anvil.url, random)
const pay = ({ account }: Trader, raw = 1n) =>
  stage.send(stage.at.collateral, 'mint', [getAddress(account), raw])
const heldRaw = (live: LiveExchange, trader: Trader) => {
  const { freeRaw, reservedRaw } = live.balances(trader)
  return freeRaw + reservedRaw
}
const troubleOf = (live: LiveExchange) => live.exchange.pipeline.mining?.port.trouble ?? null

async function traded(live: LiveExchange, ann: Trader, ben: Trader, market: LiveMarket) {
  const { body, text } = await live.trade(ann, ben, market, { ticks: 600 })
  const id = at(body, 'execution', 'tradeEventId')
  assert.ok(typeof id === 'string', text)
  return id
}

/** A deposit is seen, and a trade settles. */
async function assertWorks({ live, ann, ben, dam, reported }: Awaited<ReturnType<typeof open>>) {
  const beforeRaw = heldRaw(live, ann)
  await pay(ann)
  await until(() => heldRaw(live, ann) === beforeRaw + 1)
  await reported.of(await traded(live, ann, ben, dam), 'MINED')
}

async function finish(scene: Awaited<ReturnType<typeof open>>, urls: readonly FaultyRpc[]) {
  const { live, ann, ben, dam, clearing, feesRaw } = scene
  await assertReconciled(stage, live, [ann, ben], [dam], feesRaw)
  assert.equal(brokenInvariant(clearing), null)
  await stopAndVerify(live)
  for (const each of urls) await each.end()
}

test('the other URL is used while one fails in any way', { skip }, async (t) => {
  const other = await Anvil.start(['--chain-id', String(OTHER_ID)])
  t.after(() => other.end())
  const urls = [await openRpc(), await openRpc()]
  const scene = await open(urls)
  await assertWorks(scene)
  const faults: readonly ((rpc: FaultyRpc) => void)[] = [
    (rpc) => Object.assign(rpc, { share: 1, kinds: ['call lost'] }),
    (rpc) => Object.assign(rpc, { share: 1, kinds: ['too many calls'] }),
    (rpc) => Object.assign(rpc, { watched: 'method', isSilent: true }),
    (rpc) => Object.assign(rpc, { chainUrl: other.url }),
  ]
  for (const [count, fail] of faults.entries()) {
    // The one that is in use fails; the one that failed before has come back.
    const rpc = urls[count % 2]
    fail(rpc)
    await assertWorks(scene)
    Object.assign(rpc, { share: 0, isSilent: false, chainUrl: stage.anvil.url })
  }
  const isOther = /A URL of --chain-rpc is not used: 127\.0\.0\.1:\d+ serves chain \d+, and/
  assert.ok(scene.live.warnings.some((sentence) => isOther.test(sentence)))
  assert.deepEqual(scene.live.faults, [])
  await finish(scene, urls)
})

test('a URL of another chain that answers only later is not used', { skip }, async (t) => {
  const other = await Anvil.start(['--chain-id', String(OTHER_ID)])
  t.after(() => other.end())
  const urls = [await openRpc(), await openRpc()]
  Object.assign(urls[0], { share: 1, kinds: ['call lost'], chainUrl: other.url })
  const scene = await open(urls)
  urls[0].share = 0
  urls[1].share = 1
  urls[1].kinds = ['call lost']
  await until(() => troubleOf(scene.live) !== null)
  // The other one is back, and orders were taken all the time.
  const id = await traded(scene.live, scene.ann, scene.ben, scene.dam)
  urls[1].share = 0
  await scene.reported.of(id, 'MINED')
  await assertWorks(scene)
  await finish(scene, urls)
})

/** Changes fields of a record, like those of a block. */
function withFields(answer: unknown, fields: object): unknown {
  return isRecord(answer) ? { ...answer, ...fields } : answer
}

test('a header that does not follow the earlier one stops settlement only', { skip }, async () => {
  const rpc = await openRpc()
  const scene = await open([rpc])
  const { live, ann, ben, dam, reported } = scene
  const from = Number(await stage.anvil.client.getBlockNumber())
  rpc.lie = ({ method }, answer) => {
    const isNew = method === 'eth_getBlockByNumber' && Number(at(answer, 'number')) > from
    return isNew ? withFields(answer, { parentHash: WRONG_HASH }) : answer
  }
  const beforeRaw = heldRaw(live, ann)
  await pay(ann)
  await until(() => troubleOf(live) !== null)
  assert.match(String(troubleOf(live)), /gave blocks that do not follow each other after block \d/)
  const id = await traded(live, ann, ben, dam)
  const stillRaw = heldRaw(live, ann)
  rpc.lie = null
  await reported.of(id, 'MINED')
  assert.equal(heldRaw(live, ann), stillRaw + 1)
  assert.ok(stillRaw < beforeRaw, 'the trade is in the ledger at once')
  assert.equal(troubleOf(live), null)
  await finish(scene, [rpc])
})

/** A node whose newest block stays this one. */
function stuckAt(newest: unknown): Lie {
  const beyond = (answer: unknown) => Number(at(answer, 'number')) > Number(at(newest, 'number'))
  return ({ method, params }, answer) => {
    if (method === 'eth_getLogs') {
      const from = Number(at(params, 0, 'fromBlock'))
      return Number.isNaN(from) ? answer : []
    }
    if (method !== 'eth_getBlockByNumber') return answer
    if (!beyond(answer)) return answer
    return at(params, 0) === 'latest' ? newest : null
  }
}

test('a node that lags far, and leaves out events of ranges, loses nothing', { skip }, async () => {
  const rpc = await openRpc()
  const scene = await open([rpc], { 'chain-behind-ms': 60_000 })
  const { live, ann, ben, dam, reported } = scene
  const { client } = stage.anvil
  await client.mine({ blocks: 1 })
  await until(async () => (await live.place(ann, dam, { ticks: 100 })).status === 201)
  let newest: unknown = null
  rpc.lie = ({ method, params }, answer) => {
    if (method === 'eth_getBlockByNumber' && at(params, 0) === 'latest') newest = answer
    return answer
  }
  await until(() => newest !== null)
  const lag = stuckAt(newest)
  rpc.lie = lag
  const beforeRaw = heldRaw(live, ben)
  await pay(ben, 5n)
  await client.mine({ blocks: FAR })
  await pay(ben, 7n)
  const id = await traded(live, ann, ben, dam)
  assert.equal(troubleOf(live), null)
  await live.pass(61_000)
  assertRefused(await live.place(ann, dam, { ticks: 100 }), 503, 'CHAIN_BEHIND')
  const stillRaw = heldRaw(live, ben)
  assert.ok(stillRaw < beforeRaw)
  // The node has the blocks now, and still none of the events when it is called for many blocks.
  rpc.lie = (call, answer) => (call.method === 'eth_getLogs' ? lag(call, answer) : answer)
  await reported.of(id, 'MINED')
  assert.equal(heldRaw(live, ben), stillRaw + 12)
  rpc.lie = null
  await finish(scene, [rpc])
})

test('a receipt of a block that the chain does not have settles nothing', { skip }, async () => {
  const rpc = await openRpc()
  const scene = await open([rpc])
  const { live, ann, ben, dam, reported } = scene
  await reported.of(await traded(live, ann, ben, dam), 'MINED')
  const wrong = new Set<unknown>()
  rpc.lie = ({ method, params }, answer) => {
    if (method === 'eth_getTransactionReceipt' && isRecord(answer)) {
      wrong.add(answer.blockNumber)
      return { ...answer, blockHash: WRONG_HASH, status: '0x0', logs: [] }
    }
    const isWrong = method === 'eth_getBlockByNumber' && wrong.has(at(params, 0))
    return isWrong ? withFields(answer, { hash: WRONG_HASH }) : answer
  }
  const id = await traded(live, ann, ben, dam)
  await until(() => troubleOf(live) !== null)
  assert.match(String(troubleOf(live)), /the receipt of transaction 0x\w+ is of block 0xabab/)
  assert.ok(!reported.events.some(({ tradeSeq }) => `${tradeSeq}` === id))
  rpc.lie = null
  await reported.of(id, 'MINED')
  assert.equal(troubleOf(live), null)
  await finish(scene, [rpc])
})

test('a balance with what came a block later is not counted twice', { skip }, async () => {
  const rpc = await openRpc()
  const early = new Set<string>()
  rpc.lie = async ({ method, params }, answer) => {
    const data = String(at(params, 0, 'data'))
    const wallet = `0x${data.slice(-40)}`
    if (method !== 'eth_call' || !data.startsWith(BALANCE_OF) || early.has(wallet)) return answer
    early.add(wallet)
    // Each has an account of its own: two transactions of one account may get the same nonce.
    const payer = numberToHex(early.size, { size: 20 })
    await stage.send(stage.at.collateral, 'mint', [getAddress(wallet), 1n], payer)
    return numberToHex(BigInt(String(answer)) + 1n, { size: 32 })
  }
  const scene = await open([rpc])
  const { live, ann, ben, dam, reported } = scene
  for (const { account } of [ann, ben]) assert.ok(early.has(account.toLowerCase()))
  rpc.lie = null
  // Its block follows those of all that was paid before.
  await reported.of(await traded(live, ann, ben, dam), 'MINED')
  await finish(scene, [rpc])
})
