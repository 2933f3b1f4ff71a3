// The checks behind /ready. The threads of orders must answer, and the disk must have free space.
// The wall clock must be near the server's time. A smaller gap, failing snapshots and faults are
// reported too, but do not fail the check.

import { LIMITS } from '../../engine/domain/limits.ts'
import { freeDiskBytes } from '../../persistence/disk-space.ts'
import { folderSizes } from '../../persistence/folder-sizes.ts'
import type { ClockState, SteadyClock } from '../exchange/sequencer/clock.ts'
import { EDGES, type EdgeFaults } from '../ops/faults.ts'
import { Growth } from '../ops/growth.ts'
import {
  type Check,
  Progress,
  Pulse,
  type Readiness,
  type Requested,
  readinessOf,
} from '../ops/readiness.ts'
import { WrittenBytes } from '../ops/written-bytes.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { RunningExchange } from './open.ts'

const ASK_EVERY_MS = 500
const DISK_EVERY_MS = 2000
/** A disk that does not answer for longer is in trouble. */
const DISK_SILENT_MS = 5000

export interface ReadinessParts {
  readonly dataDir: string
  /** Absent when main has the connections. */
  readonly edges?: readonly NamedThread[] | undefined
  readonly clock: Pick<SteadyClock, 'state' | 'trouble'>
  readonly faults: Pick<EdgeFaults, 'count'>
  /** Null for an exchange of one node. */
  readonly cluster?: Pick<ClusterNode, 'trouble'> | null
}

interface NamedThread extends Requested {
  readonly name: string
}

/** The pulses of all threads of one kind. */
class Pulses {
  /** A thread that replaces another has a pulse of its own. */
  readonly #pulses = new Map<NamedThread, Pulse>()

  request(threads: readonly NamedThread[], nowMs: number): void {
    for (const thread of this.#pulses.keys()) {
      if (!threads.includes(thread)) this.#pulses.delete(thread)
    }
    for (const thread of threads) {
      const pulse = this.#pulses.get(thread) ?? new Pulse(thread)
      this.#pulses.set(thread, pulse)
      pulse.request(nowMs)
    }
  }

  trouble(): string | null {
    const nowMs = performance.now()
    const silent = [...this.#pulses].filter(([, pulse]) => isSilent(pulse, nowMs))
    return silent.length === 0
      ? null
      : `no answer from ${silent.map(([{ name }]) => name).join(', ')}`
  }
}

function isSilent(pulse: Pulse, nowMs: number): boolean {
  return pulse.silentMs(nowMs) > LIMITS.threadSilentMsMax
}

/** A gap between the clocks that closes by itself. */
function driftOf(state: ClockState): string | null {
  if (state === 'steady') return null
  return state === 'waiting' ? 'the wall clock is far ahead' : 'the wall clock is behind'
}

/** Free bytes of the data folder's disk, polled by a timer: a stuck disk may never answer. */
class DiskSpace {
  readonly #dataDir: string
  #requestedMs = Number.NEGATIVE_INFINITY
  #isRequesting = false
  /** Null before the first answer, and when the file system does not report it. */
  freeBytes: number | null = null

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  request(nowMs: number): void {
    if (this.#isRequesting || nowMs - this.#requestedMs < DISK_EVERY_MS) return
    this.#requestedMs = nowMs
    this.#isRequesting = true
    freeDiskBytes(this.#dataDir).then((freeBytes) => {
      this.freeBytes = freeBytes
      this.#isRequesting = false
    })
  }

  trouble(nowMs: number): string | null {
    if (this.#isRequesting && nowMs - this.#requestedMs > DISK_SILENT_MS)
      return 'the disk does not answer'
    if (this.freeBytes === null || this.freeBytes >= LIMITS.diskFreeBytesMin) return null
    return 'the disk is almost full'
  }
}

export class ReadinessWatch {
  readonly #exchange: RunningExchange
  readonly #parts: ReadinessParts
  readonly #journal: Pulse
  readonly #markets = new Pulses()
  readonly #edges = new Pulses()
  readonly #tables = new Progress()
  readonly #disk: DiskSpace
  /** For metrics: a folder that grows is ready. */
  readonly growth: Growth
  /** What the tables were given since the start. */
  readonly tablesGrowth: Growth
  readonly #checks: readonly Check[]
  readonly #timer: NodeJS.Timeout

  constructor(exchange: RunningExchange, parts: ReadinessParts) {
    this.#exchange = exchange
    this.#parts = parts
    this.#journal = new Pulse(exchange.journal)
    this.#disk = new DiskSpace(parts.dataDir)
    this.growth = new Growth(() => folderSizes(parts.dataDir))
    const written = new WrittenBytes(exchange.follower.figures.written, exchange.query)
    this.tablesGrowth = new Growth(() => written.now())
    this.#checks = [...this.#vital(), ...this.#reported()]
    this.#timer = setInterval(() => this.#request(performance.now()), ASK_EVERY_MS).unref()
    this.#request(performance.now())
  }

  /** Free bytes of the data folder's disk; null when unknown. */
  get freeDiskBytes(): number | null {
    return this.#disk.freeBytes
  }

  now(): Readiness {
    return readinessOf(this.#checks)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #request(nowMs: number): void {
    this.#journal.request(nowMs)
    this.#markets.request(this.#exchange.shards.all, nowMs)
    this.#edges.request(this.#parts.edges ?? [], nowMs)
    this.#tables.see(this.#exchange.follower.figures.progress, nowMs)
    this.#disk.request(nowMs)
    this.growth.request(nowMs)
    this.tablesGrowth.request(nowMs)
  }

  #vital(): Check[] {
    const { pipeline, follower } = this.#exchange
    const vital = (name: string, trouble: () => string | null) => ({ name, isVital: true, trouble })
    return [
      vital('journal', () => {
        return isSilent(this.#journal, performance.now()) ? 'its thread does not answer' : null
      }),
      vital('markets', () => this.#markets.trouble()),
      vital('edges', () => this.#edges.trouble()),
      vital('tables', () => {
        const nowMs = performance.now()
        const behindMs = pipeline.times.behindMs(follower.applied, nowMs)
        const isStuck = this.#tables.stuckMs(behindMs, nowMs) > LIMITS.followerLagMsMax
        return isStuck ? 'they lag behind the journal and are not being written' : null
      }),
      vital('disk', () => this.#disk.trouble(performance.now())),
      ...this.#ofCluster(vital),
    ]
  }

  #ofCluster(vital: (name: string, trouble: () => string | null) => Check): Check[] {
    const { cluster = null } = this.#parts
    return cluster === null ? [] : [vital('cluster', () => cluster.trouble)]
  }

  #reported(): Check[] {
    const { snapshots } = this.#exchange
    const { clock, faults } = this.#parts
    const reported = (name: string, trouble: () => string | null) => ({
      name,
      isVital: false,
      trouble,
    })
    return [
      {
        name: 'clock',
        get isVital() {
          return clock.trouble !== null
        },
        trouble: () => clock.trouble ?? driftOf(clock.state),
      },
      reported('snapshots', () => (snapshots.isFailing ? 'the newest could not be saved' : null)),
      reported('faults', () => {
        const count = EDGES.reduce((sum, edge) => sum + faults.count(edge), 0)
        return count === 0 ? null : `${count} since the start`
      }),
    ]
  }
}
