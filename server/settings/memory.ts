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

function threadsThatFit(limitBytes: number, takenBytes = 0): number {
  const bytes = limitBytes - MEMORY.baseBytes - MEMORY.stateBytes - takenBytes
  return Math.max(0, Math.floor(bytes / MEMORY.threadBytes))
}

/** One core is main's. In a small container markets get half of the threads that fit. */
export function intakeThreadsDefault(cores: number, limitBytes: number): number {
  const half = Math.floor(threadsThatFit(limitBytes) / 2)
  return Math.max(1, Math.min(cores - 1, half))
}

/** The threads that check orders: with edge threads, no others do. */
export interface CheckingThreads {
  readonly intakeThreads: number
  readonly edgeThreads: number
}

export interface Threads extends CheckingThreads {
  readonly marketThreads: 'each' | number
}

function bytesOf({ intakeThreads, edgeThreads }: CheckingThreads): number {
  if (edgeThreads > 0) return edgeThreads * MEMORY.edgeThreadBytes
  return intakeThreads * MEMORY.threadBytes
}

/** How many threads `--market-threads auto` shares. */
export function marketThreadsAuto(limitBytes: number, checking: CheckingThreads): number {
  const left = threadsThatFit(limitBytes, bytesOf(checking))
  return Math.max(1, Math.min(LIMITS.marketThreadsAutoMax, left))
}

/** Names the flags that help when these threads may not fit; null when they do. */
export function memoryWarning(
  { marketThreads, ...checking }: Threads,
  limitBytes: number,
): string | null {
  const markets = marketThreads === 'each' ? LIMITS.marketThreadsEachMax : marketThreads
  if (markets <= threadsThatFit(limitBytes, bytesOf(checking))) return null
  const ofThreads = markets * MEMORY.threadBytes + bytesOf(checking)
  const needed = MEMORY.baseBytes + MEMORY.stateBytes + ofThreads
  const inMb = (bytes: number) => Math.ceil(bytes / MB)
  const [count, kind, eachBytes] =
    checking.edgeThreads > 0
      ? ([checking.edgeThreads, 'edge', MEMORY.edgeThreadBytes] as const)
      : ([checking.intakeThreads, 'intake', MEMORY.threadBytes] as const)
  return (
    `this process may use ${inMb(limitBytes)} MB of memory; with ${markets} market threads and ` +
    `${count} ${kind} threads it may need ${inMb(needed)} MB: lower --market-threads ` +
    `(${inMb(MEMORY.threadBytes)} MB a thread) or --${kind}-threads (${inMb(eachBytes)} MB a ` +
    'thread), or raise the limit'
  )
}
