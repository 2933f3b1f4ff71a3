// The fees of takers and makers, with example trades (rules §3). They change only with a version.

import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../../engine/core/money/taker-fee.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { costCeilRaw, PRICE_ONE_TICKS } from '../../../engine/domain/units.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { integer, means, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { paidFeeBps } from '../../exchange/order-entry/order-reply.ts'
import { RANKS } from '../accounts/ranks.ts'
import type { SystemServices } from './services.ts'

const MAKER_FEE_BPS = 0
const EXAMPLE_RATE_BPS = RANKS[0].feeRateBps
const EXAMPLE_SHARES_RAW = 100_000_000
const EXAMPLE_TICKS = [1, 100, 250, 500, 600, 750, 900, 999]

const TAKER_FEE = {
  buy: 'floor(b * min(c, n - c) * n / (c * 10000))',
  sell: 'floor(b * min(c, n - c) / 10000)',
  where:
    'b is the fee rate in basis points; n is the raw shares and c the raw collateral of all fills' +
    ' of the taker order together',
}

/** The fee of an example trade, computed by the functions that charge it. */
function worked(side: 'BUY' | 'SELL', ticks: number) {
  const collateralRaw = costCeilRaw(ticks, EXAMPLE_SHARES_RAW)
  const isBuy = side === 'BUY'
  const feeOf = isBuy ? buyFeeSharesRaw : sellFeeCollateralRaw
  const feeRaw = feeOf(EXAMPLE_RATE_BPS, collateralRaw, EXAMPLE_SHARES_RAW)
  const fills = {
    filledSharesRaw: EXAMPLE_SHARES_RAW,
    filledCollateralRaw: collateralRaw,
    feeRaw,
  }
  return {
    side,
    price: ticks / PRICE_ONE_TICKS,
    shares: String(EXAMPLE_SHARES_RAW),
    collateral: String(collateralRaw),
    feeRateBps: EXAMPLE_RATE_BPS,
    ...(isBuy ? { feeContracts: String(feeRaw) } : { feeCollateral: String(feeRaw) }),
    effectiveFeeBps: paidFeeBps(SIDE[side], fills),
  }
}

const SCHEDULE = {
  ranks: RANKS,
  takerFee: TAKER_FEE,
  makerFeeBps: MAKER_FEE_BPS,
  examples: (['BUY', 'SELL'] as const).flatMap((side) =>
    EXAMPLE_TICKS.map((ticks) => worked(side, ticks)),
  ),
}
const SCHEDULE_BYTES = Buffer.from(JSON.stringify(SCHEDULE))

const rank = () =>
  object({
    id: means(integer(1), 'Id of the rank, 1 for the lowest.'),
    name: means(text(), 'Name of the rank.'),
    feeRateBps: means(integer(0), 'Rate that a taker of this rank signs, in basis points.'),
  })

const takerFee = () =>
  object({
    buy: means(text(), 'Fee of a buy in raw shares, taken from the shares bought.'),
    sell: means(text(), 'Fee of a sell in raw collateral, taken from the proceeds.'),
    where: means(text(), 'Meaning of the letters of both formulas.'),
  })

const example = () =>
  object({
    side: means(oneOf('BUY', 'SELL'), 'Whether the taker buys or sells.'),
    price: means(number(0, 1), 'Average price of its fills, including price improvement.'),
    shares: means(uint256Text(), 'Raw shares traded.'),
    collateral: means(uint256Text(), 'Raw collateral traded.'),
    feeRateBps: means(integer(0), 'Signed rate, in basis points.'),
    feeContracts: means(optional(uint256Text()), 'Fee of a buy in raw shares; absent for a sell.'),
    feeCollateral: means(
      optional(uint256Text()),
      'Fee of a sell in raw collateral; absent for a buy.',
    ),
    effectiveFeeBps: means(
      integer(0),
      'Fee in basis points of the amount received, rounded half up.',
    ),
  })

export const fees = route({
  method: 'GET',
  path: '/fees',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the fee schedule: the rates of all ranks, the fee formula, and example trades.',
  reply: object({
    ranks: means(list(rank()), 'All ranks; a profile may have a lower individual rate.'),
    takerFee: means(takerFee(), 'Formula of the taker fee, computed once for the whole trade.'),
    makerFeeBps: means(integer(0), 'Maker fee in basis points, whatever rate it signed.'),
    examples: means(list(example()), 'Example taker trades with the charged fees.'),
  }),
  means: 'The schedule for markets with fees; the others charge none.',
  example: { reply: SCHEDULE },
  handle: (_input, _services: SystemServices) => bytes(SCHEDULE_BYTES),
})
