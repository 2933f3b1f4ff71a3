import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type Bytes, textOf } from './tricks.ts'

// A client that sends exactly the given bytes and takes any answer that comes in time.

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** The body as UTF-8. */
  readonly text: string
}

export interface Exchanged {
  readonly answers: readonly Answer[]
  /** Everything that was received; no secret may be in it. */
  readonly received: string
  /** The server closed the connection. */
  readonly closed: boolean
  /** Neither the answers nor a close came in time. */
  readonly late: boolean
}

/** Far longer than any reply takes; it ends the wait for a request that is not complete. */
const REPLY_MS = 4000

/** Sends once over its own connection and waits for `wanted` answers. */
export function exchange(
  port: number,
  request: Bytes,
  { wanted = 1, isHead = false, deadlineMs = REPLY_MS } = {},
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    let isOver = false
    const end = (how: { closed: boolean; late: boolean }) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      socket.destroy()
      const answers = answersIn(received, isHead)
      resolve({ answers, received: received.toString('utf8'), ...how })
    }
    const timer = setTimeout(() => end({ closed: false, late: true }), deadlineMs)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (answersIn(received, isHead).length >= wanted) end({ closed: false, late: false })
    })
    socket.on('error', () => {})
    socket.on('close', () => end({ closed: true, late: false }))
    const { bytes, cutAt, finishes, chunk } = request
    if (cutAt !== undefined) {
      socket.write(bytes.subarray(0, cutAt), () => end({ closed: false, late: false }))
      return
    }
    if (chunk === undefined) socket.write(bytes)
    else
      for (let at = 0; at < bytes.length; at += chunk) socket.write(bytes.subarray(at, at + chunk))
    if (finishes === true) socket.end()
  })
}

/** The whole answers at the start of what was received; an answer to HEAD has no body. */
function answersIn(received: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = []
  let at = 0
  for (;;) {
    const headEnd = received.indexOf('\r\n\r\n', at)
    if (headEnd === -1) return answers
    const [first, ...lines] = received.subarray(at, headEnd).toString('latin1').split('\r\n')
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const length = isHead ? 0 : Number(headers.get('content-length') ?? '0')
    const end = headEnd + 4 + length
    if (received.length < end) return answers
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? '0')
    answers.push({ status, headers, text: received.subarray(headEnd + 4, end).toString('utf8') })
    // The parser's own answer ends the connection and has no length.
    if (status === 0) return answers
    at = end
  }
}

/** Makes a call that keeps every rule. */
export async function plainCall(
  port: number,
  call: {
    readonly method: string
    readonly target: string
    readonly headers: readonly [string, string][]
    readonly body?: Buffer
  },
): Promise<Answer> {
  const { method, target, headers, body = Buffer.alloc(0) } = call
  const length: [string, string][] = body.length > 0 ? [['content-length', `${body.length}`]] : []
  const parts = { method, target, headers: [HOST, ...headers, ...length], body }
  const { answers } = await exchange(port, { bytes: textOf(parts) })
  const [answer] = answers
  assert.ok(answer !== undefined, `${method} ${target} is answered`)
  return answer
}

export const HOST: [string, string] = ['host', '127.0.0.1']
