// The yardstick of POST /orders. The same uWebSockets.js and the same intake pool authenticate,
// parse and verify each order, and the reply is its echo. It has no sequencer and no book. With a
// folder it is a durable echo: the journal thread commits each order's record before the reply.

import * as uWS from 'uWebSockets.js'
import { assert } from '../../engine/domain/assert.ts'
import { HEAD } from '../../engine/wire/record-layout.ts'
import type { JournalHandle } from '../../persistence/journal/thread/journal-handle.ts'
import { SETTINGS } from '../../server/config.ts'
import {
  IntakePool,
  type IntakeResult,
  type MarketEntry,
  type TokenEntry,
} from '../../server/edge/intake/intake-pool.ts'
import { startJournal } from '../../test/support/journal-records.ts'

/** What the server must know to verify orders. It is the argument of the process, as JSON. */
export interface EchoSetting {
  readonly tokens: readonly (Omit<TokenEntry, 'secret'> & { readonly secretBase64: string })[]
  readonly markets: readonly MarketEntry[]
  /** Where each order is journaled; null for a server without a disk. */
  readonly dataDir: string | null
}

const setting: EchoSetting = JSON.parse(process.argv[2])
const requested = new Map<number, uWS.HttpResponse>()
const gone = new WeakSet<uWS.HttpResponse>()
let nextRequest = 1
const journal = setting.dataDir === null ? null : await openJournal(setting.dataDir)
/** Replies that wait for the disk, by rising seq; the first of them has `firstSeq`. */
let waiting: (() => void)[] = []
let firstSeq = 1
let isSendDue = false

async function openJournal(dataDir: string): Promise<JournalHandle> {
  const { journal, fault } = await startJournal(dataDir, { onDurable: replyThrough })
  fault.then(fail)
  return journal
}

function fail(sentence: string): never {
  throw new Error(sentence)
}

function replyThrough(seq: number): void {
  const ready = waiting.slice(0, seq - firstSeq + 1)
  waiting = waiting.slice(ready.length)
  firstSeq = seq + 1
  for (const reply of ready) reply()
}

/** Calls `reply` when the record is on the disk; at once without a disk. */
function commit(record: Uint8Array, reply: () => void): void {
  if (journal === null) {
    reply()
    return
  }
  const seq = firstSeq + waiting.length
  new DataView(record.buffer, record.byteOffset).setFloat64(HEAD.seq, seq, true)
  assert(journal.freeBytes() >= record.length, 'the journal has room for all requests under way')
  journal.append(seq, record)
  waiting.push(reply)
  if (isSendDue) return
  isSendDue = true
  setImmediate(() => {
    isSendDue = false
    journal.send()
  })
}

function answer(result: IntakeResult): void {
  const response = requested.get(result.requestId)
  assert(response !== undefined, 'the intake answers a request that was made')
  requested.delete(result.requestId)
  if (result.kind === 'refused') {
    send(response, '400 Bad Request', '{"order":{},"verified":false}')
    return
  }
  const text = `{"order":{${result.orderFields}},"verified":${result.signatureOk}}`
  commit(result.record, () => send(response, '201 Created', text))
}

function send(response: uWS.HttpResponse, status: string, text: string): void {
  if (gone.has(response)) return
  response.cork(() => {
    response.writeStatus(status)
    response.writeHeader('content-type', 'application/json')
    response.end(text)
  })
}

const pool = new IntakePool({
  threads: SETTINGS.intakeThreads.fallback,
  domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
  onResult: answer,
  onFault: ({ message }) => fail(message),
})
for (const { secretBase64, ...token } of setting.tokens) {
  pool.addToken({ ...token, secret: Buffer.from(secretBase64, 'base64') })
}
for (const market of setting.markets) pool.addMarket(market)
await pool.ready()

function order(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
  const apiKey = request.getHeader('svc-api-key')
  const timestamp = request.getHeader('svc-timestamp')
  const signature = request.getHeader('svc-signature')
  const parts: Buffer[] = []
  response.onAborted(() => gone.add(response))
  response.onData((chunk, isLast) => {
    parts.push(Buffer.from(chunk.slice(0)))
    if (!isLast) return
    const requestId = nextRequest++
    requested.set(requestId, response)
    const call = { method: 'POST', pathWithQuery: '/orders', apiKey, timestamp, signature }
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const taken = pool.submit({ requestId, nowMs: Date.now(), ...call, body })
    assert(taken, 'the pool has room for all requests under way')
  })
}

const app = uWS.App().post('/orders', order)
app.listen('127.0.0.1', 0, (socket) => {
  assert(socket !== false, 'a free port is found')
  process.send?.(uWS.us_socket_local_port(socket))
})
process.on('disconnect', () => process.exit(0))
