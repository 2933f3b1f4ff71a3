import { signedBy, signedOrder, type TestMarket, type Trader } from '../support/exchange-client.ts'

// Orders that are signed already, for drivers whose language has no EIP-712 signature at hand.

const SHARE = 1_000_000
const WRONG_FEE_BPS = 100

/** Bids for YES that rest, by name, as JSON text; the first is signed with a wrong fee rate. */
export function signedOrders(trader: Trader, market: TestMarket): string {
  const bid = { isBuy: true, outcome: 'yes', sizeRaw: 10 * SHARE } as const
  const first = signedOrder(trader, market, { ...bid, ticks: 210, salt: 2 ** 44 })
  const wrongFee = signedBy(trader, market, { ...first, feeRateBps: WRONG_FEE_BPS })
  const shown = Object.entries({ wrongFee, first }).map(([name, order]) => {
    const { salt, makerAmount, takerAmount, signature, feeRateBps } = order
    const amounts = { makerAmount: String(makerAmount), takerAmount: String(takerAmount) }
    return [name, { salt: String(salt), ...amounts, signature, feeRateBps }]
  })
  return JSON.stringify(Object.fromEntries(shown))
}
