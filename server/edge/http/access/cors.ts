// CORS (Fetch standard): which pages of other hosts may read replies. No state is kept for an
// origin that a caller sends: it is looked up in the operator's list.

import type { Header } from '../../../messages/call.ts'
import { type Call, header } from '../../../messages/call.ts'
import { SEQ } from '../forwarding/cluster-cell.ts'

/** The value of `--cors-origin`: origins like `https://app.example`, or every origin. */
export type Origins = '*' | readonly string[]

/** How long a browser may cache a preflight reply, in seconds; most cap it at two hours. */
const PREFLIGHT_SEC = 7200

/** Reply headers that a page may read besides the few that are always readable. */
const RATE = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const
const OWN = ['etag', 'retry-after', 'allow', 'content-encoding', 'date', 'idempotent-replay']
const EXPOSED = [...OWN, ...RATE, SEQ].join(', ')

const EXPOSE: Header = ['access-control-expose-headers', EXPOSED]
/** The reply differs by origin, so a cache must not serve it to a page of another origin. */
export const VARY_ORIGIN = 'origin'
const NONE: readonly Header[] = []

/** HEAD is GET without the body. OPTIONS is answered only when origins are configured. */
export function allowed(methods: readonly string[], takesOptions: boolean): Header {
  const head = methods.includes('GET') ? ['HEAD'] : []
  return ['allow', [...methods, ...head, ...(takesOptions ? ['OPTIONS'] : [])].join(', ')]
}

export class Cors {
  readonly #byOrigin: ReadonlyMap<string, readonly Header[]>
  /** For origins that are not listed. */
  readonly #others: readonly Header[]
  readonly #requested: readonly Header[]
  readonly variesByOrigin: boolean

  /** `requestHeaders` are the headers that a page may send. */
  constructor(origins: Origins, requestHeaders: Iterable<string>) {
    this.variesByOrigin = origins !== '*'
    // The wildcard never lets a page send cookies; that requires a listed origin.
    this.#others = origins === '*' ? [['access-control-allow-origin', '*'], EXPOSE] : NONE
    this.#byOrigin = new Map(origins === '*' ? [] : origins.map((each) => [each, listed(each)]))
    this.#requested = [
      ['access-control-allow-headers', [...new Set(requestHeaders)].join(', ')],
      ['access-control-max-age', `${PREFLIGHT_SEC}`],
    ]
  }

  /** The headers of every reply to this call, without `Vary`. */
  of(call: Call): readonly Header[] {
    const origin = header(call, 'origin')
    return origin === '' ? NONE : (this.#byOrigin.get(origin) ?? this.#others)
  }

  /** The headers of the preflight reply for a path with these methods. */
  preflight(call: Call, methods: readonly string[]): readonly Header[] {
    const own = allowed(methods, true)
    const shared = this.of(call)
    if (shared.length === 0) return [own]
    return [own, ...shared, ['access-control-allow-methods', own[1]], ...this.#requested]
  }
}

function listed(origin: string): readonly Header[] {
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    EXPOSE,
  ]
}
