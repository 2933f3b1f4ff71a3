import { signCall } from '../../server/auth/hmac-signature.ts'
import { orderBody, SHARE, type TestMarket, type Trader } from './exchange-client.ts'
import type { Random } from './random.ts'

// Distinct orders, signed before any clock starts. A refused order goes back to the end of the
// queue. The refusal left no trace, so the order is as new at its next sending as at the first.

const BODY_BYTES_MAX = 640

export interface PoolSalts {
  /** Salts of orders that were answered with 201. */
  readonly accepted: Float64Array
  /** Salts of orders that got no reply. */
  readonly unknown: Float64Array
}

export class OrderPool {
  readonly #traders: readonly Trader[]
  readonly #secrets: readonly Buffer[]
  readonly #bodies: Buffer[] = []
  readonly #traderOf: number[] = []
  readonly #queue: number[] = []
  #head = 0
  readonly #accepted = new Set<number>()
  readonly #unknown = new Set<number>()
  #slab = Buffer.alloc(0)
  #slabAt = 0
  #timestamp = ''
  #timestampMs = 0

  constructor(traders: readonly Trader[]) {
    this.#traders = traders
    this.#secrets = traders.map(({ secret }) => Buffer.from(secret, 'base64'))
  }

  /** Signs buys of both outcomes, so that many orders match; their salts count from 1. */
  sign(count: number, markets: readonly TestMarket[], random: Random): void {
    for (let done = 0; done < count; done++) {
      const index = this.#bodies.length
      const trader = random.between(0, this.#traders.length - 1)
      const body = orderBody(this.#traders[trader], random.pick(markets), {
        isBuy: true,
        outcome: random.chance(0.5) ? 'yes' : 'no',
        ticks: random.between(480, 520),
        sizeRaw: random.between(1, 20) * SHARE,
        type: random.chance(0.8) ? 'GTC' : 'FAK',
        salt: index + 1,
      })
      this.#bodies.push(this.#keep(body))
      this.#traderOf.push(trader)
      this.#queue.push(index)
    }
  }

  /** Keeps bodies in large slabs: half a million small buffers would cost more than their bytes. */
  #keep(body: string): Buffer {
    if (this.#slab.length - this.#slabAt < BODY_BYTES_MAX) {
      this.#slab = Buffer.allocUnsafeSlow(1 << 22)
      this.#slabAt = 0
    }
    const startByte = this.#slabAt
    this.#slabAt += this.#slab.write(body, startByte, 'latin1')
    return this.#slab.subarray(startByte, this.#slabAt)
  }

  /** The next order that is neither accepted nor on its way; undefined when there is none. */
  next(): number | undefined {
    if (this.isEmpty) return undefined
    const index = this.#queue[this.#head++]
    if (this.#head === 1 << 16) this.#queue.splice(0, this.#head)
    this.#head %= 1 << 16
    return index
  }

  /** Whether every order is accepted or on its way. */
  get isEmpty(): boolean {
    return this.#head === this.#queue.length
  }

  /** The bytes of a call. It is signed here, at `nowMs`, because a signature ages. */
  request(index: number, nowMs: number): string {
    if (nowMs - this.#timestampMs > 1000) {
      this.#timestampMs = nowMs
      this.#timestamp = new Date(nowMs).toISOString()
    }
    const body = this.#bodies[index]
    const trader = this.#traderOf[index]
    const call = { method: 'POST', pathWithQuery: '/orders', timestamp: this.#timestamp, body }
    const signature = signCall({ ...call, secret: this.#secrets[trader] })
    return (
      `POST /orders HTTP/1.1\r\nhost: x\r\nsvc-api-key: ${this.#traders[trader].tokenId}\r\n` +
      `svc-timestamp: ${this.#timestamp}\r\nsvc-signature: ${signature}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n` +
      body.toString('latin1')
    )
  }

  accept(index: number): void {
    this.#accepted.add(index)
  }

  giveBack(index: number): void {
    this.#queue.push(index)
  }

  /** The connection ended before a reply: the server took the order or never got it. */
  lose(index: number): void {
    this.#unknown.add(index)
  }

  salts(): PoolSalts {
    const salts = (of: Set<number>) => Float64Array.from(of, (index) => index + 1)
    return { accepted: salts(this.#accepted), unknown: salts(this.#unknown) }
  }
}
