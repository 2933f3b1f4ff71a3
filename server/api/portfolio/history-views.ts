// An act of a profile in replies (rules §9.2).

import type { MoveEvent } from '../../../engine/core/moves/move-events.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { MS_PER_SEC, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { HistoryRow, Place } from '../../../persistence/query/read/portfolio/history.ts'
import type { TradePart } from '../../../persistence/query/read/trade-parts.ts'
import { bytes32, orderId, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  text,
  wholeText,
} from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import type { SharedServices } from '../shared-services.ts'

const STRATEGIES = {
  SPLIT: 'Split',
  MERGE: 'Merge',
  REDEEM: 'Claim',
  CONVERT: 'Convert',
  WITHDRAW: 'Withdraw',
  BUY: 'Buy',
  SELL: 'Sell',
  FUND: 'Add Liquidity',
  DRAIN: 'Remove Liquidity',
} as const

/** Raw units as a human decimal. */
export function decimalOf(raw: number): string {
  const size = Math.abs(raw)
  const whole = Math.floor(size / UNIT_RAW)
  const rest = String(size % UNIT_RAW)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return `${raw < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** The amounts that moved on the account. A fee is taken from the amount received. */
function tradeView(part: TradePart, { seq, leg }: Place, { pipeline }: SharedServices) {
  const { isTaker, side, outcome, feeRaw } = part
  const buys = side === SIDE.BUY
  const sharesRaw = part.sharesRaw - (buys ? feeRaw : 0)
  const collateralRaw = part.collateralRaw - (buys ? 0 : feeRaw)
  const way = buys ? 'Buy' : 'Sell'
  return {
    collateralAmount: decimalOf(collateralRaw),
    outcomeIndex: outcome,
    outcomeTokenAmount: decimalOf(sharesRaw),
    outcomeTokenAmounts: [outcome === 0 ? sharesRaw : 0, outcome === 1 ? sharesRaw : 0].map(
      decimalOf,
    ),
    outcomeTokenPrice: Number((part.collateralRaw / part.sharesRaw).toFixed(6)),
    strategy: `${isTaker ? 'Market' : 'Limit'} ${way}`,
    operation: buys ? ('buy' as const) : ('sell' as const),
    tradeEventId: String(seq),
    orderId: pipeline.ids.text(part.slot, part.generation),
    ...(isTaker ? {} : { makerMatchId: `${seq}-${leg}` }),
  }
}

/** A trade with a pool. Its price includes the fee. */
function poolTradeView({ kind, yesRaw, noRaw, collateralRaw }: MoveEvent) {
  const sharesRaw = Math.abs(yesRaw + noRaw)
  return {
    outcomeIndex: yesRaw === 0 ? 1 : 0,
    outcomeTokenAmount: decimalOf(sharesRaw),
    outcomeTokenPrice: Math.min(1, Number(Math.abs(collateralRaw / sharesRaw).toFixed(6))),
    operation: kind === 'BUY' ? ('buy' as const) : ('sell' as const),
  }
}

function moveView(move: MoveEvent) {
  const { kind, yesRaw, noRaw, collateralRaw, converted } = move
  const shares = converted?.map((each) => each.yesRaw + each.noRaw) ?? [yesRaw, noRaw]
  return {
    ...(kind === 'BUY' || kind === 'SELL' ? poolTradeView(move) : {}),
    collateralAmount: decimalOf(Math.abs(collateralRaw)),
    outcomeTokenAmounts: shares.map((raw) => decimalOf(Math.abs(raw))),
    strategy: STRATEGIES[kind],
  }
}

function marketOf({ market, status, group }: PublishedMarket, { settings }: SharedServices) {
  const { marketId: id, slug: name, title, conditionId, deadlineMs } = market
  const condition = conditionId === '' ? {} : { conditionId }
  const { symbol, address, decimals } = settings.collateral
  return {
    id: String(id),
    slug: name,
    title,
    ...condition,
    funding: '0',
    closed: status === 'RESOLVED',
    collateral: { symbol, id: address, decimals },
    group: group === null ? null : { slug: group.market.slug, title: group.market.title },
    expirationDate: deadlineMs === null ? 'No deadline' : new Date(deadlineMs).toUTCString(),
  }
}

export function viewOf(row: HistoryRow, market: PublishedMarket, services: SharedServices) {
  const actedMs = row.what === 'TRADE' ? row.part.nowMs : row.movedMs
  const own = row.what === 'TRADE' ? tradeView(row.part, row, services) : moveView(row.move)
  return {
    blockTimestamp: Math.floor((row.minedMs ?? actedMs) / MS_PER_SEC),
    market: marketOf(market, services),
    transactionHash: row.txHash,
    ...own,
  }
}

export const entry = () =>
  named(
    'HistoryEntry',
    object({
      blockTimestamp: means(integer(0), 'Unix seconds of its block; of the act until it has one.'),
      market: means(
        object({
          id: means(text(), 'Id of the market as text; for a conversion, of its group.'),
          slug: slug(),
          title: means(text(), 'The question of the market.'),
          conditionId: means(
            optional(bytes32()),
            'Condition id of the market; absent for a group.',
          ),
          funding: means(text(), 'Always 0: the market detail has its liquidity.'),
          closed: means(boolean(), 'True once the market is resolved.'),
          collateral: means(
            object({
              symbol: means(text(), 'Symbol of the collateral token.'),
              id: means(text(), 'Address of the collateral token.'),
              decimals: means(integer(0), 'Decimals of the collateral token.'),
            }),
            'The collateral of the market.',
          ),
          group: means(
            anyOf(
              object({ slug: slug(), title: means(text(), 'Title of the group.') }),
              schemaOf<null>({ type: 'null' }),
            ),
            'The group of the market; null for none.',
          ),
          expirationDate: means(text(), 'When trading ends, as text.'),
        }),
        'The market of the act.',
      ),
      transactionHash: means(nullable(bytes32()), 'Its transaction; null until it is in a block.'),
      collateralAmount: means(wholeText(), 'Collateral moved, in whole units, after the fee.'),
      outcomeIndex: means(optional(integer(0, 1)), 'Outcome of a trade: 0 for YES, 1 for NO.'),
      outcomeTokenAmount: means(optional(wholeText()), 'Shares moved by a trade, after the fee.'),
      outcomeTokenAmounts: means(
        list(wholeText()),
        'Shares moved: YES and NO; for a conversion, those of each child.',
      ),
      outcomeTokenPrice: means(optional(number(0, 1)), 'Average price of a trade, before the fee.'),
      strategy: means(
        text(),
        'Market Buy, Market Sell, Limit Buy, Limit Sell; Buy or Sell with a pool; Split, Merge, ' +
          'Convert, Claim, Add Liquidity or Remove Liquidity.',
      ),
      operation: means(optional(oneOf('buy', 'sell')), 'Whether a trade bought or sold.'),
      tradeEventId: means(optional(uint256Text()), 'Id of a trade, the same for its makers.'),
      orderId: means(optional(orderId()), "The caller's order in a trade."),
      makerMatchId: means(optional(text()), 'Id of a fill as the maker; absent for a taker.'),
    }),
  )

export const HISTORY_MARKET_EXAMPLE = {
  id: String(MARKET_EXAMPLE.id),
  slug: MARKET_EXAMPLE.slug,
  title: MARKET_EXAMPLE.title,
  conditionId: MARKET_EXAMPLE.conditionId,
  funding: '0',
  closed: false,
  collateral: {
    symbol: 'USDC',
    id: MARKET_EXAMPLE.collateralToken.address,
    decimals: 6,
  },
  group: null,
  expirationDate: 'No deadline',
}
