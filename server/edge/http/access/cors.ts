// Which pages of other hosts a browser lets read the replies (the Fetch standard, "CORS"). Nothing
// is kept for an origin that a caller sends: it is looked up in the list of the operator.

import type { Header } from '../../../messages/call.ts'
import { type Call, header } from '../../../messages/call.ts'

/** What `--cors-origin` gives: origins like `https://app.example`, or every origin. */
export type Origins = '*' | readonly string[]

/** A browser may keep the answer to a preflight so long, in seconds; most keep it two hours. */
const PREFLIGHT_SEC = 7200

/** Headers of replies that a page may read besides the few that it always may. */
const RATE = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const
const OWN = ['etag', 'retry-after', 'allow', 'content-encoding', 'date', 'idempotent-replay']
const EXPOSED = [...OWN, ...RATE].join(', ')

const EXPOSE: Header = ['access-control-expose-headers', EXPOSED]
/** The reply differs by origin, so a cache must not give it to the page of another one. */
export const VARY_ORIGIN = 'origin'
const NONE: readonly Header[] = []

/** HEAD is GET without the body. Only an exchange with origins answers OPTIONS. */
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

  /** `requestHeaders` are those that a page may send. */
  constructor(origins: Origins, requestHeaders: Iterable<string>) {
    this.variesByOrigin = origins !== '*'
    // A page of any host gets no cookie sent along: that takes a listed origin.
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

  /** The headers of the answer to a preflight of a path that takes these methods. */
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
