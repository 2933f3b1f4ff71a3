// Answers at the address of an exchange that is still starting: `/health` reports that the process
// runs, and everything else is refused as NOT_READY, so callers learn at once that a restart is
// under way. It reveals nothing of the exchange, which is not recovered yet.
//
// One connection carries one call, and the number of connections is bounded: a flood must not keep
// the exchange from starting.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIMITS } from '../../../../../engine/domain/limits.ts'
import { type Refusal, refuse } from '../../../../messages/refusal.ts'

const AT_ONCE_MAX = 256
const CONNECTIONS_MAX = 4096
const HEAD_MS = 2000

const HEALTH = JSON.stringify({ status: 'ok' })
const UNREADY: Refusal = refuse('NOT_READY')
const STARTS = { name: 'start', ok: false, detail: 'the exchange is starting' }
const READINESS: Refusal = refuse('NOT_READY', { seq: 0, ready: false, checks: [STARTS] })

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const path = url.split('?', 1)[0]
  const refusal = path === '/ready' ? READINESS : UNREADY
  const isHealth = path === '/health' && (method === 'GET' || method === 'HEAD')
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('connection', 'close')
  if (!isHealth) response.setHeader('retry-after', refusal.retryAfterSec)
  response.writeHead(isHealth ? 200 : refusal.status)
  response.end(isHealth ? HEALTH : refusal.body)
}

export class EarlyListener {
  readonly #server: Server
  #taken = 0

  private constructor(headMs: number) {
    const times = { headersTimeout: headMs, requestTimeout: headMs }
    const looks = { maxHeaderSize: LIMITS.headBytesMax, connectionsCheckingInterval: headMs / 4 }
    this.#server = createServer({ ...times, ...looks }, answer)
    this.#server.maxConnections = AT_ONCE_MAX
    this.#server.on('connection', (socket) => {
      this.#taken++
      if (this.#taken > CONNECTIONS_MAX) socket.destroy()
    })
  }

  /** Null when it cannot listen; the start then reports why. It keeps no process alive. */
  static async open(host: string, port: number, headMs = HEAD_MS): Promise<EarlyListener | null> {
    const listener = new EarlyListener(headMs)
    try {
      listener.#server.listen(port, host)
      listener.#server.unref()
      await once(listener.#server, 'listening')
      return listener
    } catch {
      return null
    }
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address()
    return address === null || typeof address === 'string' ? 0 : address.port
  }

  /** The port is free when this returns. */
  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
