import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

type HeaderRow = readonly [name: string, value: string]
/** Pairs, where a name comes more than once. */
export type RawHeaders = Readonly<Record<string, string>> | readonly HeaderRow[]

/** The header lines of a request. */
export function headerLines(headers: RawHeaders): string {
  const rows: readonly HeaderRow[] = Array.isArray(headers) ? headers : Object.entries(headers)
  return rows.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

/** A client that sends exactly the bytes that it is given. */
export class RawClient {
  received = ''
  isClosed = false
  private readonly socket: Socket
  private readonly waiting = new Set<() => void>()

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text) => {
      this.received += String(text)
      this.wake()
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
      this.wake()
    })
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes)
    return this
  }

  /** Calls `sent` once the kernel has taken the bytes, or the connection is gone. */
  write(bytes: string, sent: () => void): void {
    this.socket.write(bytes, () => sent())
  }

  /** Stops reading. */
  pause(): this {
    this.socket.pause()
    return this
  }

  /** Reads again. */
  resume(): this {
    this.socket.resume()
    return this
  }

  /** Half-closes the connection: it can only receive from now on. */
  finish(): this {
    this.socket.end()
    return this
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** The complete replies, once there are `count` of them or the connection has ended. */
  async replies(count: number): Promise<string[]> {
    for (;;) {
      const whole = wholeReplies(this.received)
      if (whole.length >= count || this.isClosed) return whole
      await this.change()
    }
  }

  async closed(): Promise<string> {
    while (!this.isClosed) await this.change()
    return this.received
  }

  /** Waits until it has received the text, so many times; fails when the connection ends before. */
  async got(text: string, count = 1): Promise<this> {
    const times = () => this.received.split(text).length - 1
    while (times() < count && !this.isClosed) await this.change()
    assert.ok(times() >= count, this.received)
    return this
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.add(resolve)
    })
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve()
    this.waiting.clear()
  }
}

function wholeReplies(text: string): string[] {
  const whole: string[] = []
  let at = 0
  for (;;) {
    const head = text.indexOf('\r\n\r\n', at)
    if (head === -1) return whole
    const length = /content-length: (\d+)/i.exec(text.slice(at, head))?.[1] ?? '0'
    const end = head + 4 + Number(length)
    if (text.length < end) return whole
    whole.push(text.slice(at, end))
    at = end
  }
}
