import {
  type LogAddress,
  LogAddressError,
  parseLogAddress,
} from '../../persistence/log/log-address.ts'
import { LOG_SYNC, type LogSync } from '../../persistence/log/thread/log-thread.ts'
import { type AnySetting, type Kind, maybe, type Setting, setting, WrongUse } from './flags.ts'
import { count, oneOf, plain } from './kinds.ts'

// Settings of a node in a cluster, which shares a log with other nodes.

/** The journal of the data folder. */
const OWN = 'sqlite'

const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

const journal: Kind<typeof OWN | LogAddress> = {
  shape: `${OWN}|URL`,
  wants: `${OWN}, or an address like postgres://user@a:5432,b:5432/database`,
  read(text) {
    if (text === OWN) return OWN
    try {
      return parseLogAddress(text)
    } catch (error) {
      if (error instanceof LogAddressError) return undefined
      throw error
    }
  },
}

const advertised: Kind<string> = {
  shape: 'URL',
  wants: 'an address like http://10.0.0.1:3000: http or https, a host, nothing behind it',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
    return `${url.origin}/` === url.href ? url.origin : undefined
  },
}

const CLUSTER = {
  journal: setting<typeof OWN | LogAddress>(
    'journal',
    journal,
    OWN,
    'sqlite keeps the journal in the data folder; a URL names the PostgreSQL log of a cluster.',
  ),
  node: maybe(
    'node',
    {
      ...plain('NAME', 'up to 63 letters, digits, dots, - and _, beginning with a letter or digit'),
      read: (text: string) => (NODE_NAME.test(text) ? text : undefined),
    },
    'Name of this node in its cluster.',
  ),
  advertise: maybe('advertise', advertised, 'Address at which other nodes reach this node.'),
  leaseMs: setting(
    'lease-ms',
    count(1000, 60_000),
    3000,
    'Milliseconds after which another node may lead when the leader is silent.',
  ),
  journalSync: setting<LogSync>(
    'journal-sync',
    oneOf(...LOG_SYNC),
    'required',
    'required leads only while a synchronous standby has each commit; any does not ask for one.',
  ),
} as const

export const CLUSTER_ROWS: readonly AnySetting[] = Object.values(CLUSTER)

/** The log of a cluster; undefined for the journal of the data folder. */
export const LOG_ROW = CLUSTER.journal

export function logOf(value: typeof OWN | LogAddress): LogAddress | undefined {
  return value === OWN ? undefined : value
}

export interface ClusterConfig {
  readonly address: LogAddress
  readonly name: string
  readonly url: string
  readonly leaseMs: number
  readonly sync: LogSync
}

/** Undefined when the journal of the data folder is the only one. */
export function clusterOf(get: <T>(row: Setting<T>) => T): ClusterConfig | undefined {
  const address = get(CLUSTER.journal)
  const [name, url] = [get(CLUSTER.node), get(CLUSTER.advertise)]
  if (address === OWN) {
    if (name === undefined && url === undefined) return undefined
    throw new WrongUse('--node and --advertise are for a cluster; name its log with --journal')
  }
  if (name === undefined) throw new WrongUse('--journal with a URL needs --node NAME')
  if (url === undefined) throw new WrongUse('--journal with a URL needs --advertise URL')
  return { address, name, url, leaseMs: get(CLUSTER.leaseMs), sync: get(CLUSTER.journalSync) }
}
