import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { boolean, integer, text } from '../../server/edge/http/schema/scalars.ts'
import {
  compile,
  type Infer,
  list,
  object,
  optional,
} from '../../server/edge/http/schema/schema.ts'
import { HANDSHAKE_TARGET } from '../../server/edge/sockets/handshakes.ts'
import { type Actor, proofHeaders } from './actors.ts'
import type { Speaker } from './speaker.ts'
import { PLAIN_HELLO, PLAIN_QUERY } from './talk-plan.ts'
import type { Parts } from './tricks.ts'

// One connection to the sockets: it sends what its plan says, byte for byte, and keeps what it
// receives.

const talkShape = object({
  query: text(),
  isPlain: boolean(),
  hello: text(),
  says: list(
    object({
      text: optional(text()),
      binary: optional(text()),
      bytes: optional(text()),
      head: optional(integer()),
    }),
  ),
  stays: boolean(),
})
const talks = compile(talkShape)
export type DocumentedMessages = Infer<typeof talkShape>

/** Gives null when shrinking left no whole talk. */
export function talkIn(body: unknown): DocumentedMessages | null {
  return talks.holds(body) ? body : null
}

const END_MS = 4000
/** For a talk that leaves a frame incomplete: the server waits for the rest of it. */
const BENT_MS = 150
const TEXT = 0x81
const BINARY = 0x82
const CLOSE = 0x88

function frameOf(head: number, payload: Buffer): Buffer {
  const mask = randomBytes(4)
  const { length } = payload
  const size =
    length < 126
      ? Buffer.from([0x80 | length])
      : Buffer.from([0xfe, (length >> 8) & 0xff, length & 0xff])
  const masked = payload.map((byte, index) => byte ^ mask[index & 3])
  return Buffer.concat([Buffer.from([head]), size, mask, masked])
}

function bytesOf(message: DocumentedMessages['says'][number]): Buffer {
  const { text: stated = '', binary, bytes, head } = message
  if (bytes !== undefined) return Buffer.from(bytes, 'base64')
  if (binary !== undefined) return frameOf(BINARY, Buffer.from(binary, 'base64'))
  return frameOf(head ?? TEXT, Buffer.from(stated))
}

export function partsOf(
  talk: DocumentedMessages,
  actor: Actor | undefined,
  speaker: Speaker,
): Parts {
  const call = { method: 'GET', target: HANDSHAKE_TARGET, body: Buffer.alloc(0) }
  const upgrade: [string, string][] = [
    ['host', '127.0.0.1'],
    ['connection', 'Upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-version', '13'],
    ['sec-websocket-key', randomBytes(16).toString('base64')],
  ]
  // A browser names the page that opened a socket with a cookie.
  const origin: [string, string][] =
    speaker.proof === 'session' ? [['origin', 'http://127.0.0.1']] : []
  const proof = proofHeaders(actor, speaker.proof, speaker.flaw, call)
  return {
    method: 'GET',
    target: `/socket.io/${talk.query}`,
    headers: [...(talk.isPlain ? upgrade.slice(0, 1) : upgrade), ...origin, ...proof],
    body: Buffer.alloc(0),
  }
}

/** Whether the handshake has a proof, right or wrong, that the server answers. */
export function bringsProof({ role, proof }: Speaker): boolean {
  return role !== 'nobody' && (proof === 'hmac' || proof === 'session')
}

export class Conversation {
  readonly speaker: Speaker
  readonly #talk: DocumentedMessages
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #isOver = false
  #wake = () => {}

  private constructor(talk: DocumentedMessages, speaker: Speaker, socket: Socket) {
    this.#talk = talk
    this.speaker = speaker
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isOver = true
      this.#wake()
    })
  }

  /** Opens the connection and sends every message once the server has answered the handshake. */
  static async start(
    port: number,
    request: Buffer,
    talk: DocumentedMessages,
    speaker: Speaker,
  ): Promise<Conversation> {
    const socket = connect(port, '127.0.0.1')
    const conversation = new Conversation(talk, speaker, socket)
    socket.write(request)
    await conversation.#receives(/\r\n\r\n/)
    if (conversation.status !== 101) return conversation
    socket.write(frameOf(TEXT, Buffer.from(talk.hello)))
    if (talk.hello === PLAIN_HELLO) await conversation.#receives(/40\/markets,\{/)
    // A broken frame ends the connection, so the verdict on the proof must come before it.
    if (conversation.joins && bringsProof(speaker)) {
      await conversation.#receives(/\["(authenticated|exception)"/)
    }
    for (const message of talk.says) socket.write(bytesOf(message))
    return conversation
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.#received.toString('latin1'))?.[1] ?? '0')
  }

  get received(): string {
    return this.#received.toString('utf8')
  }

  /** Whether the server must accept a right proof, because the rest of the handshake is plain. */
  get joins(): boolean {
    const { query, isPlain, hello } = this.#talk
    return query === PLAIN_QUERY && !isPlain && hello === PLAIN_HELLO
  }

  /** Closes the connection and waits for the server to close it too; false when it does not. */
  async end(): Promise<boolean> {
    if (this.status === 101) this.#socket.write(frameOf(CLOSE, Buffer.alloc(0)))
    const isBent = this.#talk.says.some(
      ({ bytes, head }) => bytes !== undefined || head !== undefined,
    )
    if (this.status === 101) await this.#until(() => false, isBent ? BENT_MS : END_MS)
    const isOver = this.#isOver || isBent || this.status !== 101
    this.#socket.destroy()
    return isOver
  }

  /** Waits until the condition holds, the connection ends or the time is over. */
  async #until(holds: () => boolean, withinMs: number): Promise<void> {
    const late = AbortSignal.timeout(withinMs)
    late.addEventListener('abort', () => this.#wake())
    while (!this.#isOver && !late.aborted && !holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #receives(pattern: RegExp): Promise<void> {
    return this.#until(() => pattern.test(this.#received.toString('latin1')), END_MS)
  }
}
