// The sources of a reply body. Most replies are bytes or a text. A list is joined from parts that
// are encoded once each, and is assembled only when it is sent. Allocating the bytes per call would
// dominate main's allocations, and each collection of them stops every caller.

import { assert } from '../../engine/domain/assert.ts'

/** Bytes that are encoded once for all, or a text of one reply. */
export type Part = Uint8Array | string

const lengthOf = (part: Part) => (typeof part === 'string' ? Buffer.byteLength(part) : part.length)

export class Joined {
  readonly parts: readonly Part[]
  /** In bytes. */
  readonly length: number

  constructor(parts: readonly Part[]) {
    this.parts = parts
    let length = 0
    for (const part of parts) length += lengthOf(part)
    this.length = length
  }

  /** Copies the body to the start of a buffer that can hold it; returns that part of the buffer. */
  within(buffer: Buffer): Buffer {
    const whole = this.from(0, buffer)
    assert(whole.length === this.length, 'a joined body has the length of its parts')
    return whole
  }

  /**
   * Copies the bytes from `offset` to the start of a buffer, as many as fit; returns that part of
   * the buffer.
   */
  from(offset: number, buffer: Buffer): Buffer {
    let at = 0
    let skipped = offset
    for (const part of this.parts) {
      if (at === buffer.length) break
      const length = lengthOf(part)
      if (skipped >= length) skipped -= length
      else if (typeof part === 'string' && skipped === 0 && length <= buffer.length - at) {
        at += buffer.write(part, at)
      } else {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part
        const fitting = bytes.subarray(skipped, skipped + buffer.length - at)
        buffer.set(fitting, at)
        at += fitting.length
        skipped = 0
      }
    }
    return buffer.subarray(0, at)
  }

  /** The body in its own buffer. */
  whole(): Buffer {
    return this.within(Buffer.allocUnsafe(this.length))
  }
}

export type Payload = Uint8Array | string | Joined

export function byteLengthOf(payload: Payload): number {
  return typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
}

/** A body that is no longer split into parts. */
export function wholeOf(payload: Payload): Uint8Array | string {
  return payload instanceof Joined ? payload.whole() : payload
}

export function bytesOf(payload: Payload): Uint8Array {
  const whole = wholeOf(payload)
  return typeof whole === 'string' ? Buffer.from(whole) : whole
}
