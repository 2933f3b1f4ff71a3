// The ranks and their fee rates (rules §3.3).

import { assert } from '../../../engine/domain/assert.ts'
import type { Rank } from '../../../engine/domain/command.ts'

export const RANKS = [
  { id: 1, name: 'Bronze', feeRateBps: 300 },
  { id: 2, name: 'Silver', feeRateBps: 250 },
  { id: 3, name: 'Gold', feeRateBps: 200 },
  { id: 4, name: 'Platinum', feeRateBps: 150 },
  { id: 5, name: 'Diamond', feeRateBps: 100 },
] as const

/** The name of a rank in any letter case. */
export const RANK_PATTERN = '^([Bb]ronze|[Ss]ilver|[Gg]old|[Pp]latinum|[Dd]iamond)$'

/** The rank with this name, which matches RANK_PATTERN, or with this id, 1 to 5. */
export function rankOf(rank: string | number): Rank {
  const named = typeof rank === 'string' ? rank.toLowerCase() : ''
  const found = RANKS.find((each) => each.id === rank || each.name.toLowerCase() === named)
  assert(found !== undefined, 'a rank that the schema accepts is in the table')
  return found
}
