// A demo bot that stakes on packs: two quoted outcomes, or a listed pack, so that some packs wait
// and others were won or lost.

import { randomUUID } from 'node:crypto'
import { boolean, integer, text } from '../../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../edge/http/schema/schema.ts'
import type { DemoClient } from '../demo-client.ts'
import { pick } from './chance.ts'
import { LEGS, namesOf, quotedLegs } from './pack-legs.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'

export interface PackTraderOptions extends BotOptions {
  /** The profile that stakes now. */
  readonly trader: () => DemoClient
  /** Whether a market ends soon. */
  readonly isSlot: (slug: string) => boolean
  /** Resolves when the markets are quoted. */
  readonly ready: Promise<unknown>
}

const FIRST_PAUSE_MS = 2000
const PAUSE_MS = 60_000
const STAKE_RAW = '5000000'
/** With this many waiting packs, a profile stakes only on slots, because those packs end soon. */
const WAITING_MAX = 20
/** The fraction of its packs that are listed ones. */
const LISTED_PART = 0.3
const DEADLINE_SEC = 60

const knownList = compile(list(openObject({ id: text(), eligible: boolean() })))
const knownPacks = compile(openObject({ totalRows: integer(0) }))
const knownQuote = compile(openObject({ eligible: boolean() }))
const knownPromise = compile(openObject({ quoteId: text() }))

/** Buys a listed pack at the current price; returns whether one could be bought. */
async function buyListed(buyer: DemoClient): Promise<boolean> {
  const listed = await buyer.call('GET', '/parlay/packs')
  if (!knownList.holds(listed)) throw new Error('listed packs are a list')
  const chosen = pick(listed.filter(({ eligible }) => eligible))
  if (chosen === undefined) return false
  const wanted = { packId: chosen.id, stakeAmount: STAKE_RAW }
  const quote = await buyer.call('POST', '/parlay/partner/quote', wanted)
  if (!knownQuote.holds(quote) || !quote.eligible) return false
  await buyer.call('POST', '/parlay/partner/buy', {
    ...wanted,
    minPayoutAmount: STAKE_RAW,
    deadline: String(Math.floor(Date.now() / 1000) + DEADLINE_SEC),
    idempotencyKey: randomUUID(),
  })
  return true
}

/** Returns whether a pack was created. */
async function stakeOnce({ trader, isSlot }: PackTraderOptions): Promise<boolean> {
  const staker = trader()
  const { account } = staker.trader
  const waiting = await staker.call('GET', `/parlay/${account}/positions?status=ACTIVE&limit=1`)
  if (!knownPacks.holds(waiting)) throw new Error('the packs of a profile have a count')
  const hasMany = waiting.totalRows >= WAITING_MAX
  if (!hasMany && Math.random() < LISTED_PART && (await buyListed(staker))) return true
  const quoted = await quotedLegs(staker, (slug) => !hasMany || isSlot(slug))
  if (quoted.length < LEGS) return false
  const legs = namesOf(quoted)
  const quote = await staker.call('POST', '/parlay/quote', { legs, stake: STAKE_RAW })
  if (!knownQuote.holds(quote)) throw new Error('a quote has its eligibility')
  if (!knownPromise.holds(quote)) return false
  const { quoteId } = quote
  await staker.call('POST', '/parlay/create', { quoteId, legs, stake: STAKE_RAW })
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
    audience: options.audience,
    first: () => options.ready.then(round),
    round,
    pauseMs: () => (hasMade ? PAUSE_MS : FIRST_PAUSE_MS),
  })
}
