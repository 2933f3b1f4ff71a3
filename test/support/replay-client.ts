import assert from 'node:assert/strict'
import type { OrderEvent } from '../../server/exchange/read-model/order-event-feed.ts'
import { at } from './json-path.ts'
import type { LiveExchange, Trader } from './live-exchange.ts'
import { handshakeOf, SocketClient } from './socket-client.ts'

// A client of order events that comes back: what it names, what it receives, and how that compares
// to the frames of a client that never left.

export const ORDER_EVENTS = 'subscribe_order_events'

export type Frame = Readonly<Record<string, unknown>>

/** The frame without the time at which it was made. */
export function statedBy(frame: unknown): Frame {
  const { publishedAt: _, ...stated } = Object(frame)
  return stated
}

export const eventsOf = (client: SocketClient): Frame[] => client.of('orderEvent').map(statedBy)
export const idOf = (frame: Frame) => String(frame.eventId)
export const isEnd = ({ type }: Frame) => type === 'MINED' || type === 'FAILED'

/** What a client with these frames names when it comes back. */
export function marksOf(frames: readonly Frame[]): object {
  const end = frames.findLast(isEnd)
  const afterEventId = frames.findLast((frame) => !isEnd(frame))?.eventId
  return end === undefined ? { afterEventId } : { afterEventId, afterSettlementId: end.eventId }
}

export async function joined(
  live: LiveExchange,
  trader: Trader,
  payload: object,
): Promise<SocketClient> {
  const headers = handshakeOf(trader, live.nowMs())
  const client = await SocketClient.open(live.port, { headers })
  client.socket.emit(ORDER_EVENTS, payload)
  return client
}

export const isEndOfReplay = ({ payload }: { payload: unknown }) =>
  String(at(payload, 'message')).startsWith('Replayed')

export const isReported = (client: SocketClient) =>
  client.frames.some(isEndOfReplay) || client.of('exception').length > 0

/** Whether the tables were late, as on a busy machine: every client then comes again. */
export function wasLate(client: SocketClient): boolean {
  const codes = client.of('exception').map((frame) => at(frame, 'code'))
  assert.ok(
    codes.every((code) => code === 'READ_TIMEOUT'),
    codes.join(' '),
  )
  return codes.length > 0
}

/** Everything that a client receives of what it missed. */
export async function missedBy(
  live: LiveExchange,
  trader: Trader,
  payload: object,
): Promise<Frame[]> {
  for (;;) {
    const client = await joined(live, trader, payload)
    await client.until(() => isReported(client))
    client.close()
    if (!wasLate(client)) return eventsOf(client)
  }
}

const sortedById = (frames: readonly Frame[]) =>
  [...frames].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))

/** The frames of each order, apart from those of the chain, in their order. */
function lives(frames: readonly Frame[]): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const frame of frames) {
    const key = `${frame.orderId} ${isEnd(frame)}`
    found[key] = [...(found[key] ?? []), idOf(frame)]
  }
  return found
}

export function assertSame(got: readonly Frame[], want: readonly Frame[], about: string): void {
  assert.deepEqual(sortedById(got), sortedById(want), about)
  assert.deepEqual(lives(got), lives(want), about)
}

const order = { slot: 1, generation: 1, clientOrderId: '', side: 0, outcome: 0, orderType: 0 }

/** An event of an order that is in no table. */
export function updateOf(accountId: number, seq: number): OrderEvent & { type: 'UPDATE' } {
  const what = { type: 'UPDATE', remainingRaw: 1, priceTicks: 500 } as const
  return { ...order, ...what, seq, nowMs: 0, accountId, marketId: 1 }
}
