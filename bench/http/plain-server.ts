// The baselines that are uWebSockets.js alone: one sends the same bytes for every read, the other
// publishes the same bytes to sockets. Both are services; their first message is their port.

import * as uWS from 'uWebSockets.js'
import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { serve } from '../harness/child.ts'

/** Serves an app on a free port. */
export function listen<Question>(
  app: uWS.TemplatedApp,
  answer: (question: Question) => unknown = () => null,
): void {
  app.listen('127.0.0.1', 0, (socket) => {
    assert(socket !== false, 'a free port is found')
    serve(uWS.us_socket_local_port(socket), answer)
  })
}

export function serveText(text: string): void {
  const payload = Buffer.from(text)
  listen(
    uWS.App().get('/*', (response) => {
      response.writeHeader('content-type', 'application/json; charset=utf-8')
      response.end(payload)
    }),
  )
}

/** Publishes for so long, and so often; `everyMs` of 0 means as fast as the frames are read. */
export interface PublishPlan {
  readonly forMs: number
  readonly everyMs: number
}

const TOPIC = 'book'
const JOIN = '40/markets,'
/** Before each frame one of so many sockets is examined. */
const EXAMINED_EACH = 16

/** Whether readers keep up: a frame beyond a reader's capacity would be dropped silently. */
function isRead(sockets: ReadonlySet<uWS.WebSocket<object>>): boolean {
  let index = 0
  for (const socket of sockets) {
    if (index++ % EXAMINED_EACH !== 0) continue
    if (socket.getBufferedAmount() > LIMITS.socketTopicAheadBytesMax) return false
  }
  return true
}

/**
 * Publishes frames of a size in bytes. It answers the handshake of Socket.IO with fixed texts, so
 * that the readers of both servers do the same. A request is a plan; the reply is the CPU that it
 * took, in microseconds.
 */
export function publishFrames(frameBytes: number): void {
  const bytes = Buffer.alloc(frameBytes, 'x')
  const sockets = new Set<uWS.WebSocket<object>>()
  const app = uWS.App().ws<object>('/*', {
    maxBackpressure: LIMITS.socketBufferedBytesMax,
    open: (socket) => {
      sockets.add(socket)
      socket.send('0{"sid":"x","upgrades":[],"pingInterval":25000,"pingTimeout":20000}')
    },
    message: (socket, message) => {
      if (Buffer.from(message).toString() === JOIN) {
        socket.send(`${JOIN}{"sid":"x"}`)
        return
      }
      socket.send(bytes, false, false)
      socket.subscribe(TOPIC)
    },
    close: (socket) => void sockets.delete(socket),
  })
  const publish = () => {
    if (isRead(sockets)) app.publish(TOPIC, bytes, false, false)
  }
  listen(app, (plan: PublishPlan) => cpuOf(publish, plan))
}

/** Calls `step` by the plan; returns the CPU of this process meanwhile, in microseconds. */
export function cpuOf(step: () => void, { forMs, everyMs }: PublishPlan): Promise<number> {
  const untilMs = performance.now() + forMs
  const before = process.cpuUsage()
  return new Promise((resolve) => {
    const next = () => {
      step()
      if (performance.now() < untilMs) {
        if (everyMs === 0) setImmediate(next)
        else setTimeout(next, everyMs)
        return
      }
      const { user, system } = process.cpuUsage(before)
      resolve(user + system)
    }
    next()
  })
}
