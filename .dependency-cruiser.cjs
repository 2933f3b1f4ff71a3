// The allowed imports, checked by `make lint`. A layer imports only itself and the layers above it
// in this list.

const LAYERS = [
  ['engine/domain'],
  ['engine/core', 'engine/wire', 'engine/thread'],
  ['engine/shard', 'persistence', 'server/crypto', 'server/messages'],
  ['server/auth', 'server/ops'],
  ['server/exchange'],
  ['server/edge', 'server/settings'],
  ['server/api', 'server/demo', 'server/docs', 'server/web'],
]

/**
 * The only importer of each library; any file may import its types. A library without a row must
 * not be used. The browser code is a separate program.
 */
const IMPORTERS = {
  '@modelcontextprotocol/sdk': 'server/api/mcp/protocol.ts',
  '@noble/curves': 'server/crypto/noble-curve.ts',
  '@noble/hashes': 'engine/core/cells/digest.ts',
  'better-sqlite3': 'persistence/database.ts',
  commander: 'server/command-line.ts',
  esbuild: 'server/build/bundle.ts',
  'hdr-histogram-js': 'server/cli/load/histogram.ts',
  jose: 'server/auth/identity.ts',
  marked: 'server/docs/markdown.ts',
  msgpackr: 'engine/wire/codec.ts',
  pg: 'persistence/log/postgres-client.ts',
  pino: 'server/ops/logging/log.ts',
  'socket.io': 'server/edge/sockets/socket-gateway.ts',
  'socket.io-client': 'server/cli/load/readers.worker.ts',
  typebox: 'server/edge/http/schema/schema.ts',
  'uWebSockets.js': 'server/edge/http/gateway/native-library.ts',
  viem: 'server/settlement/evm/chain-client.ts',
}
const CONSOLE_IMPORTERS = {
  '@noble/hashes': 'server/console/exchange/hmac.ts',
  '@preact/signals': 'server/console/page/preact.ts',
  preact: 'server/console/page/preact.ts',
  'socket.io-client': 'server/console/exchange/streams.ts',
  'swagger-ui-dist': 'server/console/reference/openapi.tsx',
  uplot: 'server/console/page/plot.ts',
  viem: 'server/console/exchange/key-signer.ts',
}

const SOURCES = '^(engine|persistence|server)/'
const within = (folders) => `^(${folders.join('|')})/`

const layerRules = LAYERS.map((folders, index) => ({
  name: `layer of ${folders.join(', ')}`,
  comment: 'Imports point down.',
  severity: 'error',
  from: { path: within(folders) },
  to: { path: SOURCES, pathNot: within(LAYERS.slice(0, index + 1).flat()) },
}))

const CONSOLE = '^server/console/'
const LIBRARIES = '^node_modules/'

/** The rules of one program, whose files are `from`. */
const importerRules = (program, from, importers) => [
  ...Object.entries(importers).map(([library, importer]) => ({
    name: `importer of ${library} in the ${program}`,
    comment: 'A library has one importer.',
    severity: 'error',
    from: { ...from, pathNot: [...(from.pathNot ?? []), `^${importer}$`] },
    to: { path: `${LIBRARIES}${library}/`, dependencyTypesNot: ['type-only'] },
  })),
  {
    name: `libraries of the ${program}`,
    comment: 'A library needs a row that names its importer.',
    severity: 'error',
    from,
    to: {
      path: LIBRARIES,
      pathNot: `${LIBRARIES}(${Object.keys(importers).join('|')})/`,
      dependencyTypesNot: ['type-only'],
    },
  },
]

module.exports = {
  forbidden: [
    ...layerRules,
    ...importerRules('server', { path: SOURCES, pathNot: [CONSOLE] }, IMPORTERS),
    ...importerRules('console', { path: CONSOLE }, CONSOLE_IMPORTERS),
    {
      name: 'pure core',
      comment:
        'A replay next year gives the same state: the core depends on nothing of its machine.',
      severity: 'error',
      from: { path: '^engine/(core|domain)/' },
      to: { pathNot: '^(engine/(core|domain)|node_modules/@noble/hashes)/' },
    },
    {
      name: 'edge without the exchange',
      comment: 'What passes between the edge and the core thread is a message (server/messages).',
      severity: 'error',
      from: { path: '^server/edge/' },
      to: { path: '^server/exchange/' },
    },
    {
      name: 'no cycles',
      comment: 'Files that import each other cannot be read one by one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Type imports count too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
