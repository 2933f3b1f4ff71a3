// Where a fault can be asked for. OUTCOMEX_FAULT names a point and which passing of it breaks: at a
// fault point the process ends as by a power cut, to prove that a start comes back from it; at an
// edge point a fault is thrown, and at a thread point a thread breaks or stands still, to prove
// that it costs one call and no more, or is noticed. Each thread counts its own passings. Without
// the variable a point is one comparison.

import { fault } from '../domain/assert.ts'

export const FAULT_VARIABLE = 'OUTCOMEX_FAULT'

export const FAULT_POINTS = [
  /** A command is decided; neither the journal nor its market was given it. */
  'after-decide',
  /** A held order is taken from holding, and its market was not given it. */
  'mid-release',
  /** A deadline passed: before each of the cancels that it asks for. */
  'mid-cancels',
  'before-commit',
  /** The disk has it and main does not know. */
  'after-commit',
  /** Durable and settled, and its client was told nothing. */
  'before-reply',
  /** A block is durable, and nobody was told that its trades are mined. */
  'before-mined',
  /** Between two chunks of the read tables, at a start or in `outcomex rebuild`. */
  'mid-rebuild',
  /** A snapshot is written and not yet under its name. */
  'mid-snapshot',
] as const
export type FaultPoint = (typeof FAULT_POINTS)[number]

const EDGE_POINTS = [
  /** The head of a request is copied; nothing of it was looked at. */
  'at-receive',
  /** The proof of a caller. */
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
  /** It joined, and is to be greeted. */
  'at-socket-join',
  /** It said something. */
  'at-socket-message',
  /** It left. */
  'at-socket-leave',
  /** A fact is to become a frame. */
  'at-socket-news',
  /** Trades were mined, or one failed. */
  'at-socket-settled',
  /** The tables answered for those who listen. */
  'at-socket-read',
  /** A frame is to be made, once for all that hear it. */
  'at-socket-frame',
  /** Frames are to be written to one socket. */
  'at-socket-send',
  /** An order is about to be checked. */
  'in-intake',
  /** A question is about to be answered. */
  'in-query',
] as const
export type EdgePoint = (typeof EDGE_POINTS)[number]

const THREAD_POINTS = [
  /** The thread that checks an order ends at it. */
  'intake-ends',
  /** What the thread found of an order loses its last byte on the way to main. */
  'intake-garbles',
  /** The thread that answers a question ends at it. */
  'query-ends',
  /** A question meets a machine that has no descriptor left. */
  'query-hindered',
  /** The journal thread has looked for commands. */
  'journal-stall',
  /** A market thread has. */
  'market-stall',
] as const
export type ThreadPoint = (typeof THREAD_POINTS)[number]

type Point = FaultPoint | EdgePoint | ThreadPoint
export const POINTS: readonly Point[] = [...FAULT_POINTS, ...EDGE_POINTS, ...THREAD_POINTS]

interface Armed {
  readonly point: Point
  readonly passing: number
}

/** A point and a passing, or null for a text that means none. */
export function readFault(text: string | undefined): Armed | null {
  const [, name, passing] = /^([a-z-]+):([1-9][0-9]{0,8})$/.exec(text ?? '') ?? []
  const point = POINTS.find((each) => each === name)
  return point === undefined ? null : { point, passing: Number(passing) }
}

let armed = readFault(process.env[FAULT_VARIABLE])
let passings = 0

/** In the thread that calls it: as if it had been started with this text; '' asks for nothing. */
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

/** True when this passing was asked for: a thread that keeps no state then breaks. */
export function threadPoint(point: ThreadPoint): boolean {
  return armed !== null && isPassing(armed, point)
}

function isPassing({ point: wanted, passing }: Armed, point: Point): boolean {
  return point === wanted && ++passings === passing
}
