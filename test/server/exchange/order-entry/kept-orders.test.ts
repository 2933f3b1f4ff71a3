import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expiresAtMs } from '../../../../engine/core/decide/decide.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { AccountChanges, PartnerAccounts } from '../../../../server/api/accounts/accounts.ts'
import { MarketChanges } from '../../../../server/api/markets/market-changes.ts'
import { Cancels } from '../../../../server/api/orders/cancels.ts'
import { CancelReplace, type ReplaceAnswer } from '../../../../server/api/orders/services.ts'
import { signCall } from '../../../../server/auth/hmac-signature.ts'
import { ZERO_ADDRESS } from '../../../../server/crypto/address.ts'
import type {
  OrderAnswer,
  OrderCall,
} from '../../../../server/exchange/order-entry/order-answer.ts'
import { FORM } from '../../../../server/messages/intake-layout.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { buy, openForTest } from '../../../support/open-pipeline.ts'
import { marketSpec } from '../../../support/specs.ts'

// Orders that wait after their verdict. The bytes of a verdict are valid only in its callback: a
// ring that goes round writes over them. Here they are wiped at once.

const NOW_MS = 1_700_000_000_000
const SPEC = marketSpec(1)
let replaces: CancelReplace
let token = { tokenId: '', secret: '' }
let profileId = 0
const clock = { nowMs: NOW_MS }
/** With a step, each look at the time ends a time slice of main. */
const slices = { stepMs: 0, nowMs: 0 }

const exchange = await openForTest(newFolder(), clock, 0, {
  monotonicMs: () => {
    slices.nowMs += slices.stepMs
    return slices.nowMs
  },
})

before(async () => {
  const { pipeline, seal, intake, shards } = exchange
  const keep = pipeline.orders.keep.bind(pipeline.orders)
  pipeline.orders.keep = (result) => {
    const decide = keep(result)
    if (result.kind === 'verified') result.record.fill(0)
    return decide
  }
  const accounts = new AccountChanges(pipeline, seal, intake)
  const scopes = ['trading', 'delegated_signing'] as const
  const partner = await accounts.putProfile({ account: `0x${'1'.repeat(40)}`, scopes }, scopes)
  assert(!(partner instanceof Reject) && partner.token !== null)
  token = partner.token
  const partners = new PartnerAccounts({ pipeline, seal, intake }, SPEC.exchangeAddress)
  const made = await partners.createServerWallet(partner.profile)
  assert(!(made instanceof Reject))
  profileId = made.profileId
  const markets = new MarketChanges(pipeline, shards, async () => false)
  await markets.create(SPEC)
  await markets.adjustBalance(profileId, 1e9)
  const noReads = { order: async () => null, orderByClientId: async () => null }
  replaces = new CancelReplace(pipeline, new Cancels(pipeline, noReads))
})

/** The body of a buy of ten shares, which the server signs for the sub-account. */
function unsignedBuy(clientOrderId: string, ticks: number): object {
  const order = {
    salt: ticks,
    taker: ZERO_ADDRESS,
    tokenId: SPEC.yesTokenId,
    makerAmount: ticks * 10_000,
    takerAmount: 10_000_000,
    expiration: 0,
    nonce: 0,
    side: 0,
    signatureType: 0,
  }
  return { order, orderType: 'GTC', marketSlug: SPEC.slug, clientOrderId }
}

/** A buy at its own price, as the replacement of an order that does not exist. */
function operation(clientOrderId: string, ticks: number): object {
  const replacement = unsignedBuy(clientOrderId, ticks)
  const cancel = { clientOrderId: 'none' }
  return { cancel, replacement, mode: 'ALLOW_FAILURE', onBehalfOf: profileId }
}

function signedCall(pathWithQuery: string, body: object): OrderCall {
  const stated = {
    method: 'POST',
    pathWithQuery,
    timestamp: new Date(clock.nowMs).toISOString(),
    body: Buffer.from(JSON.stringify(body)),
  }
  const signature = signCall({ ...stated, secret: Buffer.from(token.secret, 'base64') })
  return { ...stated, signature, apiKey: token.tokenId, timesRow: 0 }
}

function send(operations: readonly object[]): Promise<ReplaceAnswer> {
  const call = signedCall('/orders/cancel-replace/batch', { operations })
  return new Promise((resolve) => replaces.run(call, FORM.REPLACES, resolve))
}

test('an order that waits in the queue is placed as it was sent', async () => {
  const requested = Array.from({ length: LIMITS.batchReplacesMax }, (_each, at) => {
    return { name: `order ${at}`, ticks: 100 + at * (at % 2 === 0 ? 3 : 7) }
  })
  const answer = await send(requested.map(({ name, ticks }) => operation(name, ticks)))
  assert('legs' in answer, JSON.stringify(answer))
  const placed = answer.legs.map(({ replacement }) => {
    assert(replacement !== null && 'text' in replacement, JSON.stringify(replacement))
    const { order, execution } = JSON.parse(replacement.text)
    return { name: execution.clientOrderId, ticks: Number(order.price) * 1000 }
  })
  assert.deepEqual(placed, requested)
  const { orders } = exchange.pipeline.clearing
  const open = exchange.pipeline.cancels.live(profileId, 1).map(({ slot }) => {
    return { name: orders.clientIdOf(slot), ticks: orders.priceTicksOf(slot) }
  })
  assert.deepEqual(open.reverse(), requested, 'the replies and the open orders agree')
})

test('an order that waited for deadlines waits for a replacement of its account, too', async () => {
  const { pipeline } = exchange
  const dueSec = NOW_MS / 1000 + 10
  const due = { accountId: profileId, marketId: 1, priceTicks: 1, sizeRaw: 1000 }
  for (let hash = 1; hash <= 1500; hash++) {
    const order = { ...due, expirationSec: dueSec }
    assert.equal(buy(exchange, hash, order, { tokenId: token.tokenId }), null)
  }
  await pipeline.whenIdle()
  slices.stepMs = 5
  clock.nowMs = expiresAtMs(dueSec)
  pipeline.tick()
  assert.ok(pipeline.sequencer.isCut, 'the deadlines of the market take more than one slice')
  const body = { ...unsignedBuy('kept', 300), onBehalfOf: profileId }
  const answered = new Promise<OrderAnswer>((resolve) => {
    pipeline.orders.place(signedCall('/orders', body), resolve)
  })
  while (pipeline.orders.waiting === 0) await new Promise(setImmediate)
  assert.ok(await pipeline.queues.begin(profileId), 'a replacement has the account')
  while (pipeline.sequencer.isCut) await new Promise(setImmediate)
  assert.equal(pipeline.orders.waiting, 0, 'the deadlines are stamped')
  const isOpen = () => {
    const open = pipeline.cancels.live(profileId, 1)
    return open.some(({ slot }) => pipeline.clearing.orders.clientIdOf(slot) === 'kept')
  }
  assert.equal(isOpen(), false)
  assert.equal(pipeline.queues.waiting, 1)
  pipeline.queues.end(profileId)
  assert.ok('text' in (await answered))
  assert.equal(isOpen(), true)
})
