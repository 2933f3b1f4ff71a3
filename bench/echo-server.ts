// The yardstick of POST /orders. The same uWebSockets.js and the same intake pool authenticate,
// parse and verify each order, and the reply is its echo. It has no sequencer, no disk and no book.

import * as uWS from 'uWebSockets.js'
import { assert } from '../engine/domain/assert.ts'
import {
  defaultIntakeThreads,
  IntakePool,
  type IntakeResult,
  type MarketEntry,
  type TokenEntry,
} from '../server/intake/intake-pool.ts'

/** What the server must know to verify orders. It is the argument of the process, as JSON. */
export interface EchoSetting {
  readonly tokens: readonly (Omit<TokenEntry, 'secret'> & { readonly secretBase64: string })[]
  readonly markets: readonly MarketEntry[]
}

const setting: EchoSetting = JSON.parse(process.argv[2])
const asked = new Map<number, uWS.HttpResponse>()
const gone = new WeakSet<uWS.HttpResponse>()
let nextRequest = 1

function answer(result: IntakeResult): void {
  const response = asked.get(result.requestId)
  assert(response !== undefined, 'the intake answers a request that was made')
  asked.delete(result.requestId)
  if (gone.has(response)) return
  const refused = result.kind === 'refused'
  response.cork(() => {
    response.writeStatus(refused ? '400 Bad Request' : '201 Created')
    response.writeHeader('content-type', 'application/json')
    response.end(
      `{"order":{${refused ? '' : result.echo}},"verified":${!refused && result.signatureOk}}`,
    )
  })
}

const pool = new IntakePool({
  threads: defaultIntakeThreads(),
  domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
  onResult: answer,
  onFault: (error) => {
    throw error
  },
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
    asked.set(requestId, response)
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
