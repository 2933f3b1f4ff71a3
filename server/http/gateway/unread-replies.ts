// Writes replies. A reply that its reader does not take is kept here, as its text or its shared
// bytes, and goes out as the kernel makes room. The library would copy it whole for each slow
// reader.
// Invariant: the bytes of an unread reply are counted until it is out or its connection has ended.

import type { HttpResponse } from 'uWebSockets.js'
import { type Outgoing, sizeOf, statusLine } from './outgoing.ts'

/** Shorter replies go to the kernel, or into the buffer of their connection, at once. */
const SHORT_BYTES = 1024

/** The library closes an idle connection after ten seconds, and looks every four. */
const KEEP_ALIVE = 'timeout=3'

export interface UnreadBounds {
  readonly all: number
  readonly address: number
}

/** Statuses that end at the headers. With 304 a length of 0 would say that the content is empty. */
function hasNoBody(status: number): boolean {
  return status === 204 || status === 304
}

/** The counted bytes of an unread reply; they are freed when it is out or its connection ends. */
export interface UnreadReply {
  readonly address: string
  readonly bytes: number
}

export interface Writing {
  readonly address: string
  readonly isHead: boolean
  /** After a short reply the connection is closed. */
  readonly isLast: boolean
  /** Called when the rest of an unread reply is out. */
  readonly done: () => void
}

export class UnreadReplies {
  readonly #bounds: UnreadBounds
  readonly #byAddress = new Map<string, number>()
  #bytes = 0

  constructor(bounds: UnreadBounds) {
    this.#bounds = bounds
  }

  /** Bytes of replies that wait for their readers; those encoded once for all are not counted. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Writes a reply in a cork. Null when all of it is out, else the unread reply. 'full' when there
   * is no room to keep it: the connection must end.
   */
  write(
    response: HttpResponse,
    out: Outgoing,
    { address, isHead, isLast, done }: Writing,
  ): UnreadReply | 'full' | null {
    const { payload } = out
    const isShort = payload.length <= SHORT_BYTES
    const close = out.close || (isLast && isShort)
    let isOut = true
    response.cork(() => {
      response.writeStatus(statusLine(out.status))
      if (payload.length > 0) response.writeHeader('content-type', out.type)
      if (!close) response.writeHeader('keep-alive', KEEP_ALIVE)
      for (const [name, value] of out.headers) response.writeHeader(name, value)
      if (isHead && close) response.end('', true)
      else if (hasNoBody(out.status) || isHead) {
        // The library would wait for the bytes of a length that it prints, and end the connection
        // when it brings another request instead.
        if (!hasNoBody(out.status)) response.writeHeader('content-length', `${sizeOf(out)}`)
        response.endWithoutBody()
      } else if (close || isShort) response.end(payload, close)
      else [, isOut] = response.tryEnd(payload, sizeOf(out))
    })
    return isOut ? null : this.#keep(response, out, address, done)
  }

  free({ address, bytes }: UnreadReply): void {
    this.#bytes -= bytes
    if (bytes === 0 || address === '') return
    const left = (this.#byAddress.get(address) ?? 0) - bytes
    if (left > 0) this.#byAddress.set(address, left)
    else this.#byAddress.delete(address)
  }

  #keep(
    response: HttpResponse,
    { payload }: Outgoing,
    address: string,
    done: () => void,
  ): UnreadReply | 'full' {
    const isShared = typeof payload !== 'string'
    const whole = isShared ? payload : Buffer.from(payload)
    const bytes = isShared ? 0 : whole.length
    const ofAddress = (this.#byAddress.get(address) ?? 0) + bytes
    if (this.#bytes + bytes > this.#bounds.all) return 'full'
    if (address !== '' && ofAddress > this.#bounds.address) return 'full'
    this.#bytes += bytes
    if (bytes > 0 && address !== '') this.#byAddress.set(address, ofAddress)
    response.onWritable((offset) => {
      const [isTaken, isOut] = response.tryEnd(whole.subarray(offset), whole.length)
      if (isOut) done()
      return isTaken
    })
    return { address, bytes }
  }
}
