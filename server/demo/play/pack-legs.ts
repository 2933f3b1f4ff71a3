// Legs for the packs of the demo: currently quoted outcomes.

import { integer, number, text } from '../../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../edge/http/schema/schema.ts'
import type { DemoClient } from '../demo-client.ts'

export interface QuotedLeg {
  readonly marketSlug: string
  readonly outcomeIndex: number
  readonly bookPrice: number
}

export const LEGS = 2

const knownMarkets = compile(
  openObject({
    data: list(openObject({ marketSlug: text(), outcomes: list(openObject({})) })),
  }),
)
const quoted = compile(openObject({ outcomeIndex: integer(0, 1), bookPrice: number(0, 1) }))

/** Negative, 0 or positive at random. */
const anyOrder = () => Math.random() - 0.5

/** A random outcome of as many markets as a demo pack has; fewer when fewer trade. */
export async function quotedLegs(
  trader: DemoClient,
  isRequested: (slug: string) => boolean,
): Promise<QuotedLeg[]> {
  const found = await trader.call('GET', '/parlay/markets?limit=50')
  if (!knownMarkets.holds(found)) throw new Error('pack markets have outcomes')
  const legs = found.data.flatMap(({ marketSlug, outcomes }) => {
    const chosen = outcomes.sort(anyOrder).find((outcome) => quoted.holds(outcome))
    if (!isRequested(marketSlug) || !quoted.holds(chosen)) return []
    const { outcomeIndex, bookPrice } = chosen
    return [{ marketSlug, outcomeIndex, bookPrice }]
  })
  return legs.sort(anyOrder).slice(0, LEGS)
}

/** In the form of a call. */
export function namesOf(legs: readonly QuotedLeg[]) {
  return legs.map(({ marketSlug, outcomeIndex }) => ({ marketSlug, outcomeIndex }))
}
