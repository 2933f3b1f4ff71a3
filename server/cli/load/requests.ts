import { type Request, signedRequest } from '../client.ts'
import type { Connections, HttpReply } from './connections.ts'
import { type Mix, OPERATIONS, type Operation, type Venue } from './load-plan.ts'
import type { SignedOrder } from './signed-orders.ts'
import type { Stock } from './stock.ts'

/** Resting orders that a thread remembers; above that number an add becomes a replace. */
const LIVE_MAX = 5000
const PLACED = /"order":\{"id":"([0-9a-f-]{36})"/
const RESTS = '"status":"LIVE"'

export interface Sent {
  readonly operation: Operation
  readonly reply: HttpReply
  /** When its first byte was written, in milliseconds of the clock. */
  readonly sentMs: number
}

interface RequestParts {
  readonly mix: Mix
  readonly authority: string
  readonly connections: Connections
  readonly stock: Stock
  readonly clock: () => number
}

type Call = Pick<Request, 'method' | 'path' | 'body'>

/** A request as the bytes of HTTP/1.1. */
export function requestText(authority: string, { method, path, headers, body }: Request): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n`
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${value}\r\n`
  if (body !== '') text += `content-length: ${Buffer.byteLength(body)}\r\n`
  return `${text}\r\n${body}`
}

/** Chooses operations by their weights and sends them; it knows the orders that rest. */
export class Requests {
  readonly #venue: Venue
  readonly #parts: RequestParts
  readonly #weights: number
  /** Ids of resting orders by trader. */
  readonly #live: readonly string[][]
  #liveCount = 0

  constructor(venue: Venue, parts: RequestParts) {
    this.#venue = venue
    this.#parts = parts
    this.#weights = OPERATIONS.reduce((sum, each) => sum + parts.mix[each], 0)
    this.#live = venue.traders.map(() => [])
  }

  /** Sends the next request; `done` is called once. */
  next(done: (sent: Sent) => void): void {
    const operation = this.#choice()
    const { stock } = this.#parts
    if (operation === 'cancel') this.#cancel(done)
    else if (operation === 'take') stock.take('take', (order) => this.#place('take', order, done))
    else stock.take('add', (order) => this.#quote(operation, order, done))
  }

  #choice(): Operation {
    let left = Math.random() * this.#weights
    const chosen = OPERATIONS.find((each) => {
      left -= this.#parts.mix[each]
      return left < 0
    })
    // Without an order that rests, nothing can be canceled or replaced.
    if (chosen !== 'take' && this.#liveCount === 0) return 'add'
    return chosen === 'add' && this.#liveCount >= LIVE_MAX ? 'replace' : (chosen ?? 'add')
  }

  #idOf(trader: number): string | undefined {
    const ids = this.#live[trader]
    if (ids.length === 0) return undefined
    const at = Math.floor(Math.random() * ids.length)
    const id = ids[at]
    const last = ids.pop()
    if (last !== undefined && at < ids.length) ids[at] = last
    this.#liveCount--
    return id
  }

  /** A trader replaces only its own orders; its first order is an add. */
  #quote(operation: 'add' | 'replace', order: SignedOrder, done: (sent: Sent) => void): void {
    const id = operation === 'replace' ? this.#idOf(order.trader) : undefined
    if (id === undefined) {
      this.#place('add', order, done)
      return
    }
    const cancel = `{"cancel":{"orderId":"${id}"},"mode":"STOP_ON_FAILURE"`
    const body = `${cancel},"replacement":${order.body}}`
    this.#send(
      'replace',
      order.trader,
      { method: 'POST', path: '/orders/cancel-replace', body },
      done,
    )
  }

  #place(operation: 'add' | 'take', order: SignedOrder, done: (sent: Sent) => void): void {
    this.#send(operation, order.trader, { method: 'POST', path: '/orders', body: order.body }, done)
  }

  #cancel(done: (sent: Sent) => void): void {
    const traders = this.#live.length
    let trader = Math.floor(Math.random() * traders)
    while (this.#live[trader].length === 0) trader = (trader + 1) % traders
    const path = `/orders/${this.#idOf(trader)}`
    this.#send('cancel', trader, { method: 'DELETE', path, body: '' }, done)
  }

  #send(operation: Operation, trader: number, call: Call, done: (sent: Sent) => void): void {
    const { connections, authority, clock } = this.#parts
    let sentMs = 0
    const make = () => {
      sentMs = clock()
      return requestText(authority, signedRequest(call, this.#venue.traders[trader], Date.now()))
    }
    connections.send(make, (reply) => {
      if (operation !== 'cancel') this.#note(trader, reply)
      done({ operation, reply, sentMs })
    })
  }

  #note(trader: number, { status, body }: HttpReply): void {
    if (status !== 200 && status !== 201) return
    const text = body.toString('latin1')
    const [, id] = PLACED.exec(text) ?? []
    if (id === undefined || !text.includes(RESTS)) return
    this.#live[trader].push(id)
    this.#liveCount++
  }
}
