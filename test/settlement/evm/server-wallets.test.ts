import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getAddress, isHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { brokenInvariant } from '../../../engine/core/state/invariants.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { idOf } from '../../../server/settlement/evm/settling/trade-calls.ts'
import { executeArgs } from '../../../server/settlement/evm/settling/wallet-calls.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { Reported } from '../../support/chain-desk.ts'
import { EvmStage, FEE_RECEIVER, OWNER } from '../../support/evm-stage.ts'
import { exchange, stopAndVerify } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import { CHAIN_ID, type LiveMarket, type OrderRequest } from '../../support/live-orders.ts'
import {
  PARTNER_RIGHTS,
  type SubAccount,
  serverWallet,
  tokenOf,
  unsignedBody,
} from '../../support/live-partners.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { accepted, assertRefused, bodyOf } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// Server wallets on a chain: contracts whose calls the exchange signs and pays for.

const FUNDS_RAW = 1_000_000_000
const UNIT = 1_000_000
const STEPS = 80
const skip = anvilSkip
const random = new Random(freshSeed())
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

const clearingOf = (live: LiveExchange) => live.exchange.pipeline.clearing

/** A partner with a server wallet that has collateral and its approvals, and a trader. */
async function open<const M extends string>(markets: readonly M[], more = {}) {
  const flags = await stage.servedBy(more)
  const scene = await exchange({ flags, traders: ['ann', 'ben'], markets })
  const { live, ben } = scene
  const partner = await tokenOf(live, scene.ann, [...PARTNER_RIGHTS, 'withdrawal'])
  const desk = await serverWallet(live, partner, 0)
  await deposit(desk)
  await stage.fundAll(clearingOf(live), [ben], FUNDS_RAW)
  await whenReady(live, partner, desk)
  return { ...scene, partner, desk }
}

async function deposit({ account }: SubAccount): Promise<void> {
  const args = [getAddress(account), BigInt(FUNDS_RAW)]
  await stage.send(stage.at.collateral, 'mint', args, OWNER)
}

async function whenReady(live: LiveExchange, partner: Trader, desk: SubAccount): Promise<void> {
  const path = `/profiles/partner-accounts/${desk.profileId}/allowances`
  await until(async () => {
    const isReady = at((await live.call(partner, 'GET', path)).body, 'ready') === true
    const { chainFunds, ledger } = clearingOf(live)
    const isSeen = chainFunds.allowanceOf(desk.profileId)?.ofShares === true
    return isReady && isSeen && ledger.freeRaw(desk.profileId) >= FUNDS_RAW
  })
}

function marketOf(live: LiveExchange, slug: string) {
  const market = clearingOf(live).catalogue.bySlug(slug)
  assert.ok(market !== undefined)
  return market
}

let keys = 0

/** A move of the server wallet; the reply has the hash of its transaction. */
async function moved(live: LiveExchange, partner: Trader, path: string, body: object) {
  const once = { idempotencyKey: `key ${++keys}`, ...body }
  const made = bodyOf(await live.call(partner, 'POST', `/portfolio/${path}`, once), 201)
  const hash = textAt(made, 'hash')
  assert.ok(isHex(hash))
  const { status } = await stage.anvil.receiptOf(hash)
  assert.equal(status, 'success', path)
  return made
}

function order(
  live: LiveExchange,
  partner: Trader,
  desk: SubAccount,
  market: LiveMarket,
  wanted: OrderRequest,
) {
  return live.call(
    partner,
    'POST',
    '/orders',
    unsignedBody(partner, desk.profileId, market, wanted),
  )
}

function assertReconciled(
  live: LiveExchange,
  traders: readonly SubAccount[],
  market: LiveMarket,
  feesRaw: bigint,
): Promise<void> {
  const { marketId: id } = marketOf(live, market.slug)
  return stage.assertReconciled(clearingOf(live), traders, [{ id, tokens: market.tokens }], feesRaw)
}

test('a server wallet trades, splits, merges, redeems and withdraws on the chain', {
  skip,
}, async () => {
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  const { live, ann, ben, partner, desk, full } = await open(['full'])
  const { conditionId } = marketOf(live, 'full')
  const onBehalfOf = desk.profileId
  const reported = new Reported(live)
  await live.place(ben, full, { outcome: 1, ticks: 400 })
  const bought = bodyOf(await order(live, partner, desk, full, { ticks: 600 }), 201)
  assert.equal(at(bought, 'order', 'maker'), desk.account)
  assert.equal(at(bought, 'order', 'signatureType'), 3)
  await reported.of(textAt(bought, 'execution', 'tradeEventId'), 'MINED')
  await moved(live, partner, 'split', { conditionId, amount: `${5 * UNIT}`, onBehalfOf })
  await moved(live, partner, 'merge', { conditionId, amount: `${2 * UNIT}`, onBehalfOf })
  await live.resolve('full', { payoutNumerators: [3, 1] })
  await live.pass(LIMITS.payoutEveryMs)
  const { tokens } = stage.at
  const denominator = () => stage.read(tokens, 'payoutDenominator', [conditionId])
  await until(async () => (await denominator()) === 4n)
  await moved(live, partner, 'redeem', { conditionId, onBehalfOf })
  const before = await stage.collateralOf(ann.account)
  await moved(live, partner, 'withdraw', {
    amount: `${7 * UNIT}`,
    destination: ann.account,
    onBehalfOf,
  })
  assert.equal(await stage.collateralOf(ann.account), before + BigInt(7 * UNIT))
  const { chainFunds, transactions } = clearingOf(live)
  await until(() => chainFunds.due().length === 0 && transactions.count === 0)
  await until(() => live.balances(ann).freeRaw === 7 * UNIT)
  await assertReconciled(live, [ann, desk], full, feesRaw)
  assert.equal(brokenInvariant(clearingOf(live)), null)
  await stopAndVerify(live)
})

test('a repeated call gets the first hash, and moves of a wallet have a bound', {
  skip,
}, async () => {
  const { live, partner, desk, once } = await open(['once'])
  const { conditionId } = marketOf(live, once.slug)
  const split = {
    conditionId,
    amount: `${UNIT}`,
    onBehalfOf: desk.profileId,
    idempotencyKey: 'once',
  }
  const first = textAt(await moved(live, partner, 'split', split), 'hash')
  const { chainFunds } = clearingOf(live)
  await until(() => chainFunds.due().length === 0)
  await until(async () => {
    return textAt(await moved(live, partner, 'split', split), 'hash') === first
  })
  await stage.anvil.request('evm_setAutomine', false)
  const body = { conditionId, amount: `${UNIT}`, onBehalfOf: desk.profileId }
  const sent = Array.from({ length: LIMITS.dueMoves.wallet }, (_, index) =>
    live.call(partner, 'POST', '/portfolio/split', { ...body, idempotencyKey: `${index}` }),
  )
  await until(() => chainFunds.due().length === LIMITS.dueMoves.wallet)
  const refused = await live.call(partner, 'POST', '/portfolio/split', body)
  assertRefused(refused, 429, 'WALLET_BUSY')
  await stage.anvil.request('evm_setAutomine', true)
  await stage.anvil.client.mine({ blocks: 1 })
  await Promise.all(sent)
  await until(() => chainFunds.due().length === 0)
  const shares = await stage.sharesOf(desk.account, once.tokens[0])
  assert.equal(shares, BigInt(UNIT * (1 + LIMITS.dueMoves.wallet)))
  await stopAndVerify(live)
})

/** A step of the wallet or of a trader; what is refused changes nothing. */
async function act(
  live: LiveExchange,
  { partner, desk, ben }: { partner: Trader; desk: SubAccount; ben: Trader },
  market: LiveMarket,
): Promise<void> {
  const { conditionId } = marketOf(live, market.slug)
  const amount = `${random.between(1, 5 * UNIT)}`
  const onBehalfOf = desk.profileId
  const terms = {
    side: random.pick(['buy', 'sell'] as const),
    outcome: random.pick([0, 1] as const),
    ticks: random.between(450, 550),
    sizeRaw: random.between(1, 5_000) * 1000,
  }
  const steps = [
    () => live.call(partner, 'POST', '/portfolio/split', { conditionId, amount, onBehalfOf }),
    () => live.call(partner, 'POST', '/portfolio/merge', { conditionId, amount, onBehalfOf }),
    () => {
      const destination = partner.account
      return live.call(partner, 'POST', '/portfolio/withdraw', { amount, destination, onBehalfOf })
    },
    () => order(live, partner, desk, market, terms),
    () => live.place(ben, market, terms),
  ]
  const { status, text } = await random.pick(steps)()
  assert.ok(status < 500 || status === 503, text)
}

test('random moves and trades of a server wallet leave ledger and chain the same', {
  skip,
}, async () => {
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  const { live, ann, ben, partner, desk, mixed } = await open(['mixed'], {
    'chain-retry-ms': 100,
  })
  for (let step = 0; step < STEPS; step++) {
    await act(live, { partner, desk, ben }, mixed)
    if (random.chance(0.04)) await live.restart()
  }
  await until(async () => {
    await live.pass(1000)
    const { chainFunds, transactions } = clearingOf(live)
    const isQuiet = chainFunds.due().length === 0 && transactions.count === 0
    return isQuiet && live.exchange.pipeline.mining?.waitingCount === 0
  })
  const { number } = await stage.anvil.client.getBlock()
  await stage.send(stage.at.collateral, 'mint', [getAddress(ben.account), 7n], OWNER)
  await until(() => (clearingOf(live).chainFunds.place?.block ?? 0) > number)
  await assertReconciled(live, [ann, ben, desk], mixed, feesRaw)
  assert.equal(brokenInvariant(clearingOf(live)), null)
  await stopAndVerify(live)
})

test('a server wallet converts positions of a group', { skip }, async () => {
  const { live, partner, desk } = await open([])
  const children = ['red', 'blue', 'green'].map((slug) => ({ slug, title: slug }))
  const group = { slug: 'colours', title: 'Which?', markets: children, convertFeeBps: 100 }
  await accepted(live.admin('/admin/groups', group), 201)
  const onBehalfOf = desk.profileId
  const [red, blue] = ['red', 'blue'].map((slug) => marketOf(live, slug).conditionId)
  for (const conditionId of [red, blue]) {
    await moved(live, partner, 'split', { conditionId, amount: `${10 * UNIT}`, onBehalfOf })
  }
  await moved(live, partner, 'convert', {
    conditionIds: [red, blue],
    amount: `${10 * UNIT}`,
    onBehalfOf,
  })
  const { chainFunds } = clearingOf(live)
  await until(() => chainFunds.due().length === 0)
  const markets = ['red', 'blue', 'green'].map((slug) => {
    const { marketId: id, yesTokenId, noTokenId } = marketOf(live, slug)
    return { id, tokens: [yesTokenId, noTokenId] }
  })
  const heldRaw = clearingOf(live).ledger.freeRaw(desk.profileId)
  assert.equal(await stage.collateralOf(desk.account), BigInt(heldRaw))
  for (const { id, tokens } of markets) {
    for (const [outcome, token] of tokens.entries()) {
      const raw = clearingOf(live).ledger.freeSharesRaw(desk.profileId, id, outcome)
      assert.equal(await stage.sharesOf(desk.account, token), BigInt(raw))
    }
  }
  await stopAndVerify(live)
})

test('calls of another wallet that take the id of a move change nothing', { skip }, async () => {
  const flags = await stage.servedBy()
  const { live, ann } = await exchange({ flags, traders: ['ann'] })
  const owner = privateKeyToAccount(`0x${Buffer.from(ann.key).toString('hex')}`)
  const { wallets } = stage.at
  const wallet = getAddress(String(await stage.read(wallets, 'walletOf', [ann.account])))
  await stage.send(wallets, 'make', [ann.account])
  const changed = live.operator('PATCH', `/admin/profiles/${ann.profileId}`, {
    smartWallet: wallet,
  })
  await accepted(changed)
  const clearing = clearingOf(live)
  const funded = { profileId: ann.profileId, account: wallet }
  await stage.fundAll(clearing, [funded], FUNDS_RAW)
  const { lastSeq } = clearing
  await stage.pay(wallet, OWNER, BigInt(FUNDS_RAW))
  await until(() => clearing.ledger.freeRaw(ann.profileId) === 0)
  const secret = live.exchange.seal.derive('trade-ids')
  const tag = BigInt(`0x${Buffer.from(secret).toString('hex').slice(0, 32)}`)
  for (let seq = lastSeq + 1; seq <= clearing.lastSeq; seq++) {
    const id = idOf(seq, tag)
    const key = Buffer.from(ann.key)
    const args = executeArgs(CHAIN_ID, { wallet, owner: owner.address, key }, [], id)
    await stage.send(wallets, 'execute', args)
  }
  await stage.mint(wallet, 7)
  await until(() => clearing.ledger.freeRaw(ann.profileId) !== 0)
  assert.equal(clearing.ledger.freeRaw(ann.profileId), 7)
  await stopAndVerify(live)
})
