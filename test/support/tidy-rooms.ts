// The map of the source: the place of each folder, and the files that others may import. A new file
// or folder is added here.

export interface Room {
  /** A folder. Its own files stand here; the folders below it have rooms of their own. */
  readonly path: string
  /** From 0 (the words) to 6 (the program). */
  readonly rank: number
  /** Its own files that stand here; absent, all files that no other room of the folder names. */
  readonly files?: readonly string[]
  /** Files that others may import, `ALL` for words; a folder has three at most, or says why. */
  readonly doors: readonly string[] | typeof ALL
  readonly why?: string
}

export const ALL = 'all'
export const DOORS_MAX = 3

export const words = (text: string): string[] => text.trim().split(/\s+/)
const files = (text: string): string[] => words(text).map((name) => `${name}.ts`)

/** Lowest first: a room imports only from the rooms before it. */
export const ROOMS: readonly Room[] = [
  {
    path: 'engine/domain',
    rank: 0,
    files: files('assert fair-share ids limits sums units'),
    doors: ALL,
  },
  { path: 'engine/domain/markets', rank: 0, doors: ALL },
  { path: 'engine/domain/moves', rank: 0, doors: ALL },
  { path: 'engine/domain/rewards', rank: 0, doors: ALL },
  { path: 'engine/domain/packs', rank: 0, doors: ALL },
  { path: 'engine/domain/sports', rank: 0, doors: ALL },
  { path: 'engine/domain/social', rank: 0, doors: ALL },
  { path: 'engine/domain', rank: 0, doors: ALL },

  { path: 'engine/core/cells', rank: 0.5, doors: ALL },
  { path: 'engine/core/book', rank: 0.5, doors: files('market event-buffer') },
  { path: 'engine/core/orders', rank: 0.5, doors: files('order-table seen-orders seen-filter') },
  {
    path: 'engine/core/accounts',
    rank: 0.5,
    doors: files('accounts account-commands operators frozen withdrawal-addresses'),
    why: 'each is a state of its own, which clearing applies and capture saves',
  },
  {
    path: 'engine/core/markets',
    rank: 0.5,
    doors: files(
      `catalogue market-commands market-pages property-keys series-table oracle trading-mode
       heartbeats deadlines book-deadlines`,
    ),
    why: 'each is a state of its own, which clearing applies and capture saves',
  },
  {
    path: 'engine/core/money',
    rank: 0.5,
    doors: files(
      'ledger position-rows open-sizes fill-money taker-fee reversal unmined blocks tx-hash',
    ),
    why: 'each is a state of its own, which clearing applies and capture saves',
  },
  {
    path: 'engine/core/amm',
    rank: 0.5,
    doors: files('pools pool-commands pool-price pool-parts'),
    why: 'gates ask for quotes, tables and replies for prices',
  },
  {
    path: 'engine/core/moves',
    rank: 0.5,
    doors: files('move-commands move-facts made-calls conditions conversion'),
    why: 'gates ask what a redemption pays; replies and tables ask what a command moved',
  },
  {
    path: 'engine/core/rewards',
    rank: 0.5,
    doors: files('rewards samples scores rebates middle'),
    why: 'the follower takes samples, scores and middles, and positions show which orders earn',
  },
  {
    path: 'engine/core/packs',
    rank: 0.5,
    doors: files('packs curated-packs pack-odds house-risk house-day'),
    why: 'quotes ask for prices, and turns and tables for what becomes of a leg',
  },
  { path: 'engine/core/sports', rank: 0.5, doors: files('matches') },
  { path: 'engine/core/social', rank: 0.5, doors: files('social follows bookmarks') },
  { path: 'engine/core', rank: 0.5, files: files('clearing'), doors: files('clearing') },
  {
    path: 'engine/core/decide',
    rank: 0.5,
    doors: files(
      `decide capacity funds accounts markets matches endings series operators pages partners
       profiles release social`,
    ),
    why: 'one file for the gates of each kind of request',
  },
  { path: 'engine/core/decide/money', rank: 0.5, doors: ALL },
  {
    path: 'engine/core/state',
    rank: 0.5,
    doors: files('state-hash balance-digest invariants solvency claims'),
    why: 'each walks the whole state for another purpose',
  },
  { path: 'engine/core', rank: 0.5, doors: files('exchange capture') },
  { path: 'engine/wire', rank: 0.5, doors: ALL },
  { path: 'engine/thread', rank: 0.5, doors: ALL },
  { path: 'engine/shard', rank: 1, doors: files('shard-handle hand-over') },

  {
    path: 'persistence',
    rank: 1,
    files: files(
      `copy-mark database data-lock disk-room file-identity folder-error keyed-folder
       readable-copy thread-start thread-watch`,
    ),
    doors: files(
      `copy-mark database data-lock disk-room file-identity folder-error keyed-folder
       readable-copy thread-start thread-watch seal folder-key verify-folder`,
    ),
    why: 'the files, keys and threads that its rooms share',
  },
  {
    path: 'persistence/journal',
    rank: 1,
    doors: files(
      `journal-port sqlite-journal journal-chain journal-end journal-head journal-marks
       checkpoint-call`,
    ),
    why: 'a start, a key and verify read the journal without its thread',
  },
  { path: 'persistence/journal/thread', rank: 1, doors: files('journal-handle journal-thread') },
  { path: 'persistence', rank: 1, files: files('seal server-key folder-key'), doors: [] },
  {
    path: 'persistence/snapshot',
    rank: 1,
    doors: files('snapshot snapshot-check snapshot-folder emptied-folder recovery past-states'),
    why: 'verify looks at each snapshot as a start does',
  },
  { path: 'persistence/backup', rank: 1, doors: files('copy-folder restore') },
  {
    path: 'persistence/solvency',
    rank: 1,
    doors: files('solvency-handle proof-check proof-view'),
  },
  { path: 'persistence/search', rank: 1, doors: ALL, why: 'what words and markets mean' },
  {
    path: 'persistence/follower/tables',
    rank: 1,
    files: files('pace epochs featured board-spans candles market-hours'),
    doors: ALL,
    why: 'what all tables share',
  },
  { path: 'persistence/follower/tables/accounts', rank: 1, doors: ALL },
  { path: 'persistence/follower/tables/orders', rank: 1, doors: ALL },
  { path: 'persistence/follower/tables', rank: 1, doors: ALL },
  { path: 'persistence/follower/tables/markets', rank: 1, doors: ALL },
  { path: 'persistence/follower/packs', rank: 1, doors: ALL },
  { path: 'persistence/follower/tables/social', rank: 1, doors: ALL },
  { path: 'persistence/follower/rewards', rank: 1, doors: files('reward-scorer') },
  { path: 'persistence/follower/boards', rank: 1, doors: files('projector projection') },
  { path: 'persistence/follower/schema', rank: 1, doors: files('migrations') },
  { path: 'persistence/follower', rank: 1, doors: files('follower-handle read-database') },
  { path: 'persistence/query/read', rank: 1, doors: ALL },
  { path: 'persistence/query/read/markets', rank: 1, doors: ALL },
  { path: 'persistence/query/read/orders', rank: 1, doors: ALL },
  { path: 'persistence/query/read/history', rank: 1, doors: ALL },
  { path: 'persistence/query/read/portfolio', rank: 1, doors: ALL },
  { path: 'persistence/query/read/packs', rank: 1, doors: ALL },
  { path: 'persistence/query/read/social', rank: 1, doors: ALL },
  { path: 'persistence/query/read/boards', rank: 1, doors: ALL },
  { path: 'persistence/query/read/feeds', rank: 1, doors: ALL },
  { path: 'persistence/query/read/referrals', rank: 1, doors: ALL },
  {
    path: 'persistence/query',
    rank: 1,
    doors: files('query-handle query-queue patient-read all-rows'),
    why: 'the server asks the tables, and an export reads all of them',
  },
  { path: 'persistence', rank: 1, files: files('verify-folder'), doors: [] },

  { path: 'server/crypto', rank: 1, doors: ALL },
  { path: 'server/http/schema', rank: 1, doors: ALL },
  {
    path: 'server/http/caching',
    rank: 1,
    doors: ALL,
    why: 'each is one part of how replies are kept',
  },
  {
    path: 'server/http',
    rank: 1,
    files: files('call refusal reply request-text iso-text'),
    doors: ALL,
    why: 'what a caller says and hears',
  },
  { path: 'server/http/access', rank: 1, doors: ALL },
  { path: 'server/http', rank: 1, doors: ALL, why: 'the words of a call' },
  { path: 'server/http/gateway/listening', rank: 1, doors: ALL },
  { path: 'server/http/gateway/replies', rank: 1, doors: ALL },
  {
    path: 'server/http/gateway',
    rank: 1,
    doors: files('gateway gateway-options socket-port connections'),
    why: 'settings of connections and a check of an address are read before it opens',
  },
  { path: 'server/ops/logging', rank: 1, doors: ALL },
  { path: 'server/ops', rank: 1, doors: ALL, why: 'each is one thing that an operator sees' },

  {
    path: 'server/auth',
    rank: 2,
    doors: files('guard session session-names api-token identity delegation registrations'),
    why: 'one file for each proof',
  },
  {
    path: 'server/intake',
    rank: 2,
    files: files('intake-layout directory'),
    doors: files('intake-pool intake-layout directory taught-profile'),
    why: 'its order room reads the layout and the directory',
  },
  { path: 'server/intake/order', rank: 2, doors: ALL },
  { path: 'server/intake', rank: 2, doors: [] },
  { path: 'server/settlement', rank: 2, doors: files('settlement-port embedded-chain') },

  { path: 'server/pipeline/shown/orders', rank: 3, doors: ALL },
  {
    path: 'server/pipeline/shown/kept',
    rank: 3,
    doors: files(
      `shown-records shown-pools shown-oracles shown-matches active-markets pack-markets depth
       day-figures`,
    ),
    why: 'one file for each thing that a durable record changes',
  },
  {
    path: 'server/pipeline/shown',
    rank: 3,
    doors: files(
      'published views book-views market-view position-views market-kinds tickers ' +
        'trade-prices book-lists',
    ),
    why: 'one file for each thing that the outside may know',
  },
  {
    path: 'server/pipeline/shown/lists',
    rank: 3,
    doors: files('market-lists facets bits ordered-list'),
    why: 'a page of a list and its counts are read by routes',
  },
  {
    path: 'server/pipeline/spine',
    rank: 3,
    doors: files(
      `sequencer durable-publisher rare-body clock deadline-timer shard-map stamp-times
       still-moment time-slice ahead-of-tables`,
    ),
    why: 'a start joins its parts',
  },
  { path: 'server/pipeline/chain', rank: 3, doors: files('mining pack-turns') },
  { path: 'server/pipeline/series', rank: 3, doors: files('slot-clock') },
  { path: 'server/pipeline/orders', rank: 3, doors: ALL },
  { path: 'server/pipeline', rank: 3, doors: files('pipeline') },

  { path: 'server/services', rank: 4, doors: files('private-reads fair-shares sliced-work') },
  { path: 'server/services/mcp', rank: 4, doors: files('mcp-handle mcp-thread') },
  {
    path: 'server/services/accounts',
    rank: 4,
    doors: files('accounts partner-accounts operators profile-roles ranks'),
    why: 'one file for each thing that routes ask for',
  },
  { path: 'server/services/markets', rank: 4, doors: ALL },
  { path: 'server/services/orders', rank: 4, doors: ALL },
  { path: 'server/services/pages', rank: 4, doors: ALL },
  { path: 'server/services/portfolio', rank: 4, doors: ALL },
  { path: 'server/services/packs', rank: 4, doors: ALL },
  { path: 'server/services/social', rank: 4, doors: ALL },
  { path: 'server/services/boards', rank: 4, doors: files('boards board-turns page-selection') },
  { path: 'server/services/trading', rank: 4, doors: ALL },
  { path: 'server/services/sports', rank: 4, doors: ALL },
  { path: 'server/services/feeds', rank: 4, doors: ALL },
  { path: 'server/services/referrals', rank: 4, doors: ALL },
  { path: 'server/docs', rank: 4, doors: files('html pages spoken-page') },
  { path: 'server/web', rank: 4, doors: files('web-files') },
  {
    path: 'server/demo',
    rank: 4,
    files: files('demo-client demo-matches own-server'),
    doors: ALL,
    why: 'what the players share',
  },
  { path: 'server/demo/play', rank: 4, doors: ALL },
  { path: 'server/demo', rank: 4, doors: files('demo demo-store') },

  { path: 'server/routes', rank: 5, doors: ALL },
  { path: 'server/routes/accounts', rank: 5, doors: ALL },
  { path: 'server/routes/pages', rank: 5, doors: ALL },
  { path: 'server/routes/amm', rank: 5, doors: ALL },
  { path: 'server/routes/packs', rank: 5, doors: ALL },
  { path: 'server/routes/portfolio', rank: 5, doors: ALL },
  { path: 'server/routes/boards', rank: 5, doors: ALL },
  { path: 'server/routes/feeds', rank: 5, doors: ALL },
  { path: 'server/routes/referrals', rank: 5, doors: ALL },
  { path: 'server/routes/admin', rank: 5, files: files('admin-words'), doors: ALL },
  { path: 'server/routes/admin/markets', rank: 5, doors: ALL },
  { path: 'server/routes/admin', rank: 5, doors: ALL },
  { path: 'server/routes/social', rank: 5, doors: ALL },
  { path: 'server/routes/solvency', rank: 5, doors: ALL },
  { path: 'server/routes/markets', rank: 5, doors: ALL },
  { path: 'server/routes/orders', rank: 5, doors: ALL },
  { path: 'server/routes/sports', rank: 5, doors: ALL },
  { path: 'server/routes/mcp', rank: 5, doors: files('mcp tools shown-tools') },
  { path: 'server/routes/system', rank: 5, doors: ALL },
  {
    path: 'server/sockets',
    rank: 5,
    files: files(
      'packets pump frame-rates send-budget census member channels outside-prices handshakes ' +
        'account-stream socket-gateway',
    ),
    doors: ALL,
    why: 'its feeds are made of its parts',
  },
  { path: 'server/sockets/shared', rank: 5, doors: ALL },
  { path: 'server/sockets/spoken', rank: 5, doors: files('all-channels asyncapi') },
  { path: 'server/sockets/feeds/news', rank: 5, doors: files('news-channels') },
  { path: 'server/sockets/feeds/market', rank: 5, doors: files('market-channels market-names') },
  { path: 'server/sockets/feeds/account', rank: 5, doors: files('account-channels') },
  { path: 'server/sockets', rank: 5, doors: [] },

  { path: 'server/console/page', rank: 6, doors: ALL, why: 'what all views share' },
  { path: 'server/console/page/parts', rank: 6, doors: ALL, why: 'what views are put together of' },
  {
    path: 'server/console/exchange',
    rank: 6,
    doors: ALL,
    why: 'the exchange as a browser sees it',
  },
  { path: 'server/console', rank: 6, files: files('context'), doors: ALL },
  { path: 'server/console/markets', rank: 6, doors: files('markets-view') },
  { path: 'server/console/market/shown', rank: 6, doors: ALL, why: 'one file for each panel' },
  { path: 'server/console/market/own', rank: 6, doors: ALL, why: 'the ticket, and what one holds' },
  { path: 'server/console/market/pool', rank: 6, doors: files('live-pool pool-ticket') },
  { path: 'server/console/market', rank: 6, doors: files('market-view') },
  {
    path: 'server/console/account',
    rank: 6,
    files: files('account-replies part own-news'),
    doors: ALL,
    why: 'what its parts share',
  },
  { path: 'server/console/account/access', rank: 6, doors: ALL, why: 'logins, tokens, sessions' },
  {
    path: 'server/console/account/holdings',
    rank: 6,
    doors: files('positions open-orders pnl'),
  },
  { path: 'server/console/account', rank: 6, doors: files('account-view visitor-menu') },
  {
    path: 'server/console/operator',
    rank: 6,
    files: files('access form-body form-fields operator-context operator-replies'),
    doors: ALL,
    why: 'what the tabs share',
  },
  { path: 'server/console/operator/markets', rank: 6, doors: files('markets') },
  { path: 'server/console/operator/health', rank: 6, doors: files('health solvency') },
  { path: 'server/console/operator/profiles', rank: 6, doors: files('profiles') },
  { path: 'server/console/operator', rank: 6, doors: files('operator-start') },
  { path: 'server/console/reference', rank: 6, doors: [] },
  { path: 'server/console', rank: 6, doors: [] },
  { path: 'server/build', rank: 6, files: files('bundle web'), doors: files('bundle web') },

  { path: 'server/settings', rank: 6, doors: ALL },
  { path: 'server', rank: 6, files: files('config version shell api'), doors: ALL },
  {
    path: 'server/start',
    rank: 6,
    doors: files('early-door first-signals serve-command api-documents'),
    why: 'the build makes the documents, which serve reads',
  },
  { path: 'server/cli', rank: 6, files: files('client decimals demo-file progress'), doors: ALL },
  {
    path: 'server/cli/admin',
    rank: 6,
    files: files('admin-form admin-kinds'),
    doors: ALL,
    why: 'what the forms share',
  },
  { path: 'server/cli/admin/forms', rank: 6, doors: ALL },
  { path: 'server/cli/admin', rank: 6, doors: files('admin') },
  { path: 'server/cli/order', rank: 6, doors: files('order') },
  { path: 'server/cli/folder/state', rank: 6, doors: files('kept-lines state-lines') },
  {
    path: 'server/cli/folder',
    rank: 6,
    doors: files('backup export key rebuild replay verify'),
    why: 'a door for each command',
  },
  { path: 'server/cli/top', rank: 6, doors: files('top') },
  { path: 'server/cli', rank: 6, doors: [] },
  { path: 'server', rank: 6, doors: [] },
  { path: 'server/build/unpacking', rank: 6, doors: files('archive') },
  { path: 'server/build', rank: 6, doors: files('program') },
]
