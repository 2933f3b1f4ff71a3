import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Address, getAddress, type Hex, isHex } from 'viem'
import { brokenInvariant } from '../../../engine/core/state/invariants.ts'
import { OUTSIDE_ACCOUNT } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { OUTCOME } from '../../../engine/domain/order.ts'
import { compiledContracts } from '../../../server/build/contracts.ts'
import type { ClientOrder } from '../../../server/edge/intake/order/client-order.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { Reported } from '../../support/chain-desk.ts'
import { EvmStage, FEE_RECEIVER, OPERATOR, tupleOf } from '../../support/evm-stage.ts'
import { exchange, stopAndVerify } from '../../support/exchange.ts'
import { FaultyRpc } from '../../support/faulty-rpc.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import {
  type LiveMarket,
  type OrderRequest,
  signedFor,
  unsigned,
} from '../../support/live-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { assertRefused, bodyOf } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// Orders of wallets that are contracts, of an exchange that settles on a chain.

const SOURCE = fileURLToPath(new URL('../../support/test-wallets.sol', import.meta.url))
const FUNDS_RAW = 1_000_000_000
/** The selector of isValidSignature. */
const SELECTOR = '0x1626ba7e'
const ANY_SIGNATURE = `0x${'5a'.repeat(65)}`
const skip = anvilSkip
let stage: EvmStage
let rpc: FaultyRpc
before(async () => {
  if (skip !== false) return
  stage = await EvmStage.open()
  rpc = await FaultyRpc.open(stage.anvil.url, new Random(freshSeed()))
  rpc.watched = SELECTOR
})
after(async () => {
  await rpc?.end()
  await stage?.end()
})

const contracts = () => compiledContracts(SOURCE)

async function created(name: string, args: readonly unknown[] = []): Promise<Address> {
  const { abi, bytecode } = contracts()[name]
  const { client } = stage.anvil
  const gas = { gas: 10_000_000n, gasPrice: 0n } as const
  const from = { account: OPERATOR, chain: null, ...gas }
  const hash = await client.deployContract({ abi, bytecode, args: [...args], ...from })
  const { contractAddress } = await stage.anvil.receiptOf(hash)
  assert.ok(contractAddress != null)
  return getAddress(contractAddress)
}

async function approveHash(wallet: Address, owner: Address, hash: Hex): Promise<void> {
  const { abi } = contracts().PairWallet
  const { client } = stage.anvil
  const gas = { gas: 1_000_000n, gasPrice: 0n, account: owner, chain: null } as const
  const call = { address: wallet, abi, functionName: 'approveHash', args: [hash], ...gas }
  const { status } = await stage.anvil.receiptOf(await client.writeContract(call))
  assert.equal(status, 'success')
}

async function hashOf(order: ClientOrder): Promise<Hex> {
  const hash = await stage.read(stage.at.exchange, 'hashOrder', [tupleOf(order)])
  assert.ok(isHex(hash))
  return hash
}

/** The wallet that the factory makes for an owner. */
async function madeFor(account: string): Promise<Address> {
  const wallet = await stage.read(stage.at.wallets, 'walletOf', [account])
  await stage.send(stage.at.wallets, 'make', [account])
  return getAddress(String(wallet))
}

async function setWallet(live: LiveExchange, { profileId }: Trader, smartWallet: Address) {
  bodyOf(await live.operator('PATCH', `/admin/profiles/${profileId}`, { smartWallet }))
}

/** Gives wallets of traders collateral, and waits until the exchange has seen it. */
function fundWallets(live: LiveExchange, wallets: readonly (readonly [Trader, string])[]) {
  const named = wallets.map(([{ profileId }, account]) => ({ profileId, account }))
  return stage.fundAll(live.exchange.pipeline.clearing, named, FUNDS_RAW)
}

/** An order of a wallet; the wallet signs too, unless its owner is to be the signer. */
function walletOrder(
  trader: Trader,
  market: LiveMarket,
  wallet: Address,
  wanted: OrderRequest & { readonly type?: number; readonly byOwner?: boolean } = {},
): ClientOrder {
  const { type = 3, byOwner = false } = wanted
  const signer = byOwner ? trader.account : wallet
  return { ...unsigned(trader, market, wanted), maker: wallet, signer, signatureType: type }
}

function bodyFor(trader: Trader, market: LiveMarket, order: ClientOrder) {
  const { profileId: ownerId } = trader
  return { order, orderType: 'GTC', ownerId, marketSlug: market.slug }
}

function sent(live: LiveExchange, trader: Trader, market: LiveMarket, order: ClientOrder) {
  return live.call(trader, 'POST', '/orders', bodyFor(trader, market, order))
}

test('orders of contract wallets match, and settle on the chain', { skip }, async () => {
  const { live, ann, ben, own } = await exchange({
    flags: await stage.servedBy(),
    traders: ['ann', 'ben'],
    markets: ['own'],
  })
  const wallet = await madeFor(ann.account)
  const other = getAddress('0x00000000000000000000000000000000000000b7')
  const pair = await created('PairWallet', [ben.account, other])
  await setWallet(live, ann, wallet)
  await setWallet(live, ben, pair)
  await fundWallets(live, [
    [ann, wallet],
    [ben, pair],
  ])
  const reported = new Reported(live)
  for (const terms of [
    { type: 3, byOwner: false },
    { type: 3, byOwner: true },
    { type: 2, byOwner: true },
  ]) {
    const resting = walletOrder(ben, own, pair, { outcome: 1, ticks: 400 })
    const signed = { ...resting, signature: ANY_SIGNATURE }
    const hash = await hashOf(signed)
    for (const owner of [getAddress(ben.account), other]) await approveHash(pair, owner, hash)
    bodyOf(await sent(live, ben, own, signed), 201)
    const taking = walletOrder(ann, own, wallet, { ...terms, ticks: 600 })
    const { body, status, text } = await sent(live, ann, own, signedFor(taking, ann, own))
    assert.equal(status, 201, text)
    assert.equal(at(body, 'order', 'maker'), wallet)
    await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
  }
  assert.equal(await stage.sharesOf(wallet, own.tokens[0]), 30_000_000n)
  assert.equal(await stage.sharesOf(pair, own.tokens[1]), 30_000_000n)
  assert.equal(await stage.collateralOf(pair), BigInt(FUNDS_RAW - 3 * 4_000_000))
})

test('an order that its wallet does not accept is refused, and costs no other', {
  skip,
}, async () => {
  const { live, ann, odd, ben, bad } = await exchange({
    flags: await stage.servedBy(),
    traders: ['ann', 'odd', 'ben'],
    markets: ['bad'],
  })
  const wallet = getAddress(String(await stage.read(stage.at.wallets, 'walletOf', [ann.account])))
  await setWallet(live, ann, wallet)
  const right = signedFor(walletOrder(ann, bad, wallet), ann, bad)
  const early = await sent(live, ann, bad, right)
  assertRefused(early, 400, 'SIGNATURE_INVALID')
  assert.match(
    early.text,
    /the wallet 0x\w+ does not accept it on chain 8453: there is no contract/,
  )
  const verifying = textAt(early.body, 'domain', 'verifyingContract')
  assert.equal(verifying, getAddress(stage.at.exchange))
  await madeFor(ann.account)
  const other = walletOrder(ann, bad, wallet)
  for (const wrong of [
    signedFor(other, ben, bad),
    { ...other, signature: ANY_SIGNATURE },
    signedFor({ ...other, signer: ann.account }, ben, bad),
  ]) {
    assertRefused(await sent(live, ann, bad, wrong), 400, 'SIGNATURE_INVALID')
  }
  const strange = await created('OddWallet')
  await setWallet(live, odd, strange)
  await fundWallets(live, [[ben, ben.account]])
  const ways = ['00', '01', '02', '03', '04', '05', 'ff']
  const refused = ways.map((way) => {
    const signature = `0x${way}${'11'.repeat(64)}`
    return sent(live, odd, bad, { ...walletOrder(odd, bad, strange), signature })
  })
  await live.placed(ben, bad, { ticks: 300 })
  for (const [index, reply] of (await Promise.all(refused)).entries()) {
    const { status, text } = reply
    assert.equal(status, 400, `${ways[index]}: ${text}`)
    assertRefused(reply, 400, 'SIGNATURE_INVALID')
  }
  const long = { ...walletOrder(odd, bad, strange), signature: `${ANY_SIGNATURE}00` }
  const tooLong = await sent(live, odd, bad, long)
  assertRefused(tooLong, 400, 'VALIDATION')
  assert.match(tooLong.text, /65 bytes/)
})

test('what a wallet passes on while a trade settles is counted beside it', { skip }, async () => {
  const { live, ann, ben, past } = await exchange({
    flags: await stage.servedBy(),
    traders: ['ann', 'ben'],
    markets: ['past'],
  })
  const outsider = getAddress('0x00000000000000000000000000000000000000b8')
  const wallet = await created('PassingWallet', [stage.at.collateral, outsider])
  await setWallet(live, ann, wallet)
  const wallets = [
    { account: wallet, profileId: ann.profileId },
    { account: ben.account, profileId: ben.profileId },
  ]
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  await fundWallets(live, [
    [ann, wallet],
    [ben, ben.account],
  ])
  const reported = new Reported(live)
  const { clearing } = live.exchange.pipeline
  const market = clearing.catalogue.bySlug('past')
  assert.ok(market !== undefined)
  const order = () => ({
    ...walletOrder(ann, past, wallet, { ticks: 600 }),
    signature: ANY_SIGNATURE,
  })
  // It receives shares as the maker of a mint, and then as the taker of another.
  bodyOf(await sent(live, ann, past, order()), 201)
  const { body: taken } = await live.place(ben, past, { outcome: 1, ticks: 400 })
  await live.placed(ben, past, { outcome: 1, ticks: 400 })
  const { body: taking } = await sent(live, ann, past, order())
  for (const body of [taken, taking]) {
    await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
  }
  const passed = () => clearing.ledger.freeSharesRaw(OUTSIDE_ACCOUNT, market.marketId, OUTCOME.YES)
  await until(() => passed() === 5_000_000)
  assert.equal(await stage.sharesOf(outsider, past.tokens[0]), 5_000_000n)
  assert.equal(await stage.collateralOf(outsider), 2n)
  assert.equal(live.balances(ann).freeRaw, FUNDS_RAW - 2 * 6_000_000 - 2)
  const markets = [{ id: market.marketId, tokens: past.tokens }]
  await stage.assertReconciled(clearing, wallets, markets, feesRaw)
  assert.equal(brokenInvariant(clearing), null)
  await stopAndVerify(live)
})

test('types 1 and 2 need the wallet that the factory makes', { skip }, async () => {
  const { live, ann, made } = await exchange({
    flags: await stage.servedBy(),
    traders: ['ann'],
    markets: ['made'],
  })
  const right = await madeFor(ann.account)
  const wrong = await created('OddWallet')
  for (const known of [null, wrong]) {
    if (known !== null) await setWallet(live, ann, known)
    for (const type of [1, 2]) {
      const order = walletOrder(ann, made, known ?? right, { type, byOwner: true })
      const refused = await sent(live, ann, made, signedFor(order, ann, made))
      assertRefused(refused, 400, 'OWNER_MISMATCH')
      const expected = `signatureType ${type} the maker must be ${right}, the wallet that the`
      assert.ok(refused.text.includes(expected), refused.text)
    }
  }
  await setWallet(live, ann, right)
  await fundWallets(live, [[ann, right]])
  assertRefused(await live.place(ann, made), 400, 'OWNER_MISMATCH')
  for (const type of [1, 2]) {
    const order = walletOrder(ann, made, right, { type, byOwner: true })
    bodyOf(await sent(live, ann, made, signedFor(order, ann, made)), 201)
  }
})

test('a wallet is queried once, until its answer is old', { skip }, async () => {
  const { live, ann, once } = await exchange({
    flags: await stage.servedBy({ 'chain-rpc': rpc.url }),
    traders: ['ann'],
    markets: ['once'],
  })
  const wallet = await madeFor(ann.account)
  await setWallet(live, ann, wallet)
  await fundWallets(live, [[ann, wallet]])
  const before = rpc.watchedCount
  const calls = () => rpc.watchedCount - before
  const order = walletOrder(ann, once, wallet)
  const wrong = { ...order, signature: ANY_SIGNATURE }
  for (const [passMs, expected] of [
    [0, 1],
    [0, 1],
    [LIMITS.walletAnswerMs.refuses, 2],
  ]) {
    await live.pass(passMs)
    assertRefused(await sent(live, ann, once, wrong), 400, 'SIGNATURE_INVALID')
    assert.equal(calls(), expected)
  }
  const right = signedFor(order, ann, once)
  bodyOf(await sent(live, ann, once, right), 201)
  assert.equal(calls(), 3, 'another signature is another query')
  assertRefused(await sent(live, ann, once, right), 409, 'DUPLICATE_ORDER')
  assert.equal(calls(), 3)
  await live.pass(LIMITS.walletAnswerMs.accepts)
  assertRefused(await sent(live, ann, once, right), 409, 'DUPLICATE_ORDER')
  assert.equal(calls(), 4)
  await live.stop()
})

test('a node that does not answer holds up orders of wallets only', { skip }, async () => {
  const { live, ann, ben, cid, slow } = await exchange({
    flags: await stage.servedBy({ 'chain-rpc': rpc.url }),
    traders: ['ann', 'ben', 'cid'],
    markets: ['slow'],
  })
  const wallet = await madeFor(ann.account)
  await setWallet(live, ann, wallet)
  await fundWallets(live, [
    [ann, wallet],
    [ben, ben.account],
    [cid, cid.account],
  ])
  const bodyOfWallet = () => {
    return bodyFor(ann, slow, signedFor(walletOrder(ann, slow, wallet), ann, slow))
  }
  const plain = () => {
    const order = walletOrder(ann, slow, wallet, { type: 2, byOwner: true, ticks: 200 })
    return bodyFor(ann, slow, signedFor(order, ann, slow))
  }
  const first = bodyOf(await live.call(ann, 'POST', '/orders', plain()), 201)
  const resting = textAt(first, 'order', 'id')
  const replacing = () => {
    const cancel = { orderId: resting }
    return { cancel, replacement: bodyOfWallet(), mode: 'STOP_ON_FAILURE' }
  }
  rpc.isSilent = true
  try {
    const single = live.call(ann, 'POST', '/orders', bodyOfWallet())
    const batch = live.call(ann, 'POST', '/orders/batch', { orders: [plain(), bodyOfWallet()] })
    const replace = live.call(ann, 'POST', '/orders/cancel-replace', replacing())
    let isOver = false
    const slowOnes = Promise.all([single, batch, replace]).finally(() => {
      isOver = true
    })
    await live.trade(ben, cid, slow, { ticks: 600 })
    assert.equal(isOver, false, 'other orders do not wait')
    const [alone, both, replaced] = await slowOnes
    assertRefused(alone, 503, 'OVERLOADED')
    assert.equal(alone.headers.get('retry-after'), '1')
    assert.match(alone.text, /The chain did not answer in time whether the wallet accepts/)
    assert.deepEqual(statusesOf(bodyOf(both)), [201, 503])
    assert.equal(at(bodyOf(replaced, 409), 'cancel', 'error', 'code'), 'NOT_ATTEMPTED')
    assert.equal(at(replaced.body, 'replacement', 'error', 'code'), '503')
  } finally {
    rpc.isSilent = false
  }
  const orders = [plain(), bodyOfWallet()]
  const answered = bodyOf(await live.call(ann, 'POST', '/orders/batch', { orders }))
  assert.deepEqual(statusesOf(answered), [201, 201])
  bodyOf(await live.call(ann, 'POST', '/orders/cancel-replace', replacing()))
  await live.stop()
})

function statusesOf(body: unknown): unknown[] {
  const results = at(body, 'results')
  assert.ok(Array.isArray(results))
  return results.map((each) => at(each, 'status'))
}
