// Entity tags, as RFC 9110 says under ETag and If-None-Match. A tag is the digest of the bytes, so
// it is strong, and the same before and after a restart. Each coding of the same bytes has a tag
// of its own.

import { createHash } from 'node:crypto'
import { Joined, type Payload } from '../../../messages/payload.ts'
import type { Coding } from './accept-encoding.ts'

/** 132 bits: nobody finds two replies with one digest. */
const DIGEST_CHARACTERS = 22

/** The tags of one reply, in their quotes. */
export type Tags = Readonly<Record<Coding | 'identity', string>>

function tagsOf(payload: Uint8Array | string): Tags {
  const digest = createHash('sha256').update(payload).digest('base64url')
  const short = digest.slice(0, DIGEST_CHARACTERS)
  return { identity: `"${short}"`, br: `"${short}-br"`, gzip: `"${short}-gzip"` }
}

/** Makes the tags of bytes once, and keeps them as long as the bytes are kept. */
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

  /** A list is not hashed whole for each call: its tag follows from the tags of its parts. */
  #ofParts({ parts }: Joined): Tags {
    const named = parts.map((part) => (typeof part === 'string' ? part : this.of(part).identity))
    // No part has a raw end of line, so no two lists of parts give one text.
    return tagsOf(named.join('\n'))
  }
}

/**
 * The tag that `If-None-Match` names among those of a reply; null when it names none. The same
 * bytes in another coding are known too. Only a tag of the list can hold ours with its quotes: no
 * tag has a quote inside, and the text between two tags has a comma, which ours do not have. So a
 * list of any length costs one search. `W/` before a tag means nothing here (weak comparison).
 */
export function knownTag(ifNoneMatch: string, tags: Tags): string | null {
  if (ifNoneMatch.trim() === '*') return tags.identity
  // The tag without its closing quote begins all three.
  if (!ifNoneMatch.includes(tags.identity.slice(0, -1))) return null
  for (const tag of [tags.identity, tags.br, tags.gzip]) if (ifNoneMatch.includes(tag)) return tag
  return null
}
