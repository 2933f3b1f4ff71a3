// The trading resources of an account: points, allowances and locked balances, as clients in other
// languages request them.

import { kindOf } from '../../../engine/domain/markets/market.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { isAddress } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { address, marketName, uint256Text } from '../../edge/http/schema/fields.ts'
import { boolean, defaulted, means, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, openObject, optional } from '../../edge/http/schema/schema.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { decimalOf } from './history.ts'
import type { PortfolioServices } from './services.ts'

const auth = () => eitherOf(hmac(), sessionOrIdentity())

export const portfolioPoints = route({
  method: 'GET',
  path: '/portfolio/points',
  auth: auth(),
  rateClass: 'private',
  about: 'Returns the reward points of the caller; this exchange has none.',
  reply: object({
    points: means(number(0), 'Points of this season; always 0.'),
    accumulativePoints: means(number(0), 'Points of all seasons; always 0.'),
    breakdown: means(list(openObject({})), 'Breakdown of the points; always empty.'),
  }),
  means: 'No points; order rewards are at GET /portfolio/positions.',
  example: { reply: { points: 0, accumulativePoints: 0, breakdown: [] } },
  handle: () => ({ points: 0, accumulativePoints: 0, breakdown: [] }),
})

export const tradingAllowance = route({
  method: 'GET',
  path: '/portfolio/trading/allowance',
  auth: auth().forSubAccounts(),
  rateClass: 'private',
  about: 'Returns the collateral that orders of the caller may reserve at a contract.',
  query: {
    type: means(defaulted(oneOf('clob', 'negrisk'), 'clob'), 'Kind of market of the orders.'),
    spender: means(
      optional(address()),
      'Contract that moves the collateral; the exchange of new markets by default.',
    ),
  },
  reply: object({
    type: means(oneOf('clob', 'negrisk'), 'The requested kind of market.'),
    spender: means(address(), 'The requested contract.'),
    checkedAddress: means(address(), 'Account of the trading profile.'),
    allowance: means(
      uint256Text(),
      'Free raw collateral, which orders may reserve; 0 if the contract is not approved.',
    ),
    allowanceFormatted: means(text(), 'The same in whole units, as decimal text.'),
    hasMinimumAllowance: means(
      boolean(),
      'Whether the contract may move it: always for an account that signs its own orders, for a ' +
        'server wallet once its approval is in a block.',
    ),
  }),
  means: 'The allowance after everything published to the caller.',
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
    const { accounts, chainFunds, ledger } = pipeline.clearing
    const wallet = accounts.partners.byId(owner)
    const isServers = wallet !== undefined && wallet.sealedKey !== null
    const isSpender = (each: string) => each.toLowerCase() === spender.toLowerCase()
    const hasMinimumAllowance = !isServers || wallet.approved.some(isSpender)
    const checkedAddress = accounts.accountOf(owner) ?? ''
    const { freeRaw } = await portfolio.balance(owner)
    const approvedRaw =
      chainFunds.place === null ? freeRaw : chainFunds.unreservedRaw(owner, ledger)
    const allowanceRaw = hasMinimumAllowance ? Math.max(0, Math.min(freeRaw, approvedRaw)) : 0
    return {
      type,
      spender,
      checkedAddress,
      hasMinimumAllowance,
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
  about: "Returns the reserves of the caller's open orders in a market, or in all of a group.",
  params: { slug: marketName() },
  reply: object({
    lockedBalance: means(uint256Text(), 'Raw collateral reserved by open buys.'),
    lockedBalanceFormatted: means(text(), 'The same in whole units, as decimal text.'),
    lockedShares: means(uint256Text(), 'Raw shares reserved by open sells, YES and NO together.'),
    lockedSharesFormatted: means(text(), 'The same in whole shares, as decimal text.'),
  }),
  means: 'The reserves as of the newest durable command.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    reply: {
      lockedBalance: '5200000',
      lockedBalanceFormatted: '5.2',
      lockedShares: '0',
      lockedSharesFormatted: '0',
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
