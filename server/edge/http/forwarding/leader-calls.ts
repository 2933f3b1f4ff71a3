// Forwards the calls that change something to the node that leads, and gives back its replies as
// they are. The bytes that a caller signed are not touched.
// Invariant: a call is sent once. If its reply is lost, nobody knows whether it had an effect, and
// the reply says so.

import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { codeOf } from '../../../../engine/domain/error-code.ts'
import type { Call, Header } from '../../../messages/call.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'
import { type Outgoing, outgoing } from '../gateway/replies/outgoing.ts'
import { type ClusterCell, FORWARDED } from './cluster-cell.ts'

/** More calls wait for a connection. */
const CONNECTIONS_MAX = 128
/** Shorter than the time after which the leader closes an idle connection. */
const IDLE_MS = 2000
const CONNECT_MS = 1000
/** A leader answers while its lease runs; this is for the way to it and back. */
const WAY_MS = 2000

/** Headers of one connection, and those that every node writes itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'date',
  'uwebsockets',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
  'content-length',
  FORWARDED,
])
/** Errors before a connection is there: nothing was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|EADDRNOTAVAIL)$/

interface LeaderCallsParts {
  readonly cell: ClusterCell
  /** Where the leader is reached; null while nobody leads. */
  readonly leaderUrl: () => string | null
  readonly nowMs: () => number
  readonly leaseMs: number
}

export class LeaderCalls {
  readonly #parts: LeaderCallsParts
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS })
  readonly #tlsAgent = new TlsAgent({
    keepAlive: true,
    maxSockets: CONNECTIONS_MAX,
    timeout: IDLE_MS,
  })
  /** Calls that were forwarded, and those whose outcome is unknown. */
  readonly counts = { sent: 0, lost: 0 }
  /** Calls without a reply, and where each was sent. */
  readonly #underWay = new Map<ClientRequest, string>()

  constructor(parts: LeaderCallsParts) {
    this.#parts = parts
  }

  /** Whether calls that change something go to another node. */
  get areNeeded(): boolean {
    return !this.#parts.cell.decides
  }

  /** The leader changed, or its lease ended: what was sent to the old one has no answer. */
  leaderChanged(): void {
    const url = this.#parts.leaderUrl()
    for (const [sent, to] of this.#underWay) {
      if (to !== url) sent.destroy(new Error('another node may lead by now'))
    }
  }

  /** Sends a call with its whole body. `address` is that of its caller. */
  async forward(call: Call, address: string): Promise<Outgoing | Refusal> {
    const { cell, leaderUrl, nowMs } = this.#parts
    const isForwarded = cell.addressOf(call, call.headers.get(FORWARDED), nowMs()) !== null
    const url = leaderUrl()
    // A call goes over one hop: the node that sent it here asks again who leads.
    if (url === null || isForwarded) return refuse('NO_LEADER')
    const headers: Record<string, string> = {}
    for (const [name, value] of call.headers) {
      if (!OF_CONNECTION.has(name)) headers[name] = value
    }
    headers[FORWARDED] = cell.proofOf(call, address, nowMs())
    if (call.body.length > 0) headers['content-length'] = String(call.body.length)
    this.counts.sent++
    try {
      return await this.#send(url, call, headers)
    } catch (error) {
      if (isUnsent(error)) return refuse('NO_LEADER')
      this.counts.lost++
      return refuse('LEADER_SILENT')
    }
  }

  #send(url: string, call: Call, headers: Record<string, string>): Promise<Outgoing> {
    const { hostname: host, port, protocol } = new URL(url)
    const { method, target: path } = call
    const to = { host: host.replace(/^\[|\]$/g, ''), port, method, path, headers }
    return new Promise((resolve, reject) => {
      const sent: ClientRequest =
        protocol === 'https:'
          ? tlsRequest({ ...to, agent: this.#tlsAgent })
          : request({ ...to, agent: this.#agent })
      sent.on('socket', (socket) => {
        if (!socket.connecting) return
        const timer = setTimeout(() => sent.destroy(unconnected()), CONNECT_MS)
        socket.once('connect', () => clearTimeout(timer))
        socket.once('close', () => clearTimeout(timer))
      })
      const replyMs = this.#parts.leaseMs + WAY_MS
      sent.setTimeout(replyMs, () => sent.destroy(new Error('the leader does not answer')))
      this.#underWay.set(sent, url)
      sent.on('close', () => this.#underWay.delete(sent))
      sent.on('error', reject)
      sent.on('response', (reply) => {
        replyOf(reply).then(resolve, reject)
      })
      // The memory of a body may be reused after this call.
      sent.end(call.body.length > 0 ? Uint8Array.from(call.body) : undefined)
    })
  }
}

/** As the system reports a machine that does not answer, only sooner. */
function unconnected(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'EHOSTUNREACH' })
}

function isUnsent(error: unknown): boolean {
  return UNSENT.test(codeOf(error))
}

async function replyOf(reply: IncomingMessage): Promise<Outgoing> {
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk)
  const headers: Header[] = []
  let type = ''
  const { rawHeaders } = reply
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at].toLowerCase()
    if (name === 'content-type') type = rawHeaders[at + 1]
    else if (!OF_CONNECTION.has(name)) headers.push([name, rawHeaders[at + 1]])
  }
  return outgoing(reply.statusCode ?? 0, type, Buffer.concat(chunks), headers)
}
