// One active market, shared by the examples of all routes.

export const ORDER_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
export const ACCOUNT = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const YES = '103364289371174392468136019685926995561718385607640019001157680208043276476762'
const NO = '112773284054604702079889676118622580297295637465057519947669939157009394511025'
const AT = '2026-01-01T00:00:00.000Z'

export const MARKET_EXAMPLE = {
  id: 1,
  slug: 'rain-tomorrow',
  title: 'Will it rain tomorrow?',
  description: 'Resolves YES when the station reports rain.',
  collateralToken: {
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    symbol: 'USDC',
  },
  expirationDate: 'No deadline',
  expirationTimestamp: 253402214400000,
  createdAt: AT,
  updatedAt: AT,
  categories: ['weather'],
  tags: [],
  status: 'FUNDED' as const,
  tradeType: 'clob' as const,
  marketType: 'single' as const,
  metadata: { fee: true },
  volume: '52000000',
  volumeFormatted: '52.00',
  conditionId: '0xc9bbb331a79a58ef92bcdc6ef6f079a1a06683b04cc9771e34efcc6e38ad705d',
  tokens: { yes: YES, no: NO },
  positionIds: [YES, NO],
  prices: [0.515, 0.485],
  tradePrices: {
    buy: { market: [0.55, 0.52], limit: [0.48, 0.45] },
    sell: { market: [0.48, 0.45], limit: [0.55, 0.52] },
  },
  venue: { exchange: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5', adapter: null },
  nextMarket: null,
  winningOutcomeIndex: null,
}

/** The resting orders of rules §2.7. */
export const BOOK_EXAMPLE = {
  bids: [{ price: 0.48, size: 160_000_000, side: 'BUY' as const }],
  asks: [
    { price: 0.55, size: 70_000_000, side: 'SELL' as const },
    { price: 0.6, size: 30_000_000, side: 'SELL' as const },
  ],
  tokenId: YES,
  adjustedMidpoint: 0.515,
  midpoint: 0.515,
  lastTradePrice: 0.52,
  minSize: '50000000',
  maxSpread: '0.035',
  sequence: 412,
  timestamp: AT,
}

/** The public fields of a profile. */
export const TRADER_EXAMPLE = {
  id: 1,
  account: ACCOUNT,
  username: null,
  displayName: ACCOUNT,
  bio: null,
  client: 'eoa',
  pfpUrl: null,
  smartWallet: null,
  socialUrl: null,
}

// Contract addresses and amounts that appear in replies.

/** The contract of the conditional tokens of every market; upstream's markets use it too. */
export const CONDITIONAL_TOKENS = '0xC9c98965297Bc527861c898329Ee280632B76e18'

/** An unlimited approval, as wallets grant it. */
export const ALLOWANCE_MAX = String(2n ** 256n - 1n)
