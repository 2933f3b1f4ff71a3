import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAddress } from 'viem'
import { accountOf, type ClientOrder } from '../../../server/edge/intake/order/client-order.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { EvmStage, tupleOf } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { keyOf } from '../../support/exchange-client.ts'
import { flagsOf } from '../../support/flags.ts'
import { at } from '../../support/json-path.ts'
import type { Trader } from '../../support/live-exchange.ts'
import { type LiveMarket, signedFor, unsigned } from '../../support/live-orders.ts'
import { mirroredText } from '../../support/mirrored.ts'
import { freshSeed, Random } from '../../support/random.ts'

// The exchange and its contract accept the same orders. A balance is not looked at by either here,
// and an expired order may still be settled for an hour.

const FUNDS_RAW = 1e15
const ORDERS = 600
const HOUR_SEC = 3600
const STRANGER = getAddress(`0x${'5a'.repeat(20)}`)

type Change = (order: ClientOrder, random: Random) => Partial<ClientOrder>

interface Wallets {
  readonly account: string
  readonly wallet: string
}

const integer = (amount: number | string) => Number(amount)

/** Changes of a valid order before it is signed. Some leave it valid. */
const CHANGES: readonly Change[] = [
  (order) => ({ makerAmount: integer(order.makerAmount) + 1 }),
  (order) => ({ takerAmount: integer(order.takerAmount) + 1 }),
  (order) => ({ makerAmount: order.takerAmount, takerAmount: order.makerAmount }),
  (order, random) => ({ makerAmount: integer(order.makerAmount) * random.between(2, 3) }),
  (order, random) => ({ takerAmount: integer(order.takerAmount) * random.between(2, 3) }),
  () => ({ makerAmount: 0 }),
  () => ({ takerAmount: 0 }),
  (_order, random) => ({ takerAmount: 1, makerAmount: random.between(0, 5_000_000) }),
  () => ({ takerAmount: 1, makerAmount: '10000000000001' }),
  () => ({ makerAmount: '5000000000000', takerAmount: '10000000000000' }),
  () => ({ makerAmount: '5000000000500', takerAmount: '10000000001000' }),
  () => ({ makerAmount: '9007199254740991' }),
  (_order, random) => ({ feeRateBps: random.pick([0, 1, 999, 1000, 1001, 10_000]) }),
  (order) => ({ side: 1 - order.side }),
  (_order, random) => ({ signatureType: random.between(0, 4) }),
  (_order, random) => ({ nonce: random.between(0, 1) }),
  () => ({ salt: 0 }),
  () => ({ taker: STRANGER }),
  () => ({ tokenId: '12345' }),
  (_order, random) => {
    const nowSec = Math.floor(Date.now() / 1000)
    return { expiration: String(nowSec + random.pick([-2, 2]) * HOUR_SEC) }
  },
]

/** Changes of a signature. */
const FORGERIES: readonly ((signature: string) => string)[] = [
  (signature) => `${signature}00`,
  (signature) => signature.slice(0, -2),
  () => '0x',
  (signature) => `0x${'00'.repeat(64)}${signature.slice(-2)}`,
  mirroredText,
  (signature) => `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}`,
  (signature) => `${signature.slice(0, -2)}${signature.endsWith('1b') ? '1c' : '1b'}`,
]

function randomOrder(
  trader: Trader,
  market: LiveMarket,
  { account, wallet }: Wallets,
  random: Random,
): ClientOrder {
  const side = random.pick(['buy', 'sell'] as const)
  const sizeRaw = random.between(1, 5000) * 1000
  const common = { side, sizeRaw, ticks: random.between(1, 999) }
  let order = unsigned(trader, market, { ...common, outcome: random.pick([0, 1] as const) })
  const signatureType = random.pick([0, 0, 1, 2, 3])
  if (signatureType > 0) order = { ...order, signatureType, maker: wallet }
  if (signatureType === 3 && random.chance(0.5)) order = { ...order, signer: wallet }
  if (random.chance(0.1)) order = { ...order, maker: random.pick([account, wallet, STRANGER]) }
  if (random.chance(0.1)) order = { ...order, signer: random.pick([account, wallet, STRANGER]) }
  if (random.chance(0.6)) order = { ...order, ...random.pick(CHANGES)(order, random) }
  const key = random.chance(0.05) ? keyOf('stranger') : trader.key
  const chainId = random.chance(0.05) ? { chainId: 1 } : {}
  const signed = signedFor(order, { key }, market, chainId)
  if (random.chance(0.8)) return signed
  return { ...signed, signature: random.pick(FORGERIES)(signed.signature) }
}

test('the exchange and its contract accept the same orders', { skip: anvilSkip }, async () => {
  const random = new Random(freshSeed())
  const stage = await EvmStage.open()
  try {
    const { exchange: address, wallets, collateral } = stage.at
    const { live, rain } = await exchange({
      flags: flagsOf({ 'exchange-address': address, 'collateral-address': collateral }),
      markets: ['rain'],
    })
    await stage.prepareMarket('rain')
    const key = keyOf(`owner ${random.between(1, 1e9)}`)
    const account = getAddress(accountOf(key))
    await stage.send(wallets, 'make', [account])
    const wallet = String(await stage.read(wallets, 'walletOf', [account]))
    const trader = await live.trader(FUNDS_RAW, { account })
    const { profileId } = trader
    const edit = { kind: 'editProfile', profileId, token: null } as const
    await live.exchange.pipeline.change(() => ({ ...edit, profile: { smartWallet: wallet } }))
    // The edges learn of it at a start: over HTTP a wallet is set only with a proof.
    await live.restart()
    const own = { ...trader, key, account }
    let accepted = 0
    for (let count = 0; count < ORDERS; count++) {
      const order = randomOrder(own, rain, { account, wallet }, random)
      const orderType = integer(order.takerAmount) === 1 ? 'FOK' : 'GTC'
      const body = { order, orderType, ownerId: profileId, marketSlug: rain.slug }
      const { status, body: reply } = await live.call(trader, 'POST', '/orders', body)
      const code = String(at(reply, 'code'))
      const isAccepted = status === 201 || code.startsWith('INSUFFICIENT_')
      const isTaken = await stage.read(address, 'validateOrder', [tupleOf(order)]).then(
        () => true,
        () => false,
      )
      const shown = JSON.stringify({ status, code, order })
      assert.equal(isTaken, isAccepted, shown)
      if (isAccepted) accepted++
      if (status === 201) await live.call(trader, 'DELETE', `/orders/all/${rain.slug}`)
    }
    console.log(`${accepted} of ${ORDERS} orders are accepted by both`)
    assert.ok(accepted > ORDERS / 10 && accepted < (ORDERS * 9) / 10)
  } finally {
    await stage.end()
  }
})
