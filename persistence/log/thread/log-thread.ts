import type { Seq } from '../../../engine/domain/ids.ts'
import type { BusyCells } from '../../../engine/thread/busy-times.ts'
import type { FileIdentity } from '../../file-identity.ts'
import type { JournalTail } from '../../journal/journal-port.ts'
import type { Segment } from '../../journal/segments/segment-folder.ts'
import type { KeyedFolder } from '../../keyed-folder.ts'
import type { LogAddress } from '../log-address.ts'
import type { ListedNode, NodeIdentity, StateAt } from '../postgres-log.ts'

/** Whether a node may lead while no synchronous standby confirms what it commits. */
export const LOG_SYNC = ['required', 'any'] as const
export type LogSync = (typeof LOG_SYNC)[number]

export interface LogSettings {
  readonly address: LogAddress
  readonly node: NodeIdentity
  readonly leaseMs: number
  readonly sync: LogSync
}

/** The log thread's startup data. */
export interface LogThreadData extends LogSettings {
  readonly folder: KeyedFolder
  /** The end of the local copy. */
  readonly tail: JournalTail
  /** The lock that excludes other processes. */
  readonly lock: FileIdentity | undefined
  /** Records that main decided. The tag is that of the journal thread. */
  readonly up: SharedArrayBuffer
  /** What main learns, in order. The tag is one of DOWN. */
  readonly down: SharedArrayBuffer
  /** Requests to the checkpoint thread. */
  readonly call: SharedArrayBuffer
  readonly lease: SharedArrayBuffer
  readonly busyTimes: BusyCells
}

export const DOWN = {
  /** A record that another node decided. */
  record: 0,
  /** All records of a batch were sent. Payload: its last seq (f64). */
  batchEnd: 1,
  /** A batch of this node is durable. Payload: REPORT. */
  durable: 2,
  /** The local copy has everything up to this seq (f64). */
  copied: 3,
  /** This node leads from here on. Payload: the epoch (f64). */
  leading: 4,
} as const

/** What a node knows of its cluster. */
export interface ClusterState {
  readonly role: 'standby' | 'leader'
  readonly epoch: number
  /** The node that leads, or led last; null if none ever did. */
  readonly leader: { readonly node: string; readonly url: string } | null
  /** Whether the leader's lease runs, as far as this node knows. */
  readonly isLed: boolean
  /** The nodes that ever reported themselves, by name. */
  readonly nodes: readonly ListedNode[]
  /** The newest seq known to be acknowledged. */
  readonly confirmedSeq: Seq
  /** Whether every commit is on a second disk before it is acknowledged. */
  readonly isSynchronous: boolean
  /** Why the log cannot be used now; null if it can. */
  readonly trouble: string | null
  /** The clock of the database minus the clock of this machine, in milliseconds. */
  readonly clockAheadMs: number
}

export type FromLogThread =
  | 'ready'
  | 'wake-up'
  | ({ readonly kind: 'state' } & ClusterState)
  /** The node no longer leads, so this process must end. */
  | { readonly kind: 'replaced'; readonly sentence: string }

export type ToLogThread =
  | 'wake-up'
  /** Appends what waits, ends the lease, and ends. */
  | 'stop'
  /** A segment of the local copy that main had made. */
  | { readonly segment: Segment }
  /** The state of this node, to be compared with those of others. */
  | StateAt

/**
 * The end of the lease by the monotonic clock of the process, in one f64 that the log thread
 * writes; 0 while this node does not lead.
 */
export class LeaseCell {
  readonly #f64s: Float64Array

  constructor(shared: SharedArrayBuffer) {
    this.#f64s = new Float64Array(shared)
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
  }

  set endMs(endMs: number) {
    this.#f64s[0] = endMs
  }

  /** Whether this node leads and its lease runs. */
  get isRunning(): boolean {
    return this.#f64s[0] > processMs()
  }
}

/** Milliseconds of a clock that all threads share and that never steps. */
export function processMs(): number {
  const [seconds, nanos] = process.hrtime()
  return seconds * 1000 + nanos / 1e6
}
