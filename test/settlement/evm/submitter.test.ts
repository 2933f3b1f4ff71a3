import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compiledContracts } from '../../../server/build/contracts.ts'
import { callOf, type Payload, type Receipt } from '../../../server/settlement/evm/chain-client.ts'
import { ChainTrouble } from '../../../server/settlement/evm/chain-trouble.ts'
import {
  type Attempt,
  Submitter,
  type SubmitterParts,
} from '../../../server/settlement/evm/submitter.ts'
import { anvilSkip } from '../../support/anvil.ts'
import {
  freshAccount,
  freshKey,
  payloadFor,
  REPEAT_MS,
  submitterParts,
} from '../../support/chain-submitters.ts'
import { EvmStage, OPERATOR } from '../../support/evm-stage.ts'
import { FaultyRpc } from '../../support/faulty-rpc.ts'
import { freshSeed, Random } from '../../support/random.ts'

const skip = anvilSkip
const GWEI = 10n ** 9n
const STEP_MS = 4000
const PAYLOADS = 24
const REORG_MAX = 5
const random = new Random(freshSeed())
let stage: EvmStage
let rpc: FaultyRpc
before(async () => {
  if (skip !== false) return
  stage = await EvmStage.open()
  rpc = await FaultyRpc.open(stage.anvil.url, random)
})
after(async () => {
  await rpc?.end()
  await stage?.end()
})

/** What a process lost when it ended. */
class Crash extends Error {}

function settledBy(done: Promise<Receipt>): () => Receipt | null {
  let receipt: Receipt | null = null
  void done.then((found) => {
    receipt = found
  })
  return () => receipt
}

/** Processes of one submitter, each of which goes on with what the last one kept. */
class Processes {
  readonly kept: Attempt[] = []
  /** The nonces whose receipts were acted on. */
  readonly acted = new Set<number>()
  crashes = 0
  #keeps = 0
  #nowMs = 0
  #running: Submitter | null = null
  readonly #parts: SubmitterParts

  constructor(parts: Omit<SubmitterParts, 'keep'>) {
    this.#parts = { ...parts, keep: (attempt) => this.#keep(attempt) }
  }

  async #keep(attempt: Attempt): Promise<void> {
    this.#keeps++
    if (this.#keeps === 4 || random.chance(0.05)) throw new Crash('before it is durable')
    this.kept.push(attempt)
    if (this.#keeps === 9 || random.chance(0.05)) throw new Crash('after it is durable')
  }

  async #open(): Promise<Submitter> {
    const kept = this.kept.filter(({ terms }) => !this.acted.has(terms.nonce))
    const nonceMin = 1 + Math.max(-1, ...this.kept.map(({ terms }) => terms.nonce))
    const submitter = await Submitter.open({ ...this.#parts, kept, nonceMin }, this.#nowMs)
    for (const [nonce, done] of submitter.outcomes()) this.#actOn(nonce, done)
    return submitter
  }

  #actOn(nonce: number, done: Promise<Receipt>): void {
    void done.then(({ isReverted }) => {
      assert.equal(isReverted, false)
      this.acted.add(nonce)
    })
  }

  /** Submits the payload unless too many wait, and looks for receipts. */
  async step(payload: Payload | null): Promise<void> {
    this.#nowMs += STEP_MS
    try {
      this.#running ??= await this.#open()
      if (payload !== null && !this.#running.isFull) {
        const { done } = await this.#running.submit(payload, this.#nowMs)
        this.#actOn(this.kept[this.kept.length - 1].terms.nonce, done)
      }
      await this.#running.tick(this.#nowMs)
    } catch (error) {
      if (error instanceof Crash) {
        this.crashes++
        this.#running = null
      } else if (!(error instanceof ChainTrouble)) throw error
    }
  }
}

test('each payload is executed once through faults, crashes and forks', { skip }, async () => {
  const { anvil } = stage
  const { client } = anvil
  const key = await freshKey(stage)
  const accounts = Array.from({ length: PAYLOADS }, freshAccount)
  const all = new Processes(await submitterParts(rpc.url, key, { confirmations: REORG_MAX + 1 }))
  let forks = 0
  // A reorganisation must not undo what came before.
  await client.mine({ blocks: 2 * REORG_MAX })
  await client.setAutomine(false)
  rpc.share = 0.1
  for (const [index, account] of accounts.entries()) {
    const payload = payloadFor(stage, account)
    while (!all.kept.some(({ terms }) => terms.data === payload.data)) {
      await all.step(payload)
      if (random.chance(0.1)) await anvil.request('anvil_dropAllTransactions')
      if (random.chance(0.6)) await client.mine({ blocks: 1 })
    }
    if (index !== PAYLOADS / 2 && !random.chance(0.1)) continue
    await anvil.request('anvil_reorg', random.between(1, REORG_MAX), [])
    forks++
  }
  rpc.share = 0
  while (all.acted.size < PAYLOADS) {
    await all.step(null)
    await client.mine({ blocks: 1 })
  }
  await client.setAutomine(true)
  for (const account of accounts) assert.equal(await stage.collateralOf(account), 1n)
  assert.equal(await client.getTransactionCount({ address: key.address }), PAYLOADS)
  const { crashes } = all
  console.log(JSON.stringify({ crashes, forks, ...Object.fromEntries(rpc.faults) }))
  assert.ok(crashes > 0 && forks > 0 && rpc.faults.size === 5)
})

test('a transaction in no block is sent again, then with higher fees up to a bound', {
  skip,
}, async () => {
  const { client } = stage.anvil
  const key = await freshKey(stage)
  const parts = await submitterParts(rpc.url, key, { maxFeeWei: 2n * GWEI })
  const submitter = await Submitter.open(parts, 0)
  const account = freshAccount()
  await client.setAutomine(false)
  const { done } = await submitter.submit(payloadFor(stage, account), 0)
  const settled = settledBy(done)
  for (let nowMs = 0; nowMs < 30 * REPEAT_MS; nowMs += REPEAT_MS) await submitter.tick(nowMs)
  const fees = parts.kept.map(({ terms }) => terms.maxFeeWei)
  assert.ok(fees.length > 2, `${fees}`)
  for (const [index, fee] of fees.slice(1).entries()) {
    assert.ok(fee * 100n >= fees[index] * 110n, 'a node takes the replacement')
    assert.ok(fee <= 2n * GWEI)
  }
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
  await submitter.tick(31 * REPEAT_MS)
  assert.equal(settled()?.isReverted, false)
  assert.equal(await stage.collateralOf(account), 1n)
  assert.equal(submitter.pendingCount, 0)
})

test('an account that somebody else sends with is noticed', { skip }, async () => {
  const { anvil } = stage
  const { client } = anvil
  const key = await freshKey(stage)
  const parts = await submitterParts(rpc.url, key)
  const submitter = await Submitter.open(parts, 0)
  await client.setAutomine(false)
  await submitter.submit(payloadFor(stage, freshAccount()), 0)
  await anvil.request('anvil_dropAllTransactions')
  await client.setNonce({ address: key.address, nonce: 1 })
  await client.setAutomine(true)
  await submitter.tick(1000)
  await submitter.tick(60_000)
  await assert.rejects(
    submitter.tick(61_000),
    /used its nonce 0 for a transaction of somebody else/,
  )
})

test('what would revert, or costs more than allowed, is not sent', { skip }, async () => {
  const { client } = stage.anvil
  const key = await freshKey(stage)
  const parts = await submitterParts(rpc.url, key)
  const submitter = await Submitter.open(parts, 0)
  const { abi } = compiledContracts().Exchange
  const forbidden = { to: stage.at.exchange, data: callOf(abi, 'setOperator', [OPERATOR, true]) }
  await assert.rejects(submitter.submit(forbidden, 0), ChainTrouble)
  await client.setBalance({ address: key.address, value: 1n })
  const dear = submitter.submit(payloadFor(stage, freshAccount()), 0)
  await assert.rejects(dear, /send it some/)
  assert.deepEqual([parts.kept.length, submitter.pendingCount], [0, 0])
})
