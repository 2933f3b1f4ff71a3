// The headers that the gateway adds to replies: caching, entity tag, coding, and which pages may
// read them. A reply that its caller already has becomes 304.

import { LIMITS } from '../../../../../engine/domain/limits.ts'
import type { Header } from '../../../../messages/call.ts'
import { type Call, header } from '../../../../messages/call.ts'
import type { Refusal } from '../../../../messages/refusal.ts'
import { allowed, type Cors, VARY_ORIGIN } from '../../access/cors.ts'
import { type Cache, NOT_KEPT } from '../../caching/cache.ts'
import { AcceptedCodings, type Coding, CompressedReplies } from '../../caching/compressed.ts'
import { EntityTags, knownTag } from '../../caching/entity-tag.ts'
import { JSON_TYPE } from '../../reply.ts'
import { encoded, type Outgoing, outgoing, withHeaders } from './outgoing.ts'
import { headText } from './unread-replies.ts'

const OK = 200
const NO_CONTENT = 204
const NOT_MODIFIED = 304
const VARY_ENCODING = 'accept-encoding'

interface CommonHeads {
  readonly headers: readonly Header[]
  /** Heads of JSON replies with a body. */
  readonly byStatus: Map<number, string>
}

export class ReplyHeads {
  readonly #cors: Cors | null
  readonly #tags = new EntityTags()
  readonly #accepted = new AcceptedCodings()
  /** Cached replies of shared bytes for calls without special headers: all get the same one. */
  readonly #plain = new WeakMap<Uint8Array, Outgoing>()
  /** By Cache-Control, of which the routes have a few. */
  readonly #commonHeads = new Map<string, CommonHeads>()
  /** `Vary` of a reply with one coding, and of a reply with several. */
  readonly #varyPlain: readonly Header[]
  readonly #varyCoded: Header
  readonly compressed: CompressedReplies

  constructor(cors: Cors | null, onFault: (error: unknown) => void) {
    this.#cors = cors
    const byOrigin = cors?.variesByOrigin === true
    this.#varyPlain = byOrigin ? [['vary', VARY_ORIGIN]] : []
    this.#varyCoded = ['vary', byOrigin ? `${VARY_ENCODING}, ${VARY_ORIGIN}` : VARY_ENCODING]
    this.compressed = new CompressedReplies(LIMITS.compressedReplies, onFault)
  }

  /** The outcome of a route with these headers added. */
  of(call: Call, cache: Cache, out: Outgoing): Outgoing {
    if (cache.isPublic && out.status === OK) return this.#public(call, cache, out)
    const { refusal } = out
    const kept = refusal === null ? cache.replies : (this.#keptFor(cache, refusal) ?? cache.others)
    if (this.#cors === null && out.headers.length === 0) return this.#common(kept, out)
    return withHeaders(out, [...out.headers, ['cache-control', kept], ...this.#origin(call)])
  }

  /** A reply without headers of its own; the heads of such replies are joined once. */
  #common(kept: string, out: Outgoing): Outgoing {
    let common = this.#commonHeads.get(kept)
    if (common === undefined) {
      common = { headers: [['cache-control', kept], ...this.#varyPlain], byStatus: new Map() }
      this.#commonHeads.set(kept, common)
    }
    const { headers, byStatus } = common
    const made = withHeaders(out, headers)
    if (made.type !== JSON_TYPE || made.payload.length === 0) return made
    made.head = byStatus.get(made.status) ?? headText(made, false)
    byStatus.set(made.status, made.head)
    return made
  }

  /** A refusal from before the route was involved. */
  ofRefusal(call: Call, refusal: Refusal, more: readonly Header[]): Outgoing {
    return this.of(call, NOT_KEPT, encoded(refusal, refusal.status, more))
  }

  /** The header of a refusal on a path that takes these methods. */
  allow(methods: readonly string[]): Header {
    return allowed(methods, this.#cors !== null)
  }

  /** The preflight reply for a path with these methods; null when no origin is allowed. */
  preflight(call: Call, methods: readonly string[]): Outgoing | null {
    if (this.#cors === null || call.method !== 'OPTIONS') return null
    const headers = [...this.#cors.preflight(call, methods), ...this.#varyPlain]
    return outgoing(NO_CONTENT, '', '', headers)
  }

  #keptFor({ refusals }: Cache, name: string): string | undefined {
    return refusals.find(([each]) => each === name)?.[1]
  }

  #origin(call: Call): readonly Header[] {
    return this.#cors === null ? this.#varyPlain : [...this.#cors.of(call), ...this.#varyPlain]
  }

  #public(call: Call, { replies }: Cache, out: Outgoing): Outgoing {
    const { payload, headers } = out
    const isSame = this.#cors === null && headers.length === 0 && payload instanceof Uint8Array
    const isPlain = isSame && !call.headers.has('if-none-match') && !this.#codingOf(call)
    const known = isPlain ? this.#plain.get(payload) : undefined
    // Another route may send the same bytes as another type, or allow longer caching.
    if (known?.type === out.type && known.headers[0][1] === replies) return known
    const made = this.#publicOf(call, replies, out)
    if (isPlain) this.#plain.set(payload, made)
    return made
  }

  #codingOf(call: Call): Coding | null {
    return this.#accepted.of(header(call, 'accept-encoding'))
  }

  #publicOf(call: Call, replies: string, out: Outgoing): Outgoing {
    const tags = this.#tags.of(out.payload)
    const headers: Header[] = [...out.headers, ['cache-control', replies], this.#varyCoded]
    if (this.#cors !== null) headers.push(...this.#cors.of(call))
    const ifNoneMatch = header(call, 'if-none-match')
    const known = ifNoneMatch === '' ? null : knownTag(ifNoneMatch, tags)
    if (known !== null) {
      headers.push(['etag', known])
      return outgoing(NOT_MODIFIED, out.type, '', headers)
    }
    const coding = this.#codingOf(call)
    const small = coding && this.compressed.find(tags[coding], coding, out.payload)
    if (coding === null || small === null) {
      headers.push(['etag', tags.identity])
      return withHeaders(out, headers)
    }
    headers.push(['etag', tags[coding]], ['content-encoding', coding])
    return outgoing(OK, out.type, small, headers)
  }
}
