// Readers of WebSocket frames that cost as little as they can: a bench of fan-out must not measure
// its own clients. They answer pings of Engine.IO, and follow the `sequence` of book frames.

import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { textFrame, upgradeText } from '../../test/support/socket-client.ts'
import { type Child, serve, type Task } from '../harness/child.ts'

const HEAD_END = '\r\n\r\n'
/** Shorter messages are not books. */
const BOOK_BYTES_MIN = 200
/** The tail of a book frame, which holds its number. */
const TAIL_BYTES = 80
const SEQUENCE = /"sequence":(\d+)/

/** A process of `count` readers. */
export interface ReaderPlan {
  readonly count: number
  readonly port: number
  /** The market to subscribe to. */
  readonly slug: string
  /** Whether the numbers of the frames are followed. */
  readonly isCounting: boolean
}

class FrameReader {
  readonly #plan: ReaderPlan
  readonly #socket: Socket
  #waiting: Buffer = Buffer.alloc(0)
  #isOpen = false
  #onReady: () => void = () => {}
  readonly ready: Promise<void>
  books = 0
  /** Frames of books that do not follow the one before. */
  gaps = 0
  sequence = 0
  /** Bytes of the newest book. */
  bookBytes = 0

  constructor(plan: ReaderPlan) {
    this.#plan = plan
    this.ready = new Promise((resolve) => {
      this.#onReady = resolve
    })
    this.#socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true })
    this.#socket.write(upgradeText())
    this.#socket.on('data', (bytes) => this.#take(bytes))
    this.#socket.on('close', () => {
      throw new Error('the server ended a reader')
    })
  }

  #take(bytes: Buffer): void {
    let all = this.#waiting.length === 0 ? bytes : Buffer.concat([this.#waiting, bytes])
    if (!this.#isOpen) {
      const end = all.indexOf(HEAD_END)
      if (end < 0) {
        this.#waiting = all
        return
      }
      this.#isOpen = true
      all = all.subarray(end + HEAD_END.length)
    }
    this.#waiting = all.subarray(this.#readFrames(all))
  }

  /** Returns the index after the last whole frame. */
  #readFrames(all: Buffer): number {
    let at = 0
    while (at + 4 <= all.length || (at + 2 <= all.length && (all[at + 1] & 0x7f) < 126)) {
      const short = all[at + 1] & 0x7f
      const from = at + (short === 126 ? 4 : 2)
      const length = short === 126 ? all.readUInt16BE(at + 2) : short
      const end = from + length
      if (end > all.length) break
      this.#read(all, from, end)
      at = end
    }
    return at
  }

  #read(all: Buffer, from: number, end: number): void {
    if (end - from >= BOOK_BYTES_MIN) {
      this.bookBytes = end - from
      this.#book(all, end)
      return
    }
    const text = all.toString('latin1', from, end)
    if (text === '2') this.#socket.write(textFrame('3'))
    if (text.startsWith('0{')) this.#socket.write(textFrame('40/markets,'))
    if (text.startsWith('40/markets,')) {
      const params = { marketSlugs: [this.#plan.slug] }
      const event = JSON.stringify(['subscribe_market_prices', params])
      this.#socket.write(textFrame(`42/markets,${event}`))
    }
  }

  #book(all: Buffer, end: number): void {
    if (this.books++ === 0) this.#onReady()
    if (!this.#plan.isCounting) return
    const found = SEQUENCE.exec(all.toString('latin1', end - TAIL_BYTES, end))
    const sequence = Number(found?.[1] ?? 0)
    if (this.sequence > 0 && sequence !== this.sequence + 1) this.gaps++
    this.sequence = sequence
  }
}

/** Totals over all readers of a process. */
export interface ReaderTotals {
  readonly books: number
  readonly gaps: number
  /** The lowest and the highest number among the newest frames of the readers. */
  readonly oldest: number
  readonly newest: number
  readonly bookBytes: number
}

/** So many connect at a time: more would overflow the queue of new connections. */
const AT_ONCE = 100
/** A service that is ready when each reader has a book; it replies to every request with totals. */
export const READERS: Task = { module: new URL(import.meta.url), name: readFrames.name }

export async function readFrames(plan: ReaderPlan): Promise<void> {
  // In production readers run on other machines, so here the server has priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const readers: FrameReader[] = []
  while (readers.length < plan.count) {
    const length = Math.min(AT_ONCE, plan.count - readers.length)
    const more = Array.from({ length }, () => new FrameReader(plan))
    readers.push(...more)
    await Promise.all(more.map(({ ready }) => ready))
  }
  const sequences = () => readers.map(({ sequence }) => sequence)
  const totals = (): ReaderTotals => ({
    books: readers.reduce((sum, { books }) => sum + books, 0),
    gaps: readers.reduce((sum, { gaps }) => sum + gaps, 0),
    oldest: Math.min(...sequences()),
    newest: Math.max(...sequences()),
    bookBytes: readers[0].bookBytes,
  })
  serve(null, totals)
}

export function totalsOf(readers: Child): Promise<ReaderTotals> {
  return readers.request<ReaderTotals>('totals')
}

/** The totals once every reader has the newest book: two readings in a row agree. */
export async function lastTotals(readers: Child): Promise<ReaderTotals> {
  let last = await totalsOf(readers)
  for (;;) {
    const next = await totalsOf(readers)
    if (next.books === last.books) return next
    last = next
  }
}
