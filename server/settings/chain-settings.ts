import { type AnySetting, type Kind, maybe, type Setting, setting, WrongUse } from './flags.ts'
import { count, file, files, itemsOf, shellCommand } from './kinds.ts'

// Settings of an EVM chain: where it is, and the key with which the exchange signs.

const GWEI = 1_000_000_000n

const urls: Kind<readonly string[]> = {
  shape: 'URL,URL',
  wants: 'URLs that begin with http:// or https://',
  isSecret: true,
  read(text) {
    const all = itemsOf(text)
    return all.every((each) => /^https?:[/][/]/.test(each) && URL.canParse(each)) ? all : undefined
  },
}

const explorer: Kind<string> = {
  shape: 'URL',
  wants: 'an address like https://basescan.org: http or https, without a query and a password',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
    const place = `${url.origin}${url.pathname}`
    return place === url.href ? place.replace(/[/]+$/, '') : undefined
  },
}

/** Shared by `serve` and `chain`. */
export const CHAIN_SETTINGS = {
  rpc: maybe('chain-rpc', urls, 'JSON-RPC of the chain; the second when one fails.'),
  key: maybe(
    'chain-key',
    files,
    'The key that pays: 64 hex digits, or a keystore in JSON. More pay side by side.',
  ),
  password: maybe('chain-key-password', file, 'The file of the password of all keystores.'),
  command: maybe(
    'chain-key-command',
    shellCommand,
    'A command that signs in place of a key, as that of a KMS.',
  ),
  gasPriceMax: setting(
    'gas-price-max',
    count(1, 1_000_000, 'GWEI'),
    100,
    'The most for a unit of gas, in gwei.',
  ),
} as const

const SERVED = {
  confirmations: setting(
    'chain-confirmations',
    count(1, 1000, 'BLOCKS'),
    3,
    'Blocks that make a transaction final: its own and those upon it.',
  ),
  pollMs: setting(
    'chain-poll-ms',
    count(20, 60_000),
    1000,
    'Milliseconds from one look at the chain to the next.',
  ),
  retryMs: setting(
    'chain-retry-ms',
    count(100, 3_600_000),
    10_000,
    'Milliseconds until a trade is tried again that failed for a reason that may pass.',
  ),
  behindMs: setting(
    'chain-behind-ms',
    count(0, 3_600_000),
    120_000,
    'Milliseconds that the newest block may be old; then orders are refused. 0 never refuses.',
  ),
  coinMin: setting(
    'chain-coin-min',
    count(0, 1_000_000_000),
    10,
    "Thousandths of the chain's coin; with less in the account of the key, the log warns.",
  ),
  repeatMs: setting(
    'chain-repeat-ms',
    count(100, 3_600_000),
    30_000,
    'Milliseconds until a transaction in no block is sent again; then its fees rise.',
  ),
  explorer: maybe(
    'explorer-url',
    explorer,
    'A block explorer of the chain: the console shows transactions at URL/tx/HASH.',
  ),
} as const

export const CHAIN_ROWS: readonly AnySetting[] = [
  ...Object.values(CHAIN_SETTINGS),
  ...Object.values(SERVED),
]

/** Where the key is; a keystore needs the file of its password. */
export type KeySource =
  | { readonly kind: 'file'; readonly file: string; readonly passwordFile: string | undefined }
  | { readonly kind: 'command'; readonly command: string }

export interface ChainConfig {
  readonly urls: readonly string[]
  /** At least one. */
  readonly keys: readonly KeySource[]
  /** For a unit of gas. */
  readonly maxFeeWei: bigint
  /** A transaction has happened when its block and so many less one upon it are there. */
  readonly confirmations: number
  /** Between two looks at the chain. */
  readonly pollMs: number
  /** Until a trade is tried again that failed for a reason that may pass. */
  readonly retryMs: number
  /** Until a transaction in no block is sent again. */
  readonly repeatMs: number
  /** With fewer coins the log warns. */
  readonly coinMin: number
  /** The most that the newest block may be old while orders are taken; 0 for no limit. */
  readonly behindMs: number
  /** Has transactions at `/tx/` and their hash; undefined when none is named. */
  readonly explorerUrl: string | undefined
}

type Get = <T>(row: Setting<T>) => T

export function maxFeeWeiOf(get: Get): bigint {
  return BigInt(get(CHAIN_SETTINGS.gasPriceMax)) * GWEI
}

/** Empty when no key is named. */
export function keySourcesOf(get: Get): readonly KeySource[] {
  const keyFiles = get(CHAIN_SETTINGS.key)
  const command = get(CHAIN_SETTINGS.command)
  if (command === undefined) {
    const passwordFile = get(CHAIN_SETTINGS.password)
    return (keyFiles ?? []).map((each) => ({ kind: 'file', file: each, passwordFile }))
  }
  if (keyFiles === undefined) return [{ kind: 'command', command }]
  throw new WrongUse('Give --chain-key or --chain-key-command, not both')
}

/** Undefined when trades settle on the exchange's own chain. */
export function chainOf(get: Get): ChainConfig | undefined {
  const all = get(CHAIN_SETTINGS.rpc)
  const keys = keySourcesOf(get)
  const explorerUrl = get(SERVED.explorer)
  if (all === undefined) {
    if (explorerUrl !== undefined) {
      throw new WrongUse('--explorer-url is for an EVM chain; name it with --chain-rpc')
    }
    if (keys.length === 0) return undefined
    throw new WrongUse('--chain-key is for an EVM chain; name it with --chain-rpc')
  }
  if (keys.length === 0) {
    throw new WrongUse('--chain-rpc needs --chain-key or --chain-key-command: who settles trades')
  }
  return {
    urls: all,
    keys,
    maxFeeWei: maxFeeWeiOf(get),
    confirmations: get(SERVED.confirmations),
    pollMs: get(SERVED.pollMs),
    retryMs: get(SERVED.retryMs),
    repeatMs: get(SERVED.repeatMs),
    behindMs: get(SERVED.behindMs),
    coinMin: get(SERVED.coinMin) / 1000,
    explorerUrl,
  }
}
