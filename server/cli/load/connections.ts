// A lean HTTP client: raw sockets, one request at a time on each connection. A request that finds
// no free connection waits; its bytes are made when its turn comes.

import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'

export interface Target {
  readonly host: string
  readonly port: number
  /** The value of the Host header. */
  readonly authority: string
  readonly isSecure: boolean
  readonly connections: number
}

export interface HttpReply {
  /** 0 when the connection ended before the reply was whole. */
  readonly status: number
  readonly body: Buffer
}

interface Connection {
  socket: Socket
  waiting: Buffer
  /** Called with the reply to the request under way; null without one. */
  done: ((reply: HttpReply) => void) | null
}

interface Unsent {
  readonly make: () => string | Uint8Array
  readonly done: (reply: HttpReply) => void
}

const HEAD_END = '\r\n\r\n'
const CLOSES = /^connection: *close/im
const CONTENT_LENGTH = /content-length: *(\d+)/i
const STATUS_AT = 9
const NO_BYTES = Buffer.alloc(0)
const RETRY_MS = 100
/** Taken requests before they are cut from the queue. */
const CUT_AT = 1024

export class Connections {
  readonly #target: Target
  readonly #free: Connection[] = []
  readonly #all = new Set<Connection>()
  #unsent: Unsent[] = []
  #unsentFrom = 0
  #isOver = false
  /** Requests that found no free connection. */
  waits = 0

  constructor(target: Target) {
    this.#target = target
  }

  /** Resolves when all connections are open; rejects when one cannot be opened. */
  async open(): Promise<void> {
    const each = Array.from({ length: this.#target.connections }, async () => {
      const connection = { socket: this.#connect(), waiting: NO_BYTES, done: null }
      await new Promise<void>((resolve, reject) => {
        connection.socket.once('error', reject)
        connection.socket.once(this.#opened, resolve)
      })
      this.#all.add(connection)
      this.#watch(connection)
      this.#release(connection)
    })
    await Promise.all(each)
  }

  /** `make` returns the bytes of the request; it is called when a connection is free. */
  send(make: Unsent['make'], done: Unsent['done']): void {
    // All connections take part: the server closes one that is idle for long.
    const connection = this.#free.shift()
    if (connection !== undefined) {
      this.#begin(connection, { make, done })
      return
    }
    this.waits++
    this.#unsent.push({ make, done })
  }

  close(): void {
    this.#isOver = true
    for (const { socket } of this.#all) socket.destroy()
  }

  get #opened(): string {
    return this.#target.isSecure ? 'secureConnect' : 'connect'
  }

  #connect(): Socket {
    const { host, port, isSecure } = this.#target
    const socket = isSecure
      ? connectSecure({ host, port, servername: isIP(host) === 0 ? host : '' })
      : connectPlain({ host, port })
    return socket.setNoDelay(true)
  }

  #watch(connection: Connection): void {
    const { socket } = connection
    socket.on('data', (bytes) => this.#take(connection, bytes))
    // The end of the connection follows an error.
    socket.on('error', () => {})
    socket.on('close', () => this.#ended(connection))
  }

  #ended(connection: Connection): void {
    if (this.#isOver) return
    const { done } = connection
    connection.done = null
    connection.waiting = NO_BYTES
    const at = this.#free.indexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
    done?.({ status: 0, body: NO_BYTES })
    setTimeout(() => {
      if (this.#isOver) return
      connection.socket = this.#connect()
      connection.socket.once(this.#opened, () => this.#release(connection))
      this.#watch(connection)
    }, RETRY_MS)
  }

  #begin(connection: Connection, { make, done }: Unsent): void {
    connection.done = done
    connection.socket.write(make())
  }

  #release(connection: Connection): void {
    if (this.#unsentFrom === this.#unsent.length) {
      this.#free.push(connection)
      return
    }
    const next = this.#unsent[this.#unsentFrom++]
    if (this.#unsentFrom >= CUT_AT) {
      this.#unsent = this.#unsent.slice(this.#unsentFrom)
      this.#unsentFrom = 0
    }
    this.#begin(connection, next)
  }

  #take(connection: Connection, bytes: Buffer): void {
    const whole =
      connection.waiting.length === 0 ? bytes : Buffer.concat([connection.waiting, bytes])
    connection.waiting = whole
    const headEnd = whole.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = whole.toString('latin1', 0, headEnd)
    const from = headEnd + HEAD_END.length
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
    if (whole.length < from + length) return
    const { done } = connection
    connection.done = null
    connection.waiting = NO_BYTES
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3))
    if (CLOSES.test(head)) connection.socket.destroy()
    else this.#release(connection)
    done?.({ status, body: whole.subarray(from, from + length) })
  }
}
