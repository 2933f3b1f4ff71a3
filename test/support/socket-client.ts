import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { io, type Socket } from 'socket.io-client'
import { signCall } from '../../server/auth/hmac-signature.ts'
import { HANDSHAKE_TARGET } from '../../server/edge/sockets/handshakes.ts'
import { assertFrame } from './frame-contract.ts'
import type { Trader } from './live-exchange.ts'
import { headerLines, type RawHeaders } from './raw-client.ts'

// A client of the socket namespace that keeps every frame, in order, and holds each to its schema.

export interface Frame {
  readonly event: string
  readonly payload: unknown
}

export interface SocketRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly reconnection?: boolean
  /** Whether to speak TLS, with any certificate. */
  readonly isSecure?: boolean
  /** Loopback, unless it is given. */
  readonly host?: string
}

/** The headers of a handshake that a token signed. */
export function handshakeOf(
  { tokenId, secret }: Pick<Trader, 'tokenId' | 'secret'>,
  nowMs: number,
  prefix = 'svc-',
  pathWithQuery = HANDSHAKE_TARGET,
): Record<string, string> {
  const timestamp = new Date(nowMs).toISOString()
  const call = { secret: Buffer.from(secret, 'base64'), timestamp, method: 'GET' }
  const signature = signCall({
    ...call,
    pathWithQuery,
    body: new Uint8Array(0),
  })
  return {
    [`${prefix}api-key`]: tokenId,
    [`${prefix}timestamp`]: timestamp,
    [`${prefix}signature`]: signature,
  }
}

/** The bytes of a WebSocket handshake, with these headers. */
export function upgradeText(
  headers: RawHeaders = {},
  query = '?EIO=4&transport=websocket',
): string {
  const key = randomBytes(16).toString('base64')
  return (
    `GET /socket.io/${query} HTTP/1.1\r\nHost: x\r\n${headerLines(headers)}` +
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    `Sec-WebSocket-Key: ${key}\r\n\r\n`
  )
}

/** A masked text frame of less than 64 KiB. */
export function textFrame(payload: string): Buffer {
  const bytes = Buffer.from(payload)
  const { length } = bytes
  assert.ok(length < 2 ** 16, 'the length fits two bytes')
  const mask = randomBytes(4)
  const lengths = length < 126 ? [length] : [126, length >> 8, length & 0xff]
  const head = Buffer.from([0x81, 0x80 | lengths[0], ...lengths.slice(1)])
  return Buffer.concat([head, mask, bytes.map((byte, index) => byte ^ mask[index & 3])])
}

export class SocketClient {
  readonly socket: Socket
  readonly frames: Frame[] = []
  readonly #waiting = new Set<() => void>()
  /** The reason of each disconnect. */
  readonly ends: string[] = []

  private constructor(socket: Socket) {
    this.socket = socket
    socket.onAny((event: string, payload: unknown) => {
      assertFrame(event, payload)
      this.frames.push({ event, payload })
      this.#wake()
    })
    socket.on('connect', () => this.#wake())
    const end = (reason: string) => {
      this.ends.push(reason)
      this.#wake()
    }
    socket.on('disconnect', end)
    socket.on('connect_error', ({ message }) => end(message))
  }

  /** Resolves when the client has joined the namespace. */
  static async open(port: number, wanted: SocketRequest = {}): Promise<SocketClient> {
    const scheme = wanted.isSecure === true ? 'https' : 'http'
    const { host = '127.0.0.1' } = wanted
    const socket = io(`${scheme}://${host}:${port}/markets`, {
      rejectUnauthorized: false,
      transports: ['websocket'],
      forceNew: true,
      reconnection: wanted.reconnection ?? false,
      reconnectionDelay: 20,
      reconnectionDelayMax: 50,
      ...(wanted.headers === undefined ? {} : { extraHeaders: wanted.headers }),
    })
    const client = new SocketClient(socket)
    await client.until(() => socket.connected || client.ends.length > 0)
    assert.deepEqual(client.ends, [])
    return client
  }

  /** Waits until `holds` is true; a frame, a connect or a disconnect checks it again. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  of(event: string): unknown[] {
    return this.frames.filter((frame) => frame.event === event).map(({ payload }) => payload)
  }

  /** The first `count` frames of an event, once they have come. */
  async take(event: string, count: number): Promise<unknown[]> {
    await this.until(() => this.of(event).length >= count)
    return this.of(event).slice(0, count)
  }

  close(): void {
    this.socket.disconnect()
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
