// What a handler may return besides the plain value of its reply schema.

import { assert } from '../../engine/domain/assert.ts'

export type Header = readonly [name: string, value: string]

/** A body with a status or headers of its own. */
export class Reply<T> {
  readonly status: number
  readonly body: T
  readonly headers: readonly Header[]

  constructor(status: number, body: T, headers: readonly Header[]) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A body that is already encoded. */
export class Bytes {
  readonly payload: Uint8Array | string
  readonly contentType: string
  readonly status: number

  constructor(payload: Uint8Array | string, contentType: string, status: number) {
    this.payload = payload
    this.contentType = contentType
    this.status = status
  }
}

/**
 * An outcome that another part of the exchange settles later. Unlike a promise it is answered in
 * the same turn, and costs main nothing but itself.
 */
export class Pending<T> {
  private outcome: { readonly value: T } | null = null
  private next: ((value: T) => void) | null = null

  settle(value: T): void {
    assert(this.outcome === null, 'a pending outcome is settled once')
    this.outcome = { value }
    this.next?.(value)
  }

  whenSettled(next: (value: T) => void): void {
    this.next = next
    if (this.outcome !== null) next(this.outcome.value)
  }
}

export function reply<T>(status: number, body: T, headers: readonly Header[] = []): Reply<T> {
  return new Reply(status, body, headers)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function bytes(payload: Uint8Array | string, contentType = JSON_TYPE, status = 200): Bytes {
  return new Bytes(payload, contentType, status)
}
