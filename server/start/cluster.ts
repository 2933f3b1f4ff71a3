// How a node of a cluster starts: its folder is compared with the log before anything is opened,
// and its journal is the thread that follows or leads the log.

import type { Seq } from '../../engine/domain/ids.ts'
import { adoptSealedKey, sealedKeyOf } from '../../persistence/folder-key.ts'
import type { JournalTail, OnCommit } from '../../persistence/journal/journal-port.ts'
import { LogUnreachable, serversOf } from '../../persistence/log/log-address.ts'
import type { PostgresLog, StateAt } from '../../persistence/log/postgres-log.ts'
import {
  LogHandle,
  type LogOptions,
  type Replica,
  startLogThread,
} from '../../persistence/log/thread/log-handle.ts'
import type { ClusterState, LogSettings } from '../../persistence/log/thread/log-thread.ts'
import type { Seal } from '../../persistence/seal.ts'
import { DataFolderError, UnreadFolder } from '../../persistence/snapshot/recovery.ts'

export interface ClusterOptions extends LogSettings {
  readonly onState: (state: ClusterState) => void
  /** The clock of the database is so many milliseconds ahead of the clock of this machine. */
  readonly onClock: (aheadMs: number) => void
  /** Receives the key by which nodes prove themselves. */
  readonly onKey: (key: Uint8Array) => void
  /** Called with each durable seq, before anything of it is published. */
  readonly onDurable: (seq: Seq) => void
  /** The newest rules that every node of the cluster knows. */
  readonly rulesOfAll: () => number
  /** This node decides from here on; everything before `seq` is applied. */
  readonly onLeading: (epoch: number, seq: Seq) => void
  /** Another node leads, so this process must end. */
  readonly onReplaced: (sentence: string) => void
}

const FOLDER_KEY = 'folder-key'

/** Makes calls to the log before its thread starts. Throws a sentence for an operator. */
async function atLog<T>(
  { address, node }: LogSettings,
  call: (log: PostgresLog) => Promise<T>,
): Promise<T> {
  const where = serversOf(address)
  try {
    // An exchange of one node does not load the library.
    const { PostgresLog } = await import('../../persistence/log/postgres-log.ts')
    const log = await PostgresLog.connect(address, node.name)
    try {
      return await call(log)
    } finally {
      log.close()
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const remedy = error instanceof LogUnreachable ? '; check --journal and the servers' : ''
    throw new DataFolderError(`The log at ${where} cannot be used: ${why}${remedy}.`)
  }
}

/** Creates a new log, learns its clock, and gives an empty folder the key of its cluster. */
export async function adoptCluster(dataDir: string, cluster: ClusterOptions): Promise<void> {
  await atLog(cluster, async (log) => {
    await log.prepare()
    cluster.onClock(await log.clockAheadMs())
    const sealed = await log.mark(FOLDER_KEY)
    if (sealed !== null) adoptSealedKey(dataDir, sealed)
  })
}

/**
 * The first node begins the log where its folder ends, and leaves its key there for the others,
 * sealed by the server key.
 */
export async function beginLog(
  dataDir: string,
  { tail, seal }: { readonly tail: JournalTail; readonly seal: Seal },
  cluster: ClusterOptions,
): Promise<void> {
  cluster.onKey(seal.derive('nodes'))
  cluster.onDurable(tail.seq)
  await atLog(cluster, async (log) => {
    const sealed = sealedKeyOf(dataDir)
    if (sealed !== null) await log.markOnce(FOLDER_KEY, sealed)
    await log.beginAt(tail)
  })
}

/** What the pipeline of a node takes from its log. */
export interface SharedJournal {
  readonly openJournal: (onDurable: (seq: Seq) => void) => LogHandle
  readonly onDurable: (seq: Seq) => void
  readonly onDrained: () => void
  readonly mayAnswer: () => boolean
  /** From now on the commands of other nodes are applied. */
  readonly follow: (replica: Replica) => void
  /** Compares a state of this node with those of other nodes. */
  readonly compare: (state: StateAt) => void
}

export interface SharedJournalParts {
  readonly onCopied: (seq: Seq) => void
  readonly onCommit: OnCommit | undefined
  readonly onFault: (sentence: string) => void
  /** Begins to decide. */
  readonly lead: (epoch: number) => void
}

/** Calls `onFault` with a sentence for a record that a later version of the program wrote. */
function ofKnownVersion(replica: Replica, onFault: (sentence: string) => void): Replica {
  return {
    replicate: (record) => {
      try {
        return replica.replicate(record)
      } catch (error) {
        if (!(error instanceof UnreadFolder)) throw error
        onFault(error.message)
        return false
      }
    },
    batchEnded: () => replica.batchEnded(),
  }
}

/** Starts the thread of the log. */
export async function sharedJournal(
  cluster: ClusterOptions,
  folder: Omit<LogOptions, keyof LogSettings>,
  { onCopied, onCommit, onFault, lead }: SharedJournalParts,
): Promise<SharedJournal> {
  const { onState, onReplaced, address, node, leaseMs, sync } = cluster
  const thread = await startLogThread({ ...folder, address, node, leaseMs, sync })
  let log: LogHandle | undefined
  return {
    openJournal: (onDurable) => {
      const commits = onCommit === undefined ? {} : { onCommit }
      const ends = { onReplaced, onFault, onState, onLeading: lead }
      log = new LogHandle(thread, {
        ...ends,
        ...commits,
        onCopied,
        onDurable: (seq) => {
          cluster.onDurable(seq)
          onDurable(seq)
        },
      })
      return log
    },
    onDurable: () => {},
    onDrained: () => log?.drain(),
    mayAnswer: () => log?.isExpired !== true,
    follow: (replica) => log?.follow(ofKnownVersion(replica, onFault)),
    compare: (state) => log?.compare(state),
  }
}
