import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { WalletChecks } from '../../../../server/edge/intake/wallets/wallet-checks.ts'
import type { WalletAnswer, WalletQuery } from '../../../../server/messages/wallet-signature.ts'

const { all, profile, address } = LIMITS.walletChecks
const NOW_MS = 1_000_000

function query(number: number): WalletQuery {
  const hash = Buffer.alloc(32)
  hash.writeUInt32LE(number)
  return { wallet: new Uint8Array(20), hash, signature: new Uint8Array(65) }
}

/** A chain that answers when the test does. */
class Chain {
  readonly waiting: ((answer: WalletAnswer) => void)[] = []
  readonly checks = new WalletChecks(() => {
    return new Promise((resolve) => this.waiting.push(resolve))
  })
  #last = 0

  /** Sends a new query; the returned promise is that of its decision. */
  send(profileId: number, address: string) {
    return this.checks.decide(query(++this.#last), { profileId, address }, NOW_MS)
  }

  answer(answer: WalletAnswer): void {
    for (const resolve of this.waiting.splice(0)) resolve(answer)
  }
}

test('a profile or an address that has used its share leaves the rest to others', async () => {
  const chain = new Chain()
  const sent = Array.from({ length: profile }, () => chain.send(1, 'home'))
  assert.equal(await chain.send(1, 'elsewhere'), 'too many')
  const others = [chain.send(2, 'there'), chain.send(3, 'there')]
  chain.answer('accepts')
  const decided = new Set(await Promise.all([...sent, ...others]))
  assert.deepEqual([...decided], ['accepts'])
  const again = Array.from({ length: address }, (_, index) => chain.send(index + 1, 'home'))
  assert.equal(await chain.send(1000, 'home'), 'too many', 'profiles of one address share')
  const elsewhere = chain.send(1000, '')
  chain.answer('refuses')
  assert.deepEqual([...new Set(await Promise.all([...again, elsewhere]))], ['refuses'])
})

test('callers one after another fill the capacity, and the next gets 503', async () => {
  const chain = new Chain()
  const sent: Promise<string>[] = []
  let callers = 0
  for (; chain.waiting.length < all && callers < all; callers++) {
    const before = chain.waiting.length
    for (let count = 0; count <= profile && chain.waiting.length < all; count++) {
      sent.push(chain.send(callers + 1, `address ${callers}`))
    }
    assert.ok(chain.waiting.length > before, 'a new caller gets a share')
  }
  assert.ok(callers > all / profile, `shares shrink: ${callers} callers`)
  assert.equal(await chain.send(5000, 'late'), 'full')
  chain.answer('silent')
  const decided = new Set(await Promise.all(sent))
  assert.deepEqual(decided, new Set(['silent', 'too many']))
  const next = chain.send(5000, 'late')
  chain.answer('accepts')
  assert.equal(await next, 'accepts')
})

test('answers hold for a while, and silence does not', async () => {
  const chain = new Chain()
  const caller = { profileId: 1, address: '' }
  const decided = async (number: number, nowMs: number, answer: WalletAnswer) => {
    const answered = chain.checks.decide(query(number), caller, nowMs)
    const isSent = chain.waiting.length > 0
    chain.answer(answer)
    return [await answered, isSent]
  }
  const { accepts, refuses } = LIMITS.walletAnswerMs
  assert.deepEqual(await decided(1, NOW_MS, 'accepts'), ['accepts', true])
  assert.deepEqual(await decided(1, NOW_MS + accepts - 1, 'refuses'), ['accepts', false])
  assert.deepEqual(await decided(1, NOW_MS + accepts, 'refuses'), ['refuses', true])
  assert.deepEqual(await decided(2, NOW_MS, 'refuses'), ['refuses', true])
  assert.deepEqual(await decided(2, NOW_MS + refuses - 1, 'accepts'), ['refuses', false])
  assert.deepEqual(await decided(2, NOW_MS + refuses, 'accepts'), ['accepts', true])
  assert.deepEqual(await decided(3, NOW_MS, 'silent'), ['silent', true])
  assert.deepEqual(await decided(3, NOW_MS, 'accepts'), ['accepts', true])
  const both = [1, 2].map(() => chain.checks.decide(query(4), caller, NOW_MS))
  assert.equal(chain.waiting.length, 1, 'the same query is sent once at a time')
  chain.answer('accepts')
  assert.deepEqual(await Promise.all(both), ['accepts', 'accepts'])
})

test('the oldest answers are dropped', async () => {
  const checks = new WalletChecks(() => {
    calls++
    return Promise.resolve('accepts')
  })
  let calls = 0
  const caller = { profileId: 1, address: '' }
  const { walletAnswersMax } = LIMITS
  for (let number = 0; number <= walletAnswersMax; number++) {
    await checks.decide(query(number), caller, NOW_MS)
  }
  assert.equal(calls, walletAnswersMax + 1)
  await checks.decide(query(walletAnswersMax), caller, NOW_MS)
  assert.equal(calls, walletAnswersMax + 1)
  await checks.decide(query(0), caller, NOW_MS)
  assert.equal(calls, walletAnswersMax + 2)
})
