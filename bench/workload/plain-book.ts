// A book that is not optimised for the machine: objects for orders and levels, Maps to find them,
// an array of event objects per command. It is the baseline of our book, and the workload takes
// from it which orders are open.

import { STP } from '../../engine/domain/order.ts'

export interface PlainPlace {
  readonly id: number
  readonly owner: number
  readonly isBid: boolean
  readonly ticks: number
  readonly sizeRaw: number
  readonly rests: boolean
  readonly stp: number
}

export interface PlainEvent {
  /**
   * `done`: the arrival ended without resting. The other kinds name the maker, the canceled order
   * or the order that rested.
   */
  readonly kind: 'fill' | 'stp' | 'canceled' | 'rested' | 'done'
  readonly id: number
  readonly sizeRaw: number
  readonly leftRaw: number
}

interface Level {
  readonly ticks: number
  head: Resting | null
  tail: Resting | null
}

interface Resting {
  readonly id: number
  readonly owner: number
  readonly level: Level
  leftRaw: number
  previous: Resting | null
  next: Resting | null
}

const NO_ASK = 1000

export class PlainBook {
  readonly #noAsk: number
  readonly #orders = new Map<number, Resting>()
  readonly #levels = new Map<number, Level>()
  bestBid = 0
  bestAsk: number

  /** `noAsk` is above every price. */
  constructor(noAsk = NO_ASK) {
    this.#noAsk = noAsk
    this.bestAsk = noAsk
  }

  place(order: PlainPlace): PlainEvent[] {
    const events: PlainEvent[] = []
    let wantRaw = order.sizeRaw
    let stopped = false
    while (wantRaw > 0 && !stopped) {
      const ticks = order.isBid ? this.bestAsk : this.bestBid
      if (order.isBid ? ticks > order.ticks : ticks < order.ticks) break
      const maker = this.#levels.get(ticks)?.head
      if (maker === undefined || maker === null) break
      if (maker.owner === order.owner) {
        stopped = order.stp !== STP.CANCEL_MAKER
        if (order.stp !== STP.CANCEL_TAKER) {
          this.#remove(maker)
          events.push({ kind: 'stp', id: maker.id, sizeRaw: 0, leftRaw: maker.leftRaw })
        }
        continue
      }
      const sizeRaw = Math.min(wantRaw, maker.leftRaw)
      wantRaw -= sizeRaw
      maker.leftRaw -= sizeRaw
      events.push({ kind: 'fill', id: maker.id, sizeRaw, leftRaw: maker.leftRaw })
      if (maker.leftRaw === 0) this.#remove(maker)
    }
    const rests = order.rests && wantRaw > 0 && !stopped
    if (rests) this.#rest(order, wantRaw)
    events.push({ kind: rests ? 'rested' : 'done', id: order.id, sizeRaw: 0, leftRaw: wantRaw })
    return events
  }

  cancel(id: number): PlainEvent[] {
    const order = this.#orders.get(id)
    if (order === undefined) return []
    this.#remove(order)
    return [{ kind: 'canceled', id, sizeRaw: 0, leftRaw: order.leftRaw }]
  }

  #rest(order: PlainPlace, leftRaw: number): void {
    let level = this.#levels.get(order.ticks)
    if (level === undefined) {
      level = { ticks: order.ticks, head: null, tail: null }
      this.#levels.set(order.ticks, level)
    }
    const { id, owner } = order
    const resting: Resting = { id, owner, level, leftRaw, previous: level.tail, next: null }
    if (level.tail === null) level.head = resting
    else level.tail.next = resting
    level.tail = resting
    this.#orders.set(id, resting)
    if (order.isBid) this.bestBid = Math.max(this.bestBid, order.ticks)
    else this.bestAsk = Math.min(this.bestAsk, order.ticks)
  }

  #remove(order: Resting): void {
    const { level, previous, next } = order
    if (previous === null) level.head = next
    else previous.next = next
    if (next === null) level.tail = previous
    else next.previous = previous
    this.#orders.delete(order.id)
    if (level.head !== null) return
    this.#levels.delete(level.ticks)
    // Levels lie close together, so the search for the next one is short.
    if (level.ticks === this.bestBid) {
      while (this.bestBid > 0 && !this.#levels.has(this.bestBid)) this.bestBid--
    } else if (level.ticks === this.bestAsk) {
      while (this.bestAsk < this.#noAsk && !this.#levels.has(this.bestAsk)) this.bestAsk++
    }
  }
}
