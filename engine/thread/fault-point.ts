// Points where a fault can be asked for. OUTCOMEX_FAULT names a point and which passing of it
// breaks. At a fault point the process ends as if the power failed, to prove that a start recovers.
// At an edge point a fault is thrown, to prove that it costs one call and no more. At a thread
// point a thread breaks or stalls, to prove that this costs one call or is noticed. Each thread
// counts its own passings. Without the variable a point costs one comparison.

import { fault } from '../domain/assert.ts'

export const FAULT_VARIABLE = 'OUTCOMEX_FAULT'

export const FAULT_POINTS = [
  /** A command is decided. Neither the journal nor its market has it. */
  'after-decide',
  /** A held order is released, and its market does not have the release. */
  'mid-release',
  /** A deadline passed: before each cancel that it causes. */
  'mid-cancels',
  'before-commit',
  /** The batch is on disk, and main does not know. */
  'after-commit',
  /** A command is durable and settled, and its client got no reply. */
  'before-reply',
  /** A block is durable, and no client was told that its trades are mined. */
  'before-mined',
  /** After each command that takes back a failed trade, or a part of it. */
  'mid-reversal',
  /** The command that takes a market out of memory is stamped and not on disk. */
  'mid-archive',
  'before-payouts',
  /** Before each command by which the exchange itself redeems positions. */
  'mid-redemptions',
  'mid-slots',
  /** Beside each command that counts a resolved market for packs. */
  'mid-packs',
  /** Beside each command that samples, credits or pays rewards. */
  'mid-rewards',
  /** Between two chunks of the read tables, at a start or in `outcomex rebuild`. */
  'mid-rebuild',
  /** After each page of the backlog of the read tables. */
  'mid-backlog',
  /** Behind each chunk of the journal that `outcomex backup` or `restore` has copied. */
  'mid-backup',
  /** A copy has its mark; then its empty journal; then its sealed key; at last its head. */
  'mid-copy',
  /** A new server key is there, and the folder key is still sealed under the old one. */
  'mid-rotate',
  /** A snapshot is written but does not have its final name yet. */
  'mid-snapshot',
] as const
export type FaultPoint = (typeof FAULT_POINTS)[number]

const EDGE_POINTS = [
  /** The head of a request is copied and not read yet. */
  'at-receive',
  /** The proof of a caller is about to be checked. */
  'at-prove',
  /** Parameters, query and body are about to be read. */
  'at-parse',
  /** A handler is about to run. */
  'at-handle',
  /** A handler's outcome is about to become bytes. */
  'at-reply',
  /** An order is durable, and its reply is about to be written. */
  'at-order-reply',
  /** A socket wants to come in. */
  'at-socket-upgrade',
  /** A socket joined and is about to get its greeting. */
  'at-socket-join',
  /** A socket sent a message. */
  'at-socket-message',
  /** A socket left. */
  'at-socket-leave',
  /** A fact is about to become a frame. */
  'at-socket-news',
  /** Trades were mined, or one failed. */
  'at-socket-settled',
  /** The tables answered a read for listeners. */
  'at-socket-read',
  /** A frame is about to be rendered, once for all its readers. */
  'at-socket-frame',
  /** Frames are about to be written to one socket. */
  'at-socket-send',
  /** An order is about to be checked. */
  'in-intake',
  /** A question is about to be answered. */
  'in-query',
] as const
export type EdgePoint = (typeof EDGE_POINTS)[number]

const THREAD_POINTS = [
  /** The thread that checks an order ends during the check. */
  'intake-ends',
  /** The result of checking an order loses its last byte on the way to main. */
  'intake-garbles',
  /** The thread that answers a question ends during the answer. */
  'query-ends',
  /** A question fails as if the machine had no file descriptor left. */
  'query-hindered',
  /** The journal thread has looked for commands, and stalls. */
  'journal-stall',
  /** A market thread has looked for commands, and stalls. */
  'market-stall',
] as const
export type ThreadPoint = (typeof THREAD_POINTS)[number]

type Point = FaultPoint | EdgePoint | ThreadPoint
export const POINTS: readonly Point[] = [...FAULT_POINTS, ...EDGE_POINTS, ...THREAD_POINTS]

interface Armed {
  readonly point: Point
  readonly passing: number
}

/** A point and a passing, or null when the text names none. */
export function readFault(text: string | undefined): Armed | null {
  const [, name, passing] = /^([a-z-]+):([1-9][0-9]{0,8})$/.exec(text ?? '') ?? []
  const point = POINTS.find((each) => each === name)
  return point === undefined ? null : { point, passing: Number(passing) }
}

let armed = readFault(process.env[FAULT_VARIABLE])
let passings = 0

/** Acts in the calling thread as if it had been started with this text. '' disarms it. */
export function armFault(text: string): void {
  armed = readFault(text)
  passings = 0
}

export function faultPoint(point: FaultPoint): void {
  if (armed !== null && isPassing(armed, point)) process.kill(process.pid, 'SIGKILL')
}

/** Throws when this passing was asked for. */
export function edgePoint(point: EdgePoint): void {
  if (armed !== null && isPassing(armed, point)) fault('a fault was asked for at this edge')
}

/** True when this passing was asked for. A thread that keeps no state then breaks. */
export function threadPoint(point: ThreadPoint): boolean {
  return armed !== null && isPassing(armed, point)
}

function isPassing({ point: wanted, passing }: Armed, point: Point): boolean {
  return point === wanted && ++passings === passing
}
