// What the threads of an exchange need of the memory that the process may use. The figures are
// those of the table in server/docs/operating.md, measured on Linux, rounded up.

import { totalmem } from 'node:os'
import { LIMITS } from '../../engine/domain/limits.ts'

const MB = 1 << 20

export const MEMORY = {
  /** Main, the journal, the follower and the query thread, with an empty exchange. */
  baseBytes: 120 * MB,
  /** Kept free for orders, profiles, searches, counts of obligations and replies. */
  stateBytes: 64 * MB,
  threadBytes: 11 * MB,
  /** A thread with connections: its rings, and the HTTP library. */
  edgeThreadBytes: 25 * MB,
} as const

/**
 * What the process may use: the limit of its container or service, else the memory of the machine.
 * Without a limit Node says 0, or more than the machine has.
 */
export function memoryLimitBytes(
  constrained: number = process.constrainedMemory(),
  total: number = totalmem(),
): number {
  return constrained > 0 && constrained < total ? constrained : total
}

function freeBytes(limitBytes: number): number {
  return limitBytes - MEMORY.baseBytes - MEMORY.stateBytes
}

function marketThreadsThatFit(limitBytes: number, edgeThreads: number): number {
  const bytes = freeBytes(limitBytes) - edgeThreads * MEMORY.edgeThreadBytes
  return Math.max(0, Math.floor(bytes / MEMORY.threadBytes))
}

/** Main, the journal and a market have a core each. At most half of the memory is for edges. */
export function edgeThreadsDefault(cores: number, limitBytes: number): number {
  const half = Math.floor(freeBytes(limitBytes) / 2 / MEMORY.edgeThreadBytes)
  return Math.max(1, Math.min(cores - 3, half))
}

interface Threads {
  readonly edgeThreads: number
  readonly marketThreads: 'each' | number
}

/** Main, the journal, an edge and a market need a core each. */
const CORES_OF_MARKETS_MIN = 4

/**
 * How many threads `--market-threads auto` shares; 0 on a machine without a core for one. There
 * they delay orders: on two cores, p99 at half the highest rate doubled.
 */
export function marketThreadsAuto(cores: number, limitBytes: number, edgeThreads: number): number {
  if (cores < CORES_OF_MARKETS_MIN) return 0
  const left = marketThreadsThatFit(limitBytes, edgeThreads)
  return Math.max(1, Math.min(LIMITS.marketThreadsAutoMax, left))
}

/** Names the flags that help when these threads may not fit; null when they do. */
export function memoryWarning(
  { marketThreads, edgeThreads }: Threads,
  limitBytes: number,
): string | null {
  const markets = marketThreads === 'each' ? LIMITS.marketThreadsEachMax : marketThreads
  if (markets <= marketThreadsThatFit(limitBytes, edgeThreads)) return null
  const { baseBytes, stateBytes, threadBytes, edgeThreadBytes } = MEMORY
  const ofThreads = markets * threadBytes + edgeThreads * edgeThreadBytes
  const inMb = (bytes: number) => Math.ceil(bytes / MB)
  return (
    `this process may use ${inMb(limitBytes)} MB of memory; with ${markets} market threads and ` +
    `${edgeThreads} edge threads it may need ${inMb(baseBytes + stateBytes + ofThreads)} MB: ` +
    `lower --market-threads (${inMb(threadBytes)} MB a thread) or --edge-threads ` +
    `(${inMb(edgeThreadBytes)} MB a thread), or raise the limit`
  )
}
