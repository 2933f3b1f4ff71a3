// Writes replies. A reply that its reader does not take is kept here, as its text or its shared
// bytes, and is sent as the kernel drains. The library would copy it whole for each slow reader.
// Invariant: the bytes of an unread reply are counted until it is out or its connection has ended.

import { type ShareRule, shareOf, shareRule } from '../../../../../engine/domain/fair-share.ts'
import {
  byteLengthOf,
  bytesOf,
  Joined,
  type Payload,
  wholeOf,
} from '../../../../messages/payload.ts'
import type { NativeResponse } from '../native.ts'
import { type Outgoing, statusLine } from './outgoing.ts'

/** Shorter replies go to the kernel, or into the buffer of their connection, at once. */
const SHORT_BYTES = 1024

/**
 * The buffer in which one reply at a time is joined from its parts, a longer one piece by piece.
 * The library has sent or copied the bytes when it returns.
 */
const joining = Buffer.allocUnsafeSlow(1 << 20)

function sendable(payload: Payload): Uint8Array | string {
  if (!(payload instanceof Joined)) return payload
  return payload.length <= joining.length ? payload.within(joining) : payload.whole()
}

/** The library's result: whether it took everything it was given, and whether the reply is out. */
type Sent = [isTaken: boolean, isOut: boolean]

/** Sends a long reply from `offset`, until it is out or the kernel's buffer is full. */
function sendFrom(response: NativeResponse, payload: Uint8Array | Joined, offset: number): Sent {
  if (payload instanceof Uint8Array) {
    return response.tryEnd(payload.subarray(offset), payload.length)
  }
  for (let at = offset; ; ) {
    const piece = payload.from(at, joining)
    const sent = response.tryEnd(piece, payload.length)
    const [isTaken, isOut] = sent
    if (isOut || !isTaken) return sent
    at += piece.length
  }
}

/** The library closes an idle connection after ten seconds, and checks every four. */
const KEEP_ALIVE = '\r\nkeep-alive: timeout=3'

export interface UnreadBounds {
  readonly all: number
  readonly address: number
}

/** Statuses that end at the headers. With 304, a length of 0 would mean empty content. */
function hasNoBody(status: number): boolean {
  return status === 204 || status === 304
}

/**
 * Status and headers as one text, which the library writes as it is. A call into the library costs
 * more than joining all lines. The values come from the exchange or its operator, never from a
 * caller, so they cannot inject a line.
 */
export function headText(out: Outgoing, close: boolean): string {
  if (!close && out.head !== '') return out.head
  const { status, type, payload, headers } = out
  let text = statusLine(status)
  if (payload.length > 0) text += `\r\ncontent-type: ${type}`
  if (!close) text += KEEP_ALIVE
  for (const [name, value] of headers) text += `\r\n${name}: ${value}`
  if (!close) out.head = text
  return text
}

/** Writes a reply in a cork; false when the reader did not take all of it. */
export function written(response: NativeResponse, out: Outgoing, writing: Writing): boolean {
  const { isHead, isLast, more } = writing
  const { payload, status } = out
  const isShort = payload.length <= SHORT_BYTES
  const close = out.close || (isLast && isShort)
  response.writeStatus(headText(out, close) + more)
  if (isHead && close) response.end('', true)
  else if (hasNoBody(status) || isHead) {
    // The library would wait for the bytes of a length that it prints, and close the connection
    // when another request arrives instead.
    if (!hasNoBody(status)) response.writeHeader('content-length', `${byteLengthOf(payload)}`)
    response.endWithoutBody()
  } else if (close || isShort) response.end(sendable(payload), close)
  else if (typeof payload === 'string') {
    return response.tryEnd(payload, byteLengthOf(payload))[1]
  } else return sendFrom(response, payload, 0)[1]
  return true
}

/** Writes a short reply outside of the order of calls, and closes the connection if wanted. */
export function writeNow(response: NativeResponse, out: Outgoing, close = false): void {
  const { status, type, payload, headers } = out
  response.cork(() => {
    response.writeStatus(statusLine(status))
    response.writeHeader('content-type', type)
    for (const [name, value] of headers) response.writeHeader(name, value)
    response.end(wholeOf(payload), close)
  })
}

/** The library buffers this much while it parses; a longer text goes to the kernel at once. */
const GATHERED_BYTES = 16 * 1024

/**
 * Writes a refusal and closes the connection before the library parses what follows the head. While
 * it parses, the library only buffers what is written, and a close would drop that. Spaces after
 * the JSON make the reply too long to be buffered.
 */
export function writeAndClose(response: NativeResponse, out: Outgoing, more = ''): void {
  const body = bytesOf(out.payload).toString()
  // The library appends two bytes to what it takes for the status line.
  const padded = body.padEnd(GATHERED_BYTES)
  const length = `content-length: ${Buffer.byteLength(padded) + 2}`
  const lines = `\r\nconnection: close\r\n${length}\r\n\r\n`
  response.writeStatus(headText(out, true) + more + lines + padded)
  response.close()
}

/** The counted bytes of an unread reply; freed when it is out or its connection ends. */
export interface UnreadReply {
  readonly address: string
  readonly bytes: number
}

export interface Writing {
  readonly isHead: boolean
  /** Whether the connection is closed after a short reply. */
  readonly isLast: boolean
  /** Whether the library buffers writes already, as it does in the tick that read the request. */
  readonly isCorked: boolean
  /** Lines of this reply after its head; '' for none. */
  readonly more: string
}

/** Unread bytes that an address may always have, whatever others leave unread. */
const LEAST_BYTES = 1 << 20

export class UnreadReplies {
  readonly #bounds: UnreadBounds
  readonly #ofAddress: ShareRule
  readonly #byAddress = new Map<string, number>()
  #bytes = 0

  constructor(bounds: UnreadBounds) {
    this.#bounds = bounds
    const most = Math.min(bounds.address, bounds.all)
    this.#ofAddress = shareRule(bounds.all, most, Math.min(most, LEAST_BYTES))
  }

  /** Bytes of replies that wait for their readers, excluding those encoded once for all. */
  get bytes(): number {
    return this.#bytes
  }

  /** Writes a reply in a cork; false when the reader did not take all of it: then keep it. */
  write(response: NativeResponse, out: Outgoing, writing: Writing): boolean {
    if (writing.isCorked) return written(response, out, writing)
    let isOut = true
    response.cork(() => {
      isOut = written(response, out, writing)
    })
    return isOut
  }

  free({ address, bytes }: UnreadReply): void {
    this.#bytes -= bytes
    if (bytes === 0 || address === '') return
    const left = (this.#byAddress.get(address) ?? 0) - bytes
    if (left > 0) this.#byAddress.set(address, left)
    else this.#byAddress.delete(address)
  }

  /**
   * Keeps a reply until its reader has taken it, then calls `done`. Returns 'full' when the limit
   * is reached: the connection must end.
   */
  keep(
    response: NativeResponse,
    { payload }: Outgoing,
    address: string,
    done: () => void,
  ): UnreadReply | 'full' {
    const isShared = payload instanceof Uint8Array
    const whole = payload instanceof Joined ? payload : bytesOf(payload)
    const bytes = isShared ? 0 : whole.length
    const own = this.#byAddress.get(address) ?? 0
    const ofAddress = own + bytes
    if (this.#bytes + bytes > this.#bounds.all) return 'full'
    // The first reply of an address is kept whatever others leave unread: it may be a long one.
    const share = own === 0 ? this.#bounds.address : shareOf(this.#ofAddress, this.#bytes - own)
    if (address !== '' && ofAddress > share) return 'full'
    this.#bytes += bytes
    if (bytes > 0 && address !== '') this.#byAddress.set(address, ofAddress)
    response.onWritable((offset) => {
      const [isTaken, isOut] = sendFrom(response, whole, offset)
      if (isOut) done()
      return isTaken
    })
    return { address, bytes }
  }
}
