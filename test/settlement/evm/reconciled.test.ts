import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FEE_ACCOUNT } from '../../../engine/domain/ids.ts'
import type { ClientOrder } from '../../../server/edge/intake/order/client-order.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { EvmStage, FEE_RECEIVER, tradeOf } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { flagsOf } from '../../support/flags.ts'
import { at } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import { type LiveMarket, signedFor, unsigned } from '../../support/live-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'

// Random trades of the exchange, settled by the contracts: afterwards every account has in its
// wallet what the ledger says, to the raw unit.

const FUNDS_RAW = 1_000_000_000
const ORDERS = 240
const TRADES_PER_CALL = 16
/** For a taker, and for each maker. */
const GAS_EACH = 400_000n

type TradeTuple = ReturnType<typeof tradeOf>

/** Sends random orders, and gives the trades that they make. */
async function traded(
  live: LiveExchange,
  traders: readonly Trader[],
  markets: readonly LiveMarket[],
  random: Random,
): Promise<TradeTuple[]> {
  const orders = new Map<string, ClientOrder>()
  const trades: TradeTuple[] = []
  for (let count = 0; count < ORDERS; count++) {
    const trader = random.pick(traders)
    const market = random.pick(markets)
    const side = random.pick(['buy', 'buy', 'sell'] as const)
    const outcome = random.pick([0, 1] as const)
    const ticks = random.between(400, 600)
    const sizeRaw = random.between(1, 20_000) * 1000
    const limit = unsigned(trader, market, { side, outcome, ticks, sizeRaw })
    const type = random.pick(['GTC', 'GTC', 'GTC', 'FAK', 'FOK'])
    const isMarket = type === 'FOK' && random.chance(0.7)
    const odd = random.between(1, 5_000_000)
    const terms = isMarket ? { ...limit, makerAmount: odd, takerAmount: 1 } : limit
    const order = signedFor(terms, trader, market)
    const { status, body, text } = await live.call(trader, 'POST', '/orders', {
      order,
      orderType: type,
      ownerId: trader.profileId,
      marketSlug: market.slug,
    })
    if (status !== 201) {
      assert.equal(at(body, 'code'), 'INSUFFICIENT_SHARES', text)
      continue
    }
    orders.set(String(at(body, 'order', 'id')), order)
    const matches = at(body, 'makerMatches')
    assert.ok(Array.isArray(matches))
    if (matches.length === 0) continue
    const makers = matches.map((match) => {
      const maker = orders.get(String(at(match, 'orderId')))
      assert.ok(maker !== undefined)
      return [maker, Number(at(match, 'matchedSize'))] as const
    })
    const totals = at(body, 'execution', 'totalsRaw')
    const feeRaw = Number(at(totals, side === 'buy' ? 'contractsFee' : 'usdFee'))
    trades.push(tradeOf(Number(at(body, 'execution', 'tradeEventId')), order, makers, feeRaw))
  }
  return trades
}

test('the contracts move what the ledger moved', { skip: anvilSkip }, async () => {
  const random = new Random(freshSeed())
  const stage = await EvmStage.open()
  try {
    const { live, ann, ben, cid, free, fees } = await exchange({
      flags: flagsOf({
        'exchange-address': stage.at.exchange,
        'collateral-address': stage.at.collateral,
      }),
      traders: ['ann', 'ben', 'cid'],
      markets: { free: {}, fees: { fee: true } },
      fundsRaw: FUNDS_RAW,
    })
    const traders = [ann, ben, cid]
    const markets = [free, fees]
    for (const { slug, tokens } of markets) {
      const { yes, no } = await stage.prepareMarket(slug)
      assert.deepEqual([yes, no], tokens, 'the chain derives the same token ids')
    }
    for (const { account } of traders) await stage.fund(account, FUNDS_RAW)
    const trades = await traded(live, traders, markets, random)
    assert.ok(trades.length > ORDERS / 10, `${trades.length} trades`)
    let gas = 0n
    for (let from = 0; from < trades.length; from += TRADES_PER_CALL) {
      const part = trades.slice(from, from + TRADES_PER_CALL)
      const { gasUsed, events } = await stage.send(stage.at.exchange, 'matchTrades', [
        part,
        GAS_EACH,
      ])
      gas += gasUsed
      const settled = events.flatMap(({ eventName, args }) => {
        assert.notEqual(eventName, 'TradeFailed', JSON.stringify(at(args, 'reason')))
        return eventName === 'TradeSettled' ? [at(args, 'id')] : []
      })
      assert.deepEqual(
        settled,
        part.map(({ id }) => id),
      )
    }
    console.log(`${trades.length} trades, ${Number(gas) / trades.length} gas each`)
    const { ledger, catalogue } = live.exchange.pipeline.clearing
    for (const trader of traders) {
      const { freeRaw, reservedRaw } = live.balances(trader)
      assert.equal(await stage.collateralOf(trader.account), BigInt(freeRaw + reservedRaw))
    }
    assert.equal(await stage.collateralOf(FEE_RECEIVER), BigInt(ledger.freeRaw(FEE_ACCOUNT)))
    for (const { slug, tokens } of markets) {
      const market = catalogue.bySlug(slug)
      assert.ok(market !== undefined)
      for (const [outcome, token] of tokens.entries()) {
        for (const { account, profileId } of traders) {
          const place: number = ledger.rows.find(profileId, market.marketId) * 2 + outcome
          const heldRaw: number = ledger.sharesFreeRaw[place] + ledger.sharesReservedRaw[place]
          assert.equal(await stage.sharesOf(account, token), BigInt(heldRaw))
        }
        const feesRaw = ledger.freeSharesRaw(FEE_ACCOUNT, market.marketId, outcome)
        assert.equal(await stage.sharesOf(FEE_RECEIVER, token), BigInt(feesRaw))
      }
    }
  } finally {
    await stage.end()
  }
})
