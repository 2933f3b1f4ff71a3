import type { FileChanges } from './mutation.ts'

// Fixed defects, each put back: who is let in, and what each caller may do.

const ORIGINS = ['test/hostile/origins.test.ts']
const REGISTRATION = [
  'test/server/auth/registrations.test.ts',
  'test/server/api/accounts/registration.test.ts',
]
const CONFIG = ['test/server/config.test.ts']
const OPERATORS = ['test/server/api/admin/operators.test.ts']
const CUSTODY = 'test/server/api/custody.test.ts'
const MCP = 'test/hostile/mcp.test.ts'
const MARKETS = ['test/server/api/markets/markets.test.ts']

export const GUARD_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/auth/registrations.ts',
    tests: REGISTRATION,
    changes: [
      [
        'anybody registers where registration is closed',
        'if (!this.#isOpen) return',
        'if (!this.#isOpen && nowMs < 0) return',
      ],
      [
        'an address makes any number of profiles',
        'if (isFull || !hasLeft) {',
        'if (isFull && !hasLeft && all < 0) {',
      ],
    ],
  },
  {
    file: 'server/auth/guard.ts',
    tests: ['test/server/auth/guard.test.ts', MCP],
    changes: [
      [
        'of two session cookies the first wins',
        'if (others.length > 0) return',
        'if (others.length > 1) return',
      ],
      [
        'the own origin has any scheme',
        'return URL.canParse(own) && origin === new URL(own).origin',
        'return URL.canParse(own) && new URL(reported).host === new URL(own).host',
      ],
      [
        'any secret proves a token',
        'if (token === undefined || !isRight) return',
        'if (token === undefined) return',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/calls-within.ts',
    tests: [MCP, 'test/hostile/mcp-limits.test.ts', 'test/server/api/mcp/tools.test.ts'],
    changes: [
      [
        'a tool needs no scope',
        'if (lacking !== null) return lacking',
        'if (!auth) return lacking',
      ],
      [
        'a tool takes nothing from the bucket of its address',
        'if (addressSec > 0) return',
        'if (addressSec < 0) return',
      ],
      [
        'a tool trades from a blocked country',
        'if (isRestrictedThere(regions, route, call.headers)) return',
        'if (isRestrictedThere(undefined, route, call.headers)) return',
      ],
      ['a tool keeps its place', 'this.#bulkheads.leave(guest)', 'guest.profileId = 0'],
    ],
  },
  {
    file: 'server/api/mcp/mcp.ts',
    tests: [MCP],
    changes: [
      [
        'a canceled request is never answered',
        'return requests.length === 0 ? payload : requests',
        'return payload',
      ],
    ],
  },
  {
    file: 'server/settings/limit-settings.ts',
    tests: [...CONFIG, 'test/server/api/accounts/registration.test.ts'],
    changes: [
      [
        'the flag that closes registration is not read',
        "get(REGISTRATION.isOpen) === 'open'",
        "get(REGISTRATION.isOpen) !== ''",
      ],
    ],
  },
  {
    file: 'server/auth/session.ts',
    tests: ['test/server/api/accounts/partners.test.ts'],
    changes: [
      [
        'a signed message is good for every purpose',
        'text === textOf(signing, purpose, name, issuedMs)',
        "text.replace(/Purpose: [^.]+/, '') ===\n" +
          "      textOf(signing, purpose, name, issuedMs).replace(/Purpose: [^.]+/, '')",
      ],
    ],
  },
  {
    file: 'server/api/accounts/partners.ts',
    tests: ['test/hostile/scopes.test.ts', 'test/server/api/accounts/partners.test.ts'],
    changes: [
      [
        'any token makes sub-accounts',
        "auth: hmac('account_creation'),\n  rateClass: 'auth',\n  about: 'Creates a sub-account",
        "auth: hmac(),\n  rateClass: 'auth',\n  about: 'Creates a sub-account",
      ],
    ],
  },
  {
    file: 'server/start/wiring.ts',
    tests: ORIGINS,
    changes: [
      [
        'behind a proxy the cookie travels without TLS',
        "tls !== undefined || publicUrl?.startsWith('https:') === true",
        'tls !== undefined',
      ],
    ],
  },
  {
    file: 'server/auth/guard.ts',
    tests: ORIGINS,
    changes: [
      [
        'a page of another site makes a change with a cookie',
        "if (isForeign && call.method !== 'GET' && call.method !== 'HEAD') {",
        "if (isForeign && call.method === '') {",
      ],
      [
        'behind a proxy the host of a call is its origin',
        'if (publicUrl !== undefined) return origin === publicUrl\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/settings/edge-settings.ts',
    tests: CONFIG,
    changes: [
      [
        'identity tokens of any issuer are taken without a setting',
        'if (text !== undefined) return text === ANY ? undefined : text\n',
        'return text === ANY ? undefined : text\n',
      ],
      [
        'keys of identity tokens may come over plain http',
        "if (new URL(source).protocol === 'https:') return true\n",
        'if (source.length > 0) return true\n',
      ],
    ],
  },
  {
    file: 'server/auth/identity.ts',
    tests: ['test/server/auth/guard.test.ts'],
    changes: [
      [
        'the issuer of an identity token is not compared',
        '...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),\n',
        '\n',
      ],
      [
        'the audience of an identity token is not compared',
        '...(settings.audience === undefined ? {} : { audience: settings.audience }),\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/settings/kinds.ts',
    tests: CONFIG,
    changes: [
      ['an admin token may have one character', '[\\x21-\\x7e]{16,256}', '[\\x21-\\x7e]{1,256}'],
    ],
  },
  {
    file: 'persistence/seal.ts',
    tests: ['test/persistence/seal.test.ts'],
    changes: [
      [
        'the sealed key of a wallet opens for every owner',
        'return `wallet:\x24{profileId}`',
        "return 'folder-key'",
      ],
    ],
  },
  {
    file: 'engine/core/decide/decide.ts',
    tests: OPERATORS,
    changes: [
      [
        'a frozen profile trades',
        'if (clearing.frozen.count > 0) {',
        'if (clearing.frozen.count < 0) {',
      ],
      [
        'a frozen partner trades for its sub-accounts',
        'isFrozen || clearing.frozen.isFrozen(request.order.accountId)',
        'clearing.frozen.isFrozen(request.order.accountId)',
      ],
    ],
  },
  {
    file: 'engine/core/decide/operators.ts',
    tests: OPERATORS,
    changes: [
      [
        'a frozen profile adds a withdrawal address',
        'return frozen.isFrozen(profileId) ? REJECT.PROFILE_FROZEN : null',
        'return frozen.isFrozen(-profileId) ? REJECT.PROFILE_FROZEN : null',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/sequencer.ts',
    tests: [...OPERATORS, 'test/crash/freeze.test.ts'],
    changes: [
      [
        'a freeze cancels nothing',
        "this.#cancelBefore('PROFILE_FROZEN', [command.profileId], command.seq)",
        'this.#cancelFrozen(0, command.seq)',
      ],
      [
        'a start forgets the cancels of a freeze',
        "this.#cancelBefore('PROFILE_FROZEN', [profileId], seq)\n",
        'seq satisfies number\n',
      ],
    ],
  },
  {
    file: 'engine/core/decide/partners.ts',
    tests: [CUSTODY],
    changes: [
      [
        'a partner moves the money of a sub-account that signs for itself',
        "return reach === 'serverWallets' && made.sealedKey === null",
        "return reach === 'serverWallets' && made.partnerId === 0",
      ],
      [
        'a frozen partner makes sub-accounts',
        'const frozen = decideActing(clearing, partnerId)',
        'const frozen = decideActing(clearing, -partnerId)',
      ],
    ],
  },
  {
    file: 'server/edge/http/access/on-behalf.ts',
    tests: [CUSTODY],
    changes: [
      [
        'a call that is always for its caller takes the name of a sub-account',
        'return call.headers.has(ON_BEHALF_OF) && !Object',
        'return call.headers.has(ON_BEHALF_OF + ON_BEHALF_OF) && !Object',
      ],
    ],
  },
  {
    file: 'engine/core/money/open-sizes.ts',
    tests: ['test/engine/core/accounts/leaving.test.ts'],
    changes: [
      [
        'the open size of a sub-account that left counts for its partner',
        'this.#takeShared(from, rows.marketOf(row), sharesRaw)',
        'this.#takeShared(from, rows.marketOf(row), 0)',
      ],
    ],
  },
  {
    file: 'server/edge/http/access/own-hosts.ts',
    tests: ['test/server/ops/listeners.test.ts'],
    changes: [
      [
        'the listener of operators answers the name of any host',
        'return isAddress || this.#names.has(name) ? null',
        "return isAddress || name !== '' ? null",
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/call-desk.ts',
    tests: ['test/hostile/roles.test.ts'],
    changes: [
      [
        'the role of an operator is not checked',
        'return mayAct(operator.role, needed) ? null : roleMissing(needed, operator)',
        'return mayAct(needed, needed) ? null : roleMissing(needed, operator)',
      ],
    ],
  },
  {
    file: 'engine/domain/operator.ts',
    tests: ['test/hostile/roles.test.ts'],
    changes: [
      [
        'every role may do everything',
        'ROLES.indexOf(role) >= ROLES.indexOf(needed)',
        'ROLES.includes(role) && ROLES.includes(needed)',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/sequencer.ts',
    tests: OPERATORS,
    changes: [
      ['a command does not name its operator', '? body : { ...body, by }', '? body : body'],
    ],
  },
  {
    file: 'server/api/admin/admin-markets.ts',
    tests: MARKETS,
    changes: [
      [
        'a market takes a slug that is part of a path',
        'settings.reservedSlugs.has(given.slug)',
        "settings.reservedSlugs.has('')",
      ],
    ],
  },
]
