import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allCommands } from '../../server/cli/commands.ts'
import { runCommand } from '../../server/command-line.ts'
import { readConfig, SERVE_ROWS, type ServeConfig, withChecksums } from '../../server/config.ts'
import { keccakReady } from '../../server/crypto/keccak.ts'
import { ADDRESS_RATES, PROFILE_RATES } from '../../server/edge/http/access/rate-limit.ts'
import { serveCommand } from '../../server/start/serve-command.ts'

const FILES: Readonly<Record<string, string>> = {
  'a.json': '{ "port": 4001, "header-prefix": ["x-", "y-"], "demo": true, "log-level": "warn" }',
  'list.json': '[]',
  'broken.json': '{',
  'key.json': '{ "headerPrefix": "x-" }',
  'far.json': '{ "zzzzzzzz": 1 }',
  'bad.json': '{ "port": 1.5 }',
  'deep.json': '{ "port": { "number": 1 } }',
  'self.json': '{ "config": "a.json" }',
  'limits.json':
    '{ "address-rate-public": "7:70", "geo-header": "cf-ipcountry", "geo-block": ["CU", "IR"] }',
  'cert.pem': '-----BEGIN CERTIFICATE-----',
  'key.pem': '-----BEGIN PRIVATE KEY-----',
  'jwks.json': '{ "keys": [] }',
  'jwk.json': '{ "kty": "EC" }',
  'text.txt': 'hello',
  'token.json': '{ "admin-token": "fifteen-letters" }',
}

function readFile(path: string): string {
  const text = FILES[path]
  if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`)
  return text
}

type Env = Readonly<Record<string, string>>

function config(line: string, env: Env = {}): ServeConfig {
  const reading = readConfig(line.split(' ').filter(Boolean), env, readFile)
  assert.ok(reading.ok, reading.ok ? '' : reading.sentence)
  return reading.config
}

function sentence(line: string, env: Env = {}): string {
  const reading = readConfig(line.split(' ').filter(Boolean), env, readFile)
  assert.ok(!reading.ok, `accepted: ${line}`)
  return reading.sentence
}

test('without settings every value is its default', () => {
  const { edgeThreads, ...rest } = config('')
  assert.ok(edgeThreads >= 1)
  assert.deepEqual(rest, {
    port: 3000,
    host: '127.0.0.1',
    chain: undefined,
    cluster: undefined,
    dataDir: './data',
    demo: false,
    headerPrefixes: ['svc-', 'lmts-'],
    sessionCookies: ['outcomex_session', 'limitless_session'],
    marketThreads: 'auto',
    durability: 'full',
    blockMs: 250,
    autoRedeemDays: 30,
    acceptClock: false,
    accuracy: true,
    referralBps: 0,
    packRestSec: 30,
    packCloseSec: 60,
    adminToken: undefined,
    keyFile: undefined,
    tls: undefined,
    trace: undefined,
    logLevel: 'info',
    rateLimit: true,
    socialProvider: 'none',
    rates: { address: ADDRESS_RATES, profile: PROFILE_RATES },
    regions: undefined,
    addressHeader: undefined,
    opsHosts: [],
    opsListen: undefined,
    registration: { isOpen: true, perAddressMax: 200, inAllMax: 20_000 },
    snapshotEveryCommands: 250_000,
    journalDays: 7,
    archiveDays: 0,
    historyDays: 400,
    orderMemoryDays: 30,
    orderMemoryMb: 512,
    segmentBytes: 268_435_456,
    solvencyMinutes: 10,
    stopDeadlineSec: 10,
    domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
    orderSkewMs: 30_000,
    identity: undefined,
    publicUrl: undefined,
    corsOrigins: undefined,
    exchangeAddress: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
    collateralAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  })
})

test('flags win over variables, variables over the file, the file over defaults', () => {
  const env = { OUTCOMEX_PORT: '4002' }
  assert.equal(config('--config a.json').port, 4001)
  assert.equal(config('--config a.json', env).port, 4002)
  assert.equal(config('--config a.json --port 4003', env).port, 4003)
  assert.equal(config('--port 1 --port 2').port, 2)
  assert.equal(config('', { OUTCOMEX_CONFIG: 'a.json' }).port, 4001)
  assert.equal(config('', { OUTCOMEX_PORT: '' }).port, 3000)
})

test('a value may be written in each form of its kind', () => {
  const file = config('--config a.json')
  assert.deepEqual([file.headerPrefixes, file.demo, file.logLevel], [['x-', 'y-'], true, 'warn'])
  assert.equal(config('--port=0').port, 0)
  assert.equal(config('--demo').demo, true)
  assert.equal(config('--config a.json --demo=false').demo, false)
  assert.equal(config('--demo --port 5').port, 5)
  assert.equal(config('--demo --no-demo').demo, false)
  assert.equal(config('--demo --demo=0').demo, false)
  assert.equal(config('--demo=false --demo').demo, true)
  assert.equal(config('--no-rate-limit=false').rateLimit, true)
  assert.equal(config('', { OUTCOMEX_DEMO: '1' }).demo, true)
  assert.equal(config('--no-rate-limit').rateLimit, false)
  assert.equal(config('', { OUTCOMEX_NO_RATE_LIMIT: 'true' }).rateLimit, false)
  assert.deepEqual(config('--header-prefix a-,b-').headerPrefixes, ['a-', 'b-'])
  assert.deepEqual(config('--session-cookie a_1,b-2').sessionCookies, ['a_1', 'b-2'])
  for (const threads of [0, 3, 256]) {
    assert.equal(config(`--market-threads ${threads}`).marketThreads, threads)
  }
  assert.equal(config('--market-threads each').marketThreads, 'each')
  assert.equal(config('--durability normal').durability, 'normal')
  assert.deepEqual(config('--tls-cert cert.pem --tls-key key.pem').tls, {
    certFile: 'cert.pem',
    keyFile: 'key.pem',
  })
})

test('a demo keeps a day, unless a setting gives other days', () => {
  const daysOf = (args: string) => {
    const { journalDays, archiveDays, historyDays, orderMemoryDays } = config(args)
    return [journalDays, archiveDays, historyDays, orderMemoryDays]
  }
  assert.deepEqual(daysOf(''), [7, 0, 400, 30])
  assert.deepEqual(daysOf('--demo'), [1, 1, 1, 1])
  assert.deepEqual(daysOf('--demo --history-days 400 --archive-days 0'), [1, 0, 400, 1])
  assert.equal(config('--demo').snapshotEveryCommands, 50_000)
  assert.equal(config('--demo --snapshot-every 9').snapshotEveryCommands, 9)
})

test('flags close or bound registration, and --no-rate-limit removes the bound', () => {
  const of = (line: string) => config(line).registration
  const rules = { isOpen: false, perAddressMax: 200, inAllMax: 20_000 }
  assert.deepEqual(of('--registration closed'), rules)
  assert.equal(of('--registrations-per-day-all 9').inAllMax, 9)
  assert.equal(of('--registrations-per-day-all 9 --no-rate-limit').inAllMax, Infinity)
  assert.equal(of('--registrations-per-day 7').perAddressMax, 7)
  assert.equal(of('--registrations-per-day 7 --no-rate-limit').perAddressMax, Infinity)
})

test('the kind of an identity key follows from its value', () => {
  const of = (line: string) => config(line).identity
  const url = 'https://id.example/keys'
  const all = '--identity-issuer any --identity-audience any'
  const claims = '--identity-issuer me --identity-audience us'
  assert.deepEqual(of(`--identity-key ${url} ${claims}`), {
    jwks: url,
    issuer: 'me',
    audience: 'us',
  })
  assert.deepEqual(of(`--identity-key jwks.json --identity-issuer any --identity-audience us`), {
    jwks: 'jwks.json',
    audience: 'us',
  })
  assert.deepEqual(of(`--identity-key jwk.json ${all}`), { publicKey: 'jwk.json' })
  assert.deepEqual(of(`--identity-key cert.pem ${all}`), { publicKey: 'cert.pem' })
})

test('the public URL is an origin', () => {
  const of = (text: string) => config(`--public-url ${text}`).publicUrl
  assert.equal(of('https://exchange.example'), 'https://exchange.example')
  assert.equal(of('https://Exchange.example:443/'), 'https://exchange.example')
  assert.equal(of('http://[::1]:3000'), 'http://[::1]:3000')
})

test('--explorer-url takes a place to which paths can be added', () => {
  const chain = '--chain-rpc http://127.0.0.1:8545 --chain-key key'
  const of = (text: string) => config(`${chain} --explorer-url ${text}`).chain?.explorerUrl
  assert.equal(config(chain).chain?.explorerUrl, undefined)
  assert.equal(of('https://basescan.org'), 'https://basescan.org')
  assert.equal(of('https://Basescan.org/'), 'https://basescan.org')
  assert.equal(of('http://127.0.0.1:5100/base/'), 'http://127.0.0.1:5100/base')
  for (const wrong of [
    'basescan.org',
    'ftp://basescan.org',
    'javascript://basescan.org/%0aalert(1)',
    'https://basescan.org/?a=b',
    'https://basescan.org/#a',
    'https://me:secret@basescan.org',
  ]) {
    assert.match(sentence(`${chain} --explorer-url ${wrong}`), /^--explorer-url must be an address/)
  }
})

test('--cors-origin takes origins as browsers write them, or *', () => {
  const of = (text: string) => config(`--cors-origin ${text}`).corsOrigins
  assert.equal(of('*'), '*')
  assert.deepEqual(of('https://app.example'), ['https://app.example'])
  assert.deepEqual(of('https://app.example,http://localhost:5173'), [
    'https://app.example',
    'http://localhost:5173',
  ])
  assert.deepEqual(config('', { OUTCOMEX_CORS_ORIGIN: 'http://[::1]:8080' }).corsOrigins, [
    'http://[::1]:8080',
  ])
  const many = Array.from({ length: 65 }, (_, index) => `https://a${index}.example`)
  const wrong = [
    'app.example',
    'https://app.example/',
    'https://app.example/path',
    'https://App.example',
    'https://app.example:443',
    'https://u@app.example',
    'ftp://app.example',
    'null',
    'https://',
    '*,https://app.example',
    'https://a.example,https://a.example',
    'https://*.example',
    ',',
    many.join(','),
  ]
  for (const text of wrong) {
    assert.match(sentence(`--cors-origin ${text}`), /^--cors-origin must be \* or up to 64 /, text)
  }
})

test('rates and countries can come from flags, variables and files', () => {
  const { rates } = config('--rate-trade 5:9 --config limits.json', {
    OUTCOMEX_ADDRESS_RATE_AUTH: '1:1',
  })
  assert.deepEqual(rates.profile, { ...PROFILE_RATES, trade: { perSecond: 5, burst: 9 } })
  const auth = { perSecond: 1, burst: 1 }
  const publicRateClass = { perSecond: 7, burst: 70 }
  assert.deepEqual(rates.address, { ...ADDRESS_RATES, auth, public: publicRateClass })
  const of = (line: string) => config(line).regions
  const header = 'cf-ipcountry'
  assert.deepEqual(of('--geo-header CF-IPCountry --geo-block cu,IR'), {
    header,
    blocked: new Set(['CU', 'IR']),
    refusesUnknown: false,
  })
  assert.deepEqual(of('--config limits.json --geo-unknown refuse'), {
    header,
    blocked: new Set(['CU', 'IR']),
    refusesUnknown: true,
  })
  assert.deepEqual(of('--geo-header x-country --geo-unknown refuse')?.blocked, new Set())
})

const WRONG_LINES: readonly (readonly [line: string, sentence: RegExp])[] = [
  ['--prot 1', /^unknown option '--prot' [(]Did you mean --port[?][)]$/],
  ['--head-prefix x-', /Did you mean --header-prefix[?][)]$/],
  ['--market-thread 1', /Did you mean --market-threads[?][)]$/],
  ['--zzzzzzzz', /^unknown option '--zzzzzzzz'; see --help$/],
  ['-p 1', /^unknown option '-p'; see --help$/],
  ['-5', /^too many arguments/],
  ['extra', /^too many arguments[.] Expected 0 arguments but got 1; see --help$/],
  ['--demo false', /^too many arguments/],
  ['--port', /^option '--port <N>' argument missing; see --help$/],
  ['--port --demo', /^option '--port <N>' argument missing/],
  ['--port=', /^--port must be a whole number from 0 to 65535, not ''$/],
  ['--port 65536', /^--port must be .* not '65536'$/],
  ['--port -1', /^--port must be/],
  ['--port 1e3', /^--port must be/],
  ['--port 080', /^--port must be/],
  ['--port 1 --port x --port 2', /not 'x'$/],
  ['--demo=maybe', /^--demo must be true or false, not 'maybe'$/],
  ['--host=', /^--host must be a host name or address/],
  ['--header-prefix Svc-', /^--header-prefix must be/],
  ['--header-prefix svc', /^--header-prefix must be/],
  ['--header-prefix svc-,svc-', /^--header-prefix must be/],
  ['--header-prefix svc-,', /^--header-prefix must be/],
  ['--session-cookie __Host-x', /^--session-cookie must be up to 64 letters/],
  ['--session-cookie a;b', /^--session-cookie must be/],
  ['--session-cookie a,a', /^--session-cookie must be/],
  ['--market-threads many', /^--market-threads must be auto, each or a whole number/],
  ['--market-threads 257', /^--market-threads must be/],
  ['--edge-threads 257', /^--edge-threads must be a whole number from 0 to 256/],
  ['--durability fast', /^--durability must be one of full, normal, not 'fast'$/],
  ['--log-level loud', /^--log-level must be one of fatal, error/],
  ['--chain-id 0', /^--chain-id must be a whole number from 1 to 2\^53 - 1/],
  ['--chain-id 9007199254740993', /^--chain-id must be/],
  ['--explorer-url https://basescan.org', /^--explorer-url is for an EVM chain; .* --chain-rpc$/],
  ['--exchange-address 0x12', /^--exchange-address must be an address/],
  ['--collateral-address me', /^--collateral-address must be an address/],
  ['--tls-cert cert.pem', /^--tls-cert needs --tls-key$/],
  ['--tls-key key.pem', /^--tls-key needs --tls-cert$/],
  ['--tls-cert gone.pem --tls-key key.pem', /^The TLS file gone.pem cannot be read: ENOENT/],
  ['--tls-cert text.txt --tls-key key.pem', /^The TLS file text.txt is not PEM/],
  ['--rate-trade 1000', /^--rate-trade must be calls a second and a burst, like 1000:2000/],
  ['--rate-trade 0:1', /^--rate-trade must be .* not '0:1'$/],
  ['--rate-auth 1:0', /^--rate-auth must be/],
  ['--rate-auth 1.5:2', /^--rate-auth must be/],
  ['--address-rate-public 1:2:3', /^--address-rate-public must be/],
  ['--rate-public 1:2', /^unknown option '--rate-public'; see --help$/],
  ['--geo-header cf-ipcountry', /^--geo-header needs --geo-block$/],
  ['--geo-block CU', /^--geo-block needs --geo-header$/],
  ['--geo-unknown refuse', /^--geo-unknown refuse needs --geo-header$/],
  ['--demo --geo-header x --geo-unknown refuse', /^--demo needs --geo-unknown allow: no proxy/],
  ['--geo-unknown block', /^--geo-unknown must be one of allow, refuse/],
  ['--geo-header x:y --geo-block CU', /^--geo-header must be the name of a header/],
  ['--geo-header x --geo-block CUB', /^--geo-block must be countries of two letters/],
  ['--geo-header x --geo-block CU,', /^--geo-block must be/],
  ['--identity-issuer me', /^--identity-issuer needs --identity-key$/],
  ['--identity-audience us', /^--identity-audience needs --identity-key$/],
  ['--identity-key gone.pem', /^The identity key file gone.pem cannot be read/],
  ['--identity-key text.txt', /neither a JWK set nor a public key$/],
  ['--identity-key http://', /^--identity-key must be a file or a URL/],
  ['--identity-key http://id.example/keys', /^--identity-key must be a file or an https URL/],
  ['--identity-key http://127.0.0.1/keys', /anybody on the way could replace the keys/],
  ['--identity-key key.pem', /^The identity key file key.pem holds a private key/],
  ['--identity-key cert.pem', /^--identity-key needs --identity-issuer: .* accepts every token/],
  ['--identity-key cert.pem --identity-issuer me', /^--identity-key needs --identity-audience: /],
  ['--identity-key cert.pem --identity-audience me', /^--identity-key needs --identity-issuer: /],
  ['--public-url exchange.example', /^--public-url must be an address like https:/],
  ['--public-url https://exchange.example/markets', /^--public-url must be/],
  ['--public-url https://me@exchange.example', /^--public-url must be/],
  ['--public-url ftp://exchange.example', /^--public-url must be/],
  ['--admin-token fifteen-letters', /^--admin-token must be 16 to 256 visible ASCII characters/],
  ['--config token.json', /^"admin-token" in token.json must be 16 to 256 visible ASCII/],
  ['--config gone.json', /^The config file gone.json cannot be read: ENOENT/],
  ['--config broken.json', /^The config file broken.json is not JSON/],
  ['--config list.json', /must hold one JSON object/],
  ['--config key.json', /^There is no setting "headerPrefix" .* did you mean "header-prefix"\?$/],
  ['--config far.json', /^There is no setting "zzzzzzzz" \(in far.json\); see --help$/],
  ['--config self.json', /^There is no setting "config"/],
  ['--config bad.json', /^"port" in bad.json must be a whole number .* not '1.5'$/],
  ['--config bad.json --port 1', /^"port" in bad.json must be/],
  ['--config deep.json', /^"port" in deep.json must be a text, a number, true or false$/],
]

test('a wrong flag, key or value is refused with a sentence that says why', () => {
  for (const [line, expected] of WRONG_LINES) assert.match(sentence(line), expected, line)
})

test('a wrong variable is refused with the nearest right one', () => {
  const rows: [Env, RegExp][] = [
    [{ OUTCOMEX_PROT: '1' }, /^There is no environment variable OUTCOMEX_PROT; .* \w+_PORT\?$/],
    [{ OUTCOMEX_: '1' }, /see --help$/],
    [{ OUTCOMEX_PORT: 'x' }, /^OUTCOMEX_PORT must be a whole number from 0 to 65535, not 'x'$/],
    [{ OUTCOMEX_DEMO: 'yes' }, /^OUTCOMEX_DEMO must be true or false/],
  ]
  for (const [env, expected] of rows) assert.match(sentence('', env), expected)
  assert.equal(config('', { PORT: '1', OUTCOME: 'x' }).port, 3000)
})

test('an admin token has at least sixteen characters', () => {
  const token = 'sixteen--letters'
  assert.equal(config(`--admin-token ${token}`).adminToken, token)
  assert.equal(config('', { OUTCOMEX_ADMIN_TOKEN: token }).adminToken, token)
  const short = { OUTCOMEX_ADMIN_TOKEN: token.slice(1) }
  assert.match(sentence('', short), /^OUTCOMEX_ADMIN_TOKEN must be 16 to 256 visible ASCII/)
})

test('the refusal of a wrong admin token does not show the token', () => {
  const stated = sentence('', { OUTCOMEX_ADMIN_TOKEN: 'secret with spaces' })
  assert.match(stated, /^OUTCOMEX_ADMIN_TOKEN must be/)
  assert.doesNotMatch(stated, /secret with/)
})

test('addresses get their checksum, and a wrong one is refused', async () => {
  await keccakReady
  const right = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
  const lower = withChecksums(config(`--exchange-address ${right.toLowerCase()}`))
  assert.ok(lower.ok)
  assert.equal(lower.config.exchangeAddress, right)
  const wrong = withChecksums(config(`--collateral-address ${right.replace('E2f4', 'e2f4')}`))
  assert.ok(!wrong.ok)
  assert.match(wrong.sentence, /^The address 0x05c748e2f4.* has a wrong EIP-55 checksum$/)
})

test('the help names every flag once, with its default', async () => {
  let help = ''
  const say = (text: string) => {
    help += text
  }
  const shell = { env: {}, nowMs: () => 0, say, warn: say }
  const known = allCommands(serveCommand(null))
  assert.equal(await runCommand(known, ['serve', '--help'], '', shell), 0)
  for (const { flag } of SERVE_ROWS) {
    const lines = help.split('\n').filter((line) => line.startsWith(`  --${flag} `))
    assert.equal(lines.length, 1, flag)
  }
  // The library breaks long lines.
  const text = help.replaceAll(/\s+/g, ' ')
  assert.match(text, /--port <N> Port to listen on; 0 picks one[.] [(]default: 3000[)]/)
  assert.match(text, /--rate-trade <RATE:BURST> [^<]*[(]default: 1000:2000[)]/)
  assert.match(text, /--header-prefix <A-,B-> [^<]*[(]default: svc-,lmts-[)]/)
  assert.match(text, /Each flag is also an environment variable/)
})
