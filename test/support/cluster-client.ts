import assert from 'node:assert/strict'
import { codeOf } from '../../engine/domain/error-code.ts'
import type { ClientHistory, Pending, Replies } from './client-history.ts'
import {
  type ExchangeClient,
  headersFor,
  orderBody,
  orderShape,
  refusalShape,
  SHARE,
  shaped,
  type TestMarket,
  type Trader,
} from './exchange-client.ts'
import { at } from './json-path.ts'

// One client of a cluster, which does one thing at a time at any node, and records what it did.

/** A reply with the newest seq that it may show. */
interface SeenReply {
  readonly status: number
  readonly body: unknown
  readonly seq: number
}

/** The most orders in one status request. */
export const STATUSES_MAX = 50

/** No connection was there, so nothing was sent. */
const UNSENT: SeenReply = { status: 0, body: { statusCode: 0, code: 'UNSENT' }, seq: 0 }

/** Null when the outcome is unknown: the connection broke, or the answer of the leader was lost. */
async function outcomeOf(call: () => Promise<SeenReply>): Promise<SeenReply | null> {
  try {
    const reply = await call()
    return reply.status === 504 ? null : reply
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    const isUnsent = error instanceof Error && codeOf(error.cause) === 'ECONNREFUSED'
    return isUnsent ? UNSENT : null
  }
}

function refusedBy({ body, seq }: SeenReply): { kind: 'refused'; code: string; seq: number } {
  return { kind: 'refused', code: shaped(refusalShape, body).code, seq }
}

/** The market of a test with what a split names. */
export interface ClusterMarket extends TestMarket {
  readonly conditionId: string
}

export class ClusterClient {
  readonly trader: Trader
  readonly #number: number
  readonly #market: ClusterMarket
  readonly #history: ClientHistory

  constructor(number: number, trader: Trader, market: ClusterMarket, history: ClientHistory) {
    this.#number = number
    this.trader = trader
    this.#market = market
    this.#history = history
  }

  async place(
    client: ExchangeClient,
    { salt, clientOrderId, ticks }: { salt: number; clientOrderId: string; ticks: number },
  ): Promise<Replies['place'] | null> {
    const { account } = this.trader
    const terms = { isBuy: true, outcome: 'yes', ticks, sizeRaw: SHARE, type: 'GTC' } as const
    const body = orderBody(this.trader, this.#market, { ...terms, salt, clientOrderId })
    const { slug: market } = this.#market
    const wanted = { account, clientOrderId, market, ticks, sizeRaw: SHARE, side: 'buy' } as const
    const pending = this.#history.begin(this.#number, { kind: 'place', ...wanted })
    const reply = await outcomeOf(() => this.#call(client, 'POST', '/orders', body))
    if (reply === null) {
      pending.lost()
      return null
    }
    const { seq } = reply
    const ended: Replies['place'] =
      reply.status === 201
        ? { kind: 'accepted', orderId: shaped(orderShape, reply.body).order.id, seq }
        : refusedBy(reply)
    pending.end(ended)
    return ended
  }

  async cancel(client: ExchangeClient, clientOrderId: string): Promise<Replies['cancel'] | null> {
    const { account } = this.trader
    const pending = this.#history.begin(this.#number, { kind: 'cancel', account, clientOrderId })
    const body = JSON.stringify({ clientOrderId })
    const reply = await outcomeOf(() => this.#call(client, 'POST', '/orders/cancel', body))
    if (reply === null) {
      pending.lost()
      return null
    }
    const ended = canceledBy(reply)
    pending.end(ended)
    return ended
  }

  /** Reads an order from the state that this client has seen, or a newer one. */
  async read(client: ExchangeClient, clientOrderId: string, orderId: string): Promise<void> {
    const { account } = this.trader
    const minSeq = this.#history.seenSeq(this.#number)
    const op = { kind: 'order', account, clientOrderId, minSeq } as const
    const pending = this.#history.begin(this.#number, op)
    const reply = await outcomeOf(() => this.#call(client, 'GET', `/orders/${orderId}`))
    if (reply === null) {
      pending.lost()
      return
    }
    const { status, body, seq } = reply
    if (status === 200) {
      const shown = at(body, 'order', 'status') === 'LIVE' ? 'LIVE' : 'CANCELED'
      pending.end({ kind: 'order', status: shown, orderId, seq })
    } else if (shaped(refusalShape, body).code === 'ORDER_NOT_FOUND') {
      pending.end({ kind: 'order', status: 'absent', seq })
    } else pending.end(refusedBy(reply))
  }

  /** Makes pairs of shares. False when nothing happened, or nobody knows. */
  async split(client: ExchangeClient, amountRaw: number): Promise<boolean> {
    const { account } = this.trader
    const { slug: market, conditionId } = this.#market
    const op = { kind: 'split', account, market, amountRaw } as const
    const pending = this.#history.begin(this.#number, op)
    const body = JSON.stringify({ conditionId, amount: String(amountRaw) })
    return endsOk(
      pending,
      await outcomeOf(() => this.#call(client, 'POST', '/portfolio/split', body)),
    )
  }

  /** Sets a heartbeat. False when nothing happened, or nobody knows. */
  async beat(client: ExchangeClient, cancelAfterMs: number): Promise<boolean> {
    const { account } = this.trader
    const op = { kind: 'heartbeat', account, cancelAfterMs } as const
    const pending = this.#history.begin(this.#number, op)
    const body = JSON.stringify({ cancelAt: Date.now() + cancelAfterMs })
    return endsOk(pending, await outcomeOf(() => this.#call(client, 'POST', '/heartbeats', body)))
  }

  /** Reads the balance from the state that this client has seen, or a newer one. */
  async balance(client: ExchangeClient): Promise<void> {
    const { account } = this.trader
    const op = { kind: 'balance', account, minSeq: this.#history.seenSeq(this.#number) } as const
    const pending = this.#history.begin(this.#number, op)
    const reply = await outcomeOf(() => this.#call(client, 'GET', '/portfolio/balance'))
    if (reply === null) pending.lost()
    else if (reply.status !== 200) pending.end(refusedBy(reply))
    else {
      const { body, seq } = reply
      const [freeRaw, reservedRaw] = [Number(at(body, 'free')), Number(at(body, 'reserved'))]
      pending.end({ kind: 'balance', freeRaw, reservedRaw, seq })
    }
  }

  async #call(
    { baseUrl }: ExchangeClient,
    method: string,
    path: string,
    body = '',
  ): Promise<SeenReply> {
    const minSeq = String(this.#history.seenSeq(this.#number))
    const headers = { ...headersFor(this.trader, { method, path, body }), 'x-min-seq': minSeq }
    const init = { method, headers, ...(body === '' ? {} : { body }) }
    const reply = await fetch(baseUrl + path, init)
    const value: unknown = JSON.parse(await reply.text())
    return { status: reply.status, body: value, seq: Number(reply.headers.get('x-seq') ?? 0) }
  }
}

function endsOk(pending: Pending<'split' | 'heartbeat'>, reply: SeenReply | null): boolean {
  if (reply === null) {
    pending.lost()
    return false
  }
  const isOk = reply.status === 200 || reply.status === 201
  pending.end(isOk ? { kind: 'ok', seq: reply.seq } : refusedBy(reply))
  return isOk
}

function canceledBy(reply: SeenReply): Replies['cancel'] {
  const { status, body, seq } = reply
  if (status === 200) return { kind: 'canceled', seq }
  const { code } = shaped(refusalShape, body)
  if (code === 'ORDER_NOT_OPEN') return { kind: 'not_open', seq }
  if (code === 'ORDER_NOT_FOUND') return { kind: 'not_found', seq }
  return { kind: 'refused', code, seq }
}

/** Reads orders of a trader at the node that leads, as `STATUSES_MAX` clients from `number` on. */
export async function readAll(
  client: ExchangeClient,
  trader: Trader,
  clientOrderIds: readonly string[],
  { history, number }: { readonly history: ClientHistory; readonly number: number },
): Promise<void> {
  const { account } = trader
  for (let from = 0; from < clientOrderIds.length; from += STATUSES_MAX) {
    const part = clientOrderIds.slice(from, from + STATUSES_MAX)
    const pending = part.map((clientOrderId, index) => {
      const op = { kind: 'order', account, clientOrderId, minSeq: 0 } as const
      return history.begin(number + index, op)
    })
    const items = part.map((clientOrderId) => ({ clientOrderId }))
    const path = '/orders/status/batch'
    const { status, body } = await client.call(trader, 'POST', path, JSON.stringify({ items }))
    assert.equal(status, 200, JSON.stringify(body))
    const results = at(body, 'results')
    assert.ok(Array.isArray(results))
    for (const [index, result] of results.entries()) {
      if (at(result, 'status') === 'not_found')
        pending[index].end({ kind: 'order', status: 'absent' })
      else {
        const isLive = at(result, 'data', 'order', 'status') === 'LIVE'
        const orderId = String(at(result, 'orderId'))
        pending[index].end({ kind: 'order', status: isLive ? 'LIVE' : 'CANCELED', orderId })
      }
    }
  }
}
