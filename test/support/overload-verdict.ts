import { LIMITS } from '../../engine/domain/limits.ts'
import type { LoopResult } from './open-loop.ts'
import type { OverloadReport } from './overload.ts'

// Judges an overload by the orders that were really sent, from the moment each was written to its
// connection. How late the sender was depends on the cores that it shares with the server: that is
// a figure of the sender, and no fault of the exchange.

const OVERLOAD_TIMES = 2
const RECOVERY_MS_MAX = 2000
/** What queues and buffers may hold at their fullest, and what each taken order may hold. */
const QUEUE_BYTES_MAX = 256 * 2 ** 20
const ORDER_BYTES_MAX = 1024

/** The figures that the verdict needs. */
export type OverloadFigures = Pick<
  OverloadReport,
  'highest' | 'beforeBytes' | 'peakBytes' | 'recoveryMs'
> & {
  readonly flood: Pick<
    LoopResult,
    'seconds' | 'begun' | 'notBegun' | 'statuses' | 'takenSentMs' | 'refusedSentMs' | 'stallMs'
  >
}

/** Orders per second that the sender really sent. */
function offeredPerSecond({ flood }: OverloadFigures): number {
  return flood.begun / flood.seconds
}

/** The part of the planned orders that the sender sent. */
export function offeredPart({ flood }: OverloadFigures): number {
  return flood.begun / (flood.begun + flood.notBegun)
}

/**
 * Whether clearly more was sent than the machine takes; otherwise nothing needs to be refused. The
 * highest rate is a measurement of seconds on a machine that others use.
 */
function isOverload(figures: OverloadFigures): boolean {
  return offeredPerSecond(figures) > OVERLOAD_TIMES * figures.highest
}

/** Whether the run says nothing about refusals: there were none, and none were due. */
export function isInconclusive(figures: OverloadFigures): boolean {
  return !isOverload(figures) && (figures.flood.statuses['503'] ?? 0) === 0
}

/**
 * The longest that a taken order may wait. It is the whole queue before the order at the pace of
 * the run, plus the wait to be read, which refused orders have too. Half of that is added for the
 * uneven speed of a machine that others use, and then the longest time in which the sender left a
 * reply unread.
 */
export function waitMsMax({ flood }: OverloadFigures): number {
  const perMs = (flood.statuses['201'] ?? 0) / (flood.seconds * 1000)
  const unreadMs = flood.refusedSentMs.at(-1) ?? 0
  return 1.5 * (LIMITS.ordersUnderWayMax / perMs + unreadMs) + flood.stallMs
}

export function bytesMax({ beforeBytes, flood }: OverloadFigures): number {
  return beforeBytes + QUEUE_BYTES_MAX + ORDER_BYTES_MAX * (flood.statuses['201'] ?? 0)
}

/** The invariants that the exchange broke. */
export function brokenBy(figures: OverloadFigures): string[] {
  const { flood, peakBytes, recoveryMs } = figures
  const refused = flood.statuses['503'] ?? 0
  const rules: (readonly [string, boolean])[] = [
    [
      'twice the highest rate was offered, and nothing was refused',
      isOverload(figures) && refused === 0,
    ],
    ['a taken order waited past its bound', (flood.takenSentMs.at(-1) ?? 0) > waitMsMax(figures)],
    ['memory passed its bound', peakBytes > bytesMax(figures)],
    ['no order was taken for two seconds after the flood', recoveryMs > RECOVERY_MS_MAX],
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([name]) => name)
}
