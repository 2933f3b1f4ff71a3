// A captured state as the sections of a snapshot file, and back.

import type { CapturedState } from '../../engine/core/capture.ts'
import type { CapturedFilters } from '../../engine/core/orders/seen-filters.ts'
import { assert } from '../../engine/domain/assert.ts'
import { packState, unpackParts } from '../../engine/wire/codec.ts'

/** In file order. The filters of the seen orders are stored separately, as the names. */
export const SECTIONS = [
  'clock',
  'accounts',
  'profiles',
  'catalogue',
  'ledger',
  'orders',
  'seen',
  'settlement',
  'modes',
  'heartbeats',
  'frozen',
  'operators',
  'series',
  'oracle',
  'pages',
  'properties',
  'matches',
  'social',
] as const satisfies readonly (keyof CapturedState)[]
export type Section = (typeof SECTIONS)[number]
const nothingIsMissing: Record<Exclude<keyof CapturedState, Section>, 'missing'> = {}
assert(Object.keys(nothingIsMissing).length === 0, 'a file has every section')
/** Sections that share no memory with the exchange once captured. */
const COPIED: ReadonlySet<Section> = new Set(['accounts', 'profiles', 'ledger', 'orders'])

/**
 * A state in the form that follows the head. All of it is a copy, so the state may change
 * meanwhile.
 */
export interface PackedState {
  /** The bytes of a section. Large sections are created on demand. */
  readonly bytesOf: (section: Section) => Uint8Array
  readonly names: CapturedFilters | null
}

export function packedState(state: CapturedState): PackedState {
  const { filters: names, ...seen } = state.seen
  const parts: Record<Section, unknown> = { ...state, seen }
  const small = new Map<Section, Uint8Array>()
  for (const name of SECTIONS) if (!COPIED.has(name)) small.set(name, packState(parts[name]))
  return { bytesOf: (name) => small.get(name) ?? packState(parts[name]), names }
}

/** The names of orders come apart from the section of the seen orders. */
type WithoutNames = Omit<CapturedState, 'seen'> & {
  readonly seen: Omit<CapturedState['seen'], 'filters'>
}

export function unpackedState({ bytesOf, names }: PackedState): CapturedState {
  const { seen, ...parts } = unpackParts<WithoutNames>(SECTIONS, bytesOf)
  return { ...parts, seen: { ...seen, filters: names } }
}

export const HELD = ['clock', 'profiles', 'catalogue', 'ledger', 'settlement'] as const
/** The parts of a state with holdings, and with their place on a chain. */
export type HeldState = Pick<CapturedState, (typeof HELD)[number]>

export function heldState(bytesOf: PackedState['bytesOf']): HeldState {
  return unpackParts<HeldState>(HELD, bytesOf)
}
