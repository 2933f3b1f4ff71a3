import assert from 'node:assert/strict'
import type { EvmStage } from './evm-stage.ts'
import type { Trader as ChainTrader, ExchangeClient } from './exchange-client.ts'
import { at } from './json-path.ts'
import type { LiveExchange, Trader } from './live-exchange.ts'
import { type LiveMarket, signedFor, unsigned } from './live-orders.ts'
import type { Random } from './random.ts'
import { until } from './until.ts'

// Random trades of a live exchange, and what wallets have after they settled on a chain.

export const RANDOM_ORDERS = 240

/** Sends random orders; the seqs of the trades that they make. */
export async function randomTrades(
  live: LiveExchange,
  traders: readonly Trader[],
  markets: readonly LiveMarket[],
  random: Random,
): Promise<string[]> {
  const trades: string[] = []
  for (let count = 0; count < RANDOM_ORDERS; count++) {
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
    const { status, body, text } = await live.call(trader, 'POST', '/orders', {
      order: signedFor(terms, trader, market),
      orderType: type,
      ownerId: trader.profileId,
      marketSlug: market.slug,
    })
    if (status !== 201) {
      assert.equal(at(body, 'code'), 'INSUFFICIENT_SHARES', text)
      continue
    }
    const matches = at(body, 'makerMatches')
    assert.ok(Array.isArray(matches))
    if (matches.length > 0) trades.push(String(at(body, 'execution', 'tradeEventId')))
  }
  return trades
}

/** Gives traders collateral on the chain, and waits until the exchange has seen it. */
export function fundTraders(
  stage: EvmStage,
  live: LiveExchange,
  traders: readonly Trader[],
  fundsRaw: number,
): Promise<void> {
  return stage.fundAll(live.exchange.pipeline.clearing, traders, fundsRaw)
}

/** The same over HTTP. */
export async function fundTradersAt(
  stage: EvmStage,
  client: ExchangeClient,
  traders: readonly ChainTrader[],
  fundsRaw: number,
): Promise<void> {
  for (const { account } of traders) await stage.fund(account, fundsRaw)
  for (const trader of traders) {
    await until(async () => {
      // What is upon a block makes it final.
      await stage.anvil.client.mine({ blocks: 1 })
      const { body } = await client.call(trader, 'GET', '/portfolio/trading/allowance')
      return Number(at(body, 'allowance')) >= fundsRaw
    })
  }
}

/** Asserts that wallets hold what the ledger says. */
export function assertReconciled(
  stage: EvmStage,
  live: LiveExchange,
  traders: readonly Trader[],
  markets: readonly LiveMarket[],
  feesBeforeRaw = 0n,
): Promise<void> {
  const { clearing } = live.exchange.pipeline
  const named = markets.map(({ slug, tokens }) => {
    const market = clearing.catalogue.bySlug(slug)
    assert.ok(market !== undefined)
    return { id: market.marketId, tokens }
  })
  return stage.assertReconciled(clearing, traders, named, feesBeforeRaw)
}
