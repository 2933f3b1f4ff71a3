// A bot of the demo that stakes on packs: two outcomes that are quoted now, so that some packs wait
// and others were won or lost.

import { boolean, integer, number, text } from '../../http/schema/scalars.ts'
import { compile, list, openObject } from '../../http/schema/schema.ts'
import type { DemoClient } from '../demo-client.ts'
import { type Rounds, startRounds } from './rounds.ts'

export interface PackTraderOptions {
  readonly trader: DemoClient
  /** Resolves when the markets are quoted. */
  readonly ready: Promise<unknown>
  readonly warn: (sentence: string) => void
}

const FIRST_PAUSE_MS = 2000
const PAUSE_MS = 60_000
const STAKE_RAW = '5000000'
const LEGS = 2

const knownMarkets = compile(
  openObject({
    data: list(
      openObject({
        marketSlug: text(),
        outcomes: list(openObject({ outcomeIndex: integer(0, 1) })),
      }),
    ),
  }),
)
const knownPrice = compile(openObject({ bookPrice: number(0, 1) }))
const knownQuote = compile(openObject({ eligible: boolean() }))
const knownPromise = compile(openObject({ quoteId: text() }))

interface Leg {
  readonly marketSlug: string
  readonly outcomeIndex: number
}

/** One outcome of each market that can be a leg now, by chance. */
async function quotedLegs(trader: DemoClient): Promise<Leg[]> {
  const found = await trader.call('GET', '/parlay/markets?limit=50')
  if (!knownMarkets.holds(found)) throw new Error('markets of packs have outcomes')
  const legs = found.data.flatMap(({ marketSlug, outcomes }) => {
    const quoted = outcomes.filter((outcome) => knownPrice.holds(outcome))
    const chosen = quoted.at(Math.floor(Math.random() * quoted.length))
    return chosen === undefined ? [] : [{ marketSlug, outcomeIndex: chosen.outcomeIndex }]
  })
  return legs.sort(() => Math.random() - 0.5).slice(0, LEGS)
}

/** Gives whether a pack was made. */
async function stakeOnce({ trader }: PackTraderOptions): Promise<boolean> {
  const legs = await quotedLegs(trader)
  if (legs.length < LEGS) return false
  const quote = await trader.call('POST', '/parlay/quote', { legs, stake: STAKE_RAW })
  if (!knownQuote.holds(quote)) throw new Error('a quote says whether the pack can be made')
  if (!knownPromise.holds(quote)) return false
  const { quoteId } = quote
  await trader.call('POST', '/parlay/create', { quoteId, legs, stake: STAKE_RAW })
  return true
}

export function startPackTrader(options: PackTraderOptions): Rounds {
  let hasMade = false
  const round = async () => {
    const isMade = await stakeOnce(options)
    hasMade ||= isMade
  }
  return startRounds({
    name: "the demo's pack trader",
    warn: options.warn,
    first: () => options.ready.then(round),
    round,
    pauseMs: () => (hasMade ? PAUSE_MS : FIRST_PAUSE_MS),
  })
}
