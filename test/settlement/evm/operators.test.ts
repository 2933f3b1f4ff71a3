import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Address } from 'viem'
import type { Receipt } from '../../../server/settlement/evm/chain-client.ts'
import { inAnswerOrder } from '../../../server/settlement/evm/settling/evm-chain.ts'
import { Operators } from '../../../server/settlement/evm/settling/operators.ts'
import type { Touches } from '../../../server/settlement/evm/settling/touches.ts'
import { Submitter } from '../../../server/settlement/evm/submitter.ts'
import { anvilSkip } from '../../support/anvil.ts'
import {
  freshAccount,
  freshKey,
  payloadFor,
  REPEAT_MS,
  submitterParts,
} from '../../support/chain-submitters.ts'
import { EvmStage } from '../../support/evm-stage.ts'
import { freshSeed, Random } from '../../support/random.ts'

const skip = anvilSkip
const KEYS = 3
const COUNT = 90
const PENDING_MAX = 3
const NAMES = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal']
const STEP_MS = 4000
const NOTHING: Touches = { changes: [], uses: [] }
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

async function openOperators(coins: readonly (bigint | undefined)[]): Promise<Operators> {
  const submitters: Submitter[] = []
  for (const coin of coins) {
    const parts = await submitterParts(stage.anvil.url, await freshKey(stage, coin), {
      pendingMax: PENDING_MAX,
    })
    submitters.push(await Submitter.open(parts, 0))
  }
  return new Operators(submitters)
}

function mustKeepOrder(one: Touches, other: Touches): boolean {
  const meets = (names: readonly string[], others: readonly string[]) => {
    return names.some((name) => others.includes(name))
  }
  return meets(one.changes, [...other.changes, ...other.uses]) || meets(one.uses, other.changes)
}

/** The place of a transaction on the chain; blocks have far fewer than a thousand. */
async function placeOf(hash: Address): Promise<number> {
  const { blockNumber, transactionIndex } = await stage.anvil.receiptOf(hash)
  return Number(blockNumber) * 1000 + transactionIndex
}

test('accounts side by side keep the order of what touches the same', { skip }, async () => {
  const random = new Random(freshSeed())
  const operators = await openOperators(Array(KEYS).fill(undefined))
  const { client } = stage.anvil
  await client.setAutomine(false)
  const sent: { readonly touches: Touches; readonly by: Address }[] = []
  const receipts: Promise<Receipt>[] = []
  let waits = 0
  for (let nowMs = 0; sent.length < COUNT; nowMs += STEP_MS) {
    // The first ones fill all accounts.
    const isFilling = sent.length < KEYS * PENDING_MAX
    const some = () => NAMES.filter(() => !isFilling && random.chance(0.1))
    const touches = { changes: some(), uses: some() }
    for (;;) {
      const operator = operators.pick(touches)
      if (operator !== null) {
        const payload = { ...payloadFor(stage, freshAccount()), gas: 100_000n }
        const submitted = await operators.submit(operator, payload, touches, nowMs)
        assert.ok(submitted !== null)
        sent.push({ touches, by: operator.address })
        receipts.push(submitted.done)
        break
      }
      waits++
      await client.mine({ blocks: 1 })
      await operators.tick(nowMs)
    }
    if (isFilling) continue
    if (random.chance(0.1)) await client.mine({ blocks: 1 })
    if (random.chance(0.1)) await operators.tick(nowMs)
  }
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
  await operators.tick(COUNT * STEP_MS)
  const places = await Promise.all(receipts.map(async (done) => placeOf((await done).hash)))
  let pairs = 0
  for (const [later, { touches }] of sent.entries()) {
    for (let earlier = 0; earlier < later; earlier++) {
      if (!mustKeepOrder(sent[earlier].touches, touches)) continue
      pairs++
      assert.ok(places[earlier] < places[later], `${earlier} and ${later} touch the same`)
    }
  }
  const accounts = new Set(sent.map(({ by }) => by)).size
  assert.ok(pairs > COUNT && waits > 0 && accounts === KEYS, `${pairs} ${waits} ${accounts}`)
})

test('what an earlier process sent may touch anything', { skip }, async () => {
  const parts = await submitterParts(stage.anvil.url, await freshKey(stage))
  const other = await submitterParts(stage.anvil.url, await freshKey(stage))
  const { client } = stage.anvil
  await client.setAutomine(false)
  const { nonce } = await (await Submitter.open(parts, 0)).submit(
    payloadFor(stage, freshAccount()),
    0,
  )
  assert.equal(nonce, 0)
  const operators = new Operators([
    await Submitter.open(other, 0),
    await Submitter.open({ ...parts, kept: parts.kept }, 0),
  ])
  assert.equal(operators.pick(NOTHING)?.address, parts.key.address)
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
  await operators.tick(STEP_MS)
  assert.equal(operators.pick(NOTHING)?.address, other.key.address)
})

test('the next account sends when the first is full, or late', { skip }, async () => {
  const operators = await openOperators([undefined, undefined])
  const [first, second] = operators.all
  const { client } = stage.anvil
  await client.setAutomine(false)
  const send = () => operators.submit(first, payloadFor(stage, freshAccount()), NOTHING, 0)
  while (!first.submitter.isFull) {
    assert.equal(operators.pick(NOTHING), first)
    await send()
  }
  assert.equal(operators.pick(NOTHING), second)
  await client.mine({ blocks: 1 })
  await operators.tick(0)
  assert.equal(operators.pick(NOTHING), first)
  await send()
  await operators.tick(2 * REPEAT_MS)
  assert.equal(operators.pick(NOTHING), second, 'what the first sent is late')
  await client.setAutomine(true)
})

test('an account without coins leaves it to the others, until none has any', { skip }, async () => {
  const operators = await openOperators([0n, undefined])
  const [poor, rich] = operators.all
  const payload = payloadFor(stage, freshAccount())
  assert.equal(operators.pick(NOTHING), poor)
  assert.equal(await operators.submit(poor, payload, NOTHING, 0), null)
  assert.equal(operators.pick(NOTHING), rich)
  assert.ok((await operators.submit(rich, payload, NOTHING, 0)) !== null)
  await operators.tick(STEP_MS)
  assert.equal(operators.pick(NOTHING), poor, 'it may have got some since')
  await stage.anvil.client.setBalance({ address: rich.address, value: 0n })
  assert.equal(await operators.submit(poor, payload, NOTHING, 0), null)
  await assert.rejects(operators.submit(rich, payload, NOTHING, 0), /has 0 of the chain's coin/)
  assert.equal(operators.pick(NOTHING), null)
})

test('answers of several accounts come in an order in which blocks may cover trades', () => {
  const sent = (nonce: number, ...trades: number[]) => ({
    nonce,
    trades,
    markets: [],
    attempts: [],
  })
  const retried = [100, 400]
  const senders = [
    { account: 'a', nextNonce: 9, sent: [sent(6, 100, 130, 140), sent(8, 400)] },
    { account: 'b', nextNonce: 4, sent: [sent(2, 110, 120), sent(3, 150)] },
    { account: 'c', nextNonce: 1, sent: [sent(0)] },
  ]
  const ordered = inAnswerOrder(senders, (seq) => retried.includes(seq))
  // 130 is answered after 110 and 120; 100 and 400 are tried again, so no block covers them.
  assert.deepEqual(
    ordered.map(({ account, nonce }) => `${account}${nonce}`),
    ['c0', 'b2', 'a6', 'a8', 'b3'],
  )
})
