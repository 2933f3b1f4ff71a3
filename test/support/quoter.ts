import { type ExchangeClient, SHARE, type TestMarket, type Trader } from './exchange-client.ts'

// A trader with an order in each of many markets: to cancel all orders takes a command each.

/** One cancel each: more cancels than main puts into the rings before it shows them to the disk. */
export const QUOTED = 140

/** The whole collateral of the trader, reserved for its quotes or free. */
export const QUOTER_RAW = QUOTED * SHARE

export const QUOTE = {
  isBuy: true,
  outcome: 'yes',
  ticks: 500,
  sizeRaw: SHARE,
  type: 'GTC',
} as const

export async function makeQuoter(
  client: ExchangeClient,
): Promise<{ trader: Trader; markets: TestMarket[] }> {
  const trader = await client.makeTrader('quoter', QUOTER_RAW)
  const markets: TestMarket[] = []
  for (let index = 0; index < QUOTED; index++) {
    markets.push(await client.makeMarket(`quoted-${index}`, false))
  }
  await Promise.all(
    markets.map((market, index) => client.placed(trader, market, { ...QUOTE, salt: index + 1 })),
  )
  return { trader, markets }
}
