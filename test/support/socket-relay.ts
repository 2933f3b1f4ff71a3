import { connect, createServer, type Server, type Socket } from 'node:net'

// A relay between browsers and the exchange, on loopback. HTTP passes through. Of sockets it can be
// made to lose a frame, to end them all, and to let none through for a while.

const HEAD_END = '\r\n\r\n'

/** Bytes of the first whole frame of a server (RFC 6455, never masked), or 0. */
function frameLength(bytes: Buffer): number {
  if (bytes.length < 2) return 0
  const short = bytes[1] & 0x7f
  if (short < 126) return bytes.length < 2 + short ? 0 : 2 + short
  const headLength = short === 126 ? 4 : 10
  if (bytes.length < headLength) return 0
  const length = short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return bytes.length < headLength + length ? 0 : headLength + length
}

export class SocketRelay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #others = new Set<Socket>()
  #isCut = false
  #losing: { readonly holds: (text: string) => boolean; readonly lost: () => void } | null = null
  /** Connections of sockets that were let through. */
  openedCount = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(targetPort: number): Promise<SocketRelay> {
    const server = createServer()
    const relay = new SocketRelay(server)
    server.on('connection', (client) => relay.#join(client, targetPort))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  get baseUrl(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the relay listens')
    return `http://127.0.0.1:${address.port}`
  }

  /** Ends all sockets, and lets none through until `heal`. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  heal(): void {
    this.#isCut = false
  }

  /** Loses the next frame to a client whose text holds; resolves when it is lost. */
  lose(holds: (text: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#losing = { holds, lost: resolve }
    })
  }

  /** Sends to all clients what the exchange never sent; shorter than 64 KB. */
  say(text: string): void {
    const bytes = Buffer.from(text)
    const head = Buffer.from([0x81, Math.min(bytes.length, 126)])
    const length = Buffer.alloc(bytes.length < 126 ? 0 : 2)
    if (length.length > 0) length.writeUInt16BE(bytes.length)
    for (const socket of this.#sockets) socket.write(Buffer.concat([head, length, bytes]))
  }

  close(): void {
    this.cut()
    for (const socket of this.#others) socket.destroy()
    this.#server.close()
  }

  #join(client: Socket, targetPort: number): void {
    client.on('error', () => client.destroy())
    this.#others.add(client)
    client.on('close', () => this.#others.delete(client))
    client.once('data', (first: Buffer) => {
      const isSocket = first.toString('latin1').startsWith('GET /socket.io/')
      if (isSocket && this.#isCut) {
        client.destroy()
        return
      }
      const target = connect(targetPort, '127.0.0.1')
      target.on('error', () => client.destroy())
      target.on('close', () => client.destroy())
      client.on('close', () => target.destroy())
      target.write(first)
      client.pipe(target)
      if (isSocket) this.#watch(client, target)
      else target.pipe(client)
    })
  }

  #watch(client: Socket, target: Socket): void {
    this.openedCount++
    this.#sockets.add(client)
    client.on('close', () => this.#sockets.delete(client))
    let kept = Buffer.alloc(0)
    let isOpen = false
    target.on('data', (bytes: Buffer) => {
      kept = Buffer.concat([kept, bytes])
      if (!isOpen) {
        const end = kept.indexOf(HEAD_END)
        if (end === -1) return
        isOpen = true
        client.write(kept.subarray(0, end + HEAD_END.length))
        kept = kept.subarray(end + HEAD_END.length)
      }
      for (let length = frameLength(kept); length > 0; length = frameLength(kept)) {
        this.#pass(client, kept.subarray(0, length))
        kept = kept.subarray(length)
      }
    })
  }

  #pass(client: Socket, frame: Buffer): void {
    if (this.#losing?.holds(frame.toString('utf8')) === true) {
      const { lost } = this.#losing
      this.#losing = null
      lost()
      return
    }
    client.write(frame)
  }
}
