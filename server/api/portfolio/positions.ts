// The holdings of a profile: collateral, shares and open orders (rules §9.1).

import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { fillPriceRaw } from '../../../engine/domain/markets/mark.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import { costFloorRaw, PRICE_ONE_TICKS, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { OrderRow } from '../../../persistence/query/read/orders/user-orders.ts'
import { realised } from '../../../persistence/query/read/portfolio/realised.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, lasting } from '../../edge/http/caching/cache.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { account, bytes32, isoTime, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  pattern,
  rawText,
  text,
  wholeText,
} from '../../edge/http/schema/scalars.ts'
import {
  anyOf,
  type Infer,
  list,
  object,
  openObject,
  optional,
  schemaOf,
} from '../../edge/http/schema/schema.ts'
import { midTicks, price } from '../../exchange/read-model/book-views.ts'
import { NO_DEADLINE_MS, settlementFields } from '../../exchange/read-model/market-view.ts'
import { poolYesE6 } from '../../exchange/read-model/pool-views.ts'
import { marketValueRaw, sideView } from '../../exchange/read-model/position-views.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { userOrderView } from '../../exchange/read-model/views.ts'
import { isoText } from '../../messages/iso-text.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { profileOf } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { USER_ORDER_EXAMPLE, userOrder } from '../orders/order-shapes.ts'
import { publicRequester, type Requester, requesterOf, workFor } from '../reads/private-reads.ts'
import type { Steps } from '../reads/sliced-work.ts'
import { decimalOf } from './history.ts'
import { type HeldSum, type Holding, type Holdings, NEWEST_ID } from './portfolio.ts'
import {
  allRewards,
  allRewardsView,
  epochsByMarket,
  marketRewards,
  marketRewardsView,
  type ShownRewards,
} from './rewards.ts'
import type { PortfolioServices } from './services.ts'

// The totals of all positions of a profile, in the form that the public client reads (rules §9.1).

export const SUMMARY_EXAMPLE = {
  totalValue: 33_060_000,
  totalCostBasis: 26_443_299,
  totalUnrealizedPnl: 6_616_701,
  totalRealizedPnl: 5_443_299,
  totalUnrealizedPnlPercent: 25.02,
  totalUnpaidRewards: 0,
  positionCount: 1,
  marketCount: 1,
  breakdown: {
    clob: { positions: 1, value: 33_060_000, pnl: 6_616_701 },
    amm: { positions: 0, value: 0, pnl: 0 },
  },
}

/** The owner's totals with the public client's types: raw collateral as numbers. */
export const summaryShape = () =>
  object({
    totalValue: means(integer(0), 'Value of all shares at their marks, in raw collateral.'),
    totalCostBasis: means(integer(), 'Cost of these shares, in raw collateral.'),
    totalUnrealizedPnl: means(integer(), 'Value minus cost, raw.'),
    totalRealizedPnl: means(integer(), 'All-time profit of shares sold, merged or redeemed, raw.'),
    totalUnrealizedPnlPercent: means(number(), 'Unrealised profit in percent of the cost.'),
    totalUnpaidRewards: means(integer(0), 'Raw rewards earned and not yet paid.'),
    positionCount: means(integer(0), 'Number of outcomes held.'),
    marketCount: means(
      integer(0, MOVE_LIMITS.heldMarketsMax),
      `Number of markets with shares; only the newest ${MOVE_LIMITS.heldMarketsMax} are counted.`,
    ),
    breakdown: means(
      object({
        clob: means(partShape(), 'Shares in markets with a book.'),
        amm: means(partShape(), 'Shares in markets with a pool.'),
      }),
      'The same by kind of market.',
    ),
  })

const partShape = () =>
  object({
    positions: means(integer(0), 'Number of outcomes held in markets of this kind.'),
    value: means(integer(0), 'Value of the shares at their marks, in raw collateral.'),
    pnl: means(integer(), 'Value minus cost, raw.'),
  })

export type Summary = Infer<ReturnType<typeof summaryShape>>

const PERCENT_DECIMALS = 100

function percentOf(partRaw: number, wholeRaw: number): number {
  if (wholeRaw === 0) return 0
  return Math.round((partRaw / wholeRaw) * 100 * PERCENT_DECIMALS) / PERCENT_DECIMALS
}

function partOf({ worthRaw, costRaw, count }: HeldSum) {
  return { positions: count, value: worthRaw, pnl: worthRaw - costRaw }
}

/** Undefined on a read timeout. */
export async function summaryOf(
  owner: ProfileId,
  earned: ShownRewards,
  requester: Requester,
  { portfolio, reads, clock }: PortfolioServices,
): Promise<Summary | undefined> {
  const sums = await portfolio.sums(owner, requester)
  const total = { owner, nowMs: clock(), stepHours: 1, steps: 1, pointsMax: 2, wantsMarkets: false }
  const gained = await reads.read(realised, total, requester)
  if (sums === undefined || gained === undefined) return undefined
  const { books, pools, marketCount } = sums
  const totalValue = books.worthRaw + pools.worthRaw
  const totalCostBasis = books.costRaw + pools.costRaw
  const totalUnrealizedPnl = totalValue - totalCostBasis
  return {
    totalValue,
    totalCostBasis,
    totalUnrealizedPnl,
    totalRealizedPnl: gained.points.at(-1)?.totalRaw ?? 0,
    totalUnrealizedPnlPercent: percentOf(totalUnrealizedPnl, totalCostBasis),
    totalUnpaidRewards: Number(allRewardsView(earned).totalUnpaidRewards),
    positionCount: books.count + pools.count,
    marketCount,
    breakdown: { clob: partOf(books), amm: partOf(pools) },
  }
}

// Pages of positions: newest markets first, by a cursor that holds the last market of its page.

const PAGE_MAX = MOVE_LIMITS.heldPageMax
const CURSOR_CHARACTERS_MAX = 40
const CURSOR = /^m([1-9][0-9]{0,15})$/

export const pageQuery = (pageMax: number = PAGE_MAX) => ({
  limit: means(defaulted(integer(1, pageMax), pageMax), 'Maximum markets per page.'),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page; absent or empty for the first page.',
  ),
  market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
})

export function cursorOf(marketId: MarketId): string {
  return Buffer.from(`m${marketId}`).toString('base64url')
}

/** The market before which a page begins; null for a text that is not a cursor of positions. */
export function marketIn(cursor: string): MarketId | null {
  if (cursor === '') return NEWEST_ID
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  if (stated === null) return null
  const marketId = Number(stated[1])
  return cursorOf(marketId) === cursor ? marketId : null
}

const auth = () => eitherOf(hmac(), sessionOrIdentity()).forSubAccounts()
/** Typed clients read text here, and others a date, so a market without a deadline has one too. */
const NO_DEADLINE = isoText(NO_DEADLINE_MS)
const none = () => schemaOf<null>({ type: 'null' })

export const portfolioBalance = route({
  method: 'GET',
  path: '/portfolio/balance',
  auth: auth(),
  rateClass: 'private',
  about: "Returns the caller's collateral: free, reserved by orders, and withdrawable.",
  reply: object({
    free: means(rawText(), 'Available to spend; negative if a reversed trade took more.'),
    reserved: means(uint256Text(), 'Not free: the sum of the next two.'),
    inOrders: means(uint256Text(), 'Reserved by open buys.'),
    parked: means(
      uint256Text(),
      "Stakes of open packs, and the reserves of the caller's own offers and packs as a maker.",
    ),
    withdrawable: means(
      uint256Text(),
      'Withdrawable now; the proceeds of trades are included once they are MINED.',
    ),
    total: means(rawText(), 'Sum of free and reserved.'),
  }),
  means: 'The balance after everything published to the caller, in raw units.',
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
  handle: async ({ owner }, { portfolio }: PortfolioServices) => {
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
  named(
    'PositionSide',
    object({
      cost: means(rawText(), 'Cost of the remaining shares, in collateral.'),
      fillPrice: means(uint256Text(), 'Average cost of one share; 0 without shares.'),
      marketValue: means(
        uint256Text(),
        'Raw value at the mark: midpoint, last price, payout or cost.',
      ),
      realisedPnl: means(rawText(), 'Profit of shares sold or redeemed.'),
      unrealizedPnl: means(rawText(), 'Value minus cost.'),
    }),
  )

const positionMarket = () =>
  named(
    'PositionMarket',
    object({
      id: means(integer(1), 'Id of the market.'),
      slug: slug(),
      title: means(text(), 'The question of the market.'),
      status: means(text(), 'Status of the market, as in its detail.'),
      closed: means(boolean(), 'True once the market is resolved.'),
      deadline: means(isoTime(), `When trading ends; ${NO_DEADLINE} without a deadline.`),
      conditionId: means(bytes32(), 'Condition id, used to redeem its shares.'),
      winningOutcomeIndex: means(nullable(integer(0, 1)), 'The outcome that won; null for none.'),
      payoutNumerators: means(
        anyOf(list(integer(0)), none()),
        'Payout parts of YES and NO if the payout is split; otherwise null.',
      ),
      group: means(
        optional(object({ slug: slug(), title: means(text(), 'Title of the group.') })),
        'The group of the market; absent for none.',
      ),
    }),
  )

/** The public view of shares in a market with a book. */
const heldShares = () => ({
  market: means(positionMarket(), 'The market of the shares.'),
  makerAddress: account(),
  positions: means(
    object({
      yes: means(side(), 'Cost and value of the YES shares.'),
      no: means(side(), 'Cost and value of the NO shares.'),
    }),
    'Cost and value of both sides, in raw collateral.',
  ),
  tokensBalance: means(
    object({
      yes: means(rawText(), 'YES shares, raw, including the reserves of open sells.'),
      no: means(rawText(), 'NO shares, raw, including the reserves of open sells.'),
    }),
    'Number of shares of both sides.',
  ),
  latestTrade: means(
    object({
      latestYesPrice: means(number(0, 1), 'Price of YES in the last trade.'),
      latestNoPrice: means(number(0, 1), 'Price of NO in that trade.'),
      outcomeTokenPrice: means(number(0, 1), 'The same as latestYesPrice.'),
    }),
    'The last trade of the market; before the first, the midpoint of its book.',
  ),
})

const clobPosition = () =>
  named(
    'ClobPosition',
    object({
      ...heldShares(),
      orders: means(
        object({
          liveOrders: means(list(userOrder()), 'Open orders in the market, newest first.'),
          totalCollateralLocked: means(uint256Text(), 'Reserves of the listed buys.'),
        }),
        "The owner's open orders in the market.",
      ),
      rewards: means(marketRewards(), "The owner's rewards in the market."),
    }),
  )

const ammPosition = () =>
  named(
    'AmmPosition',
    object({
      market: means(positionMarket(), 'The market of the pool.'),
      account: account(),
      outcomeIndex: means(integer(0, 1), 'Outcome held: 0 for YES, 1 for NO.'),
      collateralAmount: means(wholeText(), 'Cost of the remaining shares.'),
      outcomeTokenAmount: means(wholeText(), 'Number of shares held.'),
      averageFillPrice: means(wholeText(), 'Average cost of one of these shares.'),
      totalBuysCost: means(wholeText(), 'Total spent on this outcome, including fees.'),
      totalSellsCost: means(wholeText(), 'Total proceeds of sales of this outcome.'),
      realizedPnl: means(wholeText(), 'Profit of shares sold or redeemed.'),
      unrealizedPnl: means(wholeText(), 'Value at the mark of the pool, minus cost.'),
      latestTrade: means(
        object({ outcomeTokenPrice: means(wholeText(), 'Price of the outcome in the pool.') }),
        'The current price of the pool.',
      ),
    }),
  )

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

/** The reserve of an open buy: for a delayed market buy all that it may spend (rules §2.5). */
function lockedRaw({ side: of, marketForm, spendRaw, priceTicks, remainingRaw }: OrderRow): number {
  if (of !== SIDE.BUY) return 0
  return marketForm === 1 ? spendRaw : costFloorRaw(priceTicks, remainingRaw)
}

function marketOf({ market: published }: Holding) {
  const { market, status, group } = published
  const { marketId: id, slug: name, title, conditionId, deadlineMs } = market
  return {
    id,
    slug: name,
    title,
    status,
    conditionId,
    closed: status === 'RESOLVED',
    deadline: deadlineMs === null ? NO_DEADLINE : isoText(deadlineMs),
    ...settlementFields(published),
    ...(group === null ? {} : { group: { slug: group.market.slug, title: group.market.title } }),
  }
}

const isOfBook = ({ market }: Holding) => market.pool === null

/** One row per outcome of a pool that the owner holds; amounts are in whole units. */
function ammViews(holding: Holding, owner: ProfileId, { pipeline }: PortfolioServices) {
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

/** YES price of the last trade; before the first, the midpoint of the book. */
function latestTicksOf({ lastYesTicks, depth }: PublishedMarket): number {
  return lastYesTicks === 0 ? midTicks(depth.bestBid(), depth.bestAsk()) : lastYesTicks
}

function sharesView(holding: Holding, owner: ProfileId, { pipeline }: PortfolioServices) {
  const { market, yes, no } = holding
  const latestTicks = latestTicksOf(market)
  const latestYesPrice = price(latestTicks)
  const latestNoPrice = price(PRICE_ONE_TICKS - latestTicks)
  return {
    market: marketOf(holding),
    makerAddress: pipeline.clearing.accounts.accountOf(owner) ?? '',
    positions: { yes: sideView(yes, market), no: sideView(no, market) },
    tokensBalance: { yes: String(yes.sizeRaw), no: String(no.sizeRaw) },
    latestTrade: { latestYesPrice, latestNoPrice, outcomeTokenPrice: latestYesPrice },
  }
}

function clobView(
  holding: Holding,
  owner: ProfileId,
  epochs: ReturnType<typeof epochsByMarket>,
  services: PortfolioServices,
) {
  const { market, orders } = holding
  const { ids } = services.pipeline
  const locked = orders.reduce((sum, row) => sum + lockedRaw(row), 0)
  return {
    ...sharesView(holding, owner, services),
    orders: {
      liveOrders: orders.map((row) => userOrderView(row, market, ids)),
      totalCollateralLocked: String(locked),
    },
    rewards: marketRewardsView(holding, epochs),
  }
}

interface Shown {
  readonly found: Holdings
  readonly earned: ShownRewards
  /** Null on later pages, and on the page of one market. */
  readonly summary: Summary | null
  readonly owner: ProfileId
  readonly services: PortfolioServices
}

/** Encodes a page, one market per step: encoding all of them at once would block every order. */
function* positionsText({ found, earned, summary, owner, services }: Shown): Steps<string> {
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
    ...(summary === null ? {} : { summary }),
  })
  return `{"amm":[${amm.join(',')}],"clob":[${clob.join(',')}],${rest.slice(1)}`
}

export const portfolioPositions = route({
  method: 'GET',
  path: '/portfolio/positions',
  auth: auth(),
  rateClass: 'private',
  about: "Returns the caller's shares and open orders in each market, with cost and value.",
  query: pageQuery(),
  reply: object({
    amm: means(list(ammPosition()), 'One row per outcome held in a pool.'),
    clob: means(list(clobPosition()), 'One row per market, newest markets first.'),
    group: means(list(openObject({})), 'Always empty: children of groups are in clob.'),
    isWhole: means(
      boolean(),
      'False if the caller has markets on other pages, or more than ' +
        `${MOVE_LIMITS.heldOrdersMax} open orders, of which the newest are listed.`,
    ),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
    points: means(text(), 'Always 0: points are not counted.'),
    accumulativePoints: means(text(), 'Always 0, like points.'),
    rewards: means(allRewards(), 'Rewards of the caller.'),
    summary: means(
      optional(summaryShape()),
      "Totals of the caller's holdings, in raw collateral; absent on later pages and with market.",
    ),
  }),
  means: "The caller's holdings after everything published to it.",
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
            deadline: NO_DEADLINE,
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
      summary: SUMMARY_EXAMPLE,
    },
  },
  handle: async ({ query, owner, caller, call }, services: PortfolioServices) => {
    const requester = requesterOf({ caller, call })
    const { limit, cursor = '', market: named } = query
    const beforeId = marketIn(cursor)
    if (beforeId === null) return invalidCursor()
    const one = named === undefined ? null : await services.archive.bySlug(named, requester)
    if (one === undefined) return refuse('READ_TIMEOUT')
    if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
    const page = { beforeId, limit, marketId: one?.market.marketId ?? null, withOrders: true }
    const found = await services.portfolio.holdings(owner, page, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const earned = await services.rewards.of(owner, found.all, requester)
    if (earned === undefined) return refuse('READ_TIMEOUT')
    const isFirst = page.marketId === null && beforeId === NEWEST_ID
    const summary = isFirst ? await summaryOf(owner, earned, requester, services) : null
    if (summary === undefined) return refuse('READ_TIMEOUT')
    const { slices, pipeline } = services
    const steps = positionsText({ found, earned, summary, owner, services })
    const shown = await slices.run(workFor(requester, pipeline), steps)
    return shown === null ? refuse('READ_TIMEOUT') : bytes(shown)
  },
})

const PUBLIC_PAGE_MAX = 100
const PUBLIC_CACHED_SEC = 5

/** One outcome held, in whole units. */
const heldOutcome = () =>
  named(
    'Position',
    object({
      market: means(positionMarket(), 'The market of the shares.'),
      asset: means(uint256Text(), 'Token of the outcome.'),
      outcome: means(oneOf('Yes', 'No'), 'The outcome as shown to users.'),
      outcomeIndex: means(integer(0, 1), 'The same as a number: 0 for YES, 1 for NO.'),
      size: means(wholeText(), 'Number of shares held.'),
      avgPrice: means(wholeText(), 'Average cost of one of these shares.'),
      curPrice: means(wholeText(), 'Value of one share at the mark.'),
      initialValue: means(wholeText(), 'Cost of the shares.'),
      currentValue: means(wholeText(), 'Value of the shares at the mark.'),
      cashPnl: means(wholeText(), 'Value minus cost.'),
      realizedPnl: means(wholeText(), 'Profit of shares sold or redeemed.'),
    }),
  )

function outcomeViews(holding: Holding) {
  const { market: published, yes, no } = holding
  return [yes, no]
    .filter(({ sizeRaw }) => sizeRaw !== 0)
    .map((row) => {
      const { outcome, sizeRaw, costRaw, realisedRaw } = row
      const worthRaw = marketValueRaw(row, published)
      const { yesTokenId, noTokenId } = published.market
      return {
        market: marketOf(holding),
        asset: outcome === 0 ? yesTokenId : noTokenId,
        outcome: outcome === 0 ? ('Yes' as const) : ('No' as const),
        outcomeIndex: outcome,
        size: decimalOf(sizeRaw),
        avgPrice: decimalOf(fillPriceRaw(row)),
        curPrice: decimalOf(fillPriceRaw({ ...row, costRaw: worthRaw })),
        initialValue: decimalOf(costRaw),
        currentValue: decimalOf(worthRaw),
        cashPnl: decimalOf(worthRaw - costRaw),
        realizedPnl: decimalOf(realisedRaw),
      }
    })
}

/** Like `positionsText`, for the public view. */
function* publicText({ found, owner, services }: Omit<Shown, 'earned' | 'summary'>): Steps<string> {
  const [amm, clob, data]: [string[], string[], string[]] = [[], [], []]
  for (const holding of found.all) {
    for (const view of ammViews(holding, owner, services)) amm.push(JSON.stringify(view))
    if (isOfBook(holding)) clob.push(JSON.stringify(sharesView(holding, owner, services)))
    for (const view of outcomeViews(holding)) data.push(JSON.stringify(view))
    yield
  }
  const nextCursor = found.nextId === null ? null : cursorOf(found.nextId)
  const rest = JSON.stringify({ group: [], nextCursor })
  return (
    `{"data":[${data.join(',')}],"amm":[${amm.join(',')}],"clob":[${clob.join(',')}],` +
    rest.slice(1)
  )
}

export const accountPositions = route({
  method: 'GET',
  path: '/portfolio/:account/positions',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(PUBLIC_CACHED_SEC)),
  about: 'Returns the shares that an account holds, with cost and value, but not its orders.',
  params: { account: account() },
  query: pageQuery(PUBLIC_PAGE_MAX),
  reply: object({
    data: means(list(heldOutcome()), 'One row per outcome held, newest markets first.'),
    amm: means(list(ammPosition()), 'The rows of pools, as in GET /portfolio/positions.'),
    clob: means(
      list(named('HeldShares', object(heldShares()))),
      'One row per market with a book, without orders.',
    ),
    group: means(list(openObject({})), 'Always empty: children of groups are in clob.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  }),
  means: "A page of the account's holdings; empty if it never traded.",
  rejects: ['VALIDATION', 'MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    reply: { data: [], amm: [], clob: [], group: [], nextCursor: null },
  },
  handle: async ({ params, query, call }, services: PortfolioServices) => {
    const owner = profileOf(params.account, services)
    if (owner instanceof Refusal) return owner
    const requester = publicRequester(call)
    const { limit, cursor = '', market: named } = query
    const beforeId = marketIn(cursor)
    if (beforeId === null) return invalidCursor()
    const one = named === undefined ? null : await services.archive.bySlug(named, requester)
    if (one === undefined) return refuse('READ_TIMEOUT')
    if (named !== undefined && one === null) return refuse('MARKET_NOT_FOUND')
    const page = { beforeId, limit, marketId: one?.market.marketId ?? null, withOrders: false }
    const found = await services.portfolio.holdings(owner, page, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const { slices, pipeline } = services
    const steps = publicText({ found, owner, services })
    const shown = await slices.run(workFor(requester, pipeline), steps)
    return shown === null ? refuse('READ_TIMEOUT') : bytes(shown)
  },
})
