// A state as a snapshot file holds it, and back. What is packed shares nothing with its exchange.

import { type CapturedState, capture } from '../../engine/core/capture.ts'
import type { Exchange } from '../../engine/core/exchange.ts'
import {
  type PackedState,
  packedState,
  unpackedState,
} from '../../persistence/snapshot/snapshot-sections.ts'

export function packed(exchange: Exchange): PackedState {
  return packedState(capture(exchange))
}

/** Gives another copy with each call: a restored exchange goes on in the memory of its names. */
export function unpacked({ bytesOf, names }: PackedState): CapturedState {
  return unpackedState({ bytesOf, names: names && copied(names) })
}

function copied({ seed, filters }: NonNullable<PackedState['names']>) {
  const copies = filters.map(({ segments, ...age }) => {
    const own = segments?.map((each) => ({ ...each, shared: each.shared.slice(0) })) ?? null
    return { ...age, segments: own }
  })
  return { seed, filters: copies }
}
