// The topics of the calls, each with a sentence; a call belongs to the first part of its path.

const TAGS: Readonly<Record<string, string>> = {
  admin: 'What operators do: markets, funds, profiles, modes, pages, matches and settlement.',
  amm: 'Trades with the pools of markets, and the approvals that they need.',
  assets: 'Files that the pages of browsers load.',
  'asyncapi.json': 'The channels and events of the sockets, as an AsyncAPI document.',
  auth: 'Sessions of wallets, and API tokens with their scopes.',
  categories: 'The topics of markets.',
  console: 'The page on which people trade.',
  demo: 'What only the demo exchange has.',
  docs: 'The manuals and the documents as pages.',
  'exchange-info': 'Limits, contracts and formats that a client reads once.',
  feed: 'What everybody did, and what those did whom one follows.',
  fees: 'The fee of a taker at each price.',
  health: 'Whether the process runs.',
  heartbeats: 'A client that is silent too long loses its orders.',
  leaderboard: 'Who gained and who traded most.',
  maintenance: 'When trading is restricted, now and later.',
  'market-bookmarks': 'Markets and pages that a profile marked.',
  'market-pages': 'Pages of markets, with their filters.',
  markets: 'Markets, groups and series: books, prices, trades and searches.',
  mcp: 'The tools of the exchange by the Model Context Protocol.',
  metrics: 'Figures of the running exchange in the form of Prometheus.',
  navigation: 'The tree of the market pages.',
  'openapi.json': 'Every call, as an OpenAPI document.',
  operator: 'The page on which operators work.',
  orders: 'Orders: place, cancel, replace and read them.',
  parlay: 'Packs: quotes, purchases and offers over several markets.',
  portfolio: 'What a profile has: balances, positions, history, and money that moves.',
  profiles: 'Profiles, sub-accounts of partners, and whom one follows.',
  'property-keys': 'Properties by which market pages filter.',
  ready: 'Whether orders are taken.',
  referral: 'Who referred whom, and what came of it.',
  solvency: 'What the exchange owes and has, with proofs for each owner.',
  sports: 'Matches and their scores.',
  'sports-markets': 'Orders in the markets of one match.',
  time: 'The clock of the server.',
  'user-stats': 'How accurate a profile was.',
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
