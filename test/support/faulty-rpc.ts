import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isRecord } from '../../server/edge/http/request-text.ts'
import type { Random } from './random.ts'

// JSON-RPC of a chain through a node that breaks down: calls and answers are lost, calls are made
// twice, and answers about transactions may be those of an earlier moment.

/** What a call wants, and its true answer; returns the answer that is given, or a promise of it. */
export type Lie = (call: { method: string; params: unknown }, answer: unknown) => unknown

const FAULTS = ['call lost', 'answer lost', 'made twice', 'too many calls', 'old answer'] as const
const MAY_BE_OLD = new Set(['eth_getTransactionReceipt', 'eth_getTransactionCount'])

export class FaultyRpc {
  /** The share of calls with a fault, and the faults they have. */
  share = 0
  kinds: readonly (typeof FAULTS)[number][] = FAULTS
  readonly faults = new Map<string, number>()
  /** Calls that contain this text are counted, and get no answer while it is silent. */
  watched: string | null = null
  watchedCount = 0
  isSilent = false
  /** Where calls go. */
  chainUrl: string
  lie: Lie | null = null
  readonly #server: Server
  readonly #random: Random
  /** The first answer to each call. */
  readonly #old = new Map<string, unknown>()

  private constructor(chainUrl: string, random: Random) {
    this.chainUrl = chainUrl
    this.#random = random
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async open(chainUrl: string, random: Random): Promise<FaultyRpc> {
    const rpc = new FaultyRpc(chainUrl, random)
    rpc.#server.listen(0, '127.0.0.1')
    await once(rpc.#server, 'listening')
    return rpc
  }

  get url(): string {
    const address = this.#server.address()
    assert.ok(address !== null && typeof address === 'object')
    return `http://127.0.0.1:${address.port}`
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    if (this.watched !== null && body.includes(this.watched)) {
      this.watchedCount++
      if (this.isSilent) return
    }
    const fault = this.#random.chance(this.share) ? this.#random.pick(this.kinds) : null
    if (fault !== null) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1)
    if (fault === 'call lost') return void response.destroy()
    if (fault === 'too many calls') return void response.writeHead(429).end()
    if (fault === 'made twice') await this.#forwarded(body)
    const answer = await this.#forwarded(body)
    if (fault === 'answer lost') return void response.destroy()
    response.setHeader('content-type', 'application/json')
    const given = this.#aged(body, answer, fault === 'old answer')
    response.end(JSON.stringify(await this.#lied(body, given)))
  }

  async #forwarded(body: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(this.chainUrl, { method: 'POST', headers, body })
    return reply.json()
  }

  async #lied(body: string, answer: unknown): Promise<unknown> {
    const call: unknown = JSON.parse(body)
    if (this.lie === null || !isRecord(call) || !isRecord(answer)) return answer
    const { method, params } = call
    return { ...answer, result: await this.lie({ method: String(method), params }, answer.result) }
  }

  #aged(body: string, answer: unknown, isOld: boolean): unknown {
    const call: unknown = JSON.parse(body)
    if (!isRecord(call) || !isRecord(answer) || !MAY_BE_OLD.has(String(call.method))) return answer
    const key = JSON.stringify([call.method, call.params])
    const old = this.#old.get(key)
    this.#old.set(key, old ?? answer)
    return isOld && isRecord(old) ? { ...old, id: answer.id } : answer
  }
}
