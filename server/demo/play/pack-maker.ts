// A demo bot that offers packs. An offer is valid for a minute, so a new one is made before the
// last expires; sometimes a person accepts it first.

import { text } from '../../edge/http/schema/scalars.ts'
import { compile, openObject } from '../../edge/http/schema/schema.ts'
import { accepted, type DemoClient } from '../demo-client.ts'
import { LEGS, namesOf, quotedLegs } from './pack-legs.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'

export interface PackMakerOptions extends BotOptions {
  readonly maker: DemoClient
  /** Who may accept an offer. */
  readonly taker: () => DemoClient
  /** Whether a market ends soon. */
  readonly isSlot: (slug: string) => boolean
  /** Resolves when the markets are quoted. */
  readonly ready: Promise<unknown>
}

const PAUSE_MS = 50_000
/** Until enough markets are quoted. */
const AGAIN_MS = 3000
const ACCEPT_CHANCE = 0.5
const STAKE_RAW = 20_000_000
const ACCEPTED_RAW = '5000000'
/** The part of a fair payout that the maker pays, and the maximum multiple of the stake. */
const PAYOUT_PART = 0.94
const MULTIPLIER_MAX = 18

const knownOffer = compile(openObject({ id: text() }))

/** The payout of the stake when all legs win. */
function payoutRawOf(legs: readonly { readonly bookPrice: number }[]): number {
  const fair = legs.reduce((product, { bookPrice }) => product / bookPrice, PAYOUT_PART)
  return Math.floor(STAKE_RAW * Math.min(MULTIPLIER_MAX, Math.max(1.1, fair)))
}

async function acceptOne({ taker }: PackMakerOptions, offerId: string): Promise<void> {
  const path = `/parlay/offers/${offerId}/accept`
  const reply = await taker().send('POST', path, { stake: ACCEPTED_RAW })
  // A visitor accepted it, or it has ended.
  if (reply.status >= 500) accepted(reply)
}

interface Offer {
  readonly id: string
  /** Whether a pack of it ends soon. */
  readonly isShort: boolean
}

/** Null when too few markets are quoted. */
async function offerOne({ maker, isSlot }: PackMakerOptions): Promise<Offer | null> {
  const isShort = Math.random() < 0.5
  const legs = await quotedLegs(maker, (slug) => !isShort || isSlot(slug))
  if (legs.length < LEGS) return null
  const body = {
    legs: namesOf(legs),
    stakeMax: String(STAKE_RAW),
    payout: String(payoutRawOf(legs)),
  }
  const reply = await maker.send('POST', '/parlay/offers', body)
  // A slot may have ended, or its price left the range, since it was read.
  if (reply.status >= 400 && reply.status < 500) return null
  const made = accepted(reply)
  if (!knownOffer.holds(made)) throw new Error('an offer has an id')
  return { id: made.id, isShort }
}

export function startPackMaker(options: PackMakerOptions): Rounds {
  let offer: Offer | null = null
  const round = async () => {
    const last = offer
    offer = null
    // Only short packs are accepted, so they never accumulate.
    if (last?.isShort && Math.random() < ACCEPT_CHANCE) await acceptOne(options, last.id)
    offer = await offerOne(options)
  }
  return startRounds({
    name: "the demo's maker of packs",
    warn: options.warn,
    audience: options.audience,
    first: () => options.ready.then(round),
    round,
    pauseMs: () => (offer === null ? AGAIN_MS : PAUSE_MS),
  })
}
