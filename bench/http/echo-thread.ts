import * as uWS from 'uWebSockets.js'
import { parentPort } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { Ring } from '../../engine/thread/ring.ts'
import { keccakReady } from '../../server/crypto/keccak.ts'
import { CoreIntake } from '../../server/edge/intake/core-intake.ts'
import type { IntakeResult } from '../../server/messages/intake-result.ts'
import { type EchoData, STOP } from './echo-server.ts'

// A thread of the echo server: it has connections, checks orders and echoes them.

/** Records for the journal; null for a server without a disk. */
let ring: Ring | null = null
const gone = new WeakSet<uWS.HttpResponse>()
const open = new Map<number, uWS.HttpResponse>()
/** Replies that wait for the disk, in the order of their records. */
let waiting: (() => void)[] = []
let isSendDue = false
let lastId = 0

function send(response: uWS.HttpResponse, status: string, text: string): void {
  if (gone.has(response)) return
  response.cork(() => {
    response.writeStatus(status)
    response.writeHeader('content-type', 'application/json')
    response.end(text)
  })
}

function commit(record: Uint8Array, reply: () => void): void {
  const journal = ring
  if (journal === null) {
    reply()
    return
  }
  assert(journal.push(0, record), 'the ring has capacity for all open requests')
  waiting.push(reply)
  if (isSendDue) return
  isSendDue = true
  setImmediate(() => {
    isSendDue = false
    journal.show()
    if (journal.takeWakeUp()) parentPort?.postMessage(null)
  })
}

function reply(result: IntakeResult): void {
  const response = open.get(result.requestId)
  assert(response !== undefined, 'the intake answers a request that was made')
  open.delete(result.requestId)
  if (result.kind === 'refused') {
    send(response, '400 Bad Request', '{"order":{},"verified":false}')
    return
  }
  const text = `{"order":{${result.orderFields}},"verified":${result.signatureOk}}`
  commit(result.record, () => send(response, '201 Created', text))
}

const intake = new CoreIntake({
  domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
  onResult: reply,
  onPart: () => {},
})

function take(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
  const apiKey = request.getHeader('svc-api-key')
  const timestamp = request.getHeader('svc-timestamp')
  const signature = request.getHeader('svc-signature')
  const parts: Buffer[] = []
  response.onAborted(() => gone.add(response))
  response.onData((chunk, isLast) => {
    parts.push(Buffer.from(chunk.slice(0)))
    if (!isLast) return
    const requestId = ++lastId
    open.set(requestId, response)
    const call = { method: 'POST', pathWithQuery: '/orders', apiKey, timestamp, signature }
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    intake.submit({ requestId, nowMs: Date.now(), ...call, body })
  })
}

export async function echoOn({ tokens, markets, port, records }: EchoData): Promise<void> {
  await keccakReady
  if (records !== null) ring = new Ring(records)
  for (const { secretBase64, ...token } of tokens) {
    intake.addToken({ ...token, secret: Buffer.from(secretBase64, 'base64') })
  }
  for (const market of markets) intake.addMarket(market)
  const app = uWS.App().post('/orders', take)
  parentPort?.on('message', (count: number) => {
    if (count === STOP) {
      app.close()
      parentPort?.close()
      return
    }
    const ready = waiting.slice(0, count)
    waiting = waiting.slice(count)
    for (const each of ready) each()
  })
  app.listen('127.0.0.1', port, (socket) => {
    assert(socket !== false, 'the port is free')
    parentPort?.postMessage(null)
  })
}
