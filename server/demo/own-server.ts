// The demo calls its own server like any client. Under TLS, before the first call, the server must
// present exactly the configured certificate, which needs no authority's signature. This process
// keeps the port, so it checks the certificate once.
//
// A busy server states when to retry and does nothing; the call is then retried.

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { MS_PER_SEC } from '../../engine/domain/units.ts'
import { MIN_SEQ } from '../edge/http/forwarding/cluster-cell.ts'
import { isRecord } from '../edge/http/request-text.ts'

export interface OwnReply {
  readonly status: number
  readonly body: unknown
}

type Headers = Readonly<Record<string, string>>

interface Waiting extends OwnReply {
  readonly retryAfter: string
}

/** The newest seq that any reply showed; '' for an exchange of one node. */
export interface SeenSeq {
  seq: string
}

export interface OwnServerOptions {
  readonly certFile: string | undefined
  /** Headers added to each call. */
  readonly marks: Headers
  /** A node of a cluster must not show less than it has shown, by whichever listener. */
  readonly seen?: SeenSeq
}

/** Less than the validity of a call's signature. */
const PATIENCE_SEC = 20
const TRIES_MAX = 40
const [TOO_MANY, UNAVAILABLE] = [429, 503]

/** Seconds after which a refused call may be retried; null for any other reply. */
function waitSecOf(method: string, { status, body, retryAfter }: Waiting): number | null {
  if (!/^[0-9]+$/.test(retryAfter)) return null
  // When only the reply of a change was late, it is unknown whether the change was made.
  const isLateRead = isRecord(body) && body.code === 'READ_TIMEOUT' && method !== 'GET'
  const isBusy = status === TOO_MANY || (status === UNAVAILABLE && !isLateRead)
  return isBusy ? Number(retryAfter) : null
}

export class OwnServer {
  readonly #baseUrl: string
  readonly #agent: HttpAgent
  readonly #certFile: string | undefined
  readonly #marks: Headers
  readonly #hurry = new AbortController()
  #known: Promise<void> | null = null
  readonly #seen: SeenSeq

  constructor(baseUrl: string, { certFile, marks, seen = { seq: '' } }: OwnServerOptions) {
    this.#baseUrl = baseUrl
    this.#certFile = certFile
    this.#marks = marks
    this.#seen = seen
    this.#agent =
      certFile === undefined
        ? new HttpAgent({ keepAlive: true })
        : new HttpsAgent({ keepAlive: true, rejectUnauthorized: false })
  }

  /** Rejects when no server answers, or another one. */
  async call(method: string, path: string, headers: Headers, body = ''): Promise<OwnReply> {
    if (this.#certFile !== undefined) {
      this.#known ??= answersWith(new URL(this.#baseUrl), this.#certFile)
      await this.#known
    }
    const all = { ...withLength(headers, body), ...this.#marks }
    let left = PATIENCE_SEC
    for (let tries = 1; ; tries++) {
      const { seq } = this.#seen
      const known = seq === '' ? all : { ...all, [MIN_SEQ]: seq }
      const reply = await this.#send(method, path, known, body)
      const waitSec = waitSecOf(method, reply)
      const isOver = tries === TRIES_MAX || this.#hurry.signal.aborted
      if (waitSec === null || waitSec > left || isOver) return reply
      left -= waitSec
      // A stop ends the pause, and the refusal applies.
      await pause(waitSec * MS_PER_SEC, undefined, { signal: this.#hurry.signal }).catch(() => {})
    }
  }

  /** From now on, no call waits for a busy server. */
  hurry(): void {
    this.#hurry.abort()
  }

  #send(method: string, path: string, headers: Headers, body: string): Promise<Waiting> {
    return new Promise((resolve, reject) => {
      const request = this.#certFile === undefined ? httpRequest : httpsRequest
      const sent = request(this.#baseUrl + path, { method, agent: this.#agent, headers })
      sent.on('error', reject)
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0 } = response
          const retryAfter = response.headers['retry-after'] ?? ''
          const { 'x-seq': seq = '' } = response.headers
          if (Number(seq) > Number(this.#seen.seq)) this.#seen.seq = String(seq)
          resolve({ status, body: parsed(text), retryAfter })
        })
      })
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Rejects unless the server presents the certificate of the file. */
async function answersWith({ hostname, port }: URL, certFile: string): Promise<void> {
  const expected = new X509Certificate(readFileSync(certFile, 'utf8')).fingerprint256
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect')
    if (socket.getPeerX509Certificate()?.fingerprint256 === expected) return
    throw new Error('the server does not present the certificate of --tls-cert')
  } finally {
    socket.destroy()
  }
}

function withLength(headers: Headers, body: string): Headers {
  return body === '' ? headers : { ...headers, 'content-length': `${Buffer.byteLength(body)}` }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
