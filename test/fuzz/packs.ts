import assert from 'node:assert/strict'
import type { Json } from '../../server/edge/http/schema/schema.ts'
import type { ExchangeClient, TestMarket, Trader } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import type { Role } from './speaker.ts'

// Packs in a fuzzed exchange: two markets that a dealer quotes, house money, one pack, and what
// replies gave of quotes and offers. Nobody resolves those two markets, so a pack changes nothing
// of its owner later.

const SHARE = 1_000_000
const HOUSE_RAW = 1_000_000 * SHARE
const DEALER_RAW = 100_000 * SHARE
const QUOTED_TICKS = 460
const QUOTED_RAW = 20_000 * SHARE
const STAKE = '2000000'
/** Quotes and offers that are not too old to be of use. */
const FRESH_MAX = 6

export interface PackSetting {
  /** Its orders rest in `legs` until the end. */
  readonly dealer: Trader
  readonly legs: readonly TestMarket[]
  /** The body of POST /parlay/create for each quote, newest last. */
  readonly quotes: Map<Role, string[]>
  readonly offers: Map<Role, string[]>
  readonly packs: string[]
  /** Ids of packs of the list: one that stays, and those that operators made since. */
  readonly curated: readonly string[]
  readonly madeCurated: string[]
  /** A position of each actor that has won, and the transaction that paid it. */
  readonly won: ReadonlyMap<Role, WonPosition>
}

interface WonPosition {
  readonly id: string
  readonly txHash: string
}

async function quoted(client: ExchangeClient, dealer: Trader, slug: string): Promise<TestMarket> {
  const market = await client.makeMarket(slug, false)
  // A bid for one outcome is an ask for the other.
  for (const [salt, outcome] of (['yes', 'no'] as const).entries()) {
    const size = { ticks: QUOTED_TICKS, sizeRaw: QUOTED_RAW }
    const wanted = { isBuy: true, outcome, ...size, type: 'GTC', salt: 1 + salt } as const
    await client.placed(dealer, market, wanted)
  }
  return market
}

const legNames = (legs: readonly TestMarket[]) =>
  legs.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))

async function curatedOf(client: ExchangeClient, name: string, legs: readonly TestMarket[]) {
  return String(at(await client.admin('/admin/packs', { name, legs: legNames(legs) }), 'id'))
}

/** Lets each actor buy a pack of markets that end now, and win it. */
async function wonBy(
  client: ExchangeClient,
  dealer: Trader,
  actors: ReadonlyMap<Role, { readonly trader: Trader }>,
): Promise<Map<Role, WonPosition>> {
  const legs: TestMarket[] = []
  for (const slug of ['fuzz-won-a', 'fuzz-won-b']) legs.push(await quoted(client, dealer, slug))
  const packId = await curatedOf(client, 'Fuzz won', legs)
  const deadline = String(Math.floor(Date.now() / 1000) + 600)
  const terms = { packId, stakeAmount: STAKE, minPayoutAmount: STAKE, deadline }
  const bought = new Map<Role, string>()
  for (const [role, { trader }] of actors) {
    const body = JSON.stringify({ ...terms, idempotencyKey: 'won' })
    const made = await client.call(trader, 'POST', '/parlay/partner/buy', body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    bought.set(role, String(at(made.body, 'position', 'id')))
  }
  for (const { slug } of legs) {
    await client.admin(`/admin/markets/${slug}/resolve`, { winningOutcomeIndex: 0 })
  }
  const won = new Map<Role, WonPosition>()
  for (const [role, { trader }] of actors) {
    const id = bought.get(role) ?? ''
    for (;;) {
      const path = `/parlay/partner/positions/${id}/claim`
      const { body } = await client.call(trader, 'POST', path, '{}')
      if (at(body, 'status') !== 'CLAIMED') continue
      won.set(role, { id, txHash: String(at(body, 'txHash')) })
      break
    }
  }
  return won
}

export async function packSettingOf(
  client: ExchangeClient,
  actors: ReadonlyMap<Role, { readonly trader: Trader }>,
): Promise<PackSetting> {
  await client.admin('/admin/house', { collateralRaw: HOUSE_RAW })
  const dealer = await client.makeTrader('fuzz dealer', DEALER_RAW)
  const legs: TestMarket[] = []
  for (const slug of ['fuzz-leg-a', 'fuzz-leg-b']) legs.push(await quoted(client, dealer, slug))
  const wanted = { legs: legNames(legs) }
  const requested = { ...wanted, stake: STAKE }
  // The orders of a buyer price no pack of its own.
  const buyer = await client.makeTrader('fuzz buyer of packs', DEALER_RAW)
  const { body } = await client.call(buyer, 'POST', '/parlay/quote', JSON.stringify(requested))
  const quote = { ...requested, quoteId: at(body, 'quoteId') }
  const made = await client.call(buyer, 'POST', '/parlay/create', JSON.stringify(quote))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const packs = [String(at(made.body, 'id'))]
  const curated = [await curatedOf(client, 'Fuzz', legs)]
  const won = await wonBy(client, dealer, actors)
  const ofList = { curated, madeCurated: [], won }
  return { dealer, legs, quotes: new Map(), offers: new Map(), packs, ...ofList }
}

/** What the marks about packs stand for when this role speaks; `offers` are those of others. */
export function packMarks(setting: PackSetting, role: Role) {
  const { legs, quotes, offers, packs, curated, madeCurated, won } = setting
  const own = won.get(role)
  const others = [...offers].filter(([whose]) => whose !== role)
  return {
    legs: legs.map(({ slug }) => slug),
    quotes: quotes.get(role) ?? [],
    ownoffers: offers.get(role) ?? [],
    offers: others.flatMap(([, ids]) => ids),
    packs,
    curated,
    madecurated: madeCurated,
    ownpositions: own === undefined ? [] : [own.id],
    ownclaims: own === undefined ? [] : [own.txHash],
    // Until when a purchase may be made.
    soon: [String(Math.floor(Date.now() / 1000) + 60)],
  }
}

/** Learns from a reply of success. */
export function learnPacks(setting: PackSetting, route: string, role: Role, body: unknown): void {
  const id = at(body, 'id')
  if (route === 'POST /parlay/quote') learnQuote(setting, role, body)
  if (typeof id !== 'string') return
  if (route === 'POST /parlay/offers') renew(setting.offers, role, id)
  const isPack = route === 'POST /parlay/create' || route === 'POST /parlay/offers/:id/accept'
  if (isPack && setting.packs.length < FRESH_MAX) setting.packs.push(id)
}

/** The legs and the stake of a quote are part of what its id proves. */
function learnQuote({ quotes }: PackSetting, role: Role, body: unknown): void {
  const legs = at(body, 'legs')
  const quoteId = at(body, 'quoteId')
  if (typeof quoteId !== 'string' || !Array.isArray(legs)) return
  const named = legs.map((leg: unknown) => ({
    marketSlug: at(leg, 'marketSlug'),
    outcomeIndex: at(leg, 'outcomeIndex'),
  }))
  renew(quotes, role, JSON.stringify({ quoteId, legs: named, stake: at(body, 'stake') }))
}

function renew(all: Map<Role, string[]>, role: Role, text: string): void {
  const kept = (all.get(role) ?? []).filter((each) => each !== text)
  all.set(role, [...kept, text].slice(-FRESH_MAX))
}

/** The ids of the open offers of an account, as everybody sees them. */
export async function offersOf(client: ExchangeClient, account: string): Promise<string[]> {
  const offers: Json = JSON.parse(JSON.stringify(at(await client.get('/parlay/offers'), 'data')))
  assert.ok(Array.isArray(offers), 'open offers are listed')
  return offers
    .filter((offer) => at(offer, 'creator', 'account') === account)
    .map((offer) => String(at(offer, 'id')))
}
