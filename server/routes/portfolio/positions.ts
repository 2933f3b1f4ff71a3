// What a profile has: collateral, shares and open orders (rules §9.1).

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { fillPriceRaw } from '../../../engine/domain/markets/mark.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { costFloorRaw, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { OrderRow } from '../../../persistence/query/read/orders/user-orders.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../http/access/auth-scheme.ts'
import { invalid, refuse } from '../../http/refusal.ts'
import { bytes } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { bytes32, slug, uint256Text } from '../../http/schema/fields.ts'
import { means } from '../../http/schema/meaning.ts'
import { account } from '../../http/schema/profile-fields.ts'
import { boolean, integer, nullable, number, pattern, text } from '../../http/schema/scalars.ts'
import { anyOf, list, object, openObject, optional, schemaOf } from '../../http/schema/schema.ts'
import { price } from '../../pipeline/shown/book-views.ts'
import { poolYesE6 } from '../../pipeline/shown/kept/shown-pools.ts'
import { settlementFields } from '../../pipeline/shown/market-view.ts'
import { marketValueRaw, sideView } from '../../pipeline/shown/position-views.ts'
import { userOrderView } from '../../pipeline/shown/views.ts'
import { workFor } from '../../services/fair-shares.ts'
import type { Holding, Holdings } from '../../services/portfolio/portfolio.ts'
import type { ShownRewards } from '../../services/portfolio/rewards.ts'
import { askerOf } from '../../services/private-reads.ts'
import type { Steps } from '../../services/sliced-work.ts'
import { MARKET_EXAMPLE, USER_ORDER_EXAMPLE } from '../examples.ts'
import type { Services } from '../services.ts'
import { userOrder } from '../shapes.ts'
import { decimalOf } from './history-views.ts'
import { cursorOf, marketIn, pageQuery } from './position-pages.ts'
import {
  allRewards,
  allRewardsView,
  epochsByMarket,
  marketRewards,
  marketRewardsView,
} from './reward-words.ts'

const auth = () => eitherOf(hmac(), sessionOrIdentity()).forSubAccounts()
const none = () => schemaOf<null>({ type: 'null' })
const signed = () => pattern('^-?(0|[1-9][0-9]*)$', 'Raw units as decimal text.')

export const portfolioBalance = route({
  method: 'GET',
  path: '/portfolio/balance',
  auth: auth(),
  lane: 'private',
  about: "The caller's collateral: what is free, what orders reserve, what may be withdrawn.",
  reply: object({
    free: means(signed(), 'What may be spent; below zero when a reversed trade took more.'),
    reserved: means(uint256Text(), 'What is not free: the next two together.'),
    inOrders: means(uint256Text(), 'Reserved by open buys.'),
    parked: means(
      uint256Text(),
      'Stakes of packs that are not over, and what own offers and packs of makers set aside.',
    ),
    withdrawable: means(
      uint256Text(),
      'What a withdrawal may take now; what trades brought counts once they are MINED.',
    ),
    total: means(signed(), 'Free and reserved together.'),
  }),
  means: 'The balance behind everything that the caller was told, in raw units.',
  example: {
    reply: {
      free: '9900000000',
      reserved: '100000000',
      inOrders: '100000000',
      parked: '0',
      withdrawable: '9900000000',
      total: '10000000000',
    },
  },
  handle: async ({ owner }, { portfolio }: Services) => {
    const balance = await portfolio.balance(owner)
    const { freeRaw, reservedRaw: inOrdersRaw, parkedRaw, withdrawableRaw } = balance
    const reservedRaw = inOrdersRaw + parkedRaw
    return {
      free: String(freeRaw),
      reserved: String(reservedRaw),
      inOrders: String(inOrdersRaw),
      parked: String(parkedRaw),
      withdrawable: String(withdrawableRaw),
      total: String(freeRaw + reservedRaw),
    }
  },
})

const side = () =>
  object({
    cost: means(signed(), 'Collateral paid for the shares that are left.'),
    fillPrice: means(uint256Text(), 'Average cost of one share; 0 without shares.'),
    marketValue: means(uint256Text(), 'Worth at the mark: midpoint, last price, payout or cost.'),
    realisedPnl: means(signed(), 'Profit of what was sold or redeemed.'),
    unrealizedPnl: means(signed(), 'Worth less cost.'),
  })

const positionMarket = () =>
  object({
    id: means(integer(1), 'Number of the market.'),
    slug: slug(),
    title: means(text(), 'The question that it asks.'),
    status: means(text(), 'Status of the market, as its detail shows it.'),
    closed: means(boolean(), 'True once the market is resolved.'),
    deadline: means(nullable(text()), 'When trading ends, ISO 8601; null for no deadline.'),
    conditionId: means(bytes32(), 'Condition id, by which its shares are redeemed.'),
    winningOutcomeIndex: means(nullable(integer(0, 1)), 'The outcome that won; null for none.'),
    payoutNumerators: means(
      anyOf(list(integer(0)), none()),
      'Parts that YES and NO get of a payout split; null otherwise.',
    ),
    group: means(
      optional(object({ slug: slug(), title: means(text(), 'Title of the group.') })),
      'The group that the market belongs to; absent for none.',
    ),
  })

const clobPosition = () =>
  object({
    market: means(positionMarket(), 'The market of the shares.'),
    makerAddress: account(),
    positions: means(
      object({
        yes: means(side(), 'Cost and worth of the YES shares.'),
        no: means(side(), 'Cost and worth of the NO shares.'),
      }),
      'Cost and worth of both sides, in raw collateral.',
    ),
    tokensBalance: means(
      object({
        yes: means(signed(), 'YES shares, raw, with what open sells reserve.'),
        no: means(signed(), 'NO shares, raw, with what open sells reserve.'),
      }),
      'How many shares of both sides.',
    ),
    latestTrade: means(
      anyOf(
        object({
          latestYesPrice: means(number(0, 1), 'Price of YES in the last trade.'),
          latestNoPrice: means(number(0, 1), 'Price of NO in that trade.'),
          outcomeTokenPrice: means(number(0, 1), 'The same as latestYesPrice.'),
        }),
        none(),
      ),
      'The last trade of the market; null before the first.',
    ),
    orders: means(
      object({
        liveOrders: means(list(userOrder()), 'Open orders in the market, newest first.'),
        totalCollateralLocked: means(uint256Text(), 'What the shown buys reserve.'),
      }),
      'Open orders of the owner in the market.',
    ),
    rewards: means(marketRewards(), 'Rewards of the owner in the market.'),
  })

const units = () => pattern('^-?(0|[1-9][0-9]*)([.][0-9]{1,6})?$', 'Whole units as decimal text.')

const ammPosition = () =>
  object({
    market: means(positionMarket(), 'The market of the pool.'),
    account: account(),
    outcomeIndex: means(integer(0, 1), 'Outcome that is held: 0 for YES, 1 for NO.'),
    collateralAmount: means(units(), 'What the shares that are left cost.'),
    outcomeTokenAmount: means(units(), 'How many shares are held.'),
    averageFillPrice: means(units(), 'What one of these shares cost on average.'),
    totalBuysCost: means(units(), 'What was spent on this outcome in all, the fees included.'),
    totalSellsCost: means(units(), 'What sales of this outcome gave in all.'),
    realizedPnl: means(units(), 'Profit of what was sold or redeemed already.'),
    unrealizedPnl: means(units(), 'Worth at the mark of the pool, less the cost.'),
    latestTrade: means(
      object({ outcomeTokenPrice: means(units(), 'Price of the outcome in the pool.') }),
      'The price of the pool now.',
    ),
  })

const SIDE_EXAMPLE = {
  cost: '26443299',
  fillPrice: '463918',
  marketValue: '33060000',
  realisedPnl: '5443299',
  unrealizedPnl: '6616701',
}
const NO_SIDE = {
  cost: '0',
  fillPrice: '0',
  marketValue: '0',
  realisedPnl: '0',
  unrealizedPnl: '0',
}
const NO_REWARDS = {
  todaysRewards: '0',
  totalUnpaidRewards: '0',
  totalUserRewardsLastEpoch: '0',
  rewardsByEpoch: [],
  rewardsChartData: [],
}

/** What an open buy reserves: a held buy at market all that it may spend (rules §2.5). */
function lockedRaw({ side: of, marketForm, spendRaw, priceTicks, remainingRaw }: OrderRow): number {
  if (of !== SIDE.BUY) return 0
  return marketForm === 1 ? spendRaw : costFloorRaw(priceTicks, remainingRaw)
}

function marketOf({ market: published }: Holding) {
  const { market, status, group } = published
  const { marketId: id, slug: name, title, conditionId, deadlineMs } = market
  return {
    ...{ id, slug: name, title, status, conditionId },
    closed: status === 'RESOLVED',
    deadline: deadlineMs === null ? null : new Date(deadlineMs).toISOString(),
    ...settlementFields(published),
    ...(group === null ? {} : { group: { slug: group.market.slug, title: group.market.title } }),
  }
}

const isOfBook = ({ market }: Holding) => market.pool === null

/** One row for each outcome of a pool that the owner has shares of; amounts are whole units. */
function ammViews(holding: Holding, owner: ProfileId, { pipeline }: Services) {
  const { market, yes, no, totals } = holding
  if (market.pool === null) return []
  const yesE6 = poolYesE6(market.pool)
  const account = pipeline.clearing.accounts.accountOf(owner) ?? ''
  return [yes, no]
    .filter(({ sizeRaw }) => sizeRaw !== 0)
    .map((row) => {
      const { outcome } = row
      const total = totals.find((each) => each.outcome === outcome)
      return {
        market: marketOf(holding),
        account,
        outcomeIndex: outcome,
        collateralAmount: decimalOf(row.costRaw),
        outcomeTokenAmount: decimalOf(row.sizeRaw),
        averageFillPrice: decimalOf(fillPriceRaw(row)),
        totalBuysCost: decimalOf(total?.boughtRaw ?? 0),
        totalSellsCost: decimalOf(total?.soldRaw ?? 0),
        realizedPnl: decimalOf(row.realisedRaw),
        unrealizedPnl: decimalOf(marketValueRaw(row, market) - row.costRaw),
        latestTrade: { outcomeTokenPrice: decimalOf(outcome === 0 ? yesE6 : UNIT_RAW - yesE6) },
      }
    })
}

function clobView(
  holding: Holding,
  owner: ProfileId,
  epochs: ReturnType<typeof epochsByMarket>,
  { pipeline }: Services,
) {
  const { market, yes, no, orders } = holding
  const { lastYesTicks } = market
  const latestYesPrice = price(lastYesTicks)
  const latest = { latestYesPrice, latestNoPrice: price(1000 - lastYesTicks) }
  const locked = orders.reduce((sum, row) => sum + lockedRaw(row), 0)
  return {
    market: marketOf(holding),
    makerAddress: pipeline.clearing.accounts.accountOf(owner) ?? '',
    positions: { yes: sideView(yes, market), no: sideView(no, market) },
    tokensBalance: { yes: String(yes.sizeRaw), no: String(no.sizeRaw) },
    latestTrade: lastYesTicks === 0 ? null : { ...latest, outcomeTokenPrice: latestYesPrice },
    orders: {
      liveOrders: orders.map((row) => userOrderView(row, market, pipeline.ids)),
      totalCollateralLocked: String(locked),
    },
    rewards: marketRewardsView(holding, epochs),
  }
}

interface Shown {
  readonly found: Holdings
  readonly earned: ShownRewards
  readonly owner: ProfileId
  readonly services: Services
}

/** Encodes a page, one market in a step: a page of all of them at once would stop every order. */
function* positionsText({ found, earned, owner, services }: Shown): Steps<string> {
  const epochs = epochsByMarket(earned)
  const [amm, clob]: [string[], string[]] = [[], []]
  for (const holding of found.all) {
    for (const view of ammViews(holding, owner, services)) amm.push(JSON.stringify(view))
    if (isOfBook(holding)) clob.push(JSON.stringify(clobView(holding, owner, epochs, services)))
    yield
  }
  const rest = JSON.stringify({
    group: [],
    isWhole: found.isWhole,
    nextCursor: found.nextId === null ? null : cursorOf(found.nextId),
    points: '0',
    accumulativePoints: '0',
    rewards: allRewardsView(earned),
  })
  return `{"amm":[${amm.join(',')}],"clob":[${clob.join(',')}],${rest.slice(1)}`
}

export const portfolioPositions = route({
  method: 'GET',
  path: '/portfolio/positions',
  auth: auth(),
  lane: 'private',
  about: "The caller's shares and open orders in each market, with their cost and worth.",
  query: pageQuery(),
  reply: object({
    amm: means(list(ammPosition()), 'A row for each outcome that is held of a pool.'),
    clob: means(list(clobPosition()), 'A row for each market, newest markets first.'),
    group: means(list(openObject({})), 'Always empty: children of groups stand in clob.'),
    isWhole: means(
      boolean(),
      'False when the caller has markets on other pages, or more than ' +
        `${MOVE_LIMITS.heldOrdersMax} open orders: the newest orders are shown.`,
    ),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last one.'),
    points: means(text(), 'Always 0: no points are counted.'),
    accumulativePoints: means(text(), 'Always 0, as are points.'),
    rewards: means(allRewards(), 'Rewards of the caller.'),
  }),
  means: 'What the caller holds behind everything that it was told.',
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    reply: {
      amm: [],
      clob: [
        {
          market: {
            id: MARKET_EXAMPLE.id,
            slug: MARKET_EXAMPLE.slug,
            title: MARKET_EXAMPLE.title,
            status: MARKET_EXAMPLE.status,
            closed: false,
            deadline: null,
            conditionId: MARKET_EXAMPLE.conditionId,
            winningOutcomeIndex: null,
            payoutNumerators: null,
          },
          makerAddress: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
          positions: { yes: SIDE_EXAMPLE, no: NO_SIDE },
          tokensBalance: { yes: '57000000', no: '0' },
          latestTrade: { latestYesPrice: 0.6, latestNoPrice: 0.4, outcomeTokenPrice: 0.6 },
          orders: { liveOrders: [USER_ORDER_EXAMPLE], totalCollateralLocked: '5200000' },
          rewards: { epochs: [], isEarning: false },
        },
      ],
      group: [],
      isWhole: true,
      nextCursor: null,
      points: '0',
      accumulativePoints: '0',
      rewards: NO_REWARDS,
    },
  },
  handle: async ({ query, owner, caller, call }, services: Services) => {
    const asker = askerOf({ caller, call })
    const { limit, cursor = '', market: named } = query
    const beforeId = marketIn(cursor)
    if (beforeId === null) {
      return invalid({
        field: 'cursor',
        message: 'is not a cursor of this list; send one that a page gave, or none',
      })
    }
    const one = named === undefined ? null : await services.archive.bySlug(named, asker)
    if (one === undefined) return refuse('READ_TIMEOUT')
    if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
    const page = { beforeId, limit, marketId: one?.market.marketId ?? null }
    const found = await services.portfolio.holdings(owner, page, asker)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const earned = await services.rewards.of(owner, found.all, asker)
    if (earned === undefined) return refuse('READ_TIMEOUT')
    const { slices, pipeline } = services
    const steps = positionsText({ found, earned, owner, services })
    const shown = await slices.run(workFor(asker, pipeline), steps)
    return shown === null ? refuse('READ_TIMEOUT') : bytes(shown)
  },
})
