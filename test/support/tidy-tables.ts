// The map of the source: which folder stands where, what of it others may import, and which files
// are let off a rule, with the reason. A file or a folder that is new is added here.

interface Folder {
  readonly path: string
  /** Imports point to a lower rank only; folders of one rank are strangers. */
  readonly rank: number
  /** What other folders may import: names relative to the folder; `*` is every file. */
  readonly doors: readonly string[]
}

const words = (text: string): string[] => text.trim().split(/\s+/)
const files = (text: string): string[] => words(text).map((name) => `${name}.ts`)

/** The deepest folder that holds a file is its own; `server` is what sits beside main.ts. */
export const FOLDERS: readonly Folder[] = [
  { path: 'server', rank: 5, doors: [] },
  { path: 'server/routes', rank: 4, doors: ['*'] },
  {
    path: 'server/sockets',
    rank: 4,
    doors: files('socket-gateway open census'),
  },
  {
    path: 'server/pipeline',
    rank: 3,
    doors: files(
      `pipeline views published open accounts cancels market-changes private-reads order-status
       order-news order-answer order-groups partner-accounts trading-modes heartbeats operators
       refused-order cancel-replace mining clock
       market-lists`,
    ),
  },
  { path: 'server/services', rank: 3, doors: ['*'] },
  {
    path: 'server/settlement',
    rank: 2,
    doors: files('settlement-port embedded-chain'),
  },
  {
    path: 'server/auth',
    rank: 2,
    doors: files(
      `guard intake-pool eip712 api-token session identity address keccak ecdsa client-order
       order-body uint256 client-order-id order-group intake-layout delegation on-behalf
       taught-profile registrations`,
    ),
  },
  {
    path: 'server/http',
    rank: 1,
    doors: files(
      `gateway gateway-options connections socket-port call route auth-scheme schema scalars
       fields refusal reply said rate-limit openapi profile-fields regions listen-check`,
    ),
  },
  {
    path: 'server/ops',
    rank: 1,
    doors: files(
      `audit descriptors faults log log-output metrics latency order-times process-metrics
       readiness trace`,
    ),
  },
  {
    path: 'persistence',
    rank: 1,
    doors: [
      ...files('journal-port journal-handle snapshot recovery follower-handle query-handle'),
      ...files('query-queue seal folder-key keyed-folder data-lock disk-room verify-folder'),
      'read/*',
    ],
  },
  { path: 'engine/shard', rank: 1, doors: files('shard-handle hand-over') },
  {
    path: 'engine/core',
    rank: 0.5,
    doors: files(
      `exchange decide ledger market settlement conditions state-hash clearing accounts
       catalogue order-table decide-accounts decide-profiles decide-operators decide-partners
       deadlines
       event-buffer capture balance-digest seen-orders seen-filter release trading-mode
       heartbeats frozen operators blocks reversal tx-hash withdrawal-addresses`,
    ),
  },
  {
    path: 'engine/wire',
    rank: 0.5,
    doors: files(
      `layout codec cancel-codec place-codec release-codec record-head ring spawn fault-point
       whole-text idle-deaths stall-point`,
    ),
  },
  { path: 'engine/domain', rank: 0, doors: ['*'] },
]

/** The commands of the program stand with main.ts, in a folder of their own. */
export const SAME_FOLDER: ReadonlyMap<string, string> = new Map([['server/cli', 'server']])

/** Deterministic code: a replay next year must give the same state. */
export const PURE_FOLDERS = ['engine/core', 'engine/domain']
export const IMPURE_WORDS = new Set(
  words(`Date performance process async await setTimeout setInterval setImmediate queueMicrotask
         clearTimeout clearInterval clearImmediate crypto fetch`),
)

/** The server speaks for these: they return or they fault. */
export const SILENT_FOLDERS = ['engine', 'persistence']

export const SOURCE_FOLDERS = ['engine', 'persistence', 'server']

export const TOP_LEVEL = new Set([
  ...words('engine server persistence bench test package.json package-lock.json tsconfig.json'),
  ...words('tsconfig.build.json Makefile README.md LICENSE CHANGELOG.md biome.json Dockerfile'),
])

export const FORBIDDEN_NAMES = new Set(
  words('util utils helper helpers common type types misc manager managers index'),
)

/** Where an unchecked value becomes a typed one: the only files with `as`, `any` or `!`. */
export const PROOF_FILES = new Set([
  'engine/domain/units.ts',
  'engine/domain/ids.ts',
  'engine/wire/codec.ts',
  'engine/wire/layout.ts',
  // Makes a table by name out of a list, which no type can follow.
  'engine/domain/reject.ts',
  'server/http/schema.ts',
  'server/auth/intake-pool.ts',
])

/**
 * Files that are tables of words: their exports are their content. The words of the domain are
 * imported one by one from everywhere, and a byte layout is read whole by both of its sides. What
 * tests share is a box of tools.
 */
export const MANY_EXPORTS = ['engine/domain/', 'engine/wire/layout.ts', 'test/']

export const LIMIT = {
  lineColumns: 100,
  functionLines: 60,
  fileLines: 400,
  workerLines: 59,
  parameters: 5,
  nesting: 3,
  valueExports: 8,
} as const
