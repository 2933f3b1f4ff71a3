// RELEASE records ↔ commands: the head of a PLACE record with another kind. The order's hash and
// client id are only in its PLACE record.

import { assert } from '../domain/assert.ts'
import type { ReleaseOrder } from '../domain/command.ts'
import { blankPlace, readPlaceHead, writeDecided, writeTerms } from './place-codec.ts'
import { viewOf, writeHead } from './record-head.ts'
import { KIND, PLACE_HEAD_BYTES } from './record-layout.ts'

const releaseBytes = new Uint8Array(PLACE_HEAD_BYTES)
const releaseView = viewOf(releaseBytes)

export function blankRelease(): ReleaseOrder {
  return { ...blankPlace(), kind: 'releaseOrder' }
}

export function encodeRelease(release: ReleaseOrder): Uint8Array {
  return scratchRelease(release).slice()
}

/** Encodes a RELEASE record. It is valid until the next call. */
export function scratchRelease(release: ReleaseOrder): Uint8Array {
  writeHead(releaseView, KIND.RELEASE, release)
  writeTerms(releaseView, release)
  writeDecided(releaseView, 0, release)
  return releaseBytes
}

export function decodeRelease(record: Uint8Array): ReleaseOrder {
  assert(record.length === PLACE_HEAD_BYTES, 'a release is only the head of its order')
  const release = blankRelease()
  readPlaceHead(viewOf(record), 0, release)
  return release
}
