// Reads the bodies of requests. Invariant: a request is listed from its head until its last byte or
// its end, whichever comes first.

import { Slab } from '../../../../engine/domain/slab.ts'
import { type Call, joinHeader, NO_BYTES } from '../../../messages/call.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { NativeRequest } from './native.ts'

interface BodyReaderParts<S> {
  readonly clock: () => number
  /** Time from the head of a request to the first byte of its body, and to the last. */
  readonly firstMs: number
  readonly deadlineMs: number
  readonly bytesMax: number
  /** Called when the body of a request is complete. */
  readonly onWhole: (incoming: IncomingRequest<S>) => void
  /** Called when a body arrives too slowly or is too long. */
  readonly onRefused: (incoming: IncomingRequest<S>, refusal: Refusal) => void
  readonly onFault: (incoming: IncomingRequest<S>, error: unknown) => void
}

interface Reading<S> {
  readonly incoming: IncomingRequest<S>
  sizeBytes: number
}

export class BodyReader<S> {
  readonly #parts: BodyReaderParts<S>
  readonly #reading = new Slab<Reading<S>>()
  /** One timer for all bodies. */
  #timer: NodeJS.Timeout | null = null

  constructor(parts: BodyReaderParts<S>) {
    this.#parts = parts
  }

  read(incoming: IncomingRequest<S>): void {
    const chunks: Uint8Array[] = []
    const reading = { incoming, sizeBytes: 0 }
    incoming.readingAt = this.#reading.put(reading)
    const { firstMs, deadlineMs } = this.#parts
    this.#timer ??= setInterval(() => this.#dropSlow(), Math.min(firstMs, deadlineMs) / 4).unref()
    const take = (chunk: ArrayBuffer, isLast: boolean) => {
      reading.sizeBytes += chunk.byteLength
      if (reading.sizeBytes > this.#parts.bytesMax) {
        this.#refuse(incoming, refuse('BODY_TOO_LARGE'))
        return
      }
      // The library reuses the memory of the chunk after this returns; a raw route no longer needs
      // it then.
      const isWhole = isLast && chunks.length === 0 && incoming.entry?.route.raw === true
      if (chunk.byteLength > 0) chunks.push(new Uint8Array(isWhole ? chunk : chunk.slice(0)))
      if (!isLast) return
      this.ends(incoming)
      incoming.call.body = chunks.length === 1 ? chunks[0] : joinChunks(chunks, reading.sizeBytes)
      incoming.call.verdict = incoming.response.verdict ?? undefined
      this.#parts.onWhole(incoming)
      if (isWhole) incoming.call.body = NO_BYTES
      incoming.call.verdict = undefined
    }
    incoming.response.onData((chunk, isLast) => {
      if (incoming.ended) return
      try {
        take(chunk, isLast)
      } catch (error) {
        this.#parts.onFault(incoming, error)
      }
    })
  }

  /** Stops waiting for the body of a request; false when the request was not listed. */
  ends(incoming: IncomingRequest<S>): boolean {
    if (incoming.readingAt === 0) return false
    this.#reading.take(incoming.readingAt)
    incoming.readingAt = 0
    return true
  }

  /** Refuses incomplete bodies: nothing was done for them, so their callers may retry. */
  stop(): void {
    for (const { incoming } of this.#reading.all()) this.#refuse(incoming, refuse('NOT_READY'))
    this.#stopTimer()
  }

  #refuse(incoming: IncomingRequest<S>, refusal: Refusal): void {
    this.ends(incoming)
    this.#parts.onRefused(incoming, refusal)
  }

  #dropSlow(): void {
    const { clock, firstMs, deadlineMs } = this.#parts
    const nowMs = clock()
    for (const { incoming, sizeBytes } of this.#reading.all()) {
      const waitMs = sizeBytes === 0 ? Math.min(firstMs, deadlineMs) : deadlineMs
      if (incoming.call.receivedMs <= nowMs - waitMs) this.#refuse(incoming, refuse('BODY_TIMEOUT'))
    }
    if (this.#reading.count === 0) this.#stopTimer()
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}

// Calls as they are read from a request of uWebSockets.js, which is valid only within its handler.

/** Copies a request without its body. */
export function copied(request: NativeRequest, receivedMs: number): Call {
  const headers = new Map<string, string>()
  // The method is read first, because the library's other getter lowercases it in place.
  const method = request.getCaseSensitiveMethod()
  request.forEach((name, value) => {
    joinHeader(headers, name, value)
  })
  const path = request.getUrl()
  const query: string | undefined = request.getQuery()
  return callOf({
    method,
    path,
    target: query === undefined ? path : `${path}?${query}`,
    query: query ?? '',
    headers,
    receivedMs,
  })
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** A call with orders whose head and body stayed on an edge thread. */
export function checkedCall(path: string, verdict: Uint8Array, receivedMs: number): Call {
  const head = { method: 'POST', path, target: path, query: '', headers: NO_HEADERS, receivedMs }
  const call = callOf(head)
  call.verdict = verdict
  return call
}

type Head = Pick<Call, 'method' | 'path' | 'target' | 'query' | 'headers' | 'receivedMs'>

/** A call whose body has not arrived. */
function callOf({ method, path, target, query, headers, receivedMs }: Head): Call {
  return {
    method,
    path,
    target,
    query,
    headers,
    body: NO_BYTES,
    verdict: undefined,
    from: '',
    addressKey: '',
    isOwn: false,
    receivedMs,
    readMs: 0,
    timesRow: 0,
    isGone: false,
  }
}

function joinChunks(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const body = new Uint8Array(sizeBytes)
  let atBytes = 0
  for (const chunk of chunks) {
    body.set(chunk, atBytes)
    atBytes += chunk.length
  }
  return body
}
