// The baseline of POST /orders. The same uWebSockets.js and the same intake pool authenticate,
// parse and verify each order, and the reply is its echo. It has no sequencer and no book. With a
// folder it is a durable echo: the journal thread commits each order's record before the reply.

import * as uWS from 'uWebSockets.js'
import { assert } from '../../engine/domain/assert.ts'
import { HEAD } from '../../engine/wire/record-layout.ts'
import { SETTINGS } from '../../server/config.ts'
import {
  IntakePool,
  type IntakeResult,
  type MarketEntry,
  type TokenEntry,
} from '../../server/edge/intake/intake-pool.ts'
import { startJournal } from '../../test/support/journal-records.ts'
import { listen } from './plain-server.ts'

/** The metadata that the server needs to verify orders. */
export interface EchoSetting {
  readonly tokens: readonly (Omit<TokenEntry, 'secret'> & { readonly secretBase64: string })[]
  readonly markets: readonly MarketEntry[]
  /** Where each order is journaled; null for a server without a disk. */
  readonly dataDir: string | null
}

/** Calls `reply` when the record is on the disk; at once without a disk. */
type Commit = (record: Uint8Array, reply: () => void) => void

function fail(sentence: string): never {
  throw new Error(sentence)
}

async function openCommit(dataDir: string): Promise<Commit> {
  /** Replies that wait for the disk, by rising seq; the first of them has `firstSeq`. */
  let waiting: (() => void)[] = []
  let firstSeq = 1
  let isSendDue = false
  const onDurable = (seq: number) => {
    const ready = waiting.slice(0, seq - firstSeq + 1)
    waiting = waiting.slice(ready.length)
    firstSeq = seq + 1
    for (const reply of ready) reply()
  }
  const { journal, fault } = await startJournal(dataDir, { onDurable })
  fault.then(fail)
  return (record, reply) => {
    const seq = firstSeq + waiting.length
    new DataView(record.buffer, record.byteOffset).setFloat64(HEAD.seq, seq, true)
    assert(journal.freeBytes() >= record.length, 'the journal has capacity for all open requests')
    journal.append(seq, record)
    waiting.push(reply)
    if (isSendDue) return
    isSendDue = true
    setImmediate(() => {
      isSendDue = false
      journal.send()
    })
  }
}

const responses = new Map<number, uWS.HttpResponse>()
const gone = new WeakSet<uWS.HttpResponse>()

function send(response: uWS.HttpResponse, status: string, text: string): void {
  if (gone.has(response)) return
  response.cork(() => {
    response.writeStatus(status)
    response.writeHeader('content-type', 'application/json')
    response.end(text)
  })
}

function reply(result: IntakeResult, commit: Commit): void {
  const response = responses.get(result.requestId)
  assert(response !== undefined, 'the intake answers a request that was made')
  responses.delete(result.requestId)
  if (result.kind === 'refused') {
    send(response, '400 Bad Request', '{"order":{},"verified":false}')
    return
  }
  const text = `{"order":{${result.orderFields}},"verified":${result.signatureOk}}`
  commit(result.record, () => send(response, '201 Created', text))
}

let nextRequest = 1

function take(pool: IntakePool, response: uWS.HttpResponse, request: uWS.HttpRequest): void {
  const apiKey = request.getHeader('svc-api-key')
  const timestamp = request.getHeader('svc-timestamp')
  const signature = request.getHeader('svc-signature')
  const parts: Buffer[] = []
  response.onAborted(() => gone.add(response))
  response.onData((chunk, isLast) => {
    parts.push(Buffer.from(chunk.slice(0)))
    if (!isLast) return
    const requestId = nextRequest++
    responses.set(requestId, response)
    const call = { method: 'POST', pathWithQuery: '/orders', apiKey, timestamp, signature }
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    const taken = pool.submit({ requestId, nowMs: Date.now(), ...call, body })
    assert(taken, 'the pool has capacity for all open requests')
  })
}

/** A service; its first message is its port. */
export async function echoOrders({ tokens, markets, dataDir }: EchoSetting): Promise<void> {
  const commit: Commit = dataDir === null ? (_record, reply) => reply() : await openCommit(dataDir)
  const pool = new IntakePool({
    threads: SETTINGS.intakeThreads.fallback,
    domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
    onResult: (result) => reply(result, commit),
    onFault: ({ message }) => fail(message),
  })
  for (const { secretBase64, ...token } of tokens) {
    pool.addToken({ ...token, secret: Buffer.from(secretBase64, 'base64') })
  }
  for (const market of markets) pool.addMarket(market)
  await pool.ready()
  listen(uWS.App().post('/orders', (response, request) => take(pool, response, request)))
}
