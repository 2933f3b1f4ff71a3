// The trading people of the demo: each round, one of them buys, or sells what it holds, so that
// boards and feeds have names and profits.

import type { DemoClient, DemoMarket, DemoOrder } from '../demo-client.ts'
import { pick } from './chance.ts'
import { type Holding, holdingsOf } from './holdings.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'
import { whileOpen } from './while-open.ts'

export interface CrowdOptions extends BotOptions {
  /** The people present so far. */
  readonly people: () => readonly DemoClient[]
  readonly markets: () => Promise<readonly DemoMarket[]>
}

const ROUND_MS = 2500
const SHARE_RAW = 1_000_000
/** They take from the book: a buy pays up to the first, a sale accepts down to the second. */
const BUY_TICKS = 950
const SELL_TICKS = 50
const SELL_CHANCE = 0.45
const SHARES_MAX = 40
/** Some trades are large enough for the featured feed. */
const LARGE_CHANCE = 0.08
const LARGE_SHARES = 240

/** The side of a holding of which whole shares can be sold. */
function saleOf({ yesRaw, noRaw }: Holding) {
  const outcome = yesRaw >= noRaw ? (0 as const) : (1 as const)
  return { outcome, shares: Math.floor(Math.max(yesRaw, noRaw) / SHARE_RAW) }
}

interface Wanted {
  readonly market: DemoMarket
  readonly order: DemoOrder
}

async function saleIn(
  person: DemoClient,
  open: readonly DemoMarket[],
): Promise<Wanted | undefined> {
  const { books } = await holdingsOf(person)
  const sales = books.flatMap((holding) => {
    const market = open.find(({ slug }) => slug === holding.slug)
    const sale = saleOf(holding)
    return market === undefined || sale.shares === 0 ? [] : [{ market, ...sale }]
  })
  const chosen = pick(sales)
  if (chosen === undefined) return undefined
  const { market, outcome, shares } = chosen
  const order = { isBuy: false, outcome, shares, priceTicks: SELL_TICKS, type: 'FAK' } as const
  return { market, order }
}

function purchaseIn(open: readonly DemoMarket[]): Wanted | undefined {
  const market = pick(open)
  if (market === undefined) return undefined
  const isLarge = Math.random() < LARGE_CHANCE
  const shares = isLarge ? LARGE_SHARES : 1 + Math.floor(Math.random() * SHARES_MAX)
  const outcome = Math.random() < 0.5 ? 0 : 1
  const order = { isBuy: true, outcome, shares, priceTicks: BUY_TICKS, type: 'FAK' } as const
  return { market, order }
}

export function startCrowd({ people, markets, warn, audience }: CrowdOptions): Rounds {
  const round = async () => {
    const person = pick(people())
    if (person === undefined) return
    // A slot may end while it is traded; the permanent markets are enough.
    const open = (await markets()).filter(({ isSlot }) => !isSlot)
    const sale = Math.random() < SELL_CHANCE ? await saleIn(person, open) : undefined
    const wanted = sale ?? purchaseIn(open)
    if (wanted === undefined) return
    const { market, order } = wanted
    await whileOpen(
      async () => (await markets()).some(({ slug }) => slug === market.slug),
      () => person.place(market, order),
    )
  }
  return startRounds({ name: "the demo's crowd", warn, audience, round, pauseMs: () => ROUND_MS })
}
