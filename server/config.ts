import { availableParallelism } from 'node:os'
import { LIMITS } from '../engine/domain/limits.ts'
import { MOVE_LIMITS } from '../engine/domain/moves/move-limits.ts'
import { PACK_LIMITS } from '../engine/domain/packs/pack-limits.ts'
import { DAY_MS, MS_PER_SEC } from '../engine/domain/units.ts'
import type { Durability } from '../persistence/journal/journal-port.ts'
import type { RegistrationRules } from './auth/registrations.ts'
import { type Grammar, splitLine } from './command-line.ts'
import { checksumAddress, isAddress } from './crypto/address.ts'
import type { Origins } from './edge/http/access/cors.ts'
import type { Rates } from './edge/http/access/rate-limit.ts'
import type { Regions } from './edge/http/access/regions.ts'
import type { LogLevel } from './ops/logging/log-level.ts'
import { CHAIN_ROWS, type ChainConfig, chainOf } from './settings/chain-settings.ts'
import { CLUSTER_ROWS, type ClusterConfig, clusterOf } from './settings/cluster-settings.ts'
import {
  corsOriginsOf,
  EDGE_ROWS,
  type IdentityRequest,
  identityOf,
  publicUrlOf,
  sessionCookiesOf,
} from './settings/edge-settings.ts'
import { faultRequested } from './settings/fault.ts'
import {
  type AnySetting,
  type Environment,
  type Given,
  maybe,
  readSetting,
  type Setting,
  setting,
  WrongUse,
} from './settings/flags.ts'
import {
  address,
  commaList,
  count,
  file,
  type HostPort,
  host,
  hostPort,
  oneOf,
  oneOfOr,
  onOff,
  path,
  plain,
  secret,
} from './settings/kinds.ts'
import {
  addressHeaderOf,
  LIMIT_ROWS,
  ratesOf,
  regionsOf,
  registrationOf,
} from './settings/limit-settings.ts'
import { edgeThreadsDefault, memoryLimitBytes } from './settings/memory.ts'
import { nearest } from './settings/nearest.ts'
import { RUN_SETTINGS } from './settings/run-settings.ts'
import { refuseUnknownVariables } from './settings/variables.ts'

// Every setting of `outcomex serve`, each once. A flag `--header-prefix` is also the environment
// variable OUTCOMEX_HEADER_PREFIX and the key "header-prefix" of the config file. The flag counts
// first, then the environment, then the file, then the default.

const THREADS_MAX = 256

const HMAC_SKEW_SEC = LIMITS.signatureSkewMs / MS_PER_SEC

export const SETTINGS = {
  port: setting('port', count(0, 65_535), 3000, 'Port to listen on; 0 picks one.'),
  host: setting('host', host, '127.0.0.1', 'Where to listen.'),
  opsListen: maybe(
    'ops-listen',
    hostPort,
    'A listener of its own for operators: /admin and /metrics; port 0 picks one.',
  ),
  opsHost: maybe(
    'ops-host',
    commaList(
      'NAME,NAME',
      /^[A-Za-z0-9._-]{1,253}$/,
      'host names like ops.example, without a port',
    ),
    'Names under which --ops-listen is called, beside its address and localhost.',
  ),
  data: setting('data', path('DIR', 'the path of a folder'), './data', 'The data folder.'),
  demo: setting(
    'demo',
    onOff,
    false,
    'Fill an empty data folder with a lively exchange, which keeps the last day only.',
  ),
  config: maybe('config', file, 'A JSON object of these settings, keyed by flag name.'),
  headerPrefix: setting(
    'header-prefix',
    commaList('A-,B-', /^[a-z0-9-]{0,31}-$/, 'prefixes like svc-,lmts- (lowercase, ending in -)'),
    ['svc-', 'lmts-'],
    'Prefixes of the headers api-key, timestamp and signature.',
  ),
  marketThreads: setting(
    'market-threads',
    oneOfOr(count(0, THREADS_MAX), 'auto', 'each'),
    'auto',
    'Threads that match: auto shares up to 16, or 0 with fewer than 4 cores; each shares none; 0 ' +
      'matches on main.',
  ),
  edgeThreads: setting(
    'edge-threads',
    count(0, THREADS_MAX),
    edgeThreadsDefault(availableParallelism(), memoryLimitBytes()),
    'Threads that have the connections and check signatures; 0 leaves both to main.',
  ),
  durability: setting<Durability>(
    'durability',
    oneOf('full', 'normal'),
    'full',
    'full replies after fsync; normal survives a process kill, not a power cut.',
  ),
  snapshotEvery: setting(
    'snapshot-every',
    count(1, Number.MAX_SAFE_INTEGER),
    LIMITS.snapshotEveryCommands,
    'Commands from one snapshot of the state to the next.',
  ),
  journalDays: setting(
    'journal-days',
    count(0, 36_500),
    LIMITS.journalDays,
    'Days that commands stay in journal.db; older ones that two snapshots cover move to archive/.',
  ),
  archiveDays: setting(
    'archive-days',
    count(0, 36_500),
    0,
    'Days that commands stay in archive/, which then deletes them; 0 keeps all.',
  ),
  segmentBytes: setting(
    'segment-bytes',
    count(4096, 1 << 30),
    LIMITS.segmentBytes,
    'Bytes of commands, before compression, at which a file of the archive ends.',
  ),
  historyDays: setting(
    'history-days',
    count(0, 36_500),
    LIMITS.historyDays,
    'Days that ended orders, trades and moves of money can be read; 0 keeps all.',
  ),
  orderMemoryDays: setting(
    'order-memory-days',
    count(1, 36_500),
    LIMITS.orderMemoryDays,
    'Days for which the hash and client id of an order stay taken, at least while it lives.',
  ),
  orderMemoryMb: setting(
    'order-memory-mb',
    count(LIMITS.orderMemoryMbMin, LIMITS.orderMemoryMbMax),
    LIMITS.orderMemoryMb,
    'Memory for hashes and client ids, in MiB; when it is full, old ones are free earlier.',
  ),
  solvencyMinutes: setting(
    'solvency-minutes',
    count(0, MOVE_LIMITS.solvencyMinutesMax),
    10,
    'Minutes from one count of what the exchange owes to the next; 0 = only on request.',
  ),
  blockMs: setting(
    'block-ms',
    count(0, 60_000),
    250,
    'Milliseconds from one block of settled trades to the next; 0 = at once.',
  ),
  autoRedeemDays: setting(
    'auto-redeem-days',
    count(0, MOVE_LIMITS.autoRedeemDaysMax),
    30,
    'Days after a payout until the exchange redeems what is left; 0 = never.',
  ),
  accuracy: setting('accuracy', oneOf('on', 'off'), 'on', 'Whether accounts show their accuracy.'),
  referralBps: setting(
    'referral-bps',
    count(0, 10_000),
    0,
    'Part of mined fees for those who referred the takers, in basis points; 0 = none.',
  ),
  packRest: setting(
    'pack-rest',
    count(0, PACK_LIMITS.restSecMax),
    30,
    'Seconds that an order must have rested before it prices a leg of a pack of the house.',
  ),
  packClose: setting(
    'pack-close',
    count(0, PACK_LIMITS.closeSecMax),
    60,
    'Seconds before the deadline of a market from which no pack takes a leg of it.',
  ),
  adminToken: maybe(
    'admin-token',
    secret,
    'The admin token; without it the first start makes one.',
  ),
  keyFile: maybe('key-file', file, 'The server key; without it server.key in the data folder.'),
  tlsCert: maybe('tls-cert', file, 'Certificate chain (PEM); serves HTTPS with --tls-key.'),
  tlsKey: maybe('tls-key', file, 'Private key of the certificate (PEM).'),
  noRateLimit: setting('no-rate-limit', onOff, false, 'Switches the rate limits off.'),
  hmacSkew: setting(
    'hmac-skew',
    count(HMAC_SKEW_SEC, DAY_MS / MS_PER_SEC, 'SEC'),
    HMAC_SKEW_SEC,
    'Seconds by which the timestamp of signed orders may be off; more is for load tests only.',
  ),
  socialProvider: setting<SocialProviderName>(
    'social-provider',
    oneOf('none', 'demo'),
    'none',
    'Who proves accounts of X: nobody, or demo, which believes demo:HANDLE; --demo has demo.',
  ),
  domainName: setting(
    'domain-name',
    plain('NAME', 'the EIP-712 domain name that orders are signed with'),
    'Limitless CTF Exchange',
    'EIP-712 domain name that orders are signed with.',
  ),
  chainId: setting(
    'chain-id',
    count(1, Number.MAX_SAFE_INTEGER),
    8453,
    'EIP-712 chain id that orders are signed with.',
  ),
  exchangeAddress: setting(
    'exchange-address',
    address,
    '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5',
    'venue.exchange of new markets.',
  ),
  collateralAddress: setting(
    'collateral-address',
    address,
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    'Address of the collateral token.',
  ),
} as const

export const SERVE_ROWS: readonly AnySetting[] = [
  ...Object.values(SETTINGS),
  ...Object.values(RUN_SETTINGS),
  ...CLUSTER_ROWS,
  ...CHAIN_ROWS,
  ...EDGE_ROWS,
  ...LIMIT_ROWS,
]

/** `demo` is for tries: it proves nothing. */
export type SocialProviderName = 'none' | 'demo'

export interface ServeConfig {
  readonly port: number
  readonly host: string
  /** Address of the operators' listener; undefined when operators call the public one. */
  readonly opsListen: HostPort | undefined
  readonly opsHosts: readonly string[]
  readonly dataDir: string
  readonly demo: boolean
  readonly socialProvider: SocialProviderName
  readonly headerPrefixes: readonly string[]
  /** Without the `__Host-` that they get over TLS. */
  readonly sessionCookies: readonly string[]
  readonly marketThreads: 'auto' | 'each' | number
  readonly edgeThreads: number
  readonly durability: Durability
  readonly snapshotEveryCommands: number
  readonly journalDays: number
  readonly archiveDays: number
  readonly segmentBytes: number
  readonly historyDays: number
  readonly orderMemoryDays: number
  readonly orderMemoryMb: number
  readonly solvencyMinutes: number
  readonly blockMs: number
  readonly autoRedeemDays: number
  readonly accuracy: boolean
  readonly referralBps: number
  readonly packRestSec: number
  readonly packCloseSec: number
  readonly adminToken: string | undefined
  readonly keyFile: string | undefined
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly logLevel: LogLevel
  readonly trace: string | undefined
  readonly acceptClock: boolean
  readonly stopDeadlineSec: number
  readonly rateLimit: boolean
  readonly rates: { readonly address: Rates; readonly profile: Rates }
  /** Undefined when no country is refused. */
  readonly regions: Regions | undefined
  readonly addressHeader: string | undefined
  readonly registration: RegistrationRules
  readonly domain: { readonly name: string; readonly chainId: number }
  /** Maximum clock difference of a signed call with orders. */
  readonly orderSkewMs: number
  /** Undefined when no identity token is accepted. */
  readonly identity: IdentityRequest | undefined
  /** Like `https://exchange.example`; undefined when none is given. */
  readonly publicUrl: string | undefined
  /** Undefined when pages of other hosts may not call. */
  readonly corsOrigins: Origins | undefined
  readonly exchangeAddress: string
  readonly collateralAddress: string
  /** Undefined for an exchange of one node. */
  readonly cluster: ClusterConfig | undefined
  /** Undefined when trades settle on the exchange's own chain. */
  readonly chain: ChainConfig | undefined
}

export type ConfigReading =
  | { readonly ok: true; readonly config: ServeConfig }
  | { readonly ok: false; readonly sentence: string }

/** Gives the text of a file or throws. */
export type ReadFile = (path: string) => string

/** What `outcomex serve` takes. */
export const SERVE_GRAMMAR: Grammar = {
  flags: SERVE_ROWS,
  notes: [
    'Each flag is also an environment variable (OUTCOMEX_PORT, ...) and a key of the',
    'config file ("port", ...): the flag counts first, then the environment, then the',
    'file.',
  ].join('\n'),
}

/** Reads every setting from its sources, or gives a sentence that says what is wrong and where. */
export function readConfig(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): ConfigReading {
  return reading(() => configFrom(splitLine(SERVE_GRAMMAR, argv, env).given, env, readFile))
}

/** The same, of a line that is split, with its environment. */
export function readGiven(
  given: readonly Given[],
  env: Environment,
  readFile: ReadFile,
): ConfigReading {
  return reading(() => configFrom(given, env, readFile))
}

function reading(read: () => ServeConfig): ConfigReading {
  try {
    return { ok: true, config: read() }
  } catch (error) {
    if (error instanceof WrongUse) return { ok: false, sentence: error.message }
    throw error
  }
}

/** Checks and writes the addresses with their EIP-55 checksums. Needs `keccakReady`. */
export function withChecksums(config: ServeConfig): ConfigReading {
  const wrong = [config.exchangeAddress, config.collateralAddress].find((text) => !isAddress(text))
  if (wrong !== undefined) {
    return { ok: false, sentence: `The address ${wrong} has a wrong EIP-55 checksum` }
  }
  const exchangeAddress = checksumAddress(config.exchangeAddress.toLowerCase())
  const collateralAddress = checksumAddress(config.collateralAddress.toLowerCase())
  return { ok: true, config: { ...config, exchangeAddress, collateralAddress } }
}

/** The file is the weakest source. */
function configFrom(named: readonly Given[], env: Environment, readFile: ReadFile): ServeConfig {
  refuseUnknownVariables(env, SERVE_ROWS)
  faultRequested(env)
  const path = readSetting(SETTINGS.config, named)
  const given = path === undefined ? named : [...scanFile(path, readFile), ...named]
  return configOf(given, readFile)
}

function readText(path: string, what: string, readFile: ReadFile): string {
  try {
    return readFile(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new WrongUse(`The ${what} ${path} cannot be read: ${why}`)
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new WrongUse(`The config file ${path} is not JSON: ${why}`)
  }
}

function scanFile(path: string, readFile: ReadFile): Given[] {
  const value = parseJson(readText(path, 'config file', readFile), path)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WrongUse(`The config file ${path} must hold one JSON object, like {"port": 3000}`)
  }
  const keys = SERVE_ROWS.filter((row) => row !== SETTINGS.config).map((row) => row.flag)
  return Object.entries(value).map(([key, given]) => {
    if (!keys.includes(key)) {
      const near = nearest(key, keys)
      const hint = near === undefined ? 'see --help' : `did you mean "${near}"?`
      throw new WrongUse(`There is no setting "${key}" (in ${path}); ${hint}`)
    }
    return { flag: key, text: textOf(given, key, path), where: `"${key}" in ${path}` }
  })
}

function textOf(value: unknown, key: string, path: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    return value.join(',')
  }
  throw new WrongUse(`"${key}" in ${path} must be a text, a number, true or false`)
}

function configOf(given: readonly Given[], readFile: ReadFile): ServeConfig {
  const get = <T>(row: Setting<T>) => readSetting(row, given)
  return {
    port: get(SETTINGS.port),
    host: get(SETTINGS.host),
    opsListen: get(SETTINGS.opsListen),
    opsHosts: get(SETTINGS.opsHost) ?? [],
    dataDir: get(SETTINGS.data),
    demo: get(SETTINGS.demo),
    headerPrefixes: get(SETTINGS.headerPrefix),
    sessionCookies: sessionCookiesOf(given),
    marketThreads: get(SETTINGS.marketThreads),
    edgeThreads: get(SETTINGS.edgeThreads),
    durability: get(SETTINGS.durability),
    ...keptOf(given),
    segmentBytes: get(SETTINGS.segmentBytes),
    orderMemoryMb: get(SETTINGS.orderMemoryMb),
    solvencyMinutes: get(SETTINGS.solvencyMinutes),
    blockMs: get(SETTINGS.blockMs),
    autoRedeemDays: get(SETTINGS.autoRedeemDays),
    accuracy: get(SETTINGS.accuracy) === 'on',
    referralBps: get(SETTINGS.referralBps),
    packRestSec: get(SETTINGS.packRest),
    packCloseSec: get(SETTINGS.packClose),
    adminToken: get(SETTINGS.adminToken),
    keyFile: get(SETTINGS.keyFile),
    tls: tlsOf(given, readFile),
    logLevel: get(RUN_SETTINGS.logLevel),
    trace: get(RUN_SETTINGS.trace),
    acceptClock: get(RUN_SETTINGS.acceptClock),
    stopDeadlineSec: get(RUN_SETTINGS.stopDeadline),
    rateLimit: !get(SETTINGS.noRateLimit),
    socialProvider: get(SETTINGS.demo) ? 'demo' : get(SETTINGS.socialProvider),
    rates: ratesOf(get),
    regions: regionsFor(get),
    addressHeader: addressHeaderOf(get),
    registration: registrationOf(get, !get(SETTINGS.noRateLimit)),
    domain: { name: get(SETTINGS.domainName), chainId: get(SETTINGS.chainId) },
    orderSkewMs: get(SETTINGS.hmacSkew) * MS_PER_SEC,
    identity: identityOf(given, (path) => readText(path, 'identity key file', readFile)),
    publicUrl: publicUrlOf(given),
    corsOrigins: corsOriginsOf(given),
    exchangeAddress: get(SETTINGS.exchangeAddress),
    collateralAddress: get(SETTINGS.collateralAddress),
    cluster: clusterOf(get),
    chain: chainFor(get),
  }
}

/** What `--demo` changes in the defaults: its folder keeps a day. */
const DEMO_DAYS = 1
const DEMO_SNAPSHOT_EVERY = 50_000

function keptOf(given: readonly Given[]) {
  const isDemo = readSetting(SETTINGS.demo, given)
  const kept = (row: Setting<number>, ofDemo: number) => {
    const isGiven = given.some(({ flag }) => flag === row.flag)
    return isDemo && !isGiven ? ofDemo : readSetting(row, given)
  }
  return {
    snapshotEveryCommands: kept(SETTINGS.snapshotEvery, DEMO_SNAPSHOT_EVERY),
    journalDays: kept(SETTINGS.journalDays, DEMO_DAYS),
    archiveDays: kept(SETTINGS.archiveDays, DEMO_DAYS),
    historyDays: kept(SETTINGS.historyDays, DEMO_DAYS),
    orderMemoryDays: kept(SETTINGS.orderMemoryDays, DEMO_DAYS),
  }
}

/** The traders of a demo, and those who refer takers, are paid in the ledger only. */
function chainFor(get: <T>(row: Setting<T>) => T): ChainConfig | undefined {
  const chain = chainOf(get)
  if (chain === undefined) return chain
  if (get(SETTINGS.demo)) {
    throw new WrongUse('--demo has a chain of its own; leave --chain-rpc out')
  }
  if (get(SETTINGS.referralBps) === 0) return chain
  throw new WrongUse('--referral-bps cannot be paid on an EVM chain yet; leave it out')
}

/** The traders of a demo run in this process, so no proxy names their country. */
function regionsFor(get: <T>(row: Setting<T>) => T): Regions | undefined {
  const regions = regionsOf(get)
  if (regions?.refusesUnknown !== true || !get(SETTINGS.demo)) return regions
  throw new WrongUse('--demo needs --geo-unknown allow: no proxy names the country of its traders')
}

/** Checks the files here too, because the TLS library says less about a file that it cannot use. */
function tlsOf(given: readonly Given[], readFile: ReadFile): ServeConfig['tls'] {
  const certFile = readSetting(SETTINGS.tlsCert, given)
  const keyFile = readSetting(SETTINGS.tlsKey, given)
  if (certFile === undefined && keyFile === undefined) return undefined
  if (keyFile === undefined) throw new WrongUse('--tls-cert needs --tls-key')
  if (certFile === undefined) throw new WrongUse('--tls-key needs --tls-cert')
  for (const path of [certFile, keyFile]) {
    if (readText(path, 'TLS file', readFile).includes('-----BEGIN ')) continue
    throw new WrongUse(`The TLS file ${path} is not PEM: it has no -----BEGIN line`)
  }
  return { certFile, keyFile }
}
