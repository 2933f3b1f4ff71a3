// The yardstick of fan-out: a plain uWebSockets.js server that publishes the same bytes to its
// subscribers, as fast as they are read. It answers the handshake of Socket.IO with fixed texts,
// so that the readers of both servers do the same. `[size of a frame in bytes]`; a message is for
// how long, or a PublishPlan, and the answer is what that cost.

import * as uWS from 'uWebSockets.js'
import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'

/** Publishes for so long, and so often. */
export interface PublishPlan {
  readonly forMs: number
  readonly everyMs: number
}

const bytes = Buffer.alloc(Number(process.argv[2]), 'x')
const sockets = new Set<uWS.WebSocket<object>>()
const TOPIC = 'book'
const JOIN = '40/markets,'
/** One of so many sockets is looked at before each frame. */
const LOOK_AT_EACH = 16

/** Whether readers keep up; what a reader has no room for would be dropped in silence. */
function isRead(): boolean {
  let index = 0
  for (const socket of sockets) {
    if (index++ % LOOK_AT_EACH !== 0) continue
    if (socket.getBufferedAmount() > LIMITS.socketTopicAheadBytesMax) return false
  }
  return true
}

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

/** CPU of this process since a moment, in microseconds. */
function cpuMicros(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return user + system
}

process.on('message', (requested: number | PublishPlan) => {
  const { forMs, everyMs } =
    typeof requested === 'number' ? { forMs: requested, everyMs: 0 } : requested
  const untilMs = performance.now() + forMs
  const cpuBefore = process.cpuUsage()
  const publish = (): void => {
    if (isRead()) app.publish(TOPIC, bytes, false, false)
    if (performance.now() >= untilMs) process.send?.(cpuMicros(cpuBefore))
    else if (everyMs === 0) setImmediate(publish)
    else setTimeout(publish, everyMs)
  }
  publish()
})
app.listen('127.0.0.1', 0, (socket) => {
  assert(socket !== false, 'a free port is found')
  process.send?.(uWS.us_socket_local_port(socket))
})
process.on('disconnect', () => process.exit(0))
