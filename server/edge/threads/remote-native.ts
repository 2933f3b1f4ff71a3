// Requests, replies and sockets of an edge thread, as the core thread has them. Each call on them
// is a frame to the thread (edge-layout.ts). Frames about a connection that has ended are ignored
// there, so none of these objects has to know.

import type { us_socket_context_t } from 'uWebSockets.js'
import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { partsBytes, writeParts } from '../../messages/parts.ts'
import { byteLengthOf, type Part } from '../../messages/payload.ts'
import type {
  KeptReply,
  NativeRequest,
  NativeResponse,
  NativeSocket,
  SocketBehavior,
} from '../http/gateway/native.ts'
import {
  BODY,
  BOUNDED_BYTES_MAX,
  CELL,
  FLAG,
  PIECE_BYTES,
  REPLY_TEXT,
  TO_EDGE,
} from './edge-layout.ts'

/** Sends a command to the thread: whole frames, in order. */
export interface Commands {
  /** Reserves a frame and returns where to write it; the buffer is valid until the next command. */
  command(tag: number, bytes: number): { readonly buffer: Buffer; readonly at: number }
}

const NOTHING = new Uint8Array(0)
const NO_HANDLER = () => {}
/** The code of a socket that closed without one. */
export const ABNORMAL = 1006

/** One request, read from its lines. */
export class RemoteRequest implements NativeRequest {
  readonly address: string
  readonly #method: string
  readonly #url: string
  readonly #query: string | undefined
  readonly #lines: readonly string[]

  constructor(lines: readonly string[], hasQuery: boolean) {
    this.#method = lines[0]
    this.#url = lines[1]
    this.#query = hasQuery ? lines[2] : undefined
    this.address = lines[3]
    this.#lines = lines
  }

  getCaseSensitiveMethod(): string {
    return this.#method
  }

  getMethod(): string {
    return this.#method.toLowerCase()
  }

  getUrl(): string {
    return this.#url
  }

  getQuery(name?: string): string | undefined {
    if (name === undefined) return this.#query
    return new URLSearchParams(this.#query ?? '').get(name) ?? undefined
  }

  getHeader(name: string): string {
    const lines = this.#lines
    for (let at = 4; at + 1 < lines.length; at += 2) if (lines[at] === name) return lines[at + 1]
    return ''
  }

  forEach(each: (name: string, value: string) => void): void {
    const lines = this.#lines
    for (let at = 4; at + 1 < lines.length; at += 2) each(lines[at], lines[at + 1])
  }
}

/** Where texts are encoded before their frame is reserved: to measure them first costs as much. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024)
const BYTES_PER_CHARACTER_MAX = 3

/**
 * The bytes of a text, which `scratch` holds from an offset on until another text is put there; the
 * text itself when it may be too long.
 */
function encodedPart(part: Part, from: number): Part {
  if (typeof part !== 'string') return part
  if (from + part.length * BYTES_PER_CHARACTER_MAX > scratch.length) return part
  return scratch.subarray(from, from + scratch.write(part, from))
}

/** Writes at `at` and returns the end. */
function put(buffer: Buffer, text: Part, at: number): number {
  if (typeof text === 'string') return at + buffer.write(text, at)
  buffer.set(text, at)
  return at + text.length
}

/** What becomes of a socket on the core thread, and how many sockets each topic has. */
export interface Links {
  /** Like the library, calls the callback of the close at once. */
  closing(id: number, code: number): void
  joined(topic: string): void
  left(topic: string): void
}

/** What becomes of a request on the core thread. */
export interface Requests {
  /** Like the library, calls the callback of the open socket at once; even if it has closed. */
  upgrade(id: number, head: string, data: unknown, behavior: SocketBehavior<unknown>): void
  /** Resolves once everything is known that the thread has read so far. */
  parsed(): Promise<void>
  /** Nothing more is expected of the request. */
  replied(id: number): void
  /** The thread may send this reply to later callers. */
  keep(kept: KeptReply): void
}

export class RemoteResponse implements NativeResponse {
  readonly id: number
  verdict: Uint8Array | null = null
  readonly #edge: Commands & Requests
  readonly #address: string
  readonly #behavior: SocketBehavior<unknown> | null
  #head = ''
  #lengthPlus = 0
  #isOver = false
  #sentBytes = 0
  #onAborted: () => void = NO_HANDLER
  #onData: (chunk: ArrayBuffer, isLast: boolean) => void = NO_HANDLER
  #onWritable: (offset: number) => boolean = () => true

  /** `behavior` is that of the socket which the request asks for, if any. */
  constructor(
    edge: Commands & Requests,
    id: number,
    address: string,
    behavior: SocketBehavior<unknown> | null,
  ) {
    this.#edge = edge
    this.id = id
    this.#address = address
    this.#behavior = behavior
  }

  // Frames from the thread.

  /** A part of the body. */
  data(chunk: ArrayBuffer, isLast: boolean): void {
    if (!this.#isOver) this.#onData(chunk, isLast)
  }

  /** The body is whole, and was checked; the results are valid until this returns. */
  checked(verdict: Uint8Array): void {
    this.verdict = verdict
    try {
      this.data(new ArrayBuffer(0), true)
    } finally {
      this.verdict = null
    }
  }

  /** The reply is out up to there. */
  wants(offset: number): void {
    this.#sentBytes = offset
    this.#onWritable(offset)
  }

  aborted(): void {
    this.#isOver = true
    this.#onAborted()
  }

  // Calls of the gateway.

  getRemoteAddressAsText(): ArrayBuffer {
    return Uint8Array.from(Buffer.from(this.#address)).buffer
  }

  onAborted(handler: () => void): void {
    this.#onAborted = handler
  }

  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): void {
    this.#onData = handler
  }

  onWritable(handler: (offset: number) => boolean): void {
    this.#onWritable = handler
  }

  parsed(): Promise<void> {
    return this.#edge.parsed()
  }

  pause(): void {
    this.#plain(TO_EDGE.PAUSE)
  }

  resume(): void {
    this.#plain(TO_EDGE.RESUME)
  }

  /** What was written before is sent. */
  close(): void {
    if (this.#isOver) return
    this.#over()
    this.#plain(TO_EDGE.END)
  }

  cork(write: () => void): void {
    write()
  }

  keep(kept: KeptReply): void {
    this.#edge.keep(kept)
  }

  writeStatus(status: string): void {
    this.#head = status
  }

  writeHeader(name: string, value: string): void {
    if (name === 'content-length') this.#lengthPlus = Number(value) + 1
    else this.#head += `\r\n${name}: ${value}`
  }

  end(body: Part = NOTHING, close = false): void {
    this.#reply(body, close ? FLAG.CLOSE : 0)
  }

  endWithoutBody(): void {
    this.#reply(NOTHING, FLAG.NO_BODY)
  }

  /** The thread takes a piece at a time, and reports when its reader has taken it. */
  tryEnd(part: Part, totalBytes: number): [boolean, boolean] {
    if (this.#isOver) return [true, true]
    if (this.#sentBytes === totalBytes) {
      this.#over()
      return [true, true]
    }
    if (totalBytes <= BOUNDED_BYTES_MAX && byteLengthOf(part) === totalBytes) {
      this.#reply(part, FLAG.BOUNDED)
      return [true, true]
    }
    const whole = typeof part === 'string' ? Buffer.from(part) : part
    const piece = whole.length > PIECE_BYTES ? whole.subarray(0, PIECE_BYTES) : whole
    const head = this.#head
    this.#head = ''
    const headBytes = Buffer.byteLength(head)
    const frameBytes = REPLY_TEXT + headBytes + piece.length
    const { buffer, at } = this.#edge.command(TO_EDGE.PIECE, frameBytes)
    buffer.writeUInt32LE(this.id, at)
    buffer.writeUInt32LE(headBytes, at + 4)
    buffer.writeDoubleLE(totalBytes, at + 8)
    put(buffer, piece, put(buffer, head, at + REPLY_TEXT))
    return [false, false]
  }

  upgrade<Data>(
    data: Data,
    _key: string,
    _protocol: string,
    _extensions: string,
    _context: us_socket_context_t,
  ): void {
    assert(this.#behavior !== null, 'the request is for a socket')
    this.#isOver = true
    this.#edge.upgrade(this.id, this.#head, data, this.#behavior)
  }

  #plain(tag: number): void {
    const { buffer, at } = this.#edge.command(tag, BODY)
    buffer.writeUInt32LE(this.id, at)
    buffer.writeUInt32LE(0, at + 4)
  }

  #reply(body: Part, flags: number): void {
    if (this.#isOver) return
    this.#over()
    const head = encodedPart(this.#head, 0)
    const headBytes = byteLengthOf(head)
    const rest = encodedPart(body, headBytes)
    const frameBytes = REPLY_TEXT + headBytes + byteLengthOf(rest)
    const { buffer, at } = this.#edge.command(TO_EDGE.REPLY, frameBytes)
    buffer.writeUInt32LE(this.id, at)
    buffer.writeUInt32LE(flags, at + 4)
    buffer.writeUInt32LE(headBytes, at + 8)
    buffer.writeUInt32LE(this.#lengthPlus, at + 12)
    const end = put(buffer, rest, put(buffer, head, at + REPLY_TEXT))
    assert(end === at + frameBytes, 'a reply fills its frame')
  }

  #over(): void {
    this.#isOver = true
    this.#edge.replied(this.id)
  }
}

export class RemoteSocket<Data> implements NativeSocket<Data> {
  readonly id: number
  readonly #edge: Commands & Links
  readonly #data: Data
  readonly #cells: Int32Array
  readonly #slot: number
  readonly #topics = new Set<string>()
  isOpen = true
  #isCorked = false
  #messages: Part[] = []
  /** Bytes of all messages, modulo 2^32. */
  #sentBytes = 0
  #isBinary = false

  constructor(edge: Commands & Links, id: number, data: Data, cells: Int32Array, slot: number) {
    this.#edge = edge
    this.id = id
    this.#data = data
    this.#cells = cells
    this.#slot = slot
  }

  getUserData(): Data {
    return this.#data
  }

  getBufferedAmount(): number {
    if (!this.isOpen) return 0
    const received = Atomics.load(this.#cells, this.#slot * CELL.count + CELL.received)
    return this.getUnreadAmount() + ((this.#sentBytes - received) >>> 0)
  }

  getUnreadAmount(): number {
    return this.isOpen ? Atomics.load(this.#cells, this.#slot * CELL.count + CELL.unread) : 0
  }

  cork(write: () => void): void {
    this.#isCorked = true
    try {
      write()
    } finally {
      this.#isCorked = false
      this.#sendAll()
    }
  }

  send(message: Part, isBinary = false): number {
    if (isBinary !== this.#isBinary) this.#sendAll()
    this.#isBinary = isBinary
    this.#messages.push(message)
    this.#sentBytes = (this.#sentBytes + byteLengthOf(message)) | 0
    if (!this.#isCorked) this.#sendAll()
    return 1
  }

  #sendAll(): void {
    const messages = this.#messages
    if (messages.length === 0) return
    this.#messages = []
    if (!this.isOpen) return
    const isMuch = this.getBufferedAmount() > LIMITS.socketTopicAheadBytesMax
    const flags = (this.#isBinary ? FLAG.BINARY : 0) | (isMuch ? FLAG.NOTIFY : 0)
    const { buffer, at } = this.#edge.command(TO_EDGE.SEND, BODY + partsBytes(messages))
    buffer.writeUInt32LE(this.id, at)
    buffer.writeUInt32LE(flags, at + 4)
    writeParts(buffer, messages, at + BODY)
  }

  /** The socket has closed. */
  over(): void {
    this.isOpen = false
    for (const topic of this.#topics) this.#edge.left(topic)
    this.#topics.clear()
  }

  subscribe(topic: string): boolean {
    if (!this.isOpen || this.#topics.has(topic)) return false
    this.#topics.add(topic)
    this.#edge.joined(topic)
    this.#named(TO_EDGE.JOIN, 0, topic)
    return true
  }

  unsubscribe(topic: string): boolean {
    if (!this.#topics.delete(topic)) return false
    this.#edge.left(topic)
    this.#named(TO_EDGE.LEAVE, 0, topic)
    return true
  }

  end(code = 0, reason = ''): void {
    if (!this.isOpen) return
    this.#sendAll()
    this.#named(TO_EDGE.LAST, code, reason)
    this.#edge.closing(this.id, code)
  }

  close(): void {
    if (!this.isOpen) return
    this.#named(TO_EDGE.END, 0, '')
    this.#edge.closing(this.id, ABNORMAL)
  }

  #named(tag: number, word: number, text: string): void {
    if (!this.isOpen) return
    const { buffer, at } = this.#edge.command(tag, BODY + Buffer.byteLength(text))
    buffer.writeUInt32LE(this.id, at)
    buffer.writeUInt32LE(word, at + 4)
    put(buffer, text, at + BODY)
  }
}
