import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../engine/core/capture.ts'
import { Exchange } from '../../../engine/core/exchange.ts'
import { balanceDigest } from '../../../engine/core/state/balance-digest.ts'
import { decodeCommand } from '../../../engine/wire/codec.ts'
import { digestOf } from '../../../server/auth/session.ts'
import { CommandFlow } from '../../support/command-flow.ts'
import { packed, unpacked } from '../../support/packed-state.ts'
import { freshSeed } from '../../support/random.ts'
import { profileFields } from '../../support/specs.ts'

const SEED = freshSeed()
const COMMANDS = 3000
const STEP = 250

function controlLife(flow: CommandFlow): void {
  flow.control({ kind: 'setAdminToken', tokenDigest: 'digest' })
  for (let index = 1; index <= 4; index++) {
    const sealedSecret = Uint8Array.of(index, 2, 3)
    const token = { tokenId: `t${index}`, sealedSecret, label: null, scopes: ['trading' as const] }
    flow.control({ kind: 'createToken', profileId: 1 + (index % 2), token })
    const session = { sessionDigest: digestOf(`s${index}`), expiresMs: 1e15 + index }
    const nonce = { nonce: `n${index}`, nonceExpiresMs: 1e15 }
    flow.control({ kind: 'login', profileId: 1, ...session, ...nonce })
  }
  flow.control({ kind: 'revokeToken', tokenId: 't2' })
  flow.control({ kind: 'touchToken', tokenId: 't3' })
  flow.control({ kind: 'logout', sessionDigest: digestOf('s2') })
  const nonce = { nonce: 'n5', nonceExpiresMs: 1e15 }
  flow.control({
    kind: 'login',
    profileId: 2,
    sessionDigest: digestOf('s5'),
    expiresMs: 1e15 + 5,
    ...nonce,
  })
  flow.control({ kind: 'logoutEverywhere', profileId: 2 })
  for (const [addressId, profileId] of [
    ['w1', 2],
    ['w2', 1],
    ['w3', 1],
  ] as const) {
    const address = `0x${addressId}`
    flow.control({ kind: 'addWithdrawalAddress', profileId, addressId, address, label: 'cold' })
  }
  const change = { username: 'Öl', smartWallet: `0x${'aB'.repeat(20)}`, rank: null, bio: 'terse' }
  flow.control({ kind: 'editProfile', profileId: 2, profile: change, token: null })
  flow.control({ kind: 'removeWithdrawalAddress', profileId: 1, address: '0xW2' })
}

/** Partners, modes, heartbeats and the chain: each has an entry that stays and one that went. */
function entryLife(flow: CommandFlow): void {
  const { accounts } = flow.exchange.clearing
  for (const sealedKey of [Uint8Array.of(4, 5, 6), null]) {
    const profileId = accounts.count + 1
    const proof = sealedKey === null ? { nonce: 'n6', nonceExpiresMs: 1e15 } : null
    const profile = profileFields(profileId)
    const made = { profile, profileId, sealedKey, approved: ['0xe1'], partnerId: 1, proof }
    flow.control({ kind: 'createSubAccount', ...made })
    if (sealedKey !== null) flow.control({ kind: 'approveSpenders', profileId, spenders: ['0xe2'] })
  }
  for (const windowId of [1, 2]) {
    const mode = windowId === 1 ? 'post_only' : 'disabled'
    const window = {
      windowId,
      mode,
      startsAtMs: 1e15,
      endsAtMs: null,
      publicMessage: 'Soon.',
    } as const
    flow.control({ kind: 'putTradingWindow', window })
  }
  flow.control({ kind: 'endTradingWindow', windowId: 1 })
  for (const profileId of [1, 2, 3]) {
    flow.control({ kind: 'armHeartbeat', profileId, cancelAtMs: profileId === 3 ? 1 : 1e15 })
  }
  flow.control({ kind: 'disarmHeartbeat', profileId: 2 })
  flow.control({ kind: 'fireHeartbeat', profileId: 3 })
  for (const profileId of [accounts.count, 2, accounts.count - 1]) {
    flow.control({ kind: 'freezeProfile', profileId, reason: `case ${profileId}` })
  }
  flow.control({ kind: 'unfreezeProfile', profileId: 2, reason: '' })
  for (const name of ['ada', 'bob']) {
    flow.control({ kind: 'addOperator', name, role: 'support', tokenDigest: name, by: 'root' })
  }
  flow.control({ kind: 'removeOperator', name: 'ada' })
  const covered = flow.seq
  for (const tradeSeq of [covered - 2, covered - 1])
    flow.control({ kind: 'retrySettlement', tradeSeq })
  flow.control({ kind: 'mineBlock', height: 1, throughSeq: covered - 1, chainId: 8453 })
  flow.control({ kind: 'settleTrade', tradeSeq: covered - 1, height: 1 })
  const leg = { marketId: 1, outcome: 0, sharesRaw: 0 }
  const legs = [
    { ...leg, accountId: 1, collateralRaw: -7 },
    { ...leg, accountId: 2, collateralRaw: 7 },
  ]
  const back = { tradeSeq: covered, legs, conditions: [] }
  flow.control({ kind: 'failSettlement', ...back })
}

function flowOf(seed: number): CommandFlow {
  const flow = new CommandFlow(seed)
  flow.run(COMMANDS / 2)
  controlLife(flow)
  entryLife(flow)
  flow.run(COMMANDS / 2)
  flow.control({ kind: 'lockMarket', marketId: 2 })
  flow.control({ kind: 'resolveMarkets', resolutions: [{ marketId: 3, payoutNumerators: [1, 0] }] })
  flow.control({ kind: 'touchToken', tokenId: 't4' })
  flow.control({ kind: 'revokeTokens', profileId: 2 })
  flow.control({ kind: 'revokeToken', tokenId: 't4' })
  flow.control({ kind: 'adjustBalance', profileId: 2, collateralRaw: 77 })
  return flow
}

test('a restored state equals the captured one and goes on like it', () => {
  const { records } = flowOf(SEED)
  const straight = new Exchange()
  const hashes: string[] = []
  const digests: string[] = []
  const saved: ReturnType<typeof packed>[] = []
  for (const [index, record] of records.entries()) {
    straight.apply(decodeCommand(record))
    if ((index + 1) % STEP !== 0) continue
    hashes.push(straight.stateHash())
    digests.push(balanceDigest(straight.clearing))
    saved.push(packed(straight))
  }
  assert.ok(new Set(digests).size === digests.length, 'different balances have different digests')
  for (const [from, state] of saved.entries()) {
    const exchange = restore(unpacked(state))
    assert.deepEqual(capture(exchange), unpacked(state))
    for (let at = from; at < saved.length; at++) {
      assert.equal(exchange.stateHash(), hashes[at], `from ${from} at ${at}`)
      assert.equal(balanceDigest(exchange.clearing), digests[at])
      assert.equal(exchange.checkInvariants(), null)
      for (const record of records.slice((at + 1) * STEP, (at + 2) * STEP)) {
        exchange.apply(decodeCommand(record))
      }
    }
  }
})

test('an empty state comes back empty', () => {
  const exchange = new Exchange()
  const hash = exchange.stateHash()
  assert.equal(restore(unpacked(packed(exchange))).stateHash(), hash)
})

test('one raw unit anywhere changes the digest', () => {
  const { exchange } = flowOf(SEED + 1)
  const { ledger, catalogue } = exchange.clearing
  const reported = new Set([balanceDigest(exchange.clearing)])
  const columns = [
    ledger.collateralFreeRaw,
    ledger.collateralReservedRaw,
    ledger.sharesFreeRaw,
    ledger.sharesReservedRaw,
  ]
  for (const column of columns) {
    for (const index of [2, 3]) {
      for (const by of [1, 2 ** 32]) {
        column[index] += by
        reported.add(balanceDigest(exchange.clearing))
        column[index] -= by
      }
    }
  }
  ledger.systemRaw[0]++
  reported.add(balanceDigest(exchange.clearing))
  ledger.systemRaw[0]--
  const markets = catalogue.all().slice(0, 2)
  for (const market of markets) {
    for (const by of [1, 2 ** 32]) {
      market.conditionRaw += by
      reported.add(balanceDigest(exchange.clearing))
      market.conditionRaw -= by
    }
  }
  assert.equal(markets.length, 2)
  assert.equal(reported.size, 2 + (columns.length + 1) * 4)
})
