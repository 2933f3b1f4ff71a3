import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ORDER_TYPES } from '../../../engine/domain/order.ts'
import { ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import { curlText, refusalText, signedRequest } from '../../../server/cli/client.ts'
import { formatUnits, parsePriceTicks, parseUnits } from '../../../server/cli/decimals.ts'
import { ORDER_USAGE, orderLineOf, readTerms } from '../../../server/cli/order/order-line.ts'
import { feeBpsOf, signedBody } from '../../../server/cli/order/order-request.ts'
import { splitLine } from '../../../server/command-line.ts'
import { keccakReady } from '../../../server/crypto/keccak.ts'
import { nearest } from '../../../server/settings/nearest.ts'
import { readAdminLine } from '../../support/admin-line.ts'

before(() => keccakReady)

const orderOf = (line: string) => orderLineOf(splitLine(ORDER_USAGE, line.split(' '), {}))

const BUY = 0
const SELL = 1

test('amounts are read to the raw unit and printed without needless zeros', () => {
  const rows: [string, number | undefined][] = [
    ['100.5', 100_500_000],
    ['1', 1_000_000],
    ['0.000001', 1],
    ['007', 7_000_000],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
    ['9007199254.740992', undefined],
    ['0', undefined],
    ['0.0000001', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['1e3', undefined],
    ['-1', undefined],
    ['1,5', undefined],
    [' 1', undefined],
    ['', undefined],
  ]
  for (const [text, raw] of rows) assert.equal(parseUnits(text), raw, text)
  assert.equal(formatUnits(100_500_000), '100.5')
  assert.equal(formatUnits(1), '0.000001')
  assert.equal(formatUnits(0), '0')
  assert.equal(formatUnits(7_000_000), '7')
})

test('a price is read if it is a whole number of ticks', () => {
  const rows: [string, number | undefined][] = [
    ['0.52', 520],
    ['.52', 520],
    ['0.001', 1],
    ['0.9990', 999],
    ['0.5', 500],
    ['0', undefined],
    ['0.000', undefined],
    ['1', undefined],
    ['0.5215', undefined],
    ['52', undefined],
    ['1.5', undefined],
    ['-0.5', undefined],
    ['', undefined],
  ]
  for (const [text, ticks] of rows) assert.equal(parsePriceTicks(text), ticks, text)
})

test('an order line gives the amounts of the examples in the rules', () => {
  const rows: [number, string, number, number, number][] = [
    [BUY, '10@0.65', 6_500_000, 10_000_000, 650],
    [BUY, '22.123@0.381', 8_428_863, 22_123_000, 381],
    [SELL, '5@0.75', 5_000_000, 3_750_000, 750],
    [SELL, '1.234@0.381', 1_234_000, 470_154, 381],
    [BUY, '$1', 1_000_000, 1, 0],
    [SELL, '12.345678', 12_345_678, 1, 0],
  ]
  for (const [side, text, makerAmount, takerAmount, priceTicks] of rows) {
    const orderType = text.includes('@') ? 'GTC' : 'FOK'
    const terms = { orderType, makerAmount, takerAmount, priceTicks }
    assert.deepEqual(readTerms(side, text, undefined), terms, text)
  }
  assert.equal(readTerms(BUY, '10@0.65', 'FAK').orderType, 'FAK')
})

const HEAD = '--market m'
const WRONG_ORDERS: readonly (readonly [line: string, sentence: RegExp])[] = [
  [`${HEAD} 1@0.5`, /^Say what to trade: --buy yes 10@0.52/],
  ['--buy yes 10@0.52', /^required option '--market <SLUG>' not specified; see --help$/],
  [`${HEAD} --buy yes --sell no 1@0.5`, /^One order either buys or sells/],
  [`${HEAD} --buy`, /^option '--buy <yes[|]no>' argument missing; see --help$/],
  [`${HEAD} --buy maybe 1@0.5`, /^--buy must be one of yes, no, not 'maybe'$/],
  [`${HEAD} --buy yes`, /^missing required argument 'SIZE'; see --help$/],
  [`${HEAD} --buy yes `, /^An order needs a size; say how much: SIZE@PRICE/],
  [`${HEAD} --buy yes 1@0.5 2@0.5`, /^too many arguments/],
  [`${HEAD} --buy yes 22.1234@0.38`, /^The size in '22.1234@0.38' must be above 0, in steps/],
  [`${HEAD} --buy yes 0@0.38`, /^The size/],
  [`${HEAD} --buy yes @0.38`, /^The size/],
  [`${HEAD} --buy yes 10000001@0.38`, /at most 10000000 shares$/],
  [`${HEAD} --buy yes 1@`, /^The price in '1@' must be from 0.001 to 0.999/],
  [`${HEAD} --buy yes 1@1`, /^The price/],
  [`${HEAD} --buy yes 1@0.5215`, /^The price/],
  [`${HEAD} --buy yes 5`, /^A buy at the market names what it spends: '\$5', in quotes$/],
  [`${HEAD} --sell yes $5`, /^A sell at the market names its shares: 5, without the \$$/],
  [`${HEAD} --buy yes five`, /^'five' is no amount/],
  [`${HEAD} --buy yes $5 --type GTC`, /^An order without a price is FOK; give GTC a price/],
  [`${HEAD} --buy yes 1@0.5 --type FAK --post-only`, /^--post-only is only for GTC orders/],
  [`${HEAD} --buy yes 1@0.5 --type IOC`, /^--type must be one of GTC, FAK, FOK, not 'IOC'$/],
  [`${HEAD} --buy yes 1@0.5 --as x`, /^--as must be a whole number/],
  [`${HEAD} --buy yes 1@0.5 --markt m`, /Did you mean --market[?][)]$/],
]

test('a wrong order line is refused with a sentence', () => {
  for (const [line, expected] of WRONG_ORDERS) {
    assert.throws(() => orderOf(line), { message: expected }, line)
  }
})

test('each flag of an order has a flag here, for the order types that take it', () => {
  for (const { name, flag, needs } of ORDER_FLAGS) {
    const type = needs ?? 'GTC'
    const words = `--market m --buy yes 10@0.65 --type ${type} --${flag}`
    assert.deepEqual(orderOf(words).flags, { [name]: true })
    for (const other of ORDER_TYPES) {
      if (needs === null || other === needs) continue
      const line = `--market m --buy yes 10@0.65 --type ${other} --${flag}`
      assert.throws(() => orderOf(line), { message: new RegExp(`^--${flag} is only for`) })
    }
  }
})

test('an order from the command line has the signature of the rules', () => {
  const words = '--market m --buy yes 10@0.65 --post-only --client-order-id mine'
  const body: unknown = JSON.parse(
    signedBody({
      line: orderOf(words),
      trader: {
        profileId: 7,
        account: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
        privateKey: `0x${'11'.repeat(32)}`,
        tokenId: 't',
        secret: 's',
      },
      venue: {
        slug: 'm',
        tokens: { yes: '123456789', no: '1' },
        exchange: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
        takesFees: true,
      },
      feeBps: 300,
      salt: 1_778_155_025_318_314,
    }),
  )
  assert.deepEqual(body, {
    order: {
      salt: 1_778_155_025_318_314,
      maker: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
      signer: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
      taker: '0x0000000000000000000000000000000000000000',
      tokenId: '123456789',
      makerAmount: 6_500_000,
      takerAmount: 10_000_000,
      expiration: 0,
      nonce: 0,
      feeRateBps: 300,
      side: 0,
      signatureType: 0,
      signature:
        '0x95ae4000300229b903b197c182eb5be61c83fdfeab63a15bf0b57c9a773604046a144cea6a5395b1522c' +
        '4017b8926c2030654bc728fea001a1742e0afa3af8181c',
      price: 0.65,
    },
    ownerId: 7,
    orderType: 'GTC',
    marketSlug: 'm',
    postOnly: true,
    clientOrderId: 'mine',
  })
})

test('the effective fee rate is signed, nothing without fees; no rank is a sentence', () => {
  const venue = { slug: 'm', tokens: { yes: '1', no: '2' }, exchange: '', takesFees: true }
  assert.equal(feeBpsOf({ effectiveFeeRateBps: 250 }, venue), 250)
  assert.equal(feeBpsOf({}, { ...venue, takesFees: false }), 0)
  assert.throws(() => feeBpsOf({ effectiveFeeRateBps: null }, venue), /has no rank/)
})

test('a curl command quotes every character that a shell would interpret', () => {
  const call = { method: 'POST', path: '/orders', body: `{"a":"it's $HOME"}` }
  const credentials = { tokenId: 'id', secret: 'c2VjcmV0', headerPrefix: 'svc-' }
  const text = curlText('http://h:1/', signedRequest(call, credentials, 0))
  assert.deepEqual(text.split(' \\\n  '), [
    `curl -sS -X POST 'http://h:1/orders'`,
    `-H 'svc-api-key: id'`,
    `-H 'svc-timestamp: 1970-01-01T00:00:00.000Z'`,
    `-H 'svc-signature: ${signedRequest(call, credentials, 0).headers['svc-signature']}'`,
    `-H 'content-type: application/json'`,
    `--data-raw '{"a":"it'\\''s $HOME"}'`,
  ])
})

const ACCOUNT = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const ADMIN_CALLS: readonly (readonly [words: string[], call: readonly unknown[]])[] = [
  [
    ['market', 'm', 'A title'],
    ['POST', '/admin/markets', { kind: 'clob', slug: 'm', title: 'A title' }],
  ],
  [
    ['market', 'm', 't', '--fee'],
    ['POST', '/admin/markets', { kind: 'clob', slug: 'm', title: 't', fee: true }],
  ],
  [
    ['profile', ACCOUNT],
    ['POST', '/admin/profiles', { account: ACCOUNT }],
  ],
  [
    ['profile', ACCOUNT, '--scopes', 'trading,withdrawal', '--rank', 'bronze', '--username=ann'],
    [
      'POST',
      '/admin/profiles',
      {
        account: ACCOUNT,
        username: 'ann',
        rank: 'bronze',
        apiToken: { scopes: ['trading', 'withdrawal'] },
      },
    ],
  ],
  [
    ['credit', '3', '100.5'],
    ['POST', '/admin/balances', { profileId: 3, collateralRaw: 100_500_000 }],
  ],
  [
    ['resolve', 'm/n', 'yes'],
    ['POST', '/admin/markets/m%2Fn/resolve', { winningOutcomeIndex: 0 }],
  ],
  [
    ['resolve', 'm', 'no'],
    ['POST', '/admin/markets/m/resolve', { winningOutcomeIndex: 1 }],
  ],
  [
    ['resolve', 'm', 'split'],
    ['POST', '/admin/markets/m/resolve', { payoutNumerators: [1, 1] }],
  ],
  [
    ['restrict', 'disabled'],
    ['POST', '/admin/trading-modes', { mode: 'disabled' }],
  ],
  [
    [
      'restrict',
      'post_only',
      '--from=2026-12-01T12:00Z',
      '--until',
      'T',
      '--message',
      'An update.',
    ],
    [
      'POST',
      '/admin/trading-modes',
      {
        mode: 'post_only',
        startsAt: '2026-12-01T12:00Z',
        endsAt: 'T',
        publicMessage: 'An update.',
      },
    ],
  ],
  [
    ['freeze', '7', '--reason', 'A theft.'],
    ['POST', '/admin/profiles/7/freeze', { reason: 'A theft.' }],
  ],
  [
    ['unfreeze', '7'],
    ['POST', '/admin/profiles/7/unfreeze', {}],
  ],
  [
    ['revoke-tokens', '7'],
    ['DELETE', '/admin/profiles/7/tokens', null],
  ],
  [
    ['revoke-sessions', '7'],
    ['DELETE', '/admin/profiles/7/sessions', null],
  ],
  [
    ['operator', 'add', 'ada', '--role', 'support'],
    ['POST', '/admin/operators', { name: 'ada', role: 'support' }],
  ],
  [
    ['operator', 'remove', 'a/b'],
    ['DELETE', '/admin/operators/a%2Fb', null],
  ],
  [['operators'], ['GET', '/admin/operators', null]],
  [['audit'], ['GET', '/admin/audit', null]],
  [
    ['audit', '--operator=ada', '--before', '9', '--limit', '100'],
    ['GET', '/admin/audit?operator=ada&before=9&limit=100', null],
  ],
  [
    ['get', '/admin/log'],
    ['GET', '/admin/log', null],
  ],
  [
    ['PATCH', '/admin/x', '{"a":1}'],
    ['PATCH', '/admin/x', { a: 1 }],
  ],
]

test('an admin line becomes one call of the admin API', () => {
  for (const [words, expected] of ADMIN_CALLS) {
    const { method, path, body } = readAdminLine(words).call
    assert.deepEqual([method, path, body === '' ? null : JSON.parse(body)], expected)
  }
  const long = '{"collateralRaw":9007199254740993}'
  assert.equal(readAdminLine(['POST', '/admin/balances', long]).call.body, long)
})

const WRONG_ADMIN: readonly (readonly [words: string[], sentence: RegExp])[] = [
  [[], /see --help$/],
  [['credti', '1', '2'], /^unknown command 'credti' [(]Did you mean credit[?][)]$/],
  [['toString'], /^unknown command 'toString'/],
  [['market', 'm'], /^missing required argument 'TITLE'; see --help$/],
  [['market', 'm', 't', 'x'], /^too many arguments for 'market'. Expected 2 arguments but got 3/],
  [['profile', 'me'], /^'me' must be an address: 0x and 40 hex digits$/],
  [['profile', ACCOUNT, '--scopes', 'Trading'], /^--scopes must be/],
  [['credit', '0', '1'], /^'0' must be a whole number from 1/],
  [['credit', '1', '1.1234567'], /^'1.1234567' must be an amount above 0/],
  [['credit', '1', '2', '--fee'], /^unknown option '--fee'/],
  [['resolve', 'm', 'maybe'], /^'maybe' must be yes, no, split or two parts like 3:1$/],
  [['restrict', 'normal'], /^'normal' must be one of post_only, cancel_only, disabled$/],
  [['resolve', 'm', 'yes', '--until', 'T'], /^unknown option '--until'/],
  [['freeze', 'ann'], /^'ann' must be a whole number from 1/],
  [['unfreeze'], /^missing required argument 'PROFILE_ID'/],
  [['operator', 'add', 'ada'], /^Say what ada may do: --role read\|support\|money\|root$/],
  [['operator', 'add', 'ada', '--role', 'boss'], /^--role must be one of read, support/],
  [['operator', 'hire', 'ada'], /^'hire' must be add or remove$/],
  [['audit', '--limit', '101'], /^--limit must be a whole number from 1 to 100/],
  [['operators', '--role', 'read'], /^unknown option '--role'/],
  [['GET'], /^missing required argument 'PATH'/],
  [['GET', 'admin'], /^Write: outcomex admin GET/],
  [['POST', '/admin/x', '{a:1}'], /^The body is not JSON/],
]

test('a refusal names a field as the command line names it', () => {
  const { fields } = readAdminLine(['profile', ACCOUNT, '--scopes', 'x'])
  const message = [
    { field: 'apiToken.scopes.0', message: 'is no scope' },
    { field: 'rank', message: 'is no rank' },
    { field: 'more', message: 'is too much' },
  ]
  const reply = { status: 400, body: { message, code: 'VALIDATION' } }
  assert.equal(
    refusalText(reply, fields),
    'The exchange refused with 400 VALIDATION: --scopes is no scope; --rank is no rank; ' +
      'more is too much',
  )
})

test('a wrong admin line is refused with a sentence', () => {
  for (const [words, expected] of WRONG_ADMIN) {
    assert.throws(() => readAdminLine(words), { message: expected }, words.join(' '))
  }
})

test('the nearest word is one slip away, and there is none if all are far', () => {
  const known = ['serve', 'verify', 'rebuild', 'admin', 'order']
  const rows: [string, string | undefined][] = [
    ['serv', 'serve'],
    ['verfiy', 'verify'],
    ['Order', 'order'],
    ['reb', 'rebuild'],
    ['xyz', undefined],
    ['', undefined],
  ]
  for (const [word, expected] of rows) assert.equal(nearest(word, known), expected, word)
})
