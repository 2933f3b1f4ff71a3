// What happened in a world, in numbers.

export interface Totals {
  commands: number
  fills: number
  /** Held orders that were released. */
  releases: number
  blocks: number
  reversals: number
  refusals: number
  overloads: number
  /** Orders of sub-accounts that replaced another order. */
  replaced: number
  /** Commands that found the queue of their account full. */
  rejected: number
  crashes: number
  /** How many commands of each kind came. */
  readonly kinds: Map<string, number>
  /** How often partners got each answer for their sub-accounts. */
  readonly reported: Map<string, number>
}

export function newTotals(): Totals {
  return {
    commands: 0,
    fills: 0,
    releases: 0,
    blocks: 0,
    reversals: 0,
    refusals: 0,
    overloads: 0,
    replaced: 0,
    rejected: 0,
    crashes: 0,
    kinds: new Map(),
    reported: new Map(),
  }
}

export function addTo(sums: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [name, count] of more) sums.set(name, (sums.get(name) ?? 0) + count)
}
