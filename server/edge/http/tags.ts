// The topics of the calls, each with a description; a call belongs to the first segment of its
// path.

const TAGS: Readonly<Record<string, string>> = {
  admin: 'Operations: markets, funds, profiles, modes, pages, matches and settlement.',
  amm: 'Trades with the pools of markets, and the approvals that they need.',
  assets: 'Files loaded by the browser pages.',
  'asyncapi.json': 'The channels and events of the sockets, as an AsyncAPI document.',
  auth: 'Sessions of wallets, and API tokens with their scopes.',
  categories: 'The topics of markets.',
  console: 'The trading page.',
  demo: 'Calls of the demo exchange only.',
  docs: 'The manuals and the documents as pages.',
  'exchange-info': 'Limits, contracts and formats that a client reads once.',
  feed: 'Activity of all profiles and of followed profiles.',
  fees: 'Taker fees by price.',
  health: 'Whether the process runs.',
  heartbeats: 'Cancels the orders of a client that falls silent.',
  leaderboard: 'Rankings by profit and volume.',
  maintenance: 'Current and scheduled trading restrictions.',
  'market-bookmarks': 'Markets and pages bookmarked by a profile.',
  'market-pages': 'Pages of markets, with their filters.',
  markets: 'Markets, groups and series: books, prices, trades and searches.',
  mcp: 'The tools of the exchange over the Model Context Protocol.',
  metrics: 'Metrics of the running exchange in Prometheus format.',
  navigation: 'The tree of the market pages.',
  'openapi.json': 'Every call, as an OpenAPI document.',
  operator: 'The operator page.',
  orders: 'Orders: place, cancel, replace and read them.',
  parlay: 'Packs: quotes, purchases and offers over several markets.',
  portfolio: 'Balances, positions, history, deposits and withdrawals of a profile.',
  profiles: 'Profiles, sub-accounts of partners, and follows.',
  'property-keys': 'Properties by which market pages filter.',
  ready: 'Whether orders are accepted.',
  referral: 'Referrals and their rewards.',
  solvency: 'Obligations and assets of the exchange, with proofs for each owner.',
  sports: 'Matches and their scores.',
  'sports-markets': 'Orders in the markets of one match.',
  time: 'The clock of the server.',
  'user-stats': 'The accuracy of a profile.',
}

/** The tag of the calls below this path. */
export function tagOf(path: string): string {
  return path.split('/')[1] || 'console'
}

/** The tags of these paths, by name. */
export function tagsOf(paths: readonly string[]) {
  const names = [...new Set(paths.map(tagOf))].sort()
  return names.map((name) => ({ name, description: TAGS[name] ?? `Calls below /${name}.` }))
}
