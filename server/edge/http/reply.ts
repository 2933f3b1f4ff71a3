// The outcomes that a handler may return besides the plain value of its reply schema.

import { assert } from '../../../engine/domain/assert.ts'
import type { Header } from '../../messages/call.ts'
import type { Payload } from '../../messages/payload.ts'
import type { Freshness } from '../../messages/versions.ts'
import type { Cache } from './caching/cache.ts'

/** A body with its own status or headers. */
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
  readonly payload: Payload
  readonly contentType: string
  readonly status: number
  readonly headers: readonly Header[]
  /** Present for bytes that edge threads may send again. */
  readonly freshness: Freshness | null

  constructor(
    payload: Payload,
    contentType: string,
    status: number,
    headers: readonly Header[],
    freshness: Freshness | null = null,
  ) {
    this.payload = payload
    this.contentType = contentType
    this.status = status
    this.headers = headers
    this.freshness = freshness
  }
}

/** An outcome shared by all callers, of a route whose other outcomes are for one caller. */
export class Shared {
  readonly outcome: unknown
  readonly cache: Cache

  constructor(outcome: unknown, cache: Cache) {
    this.outcome = outcome
    this.cache = cache
  }
}

/** Marks an outcome as shared by all callers. */
export function shared(outcome: unknown, cache: Cache): Shared | Promise<Shared> {
  assert(!(outcome instanceof Pending), 'a shared outcome is settled, or promised')
  if (outcome instanceof Promise) return outcome.then((settled) => new Shared(settled, cache))
  return new Shared(outcome, cache)
}

/**
 * An outcome that another part of the exchange provides later. Unlike a promise, it is answered in
 * the same event-loop tick, and costs main only this object. A fault of the reply costs its own
 * call, and never reaches the code that settles the outcome.
 */
export class Pending<T> {
  private outcome: { readonly value: T } | { readonly error: unknown } | null = null
  private next: ((value: T) => void) | null = null
  private failed: ((error: unknown) => void) | null = null

  settle(value: T): void {
    assert(this.outcome === null, 'a pending outcome is settled once')
    this.outcome = { value }
    this.next?.(value)
  }

  /** Settles it with the value that `make` returns, or with the error that it throws. */
  doneBy(make: () => T): void {
    let value: T
    try {
      value = make()
    } catch (error) {
      assert(this.outcome === null, 'a pending outcome is settled once')
      this.outcome = { error }
      this.failed?.(error)
      return
    }
    this.settle(value)
  }

  /** Neither callback may throw. */
  whenDone(next: (value: T) => void, failed: (error: unknown) => void): void {
    this.next = next
    this.failed = failed
    if (this.outcome === null) return
    if ('value' in this.outcome) next(this.outcome.value)
    else failed(this.outcome.error)
  }
}

export function reply<T>(status: number, body: T, headers: readonly Header[] = []): Reply<T> {
  return new Reply(status, body, headers)
}

export const JSON_TYPE = 'application/json; charset=utf-8'
const NO_HEADERS: readonly Header[] = []

export function bytes(
  payload: Payload,
  contentType = JSON_TYPE,
  status = 200,
  headers: readonly Header[] = NO_HEADERS,
): Bytes {
  return new Bytes(payload, contentType, status, headers)
}

/** JSON that edge threads send to all callers while it is fresh. */
export function fresh(payload: Payload, freshness: Freshness): Bytes {
  return new Bytes(payload, JSON_TYPE, 200, NO_HEADERS, freshness)
}
