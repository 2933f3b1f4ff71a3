// The open sockets of an edge thread. The core commands what is sent to each; this thread reports
// messages, and the bytes that a reader has not taken.

import type * as library from 'uWebSockets.js'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { eachPart } from '../../messages/parts.ts'
import type { NativeRequest, NativeResponse, NativeSocket } from '../http/gateway/native.ts'
import { Tally } from '../sockets/tally.ts'
import type { EdgeFrames } from './edge-frames.ts'
import {
  BODY,
  CELL,
  FLAG,
  FROM_EDGE,
  framesPerSecondMax,
  type SocketLimits,
  TO_EDGE,
} from './edge-layout.ts'
import type { SocketData, Upgrade } from './edge-requests.ts'

type Socket = NativeSocket<SocketData>

interface EdgeSocketsParts {
  readonly frames: EdgeFrames
  /** The commands of the core. */
  readonly commands: Buffer
  readonly cells: SharedArrayBuffer
  readonly publish: (topic: string, message: Uint8Array, isBinary: boolean) => void
  /** Receives a request for a socket, with the index of its path. */
  readonly onRequest: (
    handler: number,
    response: NativeResponse,
    request: NativeRequest,
    upgrade: Upgrade,
  ) => void
  /** The connection of a socket has ended. */
  readonly onEnded: () => void
}

interface OpenSocket {
  readonly socket: Socket
  readonly slot: number
  /** Counts the messages and pings of a second. */
  readonly tally: Tally
  readonly topics: Set<string>
}

interface Topic {
  readonly members: Set<OpenSocket>
  /** Published bytes since the unread bytes of its members were noted. */
  unnotedBytes: number
}

/** The unread bytes of readers are noted once per so many bytes of their topic. */
const NOTED_BYTES = LIMITS.socketTopicAheadBytesMax / 2

export class EdgeSockets {
  readonly #parts: EdgeSocketsParts
  readonly #cells: Int32Array
  readonly #open = new Map<number, OpenSocket>()
  /** Each topic that has members. */
  readonly #topics = new Map<string, Topic>()
  /** Topics whose members are to be noted. */
  readonly #due = new Set<Topic>()
  /** Topics whose members got bytes that are not noted. */
  readonly #unnoted = new Set<Topic>()
  /** Published bytes since the last `flushed`. */
  #flushBytes = 0

  constructor(parts: EdgeSocketsParts) {
    this.#parts = parts
    this.#cells = new Int32Array(parts.cells)
  }

  has(id: number): boolean {
    return this.#open.has(id)
  }

  /** How the library treats the sockets of a path. Requests for them are requests first. */
  behavior(handler: number, limits: SocketLimits) {
    const { frames, onRequest, onEnded } = this.#parts
    const ofSocket = (socket: Socket, work: (id: number, open: OpenSocket) => void) => {
      this.#contained(() => {
        const { id } = socket.getUserData()
        const open = this.#open.get(id)
        if (open !== undefined) work(id, open)
      })
    }
    // What a client sends until the core disconnects it must not fill the ring.
    const framesMax = framesPerSecondMax(limits.messagesPerSecondMax)
    const passes = ({ tally }: OpenSocket) => {
      return tally.takes(Math.floor(performance.now() / MS_PER_SEC), framesMax)
    }
    const pinged = (socket: Socket) => {
      ofSocket(socket, (id, open) => {
        if (passes(open)) frames.give(FROM_EDGE.PING, id)
      })
    }
    return {
      ...limits,
      sendPingsAutomatically: false,
      upgrade: (
        response: NativeResponse,
        request: NativeRequest,
        context: library.us_socket_context_t,
      ) => {
        const key = request.getHeader('sec-websocket-key')
        const protocol = request.getHeader('sec-websocket-protocol')
        const extensions = request.getHeader('sec-websocket-extensions')
        onRequest(handler, response, request, { key, protocol, extensions, context })
      },
      open: (socket: Socket) => {
        const { id, slot } = socket.getUserData()
        this.#open.set(id, { socket, slot, tally: new Tally(), topics: new Set() })
      },
      message: (socket: Socket, message: ArrayBuffer, isBinary: boolean) => {
        ofSocket(socket, (id, open) => {
          if (!passes(open)) return
          const flags = isBinary ? FLAG.BINARY : 0
          const isGiven = frames.give(FROM_EDGE.MESSAGE, id, flags, new Uint8Array(message))
          if (!isGiven) socket.close()
        })
      },
      ping: pinged,
      pong: pinged,
      dropped: () => {
        frames.give(FROM_EDGE.DROPPED, 0)
      },
      drain: (socket: Socket) => {
        ofSocket(socket, (id, { slot }) => {
          this.#noteUnread(slot, socket.getBufferedAmount())
          frames.give(FROM_EDGE.DRAIN, id)
        })
      },
      close: (socket: Socket, code: number) => {
        onEnded()
        ofSocket(socket, (id, open) => {
          this.#open.delete(id)
          for (const topic of open.topics) this.#leave(open, topic)
          frames.give(FROM_EDGE.CLOSE, id, code)
        })
      },
    }
  }

  #contained(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.frames.fault(error)
    }
  }

  /** A command of the core for a socket, which may be gone. */
  take(tag: number, id: number, at: number, end: number): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    const { commands } = this.#parts
    const { socket } = open
    switch (tag) {
      case TO_EDGE.SEND:
        this.#send(id, open, at, end)
        return
      case TO_EDGE.JOIN:
        this.#join(open, commands.toString('utf8', at + BODY, end))
        return
      case TO_EDGE.LEAVE: {
        const topic = commands.toString('utf8', at + BODY, end)
        socket.unsubscribe(topic)
        this.#leave(open, topic)
        return
      }
      case TO_EDGE.LAST: {
        const code = commands.readUInt32LE(at + 4)
        if (code === 0) socket.end()
        else socket.end(code, commands.toString('utf8', at + BODY, end))
        return
      }
      case TO_EDGE.END:
        socket.close()
    }
  }

  #join(open: OpenSocket, topic: string): void {
    open.socket.subscribe(topic)
    open.topics.add(topic)
    const known = this.#topics.get(topic) ?? { members: new Set(), unnotedBytes: 0 }
    known.members.add(open)
    this.#topics.set(topic, known)
  }

  #leave(open: OpenSocket, topic: string): void {
    open.topics.delete(topic)
    const known = this.#topics.get(topic)
    known?.members.delete(open)
    if (known?.members.size === 0) this.#topics.delete(topic)
  }

  #send(id: number, { socket, slot }: OpenSocket, at: number, end: number): void {
    const { commands, frames } = this.#parts
    const flags = commands.readUInt32LE(at + 4)
    let received = 0
    socket.cork(() => {
      eachPart(commands, at + BODY, end, (message) => {
        // A message above its limit closes the socket.
        if (this.#open.has(id)) socket.send(message, (flags & FLAG.BINARY) !== 0, false)
        received += message.length
      })
    })
    if (!this.#open.has(id)) return
    const unread = socket.getBufferedAmount()
    this.#noteUnread(slot, unread)
    Atomics.add(this.#cells, slot * CELL.count + CELL.received, received)
    const isNoted = (flags & FLAG.NOTIFY) !== 0 && unread <= LIMITS.socketTopicAheadBytesMax
    if (isNoted) frames.give(FROM_EDGE.DRAIN, id)
  }

  #noteUnread(slot: number, bytes: number): void {
    Atomics.store(this.#cells, slot * CELL.count + CELL.unread, bytes)
  }

  publish(at: number, end: number): void {
    const { commands, publish } = this.#parts
    const topicBytes = commands.readUInt32LE(at)
    const isBinary = (commands.readUInt32LE(at + 4) & FLAG.BINARY) !== 0
    const topic = commands.toString('utf8', at + BODY, at + BODY + topicBytes)
    const message = commands.subarray(at + BODY + ((topicBytes + 7) & ~7), end)
    publish(topic, message, isBinary)
    this.#flushBytes += message.length
    const known = this.#topics.get(topic)
    if (known === undefined) return
    known.unnotedBytes += message.length
    this.#unnoted.add(known)
    if (known.unnotedBytes < NOTED_BYTES || this.#due.has(known)) return
    this.#due.add(known)
    if (this.#due.size === 1) setImmediate(() => this.#noteDue())
  }

  /** Whether the sockets should get their bytes before the next command. */
  get isFlushDue(): boolean {
    return this.#flushBytes >= LIMITS.socketTickBytesMax
  }

  /**
   * The library has written what was published. A reader of many topics may have got much without
   * enough of any one of them.
   */
  flushed(): void {
    this.#flushBytes = 0
    for (const topic of this.#unnoted) this.#note(topic)
  }

  #noteDue(): void {
    for (const topic of this.#due) this.#note(topic)
    this.#due.clear()
  }

  #note(topic: Topic): void {
    topic.unnotedBytes = 0
    this.#unnoted.delete(topic)
    for (const { socket, slot } of topic.members) {
      this.#noteUnread(slot, socket.getBufferedAmount())
    }
  }
}
