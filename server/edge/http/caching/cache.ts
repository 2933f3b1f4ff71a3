// Who may cache the replies of a route, and for how long: the values of `Cache-Control`.

import type { RejectName } from '../../../../engine/domain/reject-precedence.ts'

type KeptRefusal = readonly [name: RejectName, text: string]

export interface Cache {
  /** `Cache-Control` of replies. */
  readonly replies: string
  /** `Cache-Control` of the refusals that may be cached. */
  readonly refusals: readonly KeptRefusal[]
  /** `Cache-Control` of all other refusals. */
  readonly others: string
  /** All callers get the same reply, so it has an ETag and may be compressed. */
  readonly isPublic: boolean
}

/** Caches store the reply and revalidate it on each use. */
export const REVALIDATE = 'public, no-cache'

/** Caches use the reply for `sec`, and for `staleSec` more while they revalidate it. */
export function lasting(sec: number, staleSec = 0): string {
  return `public, max-age=${sec}${staleSec === 0 ? '' : `, stale-while-revalidate=${staleSec}`}`
}

/**
 * The `cache` of an open route, for its replies and for the refusals that may be cached. Like
 * `cached(REVALIDATE, ['MARKET_NOT_FOUND', lasting(300, 300)])`.
 */
export function cached(replies: string, ...refusals: readonly KeptRefusal[]): Cache {
  return { replies, refusals, others: 'no-store', isPublic: true }
}

function unkept(text: string): Cache {
  return { replies: text, refusals: [], others: text, isPublic: false }
}

/** The default of open routes: the reply is valid only for a moment or for one caller. */
export const NOT_KEPT = unkept('no-store')

/** Every route that authenticates its caller. */
export const PRIVATE = unkept('private, no-store')
