// The calls of the contract and the tests that answer them; see also contract-names.ts. `make docs`
// makes tables of them in server/docs/api.md, and test/docs/contract.test.ts checks them.

/** Files of tests, from `test/`, without their ending. */
const POOLS = 'server/api/amm/pools'
const SESSION = 'hostile/session'
const CANCELS = 'hostile/cancels'

export interface ContractRow {
  /** A call as `METHOD /path`, a channel or a frame of the sockets; several for a limit. */
  readonly of: readonly string[]
  /** What the row is about, in a few words. */
  readonly what: string
  readonly file: string
  readonly test: string
}

type Stated = readonly [of: string, what: string, file: string, test: string]

const rowsOf = (stated: readonly Stated[]): readonly ContractRow[] =>
  stated.map(([of, what, file, test]) => ({ of: of.split(', '), what, file, test }))

const WHOLE_SESSION = 'a wallet logs in, derives a token, uses it, revokes it and logs out'
const WORKED_POOL = 'a purchase and a sale give the worked numbers, and the market shows them'
const APPROVAL = 'a trade needs an approval that a block holds, each side its own'
const PRIVATE_LIST = 'an owner lists an address once, removes it and may list it again'

/** Calls that the contract describes at length. */
export const CONTRACT_CALLS = rowsOf([
  [
    'GET /auth/signing-message',
    'message to sign',
    SESSION,
    'a login proves one account, once, over a fresh message of this server',
  ],
  ['GET /auth/verify-auth', 'account of the session', SESSION, WHOLE_SESSION],
  [
    'POST /auth/login',
    'opens a session',
    SESSION,
    'a login takes the message as JSON text, signed with its quotes or without',
  ],
  ['POST /auth/logout', 'ends it', SESSION, WHOLE_SESSION],
  ['POST /auth/api-tokens/derive', 'makes an API token', SESSION, WHOLE_SESSION],
  ['GET /auth/api-tokens', 'own API tokens', SESSION, WHOLE_SESSION],
  ['DELETE /auth/api-tokens/:tokenId', 'revokes one', SESSION, WHOLE_SESSION],
  ['POST /amm/allowances/check', 'approvals of a pool', POOLS, APPROVAL],
  ['POST /amm/allowances/approve', 'gives them', POOLS, APPROVAL],
  ['POST /amm/buy', 'buys of a pool', POOLS, WORKED_POOL],
  ['POST /amm/sell', 'sells to a pool', POOLS, WORKED_POOL],
  [
    'GET /markets/active',
    'active markets',
    'server/api/markets/markets',
    'active markets are sorted in each way the API names',
  ],
  [
    'GET /markets/active/:categoryId',
    'those of a category',
    'server/api/pages/pages',
    'without a page, every category is a page of its own with its markets',
  ],
  [
    'GET /markets/categories/count',
    'counts of categories',
    'server/api/pages/pages',
    'without a page, every category is a page of its own with its markets',
  ],
  [
    'GET /markets/active/slugs',
    'slugs of active markets',
    'server/api/markets/market-trails',
    'the list of slugs names the markets of a group',
  ],
  [
    'GET /markets/:addressOrSlug/oracle-candles',
    'prices of an oracle',
    'server/api/markets/series',
    'candles join the reports of the oracle, however they come',
  ],
  [
    'GET /markets/:slug/timeline',
    'slots around a market',
    'server/api/markets/series',
    'slots are resolved, and the timeline keeps those that left memory',
  ],
  [
    'GET /markets/timeline',
    'slots of a series',
    'server/api/markets/series',
    'a series shows its current slot, the next one and those ahead',
  ],
  [
    'GET /markets/stable/:slug',
    'market of the current slot',
    'server/api/markets/series',
    'the stable slug names the market of the current slot',
  ],
  [
    'GET /markets/:addressOrSlug',
    'one market',
    'conformance/public-client',
    'the client finds the active markets, a market and a book with quotes',
  ],
  [
    'GET /markets/:slug/get-feed-events',
    'feed of a market',
    'server/api/markets/market-history',
    'the feed has each trade once over all of its pages',
  ],
  [
    'GET /markets/:slug/post-trade-recommendations',
    'what to trade next',
    'server/api/markets/search',
    'recommendations are other active markets, those of the same category first',
  ],
  [
    'GET /markets/:slug/historical-price',
    'prices over time',
    'server/api/markets/market-history',
    'the newest point of a price series is the last price, carried forward',
  ],
  [
    'GET /markets/:slug/orderbook',
    'book of a market',
    'conformance/public-client',
    'the client finds the active markets, a market and a book with quotes',
  ],
  [
    'GET /markets/:slug/user-orders',
    'own orders of a market',
    CANCELS,
    'user orders are filtered by statuses in any letter case, repeated or not',
  ],
  [
    'GET /markets/:slug/events',
    'mined trades',
    'server/api/markets/market-history',
    'mined trades come newest first, by page, with their taker and hash',
  ],
  [
    'GET /markets/search',
    'markets about a text',
    'server/api/markets/search',
    'a search finds a market that does not say its words, in its own bytes',
  ],
  [
    'GET /navigation',
    'tree of pages',
    'server/api/pages/pages',
    'pages make a tree of paths; hidden ones and those below them are not in it',
  ],
  [
    'GET /profiles/search',
    'profiles by name',
    'server/api/social/profiles',
    'a search finds the exact name, then longer ones, then those with it inside',
  ],
  [
    'GET /profiles/social',
    'profiles by followers',
    'server/api/social/profiles',
    'server wallets are found by name and address, and are not listed among people',
  ],
  [
    'GET /profiles/partner-accounts/:profileId/allowances',
    'approvals of a sub-account',
    'server/api/accounts/partners',
    'only their partner can read allowances, and only for server wallets',
  ],
  [
    'POST /profiles/partner-accounts/:profileId/allowances/retry',
    'submits missing ones',
    'server/api/accounts/partners',
    'a new server wallet approves the exchanges in use; a retry approves later ones',
  ],
  [
    'GET /profiles/me',
    'own profile',
    'server/api/accounts/profiles',
    'a profile shows every field of rules §12.2, and unknown fields are empty',
  ],
  [
    'GET /profiles/:account',
    'the same by account',
    'server/api/accounts/profiles',
    'only its owner reads a profile, by any credential and any spelling',
  ],
  [
    'GET /portfolio/trades',
    'own trades with pools',
    POOLS,
    'prices of the past, history and positions show trades with pools',
  ],
  [
    'GET /portfolio/positions',
    'own positions',
    'server/api/portfolio/positions',
    'the worked example: cost, average, profit and worth of a position (rules §9.1)',
  ],
  [
    'GET /portfolio/pnl-chart',
    'own profit over time',
    'server/api/portfolio/earnings',
    'the chart of an owner ends at what it realised, beside what it holds',
  ],
  [
    'GET /portfolio/history',
    'own history',
    'server/api/portfolio/history',
    'pages of any size give every row once, of all markets and of one',
  ],
  [
    'POST /portfolio/withdraw',
    'pays out',
    'server/api/portfolio/moves',
    'money goes to the account, the proven smart wallet or a listed address',
  ],
  [
    'POST /portfolio/redeem',
    'redeems winners',
    'server/api/portfolio/moves',
    'a redemption waits for the payout and burns the losing side too',
  ],
  [
    'POST /portfolio/withdrawal-addresses',
    'lists an address',
    'server/api/accounts/wallets',
    PRIVATE_LIST,
  ],
  [
    'DELETE /portfolio/withdrawal-addresses/:address',
    'takes it off',
    'server/api/accounts/wallets',
    PRIVATE_LIST,
  ],
  [
    'POST /orders',
    'places an order',
    'server/api/orders/order-entry',
    'the 201 has every field of the rules and no other, matched or not',
  ],
  [
    'DELETE /orders/:orderId',
    'cancels one order',
    CANCELS,
    'an order is canceled once; every later cancel says it is not open',
  ],
  [
    'POST /orders/cancel',
    'the same by either id',
    CANCELS,
    'POST /orders/cancel takes either an orderId or a clientOrderId',
  ],
  [
    'DELETE /orders/all/:slug',
    'cancels those of a market',
    CANCELS,
    'cancel all ends the orders of one profile in one market, even if it has none',
  ],
  [
    'POST /orders/status/batch',
    'status of orders',
    'server/api/orders/order-status',
    'the status of an order equals its own reply, field by field',
  ],
  [
    'POST /orders/batch-cancel',
    'cancels a list',
    CANCELS,
    'a batch cancels every open order and reports the outcome of each id',
  ],
  [
    'POST /orders/cancel-batch',
    'its older name',
    CANCELS,
    'a batch holds one to fifty ids of one kind',
  ],
  [
    'GET /maintenance/status',
    'restrictions of trading',
    'server/api/admin/trading-modes',
    'maintenance shows the windows in force and the scheduled ones',
  ],
  [
    'POST /heartbeats',
    'deadline of own orders',
    'server/api/orders/heartbeats',
    'armed, the deadline passes: all resting orders are canceled, no later order',
  ],
])

/** Channels that the contract names. */
export const CONTRACT_CHANNELS = rowsOf([
  [
    'subscribe_market_prices',
    'books, the whole one first',
    'server/api/streams/market-prices',
    'the first frame is the whole book, with its amounts as numbers',
  ],
  [
    'subscribe_order_events',
    'what becomes of own orders',
    'server/api/streams/order-events',
    'a trade: every field of its UPDATE and EXECUTION',
  ],
  [
    'subscribe_live_sports',
    'scores',
    'server/api/streams/live-scores',
    'cricket has its own fields, and one frame has the events of one call',
  ],
  [
    'subscribe_live_offers',
    'offers of packs, with their maker',
    'server/api/streams/live-offers',
    'offers come in their order, with the username of each maker',
  ],
])
