import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { spawn } from '../../../engine/thread/spawn.ts'
import type { Venue } from './load-plan.ts'
import { SIGNED_KINDS, type SignedKind, type SignedOrder } from './signed-orders.ts'

/** Signed orders that wait to be sent: about 900 bytes each. */
const STOCK_MAX = 50_000
const BATCH = 256

interface Shelf {
  orders: SignedOrder[]
  /** Callers that wait for an order, oldest first. */
  readonly waiting: ((order: SignedOrder) => void)[]
  /** Orders that are still to be signed. */
  needed: number
  /** Orders that may wait here. */
  readonly size: number
  /** Orders that the signer has not returned yet. */
  requested: number
}

/** Orders of one sending thread, signed ahead by another thread. */
export class Stock {
  readonly #signer: Worker
  readonly #shelves: Readonly<Record<SignedKind, Shelf>>
  readonly #onFull: Promise<void>
  #full: () => void = () => {}
  signed = 0
  /** Callers that had to wait for a signature. */
  waits = 0

  /** `count` is how many orders of each kind the run takes; with `isGuess` it may take more. */
  constructor(
    venue: Venue,
    count: Readonly<Record<SignedKind, number>>,
    isGuess: boolean,
    onError: (error: unknown) => void,
  ) {
    const shelf = (kind: SignedKind) => ({
      orders: [],
      waiting: [],
      needed: isGuess ? Number.POSITIVE_INFINITY : count[kind],
      size: Math.min(count[kind], STOCK_MAX),
      requested: 0,
    })
    this.#shelves = { add: shelf('add'), take: shelf('take') }
    this.#onFull = new Promise((resolve) => {
      this.#full = resolve
    })
    const entry = new URL('./signer.worker.ts', import.meta.url)
    this.#signer = spawn(entry, { name: 'signer', workerData: venue })
    this.#signer.on('error', onError)
    this.#signer.on('message', ({ kind, orders }) => this.#receive(kind, orders))
    for (const kind of SIGNED_KINDS) this.#refill(kind)
  }

  /** Resolves when the stock holds all orders of the run, or as many as it may hold. */
  full(): Promise<void> {
    return this.#onFull
  }

  take(kind: SignedKind, use: (order: SignedOrder) => void): void {
    const shelf = this.#shelves[kind]
    const order = shelf.orders.pop()
    if (order !== undefined) use(order)
    else {
      this.waits++
      shelf.waiting.push(use)
      shelf.needed = Math.max(shelf.needed, 1)
    }
    this.#refill(kind)
  }

  /** The signer ends between two batches: a termination within libsecp256k1 ends the process. */
  async close(): Promise<void> {
    const ended = once(this.#signer, 'exit')
    this.#signer.postMessage(null)
    await ended
  }

  #refill(kind: SignedKind): void {
    const shelf = this.#shelves[kind]
    const space = shelf.size - shelf.orders.length - shelf.requested
    const count = Math.min(BATCH, shelf.needed, space)
    // One batch is signed at a time, and no batch is small without need.
    const least = Math.min(BATCH, shelf.needed, Math.ceil(shelf.size / 2))
    if (shelf.requested === 0 && count > 0 && count >= least) {
      shelf.requested = count
      this.#signer.postMessage({ kind, count })
    }
    if (SIGNED_KINDS.every((each) => this.#shelves[each].requested === 0)) this.#full()
  }

  #receive(kind: SignedKind, orders: readonly SignedOrder[]): void {
    const shelf = this.#shelves[kind]
    shelf.requested = 0
    shelf.needed -= orders.length
    this.signed += orders.length
    for (const order of orders) {
      const use = shelf.waiting.shift()
      if (use === undefined) shelf.orders.push(order)
      else use(order)
    }
    this.#refill(kind)
  }
}
