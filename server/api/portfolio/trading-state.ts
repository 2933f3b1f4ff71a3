// What an account could trade with: points, allowances and locked balances, as clients of other
// languages ask for them.

import { kindOf } from '../../../engine/domain/markets/market.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { isAddress } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { address, uint256Text } from '../../edge/http/schema/fields.ts'
import { marketName } from '../../edge/http/schema/market-names.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, defaulted, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, openObject, optional } from '../../edge/http/schema/schema.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { decimalOf } from './history-views.ts'
import type { PortfolioServices } from './services.ts'

const auth = () => eitherOf(hmac(), sessionOrIdentity())

export const portfolioPoints = route({
  method: 'GET',
  path: '/portfolio/points',
  auth: auth(),
  rateClass: 'private',
  about: 'Reward points of the caller: this exchange counts none.',
  reply: object({
    points: means(number(0), 'Points of this season; always 0.'),
    accumulativePoints: means(number(0), 'Points of all seasons; always 0.'),
    breakdown: means(list(openObject({})), 'What the points are for; always empty.'),
  }),
  means: 'No points; rewards of orders are at GET /portfolio/positions.',
  example: { reply: { points: 0, accumulativePoints: 0, breakdown: [] } },
  handle: () => ({ points: 0, accumulativePoints: 0, breakdown: [] }),
})

export const tradingAllowance = route({
  method: 'GET',
  path: '/portfolio/trading/allowance',
  auth: auth().forSubAccounts(),
  rateClass: 'private',
  about: 'The collateral that orders of the caller may reserve at a contract.',
  query: {
    type: means(
      defaulted(oneOf('clob', 'negrisk'), 'clob'),
      'Kind of market that the orders are for.',
    ),
    spender: means(
      optional(address()),
      'Contract that would take the collateral; the exchange of new markets when absent.',
    ),
  },
  reply: object({
    type: means(oneOf('clob', 'negrisk'), 'The kind of market that was asked for.'),
    spender: means(address(), 'The contract that was asked about.'),
    checkedAddress: means(address(), 'Account of the profile that trades.'),
    allowance: means(
      uint256Text(),
      'Free raw collateral, which orders may reserve; 0 where the contract is not approved.',
    ),
    allowanceFormatted: means(text(), 'The same in whole units, as decimal text.'),
    hasMinimumAllowance: means(
      boolean(),
      'Whether the contract may take it: always for an account that signs its own orders, for a ' +
        'server wallet once a block holds its approval.',
    ),
  }),
  means: 'The allowance behind everything that the caller was told.',
  rejects: ['VALIDATION'],
  example: {
    query: { type: 'clob' },
    reply: {
      type: 'clob',
      spender: MARKET_EXAMPLE.venue.exchange,
      checkedAddress: ACCOUNT,
      allowance: '9900000000',
      allowanceFormatted: '9900',
      hasMinimumAllowance: true,
    },
  },
  handle: async ({ query, owner }, { pipeline, portfolio, settings }: PortfolioServices) => {
    const { type, spender = settings.exchangeAddress } = query
    if (!isAddress(spender)) {
      return invalid({ field: 'spender', message: 'has a wrong EIP-55 checksum' })
    }
    const { accounts } = pipeline.clearing
    const wallet = accounts.partners.byId(owner)
    const isServers = wallet !== undefined && wallet.sealedKey !== null
    const isSpender = (each: string) => each.toLowerCase() === spender.toLowerCase()
    const hasMinimumAllowance = !isServers || wallet.approved.some(isSpender)
    const checkedAddress = accounts.accountOf(owner) ?? ''
    const { freeRaw } = await portfolio.balance(owner)
    const allowanceRaw = hasMinimumAllowance ? Math.max(0, freeRaw) : 0
    return {
      ...{ type, spender, checkedAddress, hasMinimumAllowance },
      allowance: String(allowanceRaw),
      allowanceFormatted: decimalOf(allowanceRaw),
    }
  },
})

export const lockedBalance = route({
  method: 'GET',
  path: '/markets/:slug/locked-balance',
  auth: auth().forSubAccounts(),
  rateClass: 'private',
  about: "What the caller's open orders reserve in one market, or in all markets of a group.",
  params: { slug: marketName() },
  reply: object({
    lockedBalance: means(uint256Text(), 'Raw collateral that open buys reserve.'),
    lockedBalanceFormatted: means(text(), 'The same in whole units, as decimal text.'),
    lockedShares: means(uint256Text(), 'Raw shares that open sells reserve, YES and NO together.'),
    lockedSharesFormatted: means(text(), 'The same in whole shares, as decimal text.'),
  }),
  means: 'The reserves as the newest durable command left them.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: {
      ...{ lockedBalance: '5200000', lockedBalanceFormatted: '5.2' },
      ...{ lockedShares: '0', lockedSharesFormatted: '0' },
    },
  },
  handle: async ({ params, owner, caller, call }, { archive, portfolio }: PortfolioServices) => {
    const requester = requesterOf({ caller, call })
    const published = await archive.bySlug(params.slug, requester)
    if (published === undefined) return refuse('READ_TIMEOUT')
    if (published === null) return refuse('MARKET_NOT_FOUND')
    const isGroup = kindOf(published.market) === 'group'
    const markets = isGroup ? published.children : [published]
    const marketIds = markets.map(({ market }) => market.marketId)
    const { collateralRaw, sharesRaw } = await portfolio.locked(owner, marketIds, requester)
    return {
      lockedBalance: String(collateralRaw),
      lockedBalanceFormatted: decimalOf(collateralRaw),
      lockedShares: String(sharesRaw),
      lockedSharesFormatted: decimalOf(sharesRaw),
    }
  },
})
