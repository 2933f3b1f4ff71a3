// The names of fields that have several forms in replies and frames, each with the reason. A type
// is one of the installed public client; other clients are named with their version.

/** Why, then every form that the name has. */
type Exception = readonly [why: string, first: string, second: string, ...more: string[]]

const BOTH = 'Both forms are types of the public client'
const OTHER = 'Two things that the exchange and its clients call alike'

export const SEVERAL_FORMS: Readonly<Record<string, Exception>> = {
  accumulativePoints: [
    `${BOTH}: \`UserProfile\`, \`PortfolioPositionsResponse\`.`,
    'number',
    'text',
  ],
  address: [
    `${OTHER}: an account, and the rates of a network address.`,
    'address',
    'list of object',
  ],
  amm: [
    `${BOTH}: \`PortfolioPositionsResponse\`, \`PortfolioSummary\`.`,
    'list of object',
    'object',
  ],
  averageFillPrice: [
    'The rows of pools have whole units (`AMMPosition`), the frame of a book has raw units.',
    'decimal text, whole units',
    'integer text, raw',
  ],
  away: [
    'The points of a score are as in `LiveEsportsMatchData`; a match names its sides.',
    'integer',
    'object',
  ],
  balanceRaw: [
    'A proof has text, as the program that checks it reads it; operators get numbers.',
    'integer text, raw',
    'integer, raw',
  ],
  breakdown: [
    `${OTHER}: parts of \`PortfolioSummary\`, sources of points.`,
    'list of object',
    'object',
  ],
  buy: [`${OTHER}: prices of \`TradePrices\`, a formula.`, 'object', 'text'],
  category: [`${OTHER}: the counts of all categories, the name of one.`, 'object', 'text'],
  children: [
    `${OTHER}: nodes of \`NavigationNode\`, slugs of a group.`,
    'list of object',
    'list of text',
  ],
  clob: [
    `${BOTH}: \`PortfolioPositionsResponse\`, \`PortfolioSummary\`.`,
    'list of object',
    'object',
  ],
  collateral: [
    `${OTHER}: the token (\`HistoryMarket\`), an amount of it.`,
    'integer text, raw',
    'object',
  ],
  collateralAmount: [
    '`AmmBuyResponse` has raw units as the request, positions and histories have whole units.',
    'decimal text, whole units',
    'integer text, raw',
  ],
  conditionId: ['A proof has the text that is hashed, empty for a group.', '32 bytes', 'text'],
  confirmed: [
    `${BOTH}: \`PartnerAccountAllowanceSummary\`, \`PartnerAccountAllowanceTarget\`.`,
    'boolean',
    'integer',
  ],
  currentValue: [
    'The row of a position is text as pmxt 2.54 reads it; the chart has numbers.',
    'decimal text, whole units',
    'number, whole units',
  ],
  data: [
    'The envelope of a page is a list, of one thing an object (`CancelReplaceReplacementResult`).',
    'integer text, whole units',
    'list of object',
    'object',
  ],
  error: ['`CancelReplaceError` is an object; the name of a status is text.', 'object', 'text'],
  eventId: [`${BOTH}: \`OmeOrderEvent\`.`, 'integer', 'text'],
  failed: [
    '`PartnerAccountAllowanceSummary` counts; the contract of batch cancels has a list.',
    'integer',
    'list of object',
  ],
  fee: [
    '`MarketMetadata` says whether takers pay; a fill has the amount.',
    'boolean',
    'integer text, raw',
  ],
  group: [
    `${BOTH}: \`PortfolioPositionsResponse\`, \`PositionMarket\`.`,
    'list of object',
    'object',
  ],
  hash: [
    'A transaction has 0x (`ServerWalletTransactionEnvelope`), the hex of a proof has none.',
    '32 bytes',
    '64 hex digits',
  ],
  home: [
    'The points of a score are as in `LiveEsportsMatchData`; a match names its sides.',
    'integer',
    'object',
  ],
  id: [
    'Markets and profiles have numbers, orders UUIDs, `HistoryMarket` and `MarketPage` text.',
    'UUID',
    'integer',
    'integer or text',
    'text',
  ],
  ineligibleReasons: [
    'Clients 1.3.0 read sentences of a partner quote; other quotes have codes too.',
    'list of object',
    'list of text',
  ],
  limit: [`${BOTH}: \`OffsetPagination\`, \`TradePrices\`.`, 'integer', 'list of number'],
  market: [
    `${BOTH}: \`CLOBPosition\`, \`TradePrices\`, \`AmmBuyResponse\`.`,
    'list of number',
    'object',
    'text',
  ],
  marketId: [`${BOTH}: \`CreatedOrder\`, \`OmeOrderEvent\`.`, 'integer', 'integer text'],
  markets: [
    'Markets are listed whole, or by slug where only names are needed; the solvency counts them.',
    'integer',
    'list of object',
    'list of text',
  ],
  maxSpread: [`${BOTH}: \`MarketSettings\`, \`OrderBook\`.`, 'decimal text', 'number'],
  message: ['A refusal has a sentence, or a list by field.', 'list of object or text', 'text'],
  minSize: [`${BOTH}: \`OrderBook\`, \`OrderbookData\`.`, 'integer text, raw', 'integer, raw'],
  missing: [
    '`PartnerAccountAllowanceSummary` counts; elsewhere it lists the names that were not found.',
    'integer',
    'list of text',
  ],
  next: [`${OTHER}: the next slot of a series, the place of the next page.`, 'integer', 'object'],
  no: [
    `${BOTH}: \`MarketTokens\`, \`TokenBalance\`, \`CLOBPosition\`.`,
    'integer text',
    'integer text, raw',
    'object',
  ],
  orderId: ['An item of a status batch is repeated as it was sent, UUID or not.', 'UUID', 'text'],
  orders: [
    `${OTHER}: \`CLOBPosition\`, and what canceled orders had traded.`,
    'list of object',
    'object',
  ],
  outcomeTokenPrice: [
    `${BOTH}: \`AMMPosition\`, \`LatestTrade\`.`,
    'decimal text, whole units',
    'number',
  ],
  path: [`${OTHER}: \`NavigationNode\`, the branch of a proof.`, 'list of object', 'text'],
  pnl: [
    '`PortfolioSummary` is raw; the leaderboard has whole units.',
    'integer, raw',
    'number, whole units',
  ],
  points: [`${BOTH}: \`UserProfile\`, \`PortfolioPositionsResponse\`.`, 'number', 'text'],
  positions: [
    `${BOTH}: \`CLOBPosition\`, \`PortfolioSummary\`; the frame lists outcomes.`,
    'integer',
    'list of object',
    'object',
  ],
  price: [`${BOTH}: \`CreatedOrder\`, \`SettlementOrderEvent\`.`, 'decimal text', 'number'],
  prices: [
    'A market has its two prices, a history its points; the limits of prices are an object.',
    'list of number, percent',
    'list of object',
    'object',
  ],
  profile: [
    `${OTHER}: \`ApiTokenProfile\`, and the rates of a profile.`,
    'list of object',
    'object',
  ],
  rank: [
    `${OTHER}: \`UserRank\`, its name, and the place on a board.`,
    'integer',
    'object',
    'text',
  ],
  realizedPnl: [
    '`AMMPosition` has text; the sum of a window is a number beside its chart.',
    'decimal text, whole units',
    'number, whole units',
  ],
  remainingSize: [
    '`OmeOrderEvent` has a number, the contract has text in terminal frames.',
    'integer text, raw',
    'integer, raw',
  ],
  result: ['JSON-RPC fixes the result of /mcp; a leg of a pack has a word.', 'object', 'text'],
  salt: [`${OTHER}: \`CreatedOrder\`, the secret of a leaf of a proof.`, 'integer text', 'text'],
  sell: [`${OTHER}: prices of \`TradePrices\`, a formula.`, 'object', 'text'],
  sharesRaw: [
    'The solvency has the sum of all markets; a provider gets YES and NO.',
    'integer text, raw',
    'list of integer, raw',
  ],
  side: [
    '`CreatedOrder` and trades have the signed number; frames (`TransactionEvent`) and the lists ' +
      'of a market, as pmxt 2.54 reads them, have the word.',
    'integer',
    'text',
  ],
  size: [
    'The row of a position is text as pmxt 2.54 reads it.',
    'decimal text, whole units',
    'integer, raw',
  ],
  source: ['`FilterGroup` has an object; elsewhere it is the name of a source.', 'object', 'text'],
  status: ['A result of a batch of orders has the HTTP status.', 'integer', 'text'],
  timestamp: [
    'Instants are ISO 8601. `OraclePriceData`, charts and positions have Unix milliseconds, ' +
      'candles Unix seconds, as their `from` and `to`.',
    'ISO 8601',
    'integer, Unix milliseconds',
    'integer, Unix seconds',
  ],
  toWin: ['The board of positions shows an amount in three forms.', 'integer text, raw', 'object'],
  token: [
    `${BOTH}: \`OmeOrderEvent\`, \`SettlementOrderEvent\`, \`WithdrawServerWalletResponse\`; the ` +
      'token of an operator is a secret.',
    'address',
    'integer text',
    'text',
  ],
  tokenId: [`${BOTH}: \`ApiToken\`, \`CreatedOrder\`.`, 'integer text', 'text'],
  tokens: ['`MarketTokens` has two; the solvency lists all.', 'list of object', 'object'],
  total: [
    '`OffsetPagination` counts; a balance and a chart have a sum.',
    'integer',
    'integer text, raw',
    'number, whole units',
  ],
  totalUnpaidRewards: [
    '`PortfolioPositionsResponse` has text; the sums of `PortfolioSummary` are numbers.',
    'integer text, raw',
    'integer, raw',
  ],
  unrealizedPnl: [
    `${BOTH}: \`AMMPosition\`, \`PositionSide\`; the board shows three forms.`,
    'decimal text, whole units',
    'integer text, raw',
    'object',
  ],
  value: [
    `${BOTH}: \`OraclePriceData\`, \`FilterGroupOption\`, \`PortfolioSummary\`.`,
    'integer, raw',
    'number',
    'number, whole units',
    'text',
  ],
  vigPercent: [
    'Clients 1.3.0 read text in a position; quotes have numbers.',
    'decimal text, percent',
    'number, percent',
  ],
  volume: [
    'Raw text of markets and profiles; the leaderboard counts whole units, candles none.',
    'integer text, raw',
    'integer, whole units',
    'number',
  ],
  yes: [
    `${BOTH}: \`MarketTokens\`, \`TokenBalance\`, \`CLOBPosition\`.`,
    'integer text',
    'integer text, raw',
    'object',
  ],
}

/** Names whose words differ by their letters alone, with the reason. */
export const SEVERAL_LETTERS: Readonly<Record<string, string>> = {
  outcome: 'Legs of packs have Yes and No, as clients 1.3.0 read them; all else has YES and NO.',
  status: 'Both spellings are types of the public client: `AmmTradeStatus`, `AmmAllowanceStatus`.',
  token: 'A proof names balances of yes and no; `SettlementOrderEvent` has YES and NO.',
  type: 'Frames have CLOB (`MarketCreatedEvent`), the form of an allowance clob.',
}
