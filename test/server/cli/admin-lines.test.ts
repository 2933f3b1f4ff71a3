import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../server/api/routes.ts'
import { adminLines } from '../../../server/cli/admin/admin-lines.ts'
import { type AdminRoute, adminRoutes } from '../../../server/cli/admin/admin-routes.ts'
import { ADMIN_ROWS } from '../../../server/cli/admin/admin-rows.ts'
import { splitLine } from '../../../server/command-line.ts'
import { readAdminLine } from '../../support/admin-line.ts'

// Each call of the admin API has a short form of `outcomex admin`.

type Stated = readonly [line: readonly string[], call: string, body?: unknown]

const MARKETS: readonly Stated[] = [
  [
    ['market', 'm', 'Rain?', '--kind', 'amm', '--fee', '--deadline', '2027-01-01T00:00Z'],
    'POST /admin/markets',
    { kind: 'amm', slug: 'm', title: 'Rain?', fee: true, deadline: '2027-01-01T00:00Z' },
  ],
  [
    ['market', 'm', 'Rain?', '--taker-delay', '500', '--min-size', '10.5', '--tags', 'a b,c'],
    'POST /admin/markets',
    {
      kind: 'clob',
      slug: 'm',
      title: 'Rain?',
      tags: ['a b', 'c'],
      takerDelayMs: 500,
      minSizeRaw: 10_500_000,
    },
  ],
  [
    ['edit-market', 'm/n', '--title', 'Snow?', '--daily-reward', '100.5', '--rebate-bps', '2500'],
    'PATCH /admin/markets/m%2Fn',
    { title: 'Snow?', dailyRewardRaw: 100_500_000, rebateBps: 2500 },
  ],
  [
    [
      'edit-market',
      'm',
      '--daily-reward',
      '0',
      '--description',
      '',
      '--categories',
      '',
      '--properties',
      'ticker=BTC,ticker=ETH,length=day',
      '--short-title',
      'S',
    ],
    'PATCH /admin/markets/m',
    {
      dailyRewardRaw: 0,
      description: '',
      categories: [],
      proxyTitle: 'S',
      properties: { ticker: ['BTC', 'ETH'], length: ['day'] },
    },
  ],
  [
    ['edit-market', 'm', '--delayed-cancel=false', '--correlation-key', ''],
    'PATCH /admin/markets/m',
    { delayedCancel: false, correlationKey: '' },
  ],
  [['lock', 'm'], 'POST /admin/markets/m/lock'],
  [['unlock', 'm'], 'POST /admin/markets/m/unlock'],
  [['flag', 'm'], 'PUT /admin/markets/m/flag', { isFlagged: true }],
  [['unflag', 'm'], 'PUT /admin/markets/m/flag', { isFlagged: false }],
  [['resolve', 'm', '3:1'], 'POST /admin/markets/m/resolve', { payoutNumerators: [3, 1] }],
  [
    ['group', 'cup', 'Who wins?', 'reds=Do the Reds win?', 'blues=Blues = 1?', '--fee'],
    'POST /admin/groups',
    {
      slug: 'cup',
      title: 'Who wins?',
      fee: true,
      markets: [
        { slug: 'reds', title: 'Do the Reds win?' },
        { slug: 'blues', title: 'Blues = 1?' },
      ],
    },
  ],
  [['resolve-group', 'cup', 'reds'], 'POST /admin/groups/cup/resolve', { winner: 'reds' }],
  [['markets', '--limit', '2'], 'GET /admin/markets?limit=2'],
]

const SERIES: readonly Stated[] = [
  [
    ['series', 'btc-5min', 'Bitcoin up?', '--symbol', 'BTC', '--every', 'minutes_5'],
    'POST /admin/series',
    {
      stableSlug: 'btc-5min',
      title: 'Bitcoin up?',
      symbol: 'BTC',
      assetName: 'BTC',
      frequency: 'minutely',
      subFrequency: 'minutes_5',
      slugPrefix: 'btc-5min',
    },
  ],
  [
    [
      'series',
      'eth-day',
      'Ether up?',
      '--symbol=ETH',
      '--every=daily',
      '--prefix=eth-1d',
      '--asset=Ether',
      '--strike=3000.5',
      '--ahead=3',
      '--fee',
      '--categories=Crypto',
    ],
    'POST /admin/series',
    {
      stableSlug: 'eth-day',
      title: 'Ether up?',
      symbol: 'ETH',
      frequency: 'daily',
      slugPrefix: 'eth-1d',
      assetName: 'Ether',
      fee: true,
      slotsAhead: 3,
      strikePrice: '3000.5',
      categories: ['Crypto'],
    },
  ],
  [['all-series'], 'GET /admin/series'],
  [
    ['edit-series', '1', '--title', 'T', '--tags', 'up,down'],
    'PATCH /admin/series/1',
    { title: 'T', tags: ['up', 'down'] },
  ],
  [['end-series', '1'], 'DELETE /admin/series/1'],
  [
    ['price', 'BTC', '95000.5', '--at-ms', '7'],
    'POST /admin/oracle/prices',
    { reports: [{ symbol: 'BTC', price: '95000.5', atMs: 7 }] },
  ],
]

const REST: readonly Stated[] = [
  [['profile', `0x${'1'.repeat(40)}`], 'POST /admin/profiles', { account: `0x${'1'.repeat(40)}` }],
  [['profiles'], 'GET /admin/profiles'],
  [['show-profile', '7'], 'GET /admin/profiles/7'],
  [
    ['edit-profile', '7', '--rank', 'none', '--fee-cap-bps', '250', '--scopes', 'trading'],
    'PATCH /admin/profiles/7',
    { rank: null, feeCapBps: 250, scopes: ['trading'] },
  ],
  [['edit-profile', '7', '--machine', 'no'], 'PATCH /admin/profiles/7', { isMachine: false }],
  [
    ['fund-pool', 'rain', '7', '1.5', '--hints', '300:700'],
    'POST /admin/markets/rain/liquidity',
    { profileId: 7, collateralRaw: 1_500_000, hints: [300, 700] },
  ],
  [
    ['drain-pool', 'rain', '7', '--liquidity', '1'],
    'POST /admin/markets/rain/liquidity/remove',
    { profileId: 7, liquidityRaw: 1_000_000 },
  ],
  [['credit', '7', '1'], 'POST /admin/balances', { profileId: 7, collateralRaw: 1_000_000 }],
  [['fund-rewards', '1'], 'POST /admin/rewards', { collateralRaw: 1_000_000 }],
  [['drain-house', '2'], 'POST /admin/house', { collateralRaw: -2_000_000 }],
  [['house-day-loss', '5000'], 'POST /admin/house', { dayLossMaxRaw: 5_000_000_000 }],
  [['house-day-loss', '0'], 'POST /admin/house', { dayLossMaxRaw: 0 }],
  [['house-day-loss', 'default'], 'POST /admin/house', { dayLossMaxRaw: null }],
  [['house'], 'GET /admin/house'],
  [['drain-rewards', '1'], 'POST /admin/rewards', { collateralRaw: -1_000_000 }],
  [['rewards'], 'GET /admin/rewards'],
  [['balance', '7'], 'GET /admin/balances/7'],
  [['balances'], 'GET /admin/balances'],
  [['freeze', '7'], 'POST /admin/profiles/7/freeze', {}],
  [['unfreeze', '7'], 'POST /admin/profiles/7/unfreeze', {}],
  [['revoke-tokens', '7'], 'DELETE /admin/profiles/7/tokens'],
  [['revoke-token', '7', 'a/b'], 'DELETE /admin/profiles/7/tokens/a%2Fb'],
  [['revoke-sessions', '7'], 'DELETE /admin/profiles/7/sessions'],
  [
    ['operator', 'add', 'ada', '--role=read'],
    'POST /admin/operators',
    { name: 'ada', role: 'read' },
  ],
  [['operator', 'remove', 'ada'], 'DELETE /admin/operators/ada'],
  [['operators'], 'GET /admin/operators'],
  [['audit'], 'GET /admin/audit'],
  [['restrict', 'disabled'], 'POST /admin/trading-modes', { mode: 'disabled' }],
  [['restrictions'], 'GET /admin/trading-modes'],
  [['unrestrict', '3'], 'DELETE /admin/trading-modes/3'],
  [['settlement', '--trades', '5'], 'GET /admin/settlement?limit=5'],
  [
    ['settlement-fault', 'FAILED', '--next', '2'],
    'POST /admin/settlement/faults',
    { outcome: 'FAILED', next: 2 },
  ],
  [['page', 'b', 'B'], 'POST /admin/market-pages', { slug: 'b', name: 'B' }],
  [['edit-page', 'p', '--filter', ''], 'PUT /admin/market-pages/p', { baseFilter: {} }],
  [['remove-page', 'p'], 'DELETE /admin/market-pages/p'],
  [['pages'], 'GET /admin/market-pages'],
  [['property', 'k', 'K'], 'POST /admin/property-keys', { slug: 'k', name: 'K' }],
  [['edit-property', 'k', '--name', 'L'], 'PUT /admin/property-keys/k', { name: 'L' }],
  [['remove-property', 'k'], 'DELETE /admin/property-keys/k'],
  [['properties'], 'GET /admin/property-keys'],
  [
    [
      'match',
      'final',
      'North v South',
      'north-wins',
      'maps=total_maps',
      '--sport=esports',
      '--game=cs2',
      '--fixture=7',
      '--starts=2027-01-01T12:00Z',
      '--home=N',
      '--away=S',
    ],
    'PUT /admin/sports/matches/final',
    {
      title: 'North v South',
      sportType: 'esports',
      esportType: 'cs2',
      fixtureId: 7,
      startsAt: '2027-01-01T12:00Z',
      home: { name: 'N' },
      away: { name: 'S' },
      markets: [{ slug: 'north-wins' }, { slug: 'maps', esportsPropType: 'total_maps' }],
    },
  ],
  [['remove-match', 'final'], 'DELETE /admin/sports/matches/final'],
  [['packs'], 'GET /admin/packs'],
  [
    ['pack', 'A wet weekend', 'rain=yes', 'wind=no'],
    'POST /admin/packs',
    {
      name: 'A wet weekend',
      legs: [
        { marketSlug: 'rain', outcomeIndex: 0 },
        { marketSlug: 'wind', outcomeIndex: 1 },
      ],
    },
  ],
  [['remove-pack', '63757261-0000'], 'DELETE /admin/packs/63757261-0000'],
  [
    ['score', 'football', '7', '2:0', '--sequence=3', '--status', 'Second half'],
    'POST /admin/sports/scores',
    {
      events: [
        {
          eventId: 'shell-3',
          fixtureId: 7,
          sequence: 3,
          sportType: 'football',
          status: 'Second half',
          homeScore: 2,
          awayScore: 0,
        },
      ],
    },
  ],
  [
    ['score', 'esports', '7', '1:1', '--sequence=9', '--event=e', '--finished'],
    'POST /admin/sports/scores',
    {
      events: [
        {
          eventId: 'e',
          fixtureId: 7,
          sequence: 9,
          sportType: 'esports',
          isFinished: true,
          matchScore: { home: 1, away: 1 },
        },
      ],
    },
  ],
  [['solvency', '--after', '7'], 'GET /admin/solvency?after=7'],
  [['count-solvency'], 'POST /admin/solvency', {}],
  [['nodes'], 'GET /admin/cluster'],
  [['hand-over'], 'POST /admin/cluster/hand-over'],
  [['remove-node', 'c'], 'DELETE /admin/cluster/nodes/c'],
  [['copy-node'], 'GET /admin/cluster/copy'],
  [
    ['copied-file', '--name', 'read.db', '--offset', '7'],
    'GET /admin/cluster/copy/file?name=read.db&offset=7',
  ],
]

const ALL = [...MARKETS, ...SERIES, ...REST]

for (const [line, call, body] of ALL) {
  test(`admin ${line.join(' ')} is ${call}`, () => {
    const read = readAdminLine(line).call
    const output: unknown = read.body === '' ? undefined : JSON.parse(read.body)
    assert.deepEqual([`${read.method} ${read.path}`, output], [call, body])
  })
}

test('every call of the admin API has a short form', () => {
  const reached = (method: string, path: string) => {
    const form = new RegExp(`^${method} ${path.replaceAll(/:[A-Za-z]+/g, '[^/?]+')}([?].*)?$`)
    return ALL.some(([, call]) => form.test(call))
  }
  const admins = api.filter(({ path }) => path.startsWith('/admin/'))
  assert.ok(admins.length > 30)
  const missing = admins.filter(({ method, path }) => !reached(method, path))
  assert.deepEqual(
    missing.map(({ method, path }) => `${method} ${path}`),
    [],
  )
})

/** A route that nobody has written a row for. */
const VAULT: AdminRoute = {
  method: 'PUT',
  path: '/admin/vaults/:vaultId/coldKeys',
  about: 'Fills a vault.',
  params: { properties: { vaultId: { type: 'integer', minimum: 1 } } },
  query: {},
  body: {
    required: ['heldRaw'],
    properties: {
      heldRaw: {
        type: 'integer',
        minimum: 1,
        description: 'Raw collateral; 1,000,000 are a unit.',
      },
      isOpen: { type: 'boolean' },
      keyNames: { type: 'array', items: { type: 'string' } },
      depth: { anyOf: [{ type: 'integer', minimum: -5, maximum: 5 }, { type: 'null' }] },
      place: { type: 'object', properties: {} },
    },
  },
}

test('a route without a row has a line that follows from it', () => {
  const { grammar, read } = adminLines([VAULT])
  const line = (...words: string[]) =>
    read(splitLine(grammar, ['put-vaults-vault-id-cold-keys', ...words], {}))
  const rows: [words: string[], body: unknown][] = [
    [['--held', '2.5'], { heldRaw: 2_500_000 }],
    [
      ['--held=1', '--open', 'no', '--key-names', 'a,b'],
      { heldRaw: 1_000_000, isOpen: false, keyNames: ['a', 'b'] },
    ],
    [
      ['--held=1', '--depth', '-5', '--place={"x":1}'],
      { heldRaw: 1_000_000, depth: -5, place: { x: 1 } },
    ],
    [['--held=1', '--depth', 'none'], { heldRaw: 1_000_000, depth: null }],
  ]
  for (const [words, body] of rows) {
    const { call, fields } = line('7', ...words)
    assert.deepEqual([call.method, call.path], ['PUT', '/admin/vaults/7/coldKeys'])
    assert.deepEqual(JSON.parse(call.body), body)
    assert.deepEqual([fields.heldRaw, fields.vaultId], ['--held', 'VAULT_ID'])
  }
  assert.throws(() => line('7'), { message: /^required option '--held <AMOUNT>' not specified/ })
  assert.throws(() => line('0', '--held=1'), { message: /^'0' must be a whole number from 1/ })
  assert.throws(() => line('7', '--held=1', '--depth=6'), { message: /^--depth must be a whole/ })
  const { about, flags = [] } = grammar.commands?.['put-vaults-vault-id-cold-keys'] ?? {}
  assert.equal(about, 'Fills a vault.')
  assert.equal(flags[0].help, 'Collateral. Written in whole units.')
})

test('no flag of a line has the name of a flag that all lines have', async () => {
  const { flags = [], commands = {} } = adminLines(await adminRoutes()).grammar
  const common = new Set(flags.map(({ flag }) => flag))
  for (const [name, { flags: own = [] }] of Object.entries(commands)) {
    const names = own.map(({ flag }) => flag)
    assert.equal(new Set(names).size, names.length, name)
    for (const flag of names) assert.ok(!common.has(flag), `${name} --${flag}`)
  }
})

test('every row of the lines names a call of the admin API', () => {
  const calls = new Set(api.map(({ method, path }) => `${method} ${path}`))
  const rows = Object.values(ADMIN_ROWS).flatMap((group) => Object.values(group))
  assert.deepEqual(
    rows.map(({ call }) => call).filter((call) => !calls.has(call)),
    [],
  )
})

const WRONG: readonly [line: string[], sentence: RegExp][] = [
  [['group', 'cup', 'Who wins?', 'reds=R'], /^missing required argument 'CHILD="Title"'/],
  [['group', 'cup', 'Who?', 'reds=R', 'blues'], /^'blues' must be the slug of a market and its/],
  [
    ['group', 'cup', 'Who?', 'reds=R', 'blues= '],
    /^'blues= ' must be the slug of a market and its/,
  ],
  [['series', 'btc', 'B', '--every', 'daily'], /^required option '--symbol <TEXT>' not specified/],
  [['series', 'btc', 'B', '--symbol', 'BTC'], /^required option '--every <LENGTH>' not/],
  [
    ['series', 'b', 'B', '--symbol=X', '--every', 'hourly'],
    /^--every must be minutes_1, .* or weekly, not/,
  ],
  [['edit-market', 'm', '--daily-reward', '-1'], /^--daily-reward must be an amount/],
  [['edit-market', 'm', '--deadline', 'T'], /^unknown option '--deadline'/],
  [['edit-market', 'm', '--properties', 'a'], /^--properties must be pairs like ticker=BTC/],
  [['edit-market', 'm', '--tags', 'a,,b'], /^--tags must be texts like sport,football/],
  [['match', 'm', 'M', 'a', '--fixture', '7'], /^required option '--home <NAME>' not specified/],
  [
    ['match', 'm', 'M', 'a=b', '--sport=tennis', '--fixture=7'],
    /^required option '--home <NAME>' not specified/,
  ],
  [['score', 'chess', '7', '1:0', '--sequence=1'], /^'chess' must be one of football, tennis/],
  [['score', 'tennis', '7', '1', '--sequence=1'], /^'1' must be two numbers like 2:1$/],
  [['end-series', 'btc'], /^'btc' must be a whole number from 1/],
  [['settlement-fault', 'MINED'], /^'MINED' must be one of RETRYING, FAILED$/],
  [['edit-profile', '7', '--machine', 'perhaps'], /^--machine must be yes or no/],
  [['edit-profile', '7', '--fee-cap-bps', '1001'], /^--fee-cap-bps must be a whole .*, or none/],
]

for (const [line, sentence] of WRONG) {
  test(`admin ${line.join(' ')} is refused with a sentence`, () => {
    assert.throws(() => readAdminLine(line), { message: sentence })
  })
}
