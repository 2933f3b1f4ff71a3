// How long the replies of a route may be kept, and by whom: the texts of `Cache-Control`.

import type { RejectName } from '../../../../engine/domain/reject-precedence.ts'

type KeptRefusal = readonly [name: RejectName, text: string]

export interface Cache {
  /** `Cache-Control` of replies. */
  readonly replies: string
  /** `Cache-Control` of the refusals that may be kept. */
  readonly refusals: readonly KeptRefusal[]
  /** `Cache-Control` of all other refusals. */
  readonly others: string
  /** Everybody gets the same reply, so it has an ETag and may be compressed. */
  readonly isPublic: boolean
}

/** Caches keep it and ask with each use whether it is still current. */
export const REVALIDATE = 'public, no-cache'

/** Caches use it so long without a question, and for `staleSec` more while they ask. */
export function lasting(sec: number, staleSec = 0): string {
  return `public, max-age=${sec}${staleSec === 0 ? '' : `, stale-while-revalidate=${staleSec}`}`
}

/**
 * The `cache` of an open route: of its replies, and of the refusals that may be kept. Like
 * `cached(REVALIDATE, ['MARKET_NOT_FOUND', lasting(300, 300)])`.
 */
export function cached(replies: string, ...refusals: readonly KeptRefusal[]): Cache {
  return { replies, refusals, others: 'no-store', isPublic: true }
}

function unkept(text: string): Cache {
  return { replies: text, refusals: [], others: text, isPublic: false }
}

/** An open route that says nothing else: what it tells is true for a moment, or for one caller. */
export const NOT_KEPT = unkept('no-store')

/** Every route that proves its caller. */
export const PRIVATE = unkept('private, no-store')
