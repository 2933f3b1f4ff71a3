import { Agent, METHODS, type OutgoingHttpHeaders, request } from 'node:http'

// Calls over kept connections. A call with `fetch` takes three times the CPU, and a test run makes
// a hundred thousand of them. What only `fetch` does is left to it: codings, aborts, odd methods.

export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface PlainCall {
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string | undefined
}

/** Below the time after which the exchange closes an idle connection. */
const IDLE_MS = 2000
let agent = new Agent({ keepAlive: true })
let calledMs = 0
const NEEDS_FETCH = ['accept-encoding', 'connection', 'expect', 'transfer-encoding']

/** The call, if `fetch` would send no more than this; null otherwise. */
function plainCallOf(method: string, { headers = {}, body, signal }: RequestInit) {
  const isText = body === undefined || typeof body === 'string'
  if (!isText || (signal !== undefined && signal !== null)) return null
  if (Array.isArray(headers) || headers instanceof Headers || !METHODS.includes(method)) return null
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) return null
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  if (NEEDS_FETCH.some((name) => names.includes(name))) return null
  const type = { 'content-type': 'text/plain;charset=UTF-8' }
  const isTyped = body === undefined || names.includes('content-type')
  const own = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, `${text}`]))
  return { method, headers: isTyped ? own : { ...type, ...own }, body }
}

/** Resolves with the whole reply; rejects with a TypeError when the connection fails. */
export async function sendCall(url: string, method: string, init: RequestInit): Promise<HttpReply> {
  const plain = plainCallOf(method, init)
  if (plain !== null) return await sendPlain(url, plain)
  const response = await fetch(url, { ...init, method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** A test that blocked its thread does not see that the exchange closed a connection. */
function agentNow(): Agent {
  const nowMs = performance.now()
  if (nowMs - calledMs > IDLE_MS) agent = new Agent({ keepAlive: true })
  calledMs = nowMs
  return agent
}

function sendPlain(url: string, { method, headers, body }: PlainCall): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
    const calling = request(new URL(url), {
      agent: agentNow(),
      method,
      headers: { accept: '*/*', ...length, ...headers },
    })
    const fail = (cause: Error) => reject(new TypeError(cause.message, { cause }))
    calling.on('error', fail)
    calling.on('response', (response) => {
      const { statusCode = 0, rawHeaders } = response
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => (text += String(part)))
      response.on('error', fail)
      response.on('end', () =>
        resolve({ status: statusCode, headers: headersOf(rawHeaders), text }),
      )
    })
    calling.end(body)
  })
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers()
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at], raw[at + 1])
  return headers
}
