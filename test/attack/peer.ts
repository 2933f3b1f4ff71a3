import { connect, type Socket } from 'node:net'
import { textFrame } from '../support/socket-client.ts'

// One connection of an attacker, from an address of its choice. It counts the answers and keeps
// almost nothing of them.

const CODE = /"code":"([A-Z_]+)"/g
/** How much of a code may be cut off at the end of a chunk. */
const CODE_CHARACTERS_MAX = 64
/** How much of a reply's body is kept. */
const BODY_CHARACTERS_MAX = 4096
/** A ping of the socket library, which disconnects a client that does not answer. */
const PING = '\x81\x012'

/** How often each answer came. */
export class Reported {
  readonly counts: Record<string, number> = {}
  #wake = () => {}

  add(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
    this.#wake()
  }

  /** Waits until each of these answers came. */
  async all(names: readonly string[]): Promise<void> {
    while (!names.every((name) => name in this.counts)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

export class Peer {
  /** The number of complete answers. */
  answers = 0
  isClosed = false
  /** The entity tag of the last reply, or ''. */
  etag = ''
  /** Whether the connection is upgraded to a socket. */
  isSocket = false
  readonly #socket: Socket
  readonly #reported: Reported
  /** The received part of a head, or the end of the received frames. */
  #rest = ''
  #status = ''
  #body = ''
  #bodyLeft = 0
  #isEnding = false
  #wake = () => {}

  constructor(port: number, from: string, reported: Reported) {
    this.#reported = reported
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      this.#take(String(text))
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isClosed = true
      if (!this.#isEnding) reported.add('closed')
      this.#wake()
    })
  }

  /** Bytes that the kernel has not taken yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength
  }

  send(bytes: string | Uint8Array): this {
    if (!this.isClosed) this.#socket.write(bytes)
    return this
  }

  /** Stops reading. */
  pause(): this {
    this.#socket.pause()
    return this
  }

  /** Sends one request; gives the body of the whole answer, or '' when the connection ends. */
  async request(request: string | Uint8Array): Promise<string> {
    const before = this.answers
    this.send(request)
    while (this.answers === before && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.answers === before ? '' : this.#body
  }

  end(): void {
    this.#isEnding = true
    this.#socket.destroy()
  }

  #take(text: string): void {
    let rest = text
    while (rest !== '') rest = this.#takePart(rest)
  }

  /** Takes one part of the stream and gives the text after it. */
  #takePart(text: string): string {
    if (this.isSocket) return this.#takeFrames(text)
    if (this.#bodyLeft > 0) {
      const part = text.slice(0, this.#bodyLeft)
      this.#bodyLeft -= part.length
      if (this.#body.length < BODY_CHARACTERS_MAX) this.#body += part
      if (this.#bodyLeft === 0) this.#finish()
      return text.slice(part.length)
    }
    this.#rest += text
    const headEnd = this.#rest.indexOf('\r\n\r\n')
    if (headEnd < 0) return ''
    const head = this.#rest.slice(0, headEnd)
    const after = this.#rest.slice(headEnd + 4)
    this.#rest = ''
    this.#body = ''
    this.#status = head.slice(9, 12)
    this.etag = /etag: *([^\r]+)/i.exec(head)?.[1] ?? ''
    this.isSocket = this.#status === '101'
    this.#bodyLeft = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? '0')
    if (this.#bodyLeft === 0) this.#finish()
    return after
  }

  #finish(): void {
    this.answers++
    const [found] = this.#status < '400' ? [] : this.#body.matchAll(CODE)
    this.#reported.add(found === undefined ? this.#status : `${this.#status} ${found[1]}`)
  }

  #takeFrames(text: string): string {
    if (text.includes(PING)) this.send(textFrame('3'))
    const all = this.#rest + text
    let end = 0
    for (const found of all.matchAll(CODE)) {
      end = found.index + found[0].length
      this.#reported.add(`exception ${found[1]}`)
    }
    this.#rest = all.slice(Math.max(end, all.length - CODE_CHARACTERS_MAX))
    return ''
  }
}
