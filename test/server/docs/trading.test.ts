import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { domainSeparator, hashStruct, hashTypedData, keccak256, stringToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../../engine/core/money/taker-fee.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { signCall } from '../../../server/auth/hmac-signature.ts'
import { blankAmounts, readAmounts } from '../../../server/edge/intake/order/order-amounts.ts'
import { exchange } from '../../support/exchange.ts'
import { framesOf, listening } from '../../support/frame-story.ts'
import { at, textAt } from '../../support/json-path.ts'
import { orderIdOf } from '../../support/replies.ts'

// The worked examples of trading.md are computed again, with viem where viem has the rule. Its
// reply and its list of frames are compared with those of a running exchange.

const page = readFileSync(new URL('../../../server/docs/trading.md', import.meta.url), 'utf8')

/** The rows of the table between two marks, without its head. */
function rowsOf(mark: string): string[][] {
  const table = page.split(`<!-- ${mark} -->\n`)[1]?.split(`\n<!-- /${mark} -->`)[0] ?? ''
  const lines = table.split('\n').slice(2)
  assert.ok(lines.length > 1, `the page has the table ${mark}`)
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const valuesOf = (mark: string) =>
  new Map(rowsOf(mark).map(([name, value]) => [name.replaceAll('`', ''), value.slice(1, -1)]))

test('the signature of the example call is the HMAC of its text', () => {
  const values = valuesOf('hmac')
  const value = (name: string) => values.get(name) ?? ''
  const signature = signCall({
    secret: Buffer.from(value('secret'), 'base64'),
    timestamp: value('timestamp'),
    method: value('method'),
    pathWithQuery: value('path'),
    body: Buffer.from(value('body')),
  })
  assert.equal(value('signature'), signature)
})

/** The fields of an order, as its table lists them. */
function orderFields(): { name: string; type: string }[] {
  const from = page.indexOf('| field | type | value |')
  const table = page.slice(from, page.indexOf('\n\n', from)).split('\n').slice(2)
  return table.map((line) => {
    const [, name = '', type = ''] = /^\| `(\w+)` \| (\w+) \|/.exec(line) ?? []
    return { name, type }
  })
}

const fields = orderFields()
const ACCOUNT = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const ZERO = '0x0000000000000000000000000000000000000000'

test('the hashes and the signature of the example order are those of EIP-712', async () => {
  const values = valuesOf('order')
  const exchange = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
  assert.equal(values.get('verifyingContract'), exchange)
  assert.equal(values.get('maker and signer'), ACCOUNT)
  const raw = (name: string) => BigInt(values.get(name) ?? '0')
  const zeros = { expiration: 0n, nonce: 0n, side: 0, signatureType: 0 }
  const message = {
    ...zeros,
    maker: ACCOUNT,
    signer: ACCOUNT,
    taker: ZERO,
    salt: raw('salt'),
    tokenId: raw('tokenId'),
    feeRateBps: raw('feeRateBps'),
    makerAmount: raw('makerAmount'),
    takerAmount: raw('takerAmount'),
  } as const
  const name = 'Limitless CTF Exchange'
  const domain = { name, version: '1', chainId: 8453, verifyingContract: exchange } as const
  const types = { Order: fields }
  const typed = { domain, types, primaryType: 'Order', message } as const
  assert.equal(values.get('domain separator'), domainSeparator({ domain }))
  const struct = hashStruct({ data: message, types, primaryType: 'Order' })
  assert.equal(values.get('struct hash'), struct)
  assert.equal(values.get('order hash'), hashTypedData(typed))
  const key = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  assert.equal(values.get('signature'), await key.signTypedData(typed))
  const list = fields.map(({ type, name: field }) => `${type} ${field}`).join(',')
  assert.ok(page.includes(`\`${keccak256(stringToBytes(`Order(${list})`))}\``), 'the type hash')
})

test('the amounts of the worked orders give the price and size that the page names', () => {
  const rows = [
    ...page.matchAll(/^\| (buy|sell) ([\d.]+) at ([\d.]+) \| ([\d,]+) \| ([\d,]+) \|$/gm),
  ]
  assert.equal(rows.length, 4)
  for (const [row, side, size, price, maker, taker] of rows) {
    const raw = (text: string) => Number(text.replaceAll(',', ''))
    const amounts = blankAmounts()
    const given = {
      side: side === 'buy' ? SIDE.BUY : SIDE.SELL,
      isFok: false,
      price: Number(price),
    }
    const [makerAmount, takerAmount] = [raw(maker), raw(taker)]
    assert.ok(!readAmounts({ ...given, makerAmount, takerAmount }, amounts), row)
    assert.equal(amounts.sizeRaw, Math.round(Number(size) * 1e6), row)
  }
})

test('the fees of the worked trades are those that the exchange takes', () => {
  for (const [trade, shares, collateral, fee, net] of rowsOf('fees')) {
    const number = (text: string) => Number(text.replaceAll(/[^0-9]/g, ''))
    const [sharesRaw, collateralRaw] = [number(shares), number(collateral)]
    const isBuy = trade.startsWith('buy')
    const take = isBuy ? buyFeeSharesRaw : sellFeeCollateralRaw
    const feeRaw = take(300, collateralRaw, sharesRaw)
    assert.equal(number(fee), feeRaw, trade)
    assert.equal(number(net), (isBuy ? sharesRaw : collateralRaw) - feeRaw, trade)
  }
})

const SHARE = 1_000_000
const { live } = await exchange({ flags: ['--block-ms', '20'] })

/** The value with each leaf replaced by its type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
}

/** Alice sells 4 at 0.60, Bob buys 10 at 0.65 as a taker: the trade that the page shows. */
async function shownTrade(slug: string) {
  const market = await live.openMarket(slug, { fee: true })
  const alice = await live.trader(100 * SHARE)
  const bob = await live.trader(100 * SHARE)
  const maker = await listening(live, alice)
  const taker = await listening(live, bob)
  const made = await live.place(alice, market, { outcome: 1, ticks: 400, sizeRaw: 4 * SHARE })
  const wanted = { ticks: 650, sizeRaw: 10 * SHARE }
  const reply = await live.place(bob, market, wanted, { clientOrderId: 'quote-17' })
  assert.deepEqual([made.status, reply.status], [201, 201], reply.text)
  return { market, alice, bob, maker, taker, madeId: orderIdOf(made), reply }
}

test('the reply of an order has the fields, types and totals that the page shows', async () => {
  const [, block = ''] = /<!-- reply -->\n```json\n(.*?)```/s.exec(page) ?? []
  const shown: unknown = JSON.parse(block)
  const { reply, maker, taker } = await shownTrade('reply')
  assert.deepEqual(shapeOf(reply.body), shapeOf(shown))
  for (const field of ['totalsRaw', 'effectiveFeeBps', 'settlementStatus']) {
    assert.deepEqual(at(reply.body, 'execution', field), at(shown, 'execution', field), field)
  }
  assert.equal(at(reply.body, 'order', 'status'), at(shown, 'order', 'status'))
  for (const client of [maker, taker]) client.close()
})

/** For each type of frame, the fields that the page lists beyond those of every frame. */
function listedFields(): Map<string, string[]> {
  const names = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  const listed = new Map<string, string[]>()
  for (const [types, fields] of rowsOf('frames')) {
    for (const type of names(types)) listed.set(type, names(fields))
  }
  const settled = (listed.get('MATCHED') ?? []).filter((name) => name !== 'isEstimate')
  const reported = ['takerAccount', 'makerMatches', 'txHash']
  assert.deepEqual(listed.get('MINED'), ['MATCHED', 'isEstimate', ...reported])
  return listed.set('MINED', [...settled, ...reported])
}

/**
 * The frames of the two owners: of that trade, of a FAK without a match and of a market that
 * resolves.
 */
async function shownFrames(): Promise<object[]> {
  const { bob, maker, taker, madeId, reply, market } = await shownTrade('frames')
  const takenId = orderIdOf(reply)
  const wanted = { outcome: 1, ticks: 1, sizeRaw: SHARE } as const
  const killed = await live.place(bob, market, wanted, { orderType: 'FAK' })
  const killedId = orderIdOf(killed)
  await live.admin(`/admin/markets/${market.slug}/resolve`, { winningOutcomeIndex: 0 })
  await taker.until(() => framesOf(taker, takenId).length >= 4)
  await taker.until(() => framesOf(taker, killedId).length >= 1)
  await maker.until(() => framesOf(maker, madeId).length >= 4)
  for (const client of [maker, taker]) client.close()
  const reported = [...framesOf(taker, takenId), ...framesOf(taker, killedId)]
  return [...reported, ...framesOf(maker, madeId)].map((frame) => Object(frame))
}

test('a frame of each type has the fields that the page lists', async () => {
  const listed = listedFields()
  const [, sentence = ''] = /^Every frame has (.*?) Further fields:/ms.exec(page) ?? []
  const ofAll = [...sentence.matchAll(/`([a-z]\w+)`/g)].map(([, name]) => name)
  const frames = await shownFrames()
  for (const frame of frames) {
    const type = textAt(frame, 'type')
    const known = [...ofAll, ...(listed.get(type) ?? [])]
    assert.deepEqual(
      Object.keys(frame).filter((name) => !known.includes(name)),
      [],
      type,
    )
    const missing = known.filter((name) => !Object.hasOwn(frame, name))
    const sometimes = ['clientOrderId', 'matchedAt', 'feeAmountContracts', 'feeAmountCollateral']
    assert.deepEqual(
      missing.filter((name) => !sometimes.includes(name)),
      [],
      type,
    )
  }
  const types = new Set(frames.map((frame) => textAt(frame, 'type')))
  types.add('FAILED')
  assert.deepEqual([...types].sort(), [...listed.keys()].sort())
})
