// Compressed replies, made once per version and coding. The first caller of a version gets plain
// bytes. The second starts the compression on a thread of the library's pool and also gets plain
// bytes. Later callers get the compressed bytes. So no caller waits, the main thread never
// compresses, and a book that changes fifty times a second for few readers is never compressed.
// Invariants: `bytes` is the sum of all entries, and both it and the number of entries stay within
// their bounds. An entry is found by its entity tag, so bytes that are rebuilt find it again.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { bytesOf, type Payload } from '../../../messages/payload.ts'

interface CompressedBounds {
  readonly bytesMax: number
  readonly entriesMax: number
  /** Concurrent compressions. At the limit, a later caller of the version starts its own. */
  readonly atOnceMax: number
}

/** Shorter replies fit one packet with their head, so compression gains nothing. */
const SHORT_BYTES = 1024
/** Longer replies are rare and would occupy a thread of the pool for long. */
const LONG_BYTES = 4 << 20
/** The overhead of an entry: its tag and its place in the map. */
const ENTRY_BYTES = 200

export function isCompressible(bytes: number): boolean {
  return bytes >= SHORT_BYTES && bytes <= LONG_BYTES
}

type Make = (plain: Uint8Array) => Promise<Uint8Array>

const asGzip = promisify(gzip)
const asBrotli = promisify(brotliCompress)
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } } as const
/** A higher quality costs several times as much for a few percent. */
const MAKE: Readonly<Record<Coding, Make>> = {
  br: (plain) => asBrotli(plain, BROTLI),
  gzip: (plain) => asGzip(plain, { level: 6 }),
}

/** Compressed by the build; kept as long as the plain bytes are. */
const builtBrotli = new WeakMap<Uint8Array, Uint8Array>()

/** Returns the plain bytes and registers `brotli` for callers that accept it. */
export function withBrotli(plain: Uint8Array, brotli: Uint8Array): Uint8Array {
  builtBrotli.set(plain, brotli)
  return plain
}

interface Entry {
  bytes: Uint8Array | null
  /** The compression has started, so no other call starts it. */
  isBegun: boolean
  /** Requested since the last eviction pass. */
  isUsed: boolean
}

export class CompressedReplies {
  readonly #bounds: CompressedBounds
  readonly #onFault: (error: unknown) => void
  /** By the tag of the coded reply, oldest first. */
  readonly #entries = new Map<string, Entry>()
  #atWork = 0
  #bytes = 0
  /** Compressions since the start. */
  madeCount = 0

  constructor(bounds: CompressedBounds, onFault: (error: unknown) => void) {
    this.#bounds = bounds
    this.#onFault = onFault
  }

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#entries.size
  }

  /** The bytes in this coding; null when the caller gets plain bytes. */
  find(tag: string, coding: Coding, payload: Payload): Uint8Array | null {
    const built = payload instanceof Uint8Array ? builtBrotli.get(payload) : undefined
    if (built !== undefined && coding === 'br') return built
    if (!isCompressible(payload.length)) return null
    const entry = this.#entries.get(tag)
    if (entry === undefined) {
      this.#entries.set(tag, { bytes: null, isBegun: false, isUsed: false })
      this.#bytes += ENTRY_BYTES
      this.#freeCapacity()
      return null
    }
    entry.isUsed = true
    if (!entry.isBegun && this.#atWork < this.#bounds.atOnceMax) {
      this.#begin(tag, entry, MAKE[coding], payload)
    }
    return entry.bytes
  }

  #begin(tag: string, entry: Entry, make: Make, payload: Payload): void {
    entry.isBegun = true
    this.#atWork++
    const plain = bytesOf(payload)
    make(plain)
      .then((bytes) => this.#made(tag, entry, bytes, plain.length))
      .catch(this.#onFault)
      .finally(() => {
        this.#atWork--
      })
  }

  #made(tag: string, entry: Entry, bytes: Uint8Array, plainBytes: number): void {
    this.madeCount++
    const isThere = this.#entries.get(tag) === entry
    if (!isThere || bytes.length >= plainBytes) return
    entry.bytes = bytes
    this.#bytes += bytes.length
    this.#freeCapacity()
  }

  /** Evicts the oldest entries; an entry used since the last pass is skipped once. */
  #freeCapacity(): void {
    const { bytesMax, entriesMax } = this.#bounds
    while (this.#bytes > bytesMax || this.#entries.size > entriesMax) {
      const [oldest] = this.#entries
      if (oldest === undefined) return
      const [tag, entry] = oldest
      this.#entries.delete(tag)
      if (entry.isUsed) {
        entry.isUsed = false
        this.#entries.set(tag, entry)
      } else this.#bytes -= ENTRY_BYTES + (entry.bytes?.length ?? 0)
    }
  }
}

// Selects a content coding from Accept-Encoding (RFC 9110).

export type Coding = 'br' | 'gzip'

/** In order of preference at equal weight: the smaller result first. */
export const CODINGS: readonly Coding[] = ['br', 'gzip']

/** Clients send under a hundred characters. A longer header is ignored and gets plain bytes. */
const TEXT_MAX = 256
/** Cached header values. Each client program has its own, so there are few. */
const KNOWN_MAX = 64

const ELEMENT = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i

/** The weight of each element; malformed elements are skipped. */
function weightsOf(text: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const element of text.split(',')) {
    const [, name, weight = '1'] = ELEMENT.exec(element) ?? []
    if (name !== undefined) weights.set(name.toLowerCase(), Number(weight))
  }
  return weights
}

function read(text: string): Coding | null {
  const weights = weightsOf(text)
  const others = weights.get('*') ?? 0
  let best: Coding | null = null
  // Identity wins unless a coding has at least its weight.
  let worth = Math.max(weights.get('identity') ?? 0, Number.MIN_VALUE)
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? weights.get('x-gzip') : undefined)
    const isBetter = best === null ? (weight ?? others) >= worth : (weight ?? others) > worth
    if (!isBetter) continue
    best = coding
    worth = weight ?? others
  }
  return best
}

export class AcceptedCodings {
  readonly #known = new Map<string, Coding | null>()

  /** The coding that the header prefers; null for plain bytes. */
  of(text: string): Coding | null {
    if (text === '' || text.length > TEXT_MAX) return null
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const coding = read(text)
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.set(text, coding)
    return coding
  }
}
