import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { freePort } from './free-port.ts'

// A network between clients and a server on loopback, which can be slow, silent or broken. It
// passes the bytes of any protocol; `SocketRelay` passes the frames of sockets.

const HOST = '127.0.0.1'
/** A sender is paused while more of its bytes are in flight, as by a full TCP window. */
const IN_FLIGHT_BYTES_MAX = 1_048_576

/** `up` is from clients to the server, `down` from the server to clients. */
export type Direction = 'up' | 'down' | 'both'

/** The server that new connections go to. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** What the receiver of one direction sees, not before its time. */
interface Arrival {
  readonly dueMs: number
  readonly happen: () => void
}

/** The state of one direction, common to all connections. */
interface Link {
  delayMs: number
  isHeld: boolean
}

/**
 * One direction of one connection. Bytes, the end and a reset of the sender are arrivals at the
 * receiver: they keep their order, and pass neither a held link nor before their delay.
 */
class Flow {
  readonly #link: Link
  readonly #waiting: Arrival[] = []
  #inFlightBytes = 0
  #lastDueMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(from: Socket, to: Socket, link: Link) {
    this.#link = link
    from.on('data', (bytes: Buffer) => {
      this.#inFlightBytes += bytes.length
      if (this.#inFlightBytes > IN_FLIGHT_BYTES_MAX) from.pause()
      this.send(() => {
        to.write(bytes, () => {
          this.#inFlightBytes -= bytes.length
          if (this.#inFlightBytes <= IN_FLIGHT_BYTES_MAX) from.resume()
        })
      })
    })
    from.on('end', () => this.send(() => to.end()))
    from.on('error', () => this.send(() => reset(to)))
  }

  send(happen: () => void): void {
    // Later bytes do not overtake when the delay becomes shorter.
    this.#lastDueMs = Math.max(this.#lastDueMs, performance.now() + this.#link.delayMs)
    this.#waiting.push({ dueMs: this.#lastDueMs, happen })
    this.deliver()
  }

  /** Delivers what is due, unless the link is held. */
  deliver(): void {
    clearTimeout(this.#timer)
    while (!this.#link.isHeld && this.#waiting.length > 0) {
      const leftMs = this.#waiting[0].dueMs - performance.now()
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.deliver(), Math.ceil(leftMs))
        return
      }
      this.#waiting.shift()?.happen()
    }
  }

  drop(): void {
    clearTimeout(this.#timer)
    this.#waiting.length = 0
  }
}

/** Closes a socket so that its peer gets an error and not an end, unless it has got the end. */
function reset(socket: Socket): void {
  // libuv refuses to reset while an end is under way; node then never closes the handle.
  if (socket.pending || socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** A connection of a client, and that to the target. */
interface Connection {
  readonly sockets: readonly Socket[]
  readonly flows: readonly Flow[]
}

export class TcpProxy {
  /** The port of loopback that clients connect to; it stays the same after a cut. */
  readonly port: number
  target: Target
  readonly #listener: Server
  readonly #up: Link = { delayMs: 0, isHeld: false }
  readonly #down: Link = { delayMs: 0, isHeld: false }
  readonly #connections = new Set<Connection>()

  private constructor(port: number, target: Target) {
    this.port = port
    this.target = target
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      this.#join(client),
    )
  }

  static async open(target: Target): Promise<TcpProxy> {
    const proxy = new TcpProxy(await freePort(), target)
    await proxy.restore()
    return proxy
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Delays what is sent from now on; 0 ends the delay. */
  delay(delayMs: number, direction: Direction = 'both'): void {
    for (const link of this.#links(direction)) link.delayMs = delayMs
  }

  /**
   * Keeps connections and accepts new ones, but passes nothing in this direction until `restore`:
   * neither bytes nor the end of a connection. While `up` is held, new connections do not reach the
   * target. What was sent meanwhile is then delivered, unless a cut dropped it.
   */
  blackhole(direction: Direction): void {
    for (const link of this.#links(direction)) link.isHeld = true
  }

  /** Resets all connections, drops what is in flight, and refuses new ones until `restore`. */
  cut(): void {
    this.#listener.close()
    for (const { sockets, flows } of this.#connections) {
      for (const flow of flows) flow.drop()
      for (const socket of sockets) reset(socket)
    }
    this.#connections.clear()
  }

  /** Ends a cut and blackholes; delays stay. Rejects when the port was taken during a cut. */
  async restore(): Promise<void> {
    for (const link of this.#links('both')) link.isHeld = false
    for (const { flows } of this.#connections) for (const flow of flows) flow.deliver()
    if (this.#listener.listening) return
    this.#listener.listen(this.port, HOST)
    await once(this.#listener, 'listening')
  }

  close(): void {
    this.cut()
  }

  #links(direction: Direction): readonly Link[] {
    if (direction === 'both') return [this.#up, this.#down]
    return [direction === 'up' ? this.#up : this.#down]
  }

  #join(client: Socket): void {
    const server = new Socket({ allowHalfOpen: true })
    const up = new Flow(client, server, this.#up)
    const down = new Flow(server, client, this.#down)
    const connection = { sockets: [client, server], flows: [up, down] }
    this.#connections.add(connection)
    up.send(() => server.connect({ ...this.target, noDelay: true }))
    server.on('close', () => {
      if (client.destroyed) this.#connections.delete(connection)
    })
    client.on('close', () => {
      if (server.destroyed) this.#connections.delete(connection)
    })
  }
}
