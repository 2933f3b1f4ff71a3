// The demo calls its own server like any client. Under TLS the server must show exactly the
// configured certificate, which needs no signature of an authority, before the first call. This
// process keeps the port, so it checks the certificate once.

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { connect } from 'node:tls'

export interface OwnReply {
  readonly status: number
  readonly body: unknown
}

type Headers = Readonly<Record<string, string>>

export class OwnServer {
  readonly #baseUrl: string
  readonly #agent: HttpAgent
  readonly #certFile: string | undefined
  #known: Promise<void> | null = null

  constructor(baseUrl: string, certFile: string | undefined) {
    this.#baseUrl = baseUrl
    this.#certFile = certFile
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
    return this.#send(method, path, withLength(headers, body), body)
  }

  #send(method: string, path: string, headers: Headers, body: string): Promise<OwnReply> {
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
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text) }))
      })
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Rejects unless the server shows the certificate of the file. */
async function answersWith({ hostname, port }: URL, certFile: string): Promise<void> {
  const expected = new X509Certificate(readFileSync(certFile, 'utf8')).fingerprint256
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect')
    if (socket.getPeerX509Certificate()?.fingerprint256 === expected) return
    throw new Error('the server shows another certificate than that of --tls-cert')
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
