// The budget of one kind of stream, such as all books: the frames that it may write to readers per
// second, because each costs its thread one write and orders wait for that thread, and the bytes,
// because the network is shared. A stream that would write more sends fewer frames, each with the
// newest state.
//
// The budget is a time: a frame costs as many milliseconds as the budget needs to pay for its
// writes or for its bytes, whichever takes longer. All waiting streams are paid in equal parts
// (fluid fair queueing). So a stream of costly frames waits long, and delays no other.
// Invariant: `#waiting` has exactly the shares that are paid after `#paidMs`, the first one first.

import { assert } from '../../../engine/domain/assert.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'

/** The burst, in milliseconds of budget, that may be written before it is paid. */
const BURST_MS = 20

export interface SendRate {
  /** Frames to readers per second. */
  readonly sendsPerSec: number
  readonly bytesPerSec: number
}

/** The cost of one frame: its readers, and the bytes to all of them. */
export interface FrameCost {
  readonly sends: number
  readonly bytes: number
}

export const NO_COST: FrameCost = { sends: 0, bytes: 0 }

/** The account of one stream in a budget. */
export class Share {
  /** All frames of the stream are paid when `#paidMs` of its budget reaches this. */
  paidAtMs = 0
  /** The cost of the frame that was requested and not written; null for none. */
  requestedMs: number | null = null
}

export class SendBudget {
  readonly #rate: SendRate
  readonly #waiting: Share[] = []
  /** Milliseconds of cost paid so far to each stream that waited continuously. */
  #paidMs = 0
  #nowMs = 0
  /** When everything written is paid for; a costly frame counts as a burst, because it waited. */
  #freeMs = Number.NEGATIVE_INFINITY

  constructor(rate: SendRate) {
    assert(rate.sendsPerSec > 0, 'a budget lets frames through')
    assert(rate.bytesPerSec > 0, 'a budget lets bytes through')
    this.#rate = rate
  }

  /** Milliseconds of the budget. */
  costOf({ sends, bytes }: FrameCost): number {
    const { sendsPerSec, bytesPerSec } = this.#rate
    return Math.max(sends / sendsPerSec, bytes / bytesPerSec) * MS_PER_SEC
  }

  /** The stream has a frame of about this cost; `allows` reports when it may be written. */
  request(share: Share, cost: FrameCost, nowMs: number): void {
    assert(share.requestedMs === null, 'a stream requests one frame at a time')
    this.#advance(nowMs)
    share.requestedMs = this.costOf(cost)
    this.#owe(share, share.requestedMs)
  }

  /** Whether the requested frame may be written now. */
  allows(share: Share, nowMs: number): boolean {
    assert(share.requestedMs !== null, 'only a requested frame is written')
    if (nowMs < this.#freeMs - BURST_MS) return false
    this.#advance(nowMs)
    const aheadMs = BURST_MS + Math.min(share.requestedMs, BURST_MS)
    return this.#paidMs >= share.paidAtMs - aheadMs
  }

  /** The requested frame was written, at this cost. */
  wrote(share: Share, cost: FrameCost, nowMs: number): void {
    const costMs = this.costOf(cost)
    this.#owe(share, costMs - (share.requestedMs ?? 0))
    share.requestedMs = null
    this.#freeMs = Math.max(this.#freeMs, nowMs) + Math.min(costMs, BURST_MS)
  }

  /** The requested frame is no longer needed. */
  withdraw(share: Share): void {
    if (share.requestedMs !== null) this.#owe(share, -share.requestedMs)
    share.requestedMs = null
  }

  #advance(nowMs: number): void {
    let leftMs = nowMs - this.#nowMs
    this.#nowMs = nowMs
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting
      const count = this.#waiting.length
      const needMs = (first.paidAtMs - this.#paidMs) * count
      if (needMs > leftMs) {
        this.#paidMs += leftMs / count
        return
      }
      this.#paidMs = first.paidAtMs
      leftMs -= needMs
      this.#waiting.shift()
    }
  }

  #owe(share: Share, costMs: number): void {
    if (costMs === 0) return
    if (share.paidAtMs > this.#paidMs) {
      const place = this.#waiting.indexOf(share, this.#placeOf(share.paidAtMs))
      assert(place >= 0, 'a share that is not paid waits')
      this.#waiting.splice(place, 1)
    }
    share.paidAtMs = Math.max(share.paidAtMs, this.#paidMs) + costMs
    if (share.paidAtMs <= this.#paidMs) return
    this.#waiting.splice(this.#placeOf(share.paidAtMs), 0, share)
  }

  /** The first index whose share is paid no earlier. */
  #placeOf(paidAtMs: number): number {
    let low = 0
    let high = this.#waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#waiting[middle].paidAtMs < paidAtMs) low = middle + 1
      else high = middle
    }
    return low
  }
}
