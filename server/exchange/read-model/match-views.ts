// The markets of each match, from durable commands.

import type { Matches, PlacedMatch } from '../../../engine/core/sports/matches.ts'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'

function marketsOf(command: CommandOf<'matches'>, matches: Matches): readonly MarketId[] {
  // A score does not affect the markets of its match: a match is forgotten after its last market.
  if (command.kind === 'scoreMatches') return []
  const { slug, markets: named = [] } =
    command.kind === 'putMatch' ? command.match : { slug: command.slug }
  const before = matches.bySlug(slug)?.markets ?? []
  return [...before, ...named].map(({ marketId }) => marketId)
}

/** Applies a command; returns the matches whose scores changed, and reports each changed market. */
export function showMatches<Shown extends { isOfMatch: boolean }>(
  matches: Matches,
  command: CommandOf<'matches'>,
  shown: ReadonlyMap<MarketId, Shown>,
  changed: (market: Shown) => void,
): readonly PlacedMatch[] {
  const touched = marketsOf(command, matches)
  const scored = matches.apply(command)
  for (const marketId of new Set(touched)) {
    const market = shown.get(marketId)
    const isOfMatch = matches.byMarket(marketId) !== undefined
    if (market === undefined || market.isOfMatch === isOfMatch) continue
    market.isOfMatch = isOfMatch
    changed(market)
  }
  return scored
}
