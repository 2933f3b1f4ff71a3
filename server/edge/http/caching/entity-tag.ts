// Entity tags (RFC 9110, ETag and If-None-Match). A tag is the digest of the bytes, so it is strong
// and survives a restart. Each coding of the same bytes has its own tag.

import { createHash } from 'node:crypto'
import { Joined, type Payload } from '../../../messages/payload.ts'
import type { Coding } from './compressed.ts'

/** 132 bits: no two replies with the same digest can be found. */
const DIGEST_CHARACTERS = 22

/** The quoted tags of one reply. */
export type Tags = Readonly<Record<Coding | 'identity', string>>

function tagsOf(payload: Uint8Array | string): Tags {
  const digest = createHash('sha256').update(payload).digest('base64url')
  return tagsOfDigest(digest.slice(0, DIGEST_CHARACTERS))
}

function tagsOfDigest(digest: string): Tags {
  return { identity: `"${digest}"`, br: `"${digest}-br"`, gzip: `"${digest}-gzip"` }
}

/** All tags of the bytes that have this one. */
export function tagsBeside(tag: string): Tags {
  return tagsOfDigest(tag.slice(1, 1 + DIGEST_CHARACTERS))
}

/** Computes the tags of bytes once and keeps them as long as the bytes. */
export class EntityTags {
  readonly #known = new WeakMap<Uint8Array, Tags>()

  of(payload: Payload): Tags {
    if (typeof payload === 'string') return tagsOf(payload)
    if (payload instanceof Joined) return this.#ofParts(payload)
    const known = this.#known.get(payload)
    if (known !== undefined) return known
    const tags = tagsOf(payload)
    this.#known.set(payload, tags)
    return tags
  }

  /** The tag of a list follows from the tags of its parts, so it is not rehashed as a whole. */
  #ofParts({ parts }: Joined): Tags {
    const named = parts.map((part) => (typeof part === 'string' ? part : this.of(part).identity))
    // No part contains a raw line break, so no two lists of parts join to one text.
    return tagsOf(named.join('\n'))
  }
}

/**
 * The tag of a reply that `If-None-Match` names; null when it names none. A tag of another coding
 * of the same bytes also matches. One substring search suffices for a list of any length: only a
 * listed tag can contain ours with its quotes, because no tag has a quote inside, and the text
 * between two tags has a comma, which ours do not have. A `W/` prefix is ignored (weak comparison).
 */
export function knownTag(ifNoneMatch: string, tags: Tags): string | null {
  if (ifNoneMatch.trim() === '*') return tags.identity
  // All three tags start with the identity tag less its closing quote.
  if (!ifNoneMatch.includes(tags.identity.slice(0, -1))) return null
  for (const tag of [tags.identity, tags.br, tags.gzip]) if (ifNoneMatch.includes(tag)) return tag
  return null
}
