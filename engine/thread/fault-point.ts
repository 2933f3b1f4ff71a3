// Points for fault injection. OUTCOMEX_FAULT sets a point and the number of the passing that fails.
// At a fault point the process ends as in a power failure, to prove that a start recovers. At an
// edge point a fault is thrown, to prove that it fails only one call. At a thread point a thread
// breaks or stalls, to prove that this fails one call or is detected. Each thread counts its own
// passings. Without the variable a point costs one comparison.

import { fault } from '../domain/assert.ts'

export const FAULT_VARIABLE = 'OUTCOMEX_FAULT'

export const FAULT_POINTS = [
  /** A command is decided, but not yet sent to the journal or its market. */
  'after-decide',
  /** A held order is released, but its market does not have the release yet. */
  'mid-release',
  /** After a deadline, before each cancel that it causes. */
  'mid-cancels',
  'before-commit',
  /** The batch is on disk, but main does not know yet. */
  'after-commit',
  /** A command is durable and settled, but the client has no reply yet. */
  'before-reply',
  /** A block is durable, but no client was notified that its trades are mined. */
  'before-mined',
  /** After each command that reverses a failed trade or a part of it. */
  'mid-reversal',
  /** The command that archives a market is stamped but not on disk. */
  'mid-archive',
  /** A transaction of an EVM chain is durable but not sent, and then is sent. */
  'mid-send',
  /** The outcomes of trades on an EVM chain are stamped, but their transaction has not ended. */
  'mid-answer',
  'before-payouts',
  /** Before each command by which the exchange redeems positions. */
  'mid-redemptions',
  'mid-slots',
  /** At each command that counts a resolved market for packs. */
  'mid-packs',
  /** At each command that samples, credits or pays rewards. */
  'mid-rewards',
  /** Between two chunks of the read tables, at a start or in `outcomex rebuild`. */
  'mid-rebuild',
  /** After each page of the backlog of the read tables. */
  'mid-backlog',
  /** After each chunk of the journal copied by `outcomex backup` or `restore`. */
  'mid-backup',
  /** After a copy has its mark, its empty journal, its sealed key, and last its head. */
  'mid-copy',
  /** The new server key exists, but the folder key is still sealed under the old one. */
  'mid-rotate',
  /** A snapshot is written but does not have its final name. */
  'mid-snapshot',
  /** A segment is written but does not have its final name, and then has it. */
  'mid-segment',
  /** A segment is listed, and after each few rows that leave the journal because of it. */
  'mid-sealing',
] as const
type FaultPoint = (typeof FAULT_POINTS)[number]

const EDGE_POINTS = [
  /** The head of a request is copied but not parsed yet. */
  'at-receive',
  /** A caller's authentication is about to be checked. */
  'at-prove',
  /** Parameters, query and body are about to be parsed. */
  'at-parse',
  /** A handler is about to run. */
  'at-handle',
  /** A handler's result is about to be encoded. */
  'at-reply',
  /** An order is durable, and its reply is about to be written. */
  'at-order-reply',
  /** A socket requests an upgrade. */
  'at-socket-upgrade',
  /** A socket has joined and is about to get its greeting. */
  'at-socket-join',
  /** A socket sent a message. */
  'at-socket-message',
  /** A socket has left. */
  'at-socket-leave',
  /** An event is about to become a frame. */
  'at-socket-events',
  /** Trades were mined or failed. */
  'at-socket-settled',
  /** The tables have answered a read for subscribers. */
  'at-socket-read',
  /** A frame is about to be rendered for all its readers. */
  'at-socket-frame',
  /** Frames are about to be written to one socket. */
  'at-socket-send',
  /** An order is about to be checked. */
  'in-intake',
  /** A query is about to be answered. */
  'in-query',
] as const
export type EdgePoint = (typeof EDGE_POINTS)[number]

const THREAD_POINTS = [
  /** An edge thread ends while it checks an order. */
  'edge-ends',
  /** An edge thread has done what the core commanded, and stalls. */
  'edge-stall',
  /** The query thread ends while it answers. */
  'query-ends',
  /** A query fails as if the machine had no file descriptors left. */
  'query-hindered',
  /** The journal thread has checked for commands, and stalls. */
  'journal-stall',
  /** A market thread has checked for commands, and stalls. */
  'market-stall',
] as const
type ThreadPoint = (typeof THREAD_POINTS)[number]

type Point = FaultPoint | EdgePoint | ThreadPoint
export const POINTS: readonly Point[] = [...FAULT_POINTS, ...EDGE_POINTS, ...THREAD_POINTS]

interface Armed {
  readonly point: Point
  readonly passing: number
}

/** A point and a passing, or null if the text has none. */
export function readFault(text: string | undefined): Armed | null {
  const [, name, passing] = /^([a-z-]+):([1-9][0-9]{0,8})$/.exec(text ?? '') ?? []
  const point = POINTS.find((each) => each === name)
  return point === undefined ? null : { point, passing: Number(passing) }
}

let armed = readFault(process.env[FAULT_VARIABLE])
let passings = 0

/** Configures the calling thread as if it had been started with this text; '' disarms it. */
export function armFault(text: string): void {
  armed = readFault(text)
  passings = 0
}

export function faultPoint(point: FaultPoint): void {
  if (armed !== null && isPassing(armed, point)) process.kill(process.pid, 'SIGKILL')
}

/** Throws at the configured passing. */
export function edgePoint(point: EdgePoint): void {
  if (armed !== null && isPassing(armed, point)) fault('a fault was injected at this edge')
}

/** True at the configured passing. A stateless thread then fails. */
export function threadPoint(point: ThreadPoint): boolean {
  return armed !== null && isPassing(armed, point)
}

function isPassing({ point: wanted, passing }: Armed, point: Point): boolean {
  return point === wanted && ++passings === passing
}

const STALL_MS = 2500

/** In a worker: stalls its thread for a while at the configured passing. */
export function stallPoint(point: 'edge-stall' | 'journal-stall' | 'market-stall'): void {
  if (threadPoint(point)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS)
}
