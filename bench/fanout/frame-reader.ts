// Reads WebSocket frames of a server as cheaply as it can: a bench of fan-out must not measure its
// own clients. It answers pings of Engine.IO, and follows the `sequence` of book frames.

import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'
/** Shorter messages are not books. */
const BOOK_BYTES_MIN = 200
/** The tail of a book frame, which holds its number. */
const TAIL_BYTES = 80
const SEQUENCE = /"sequence":(\d+)/

function textFrame(payload: string): Buffer {
  const bytes = Buffer.from(payload)
  const mask = randomBytes(4)
  const head = Buffer.from([0x81, 0x80 | bytes.length])
  return Buffer.concat([head, mask, bytes.map((byte, index) => byte ^ mask[index & 3])])
}

export interface ReaderPlan {
  readonly port: number
  /** The market to subscribe to. */
  readonly slug: string
  /** Whether the numbers of the frames are followed. */
  readonly isCounting: boolean
}

export class FrameReader {
  readonly #plan: ReaderPlan
  readonly #socket: Socket
  #waiting: Buffer = Buffer.alloc(0)
  #isOpen = false
  #onReady: () => void = () => {}
  readonly ready: Promise<void>
  books = 0
  /** Frames of books whose number is not one more than that before. */
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
    const path = '/socket.io/?EIO=4&transport=websocket'
    const key = randomBytes(16).toString('base64')
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    )
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

  /** Gives the index behind the last whole frame. */
  #readFrames(all: Buffer): number {
    let at = 0
    while (at + 4 <= all.length || (at + 2 <= all.length && (all[at + 1] & 0x7f) < 126)) {
      const short = all[at + 1] & 0x7f
      const from = at + (short === 126 ? 4 : 2)
      const length = short === 126 ? all.readUInt16BE(at + 2) : short
      const end = from + length
      if (end > all.length) break
      this.#receive(all, from, end)
      at = end
    }
    return at
  }

  #receive(all: Buffer, from: number, end: number): void {
    if (end - from >= BOOK_BYTES_MIN) {
      this.bookBytes = end - from
      this.#book(all, end)
      return
    }
    const text = all.toString('latin1', from, end)
    if (text === '2') this.#socket.write(textFrame('3'))
    if (text.startsWith('0{')) this.#socket.write(textFrame('40/markets,'))
    if (text.startsWith('40/markets,')) {
      const requested = { marketSlugs: [this.#plan.slug] }
      const event = JSON.stringify(['subscribe_market_prices', requested])
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
