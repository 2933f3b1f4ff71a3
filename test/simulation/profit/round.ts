import { MINUTE_MS } from '../../../engine/domain/rewards/reward-time.ts'
import type { LiveExchange } from '../../support/live-exchange.ts'
import { credited, nextDay, nextSample } from '../../support/reward-days.ts'
import { carryOut } from './acts.ts'
import type { Plan } from './plan.ts'
import {
  ALL_WINNERS,
  openTable,
  redeemAll,
  resolve,
  type Table,
  takeMispriced,
  wealthRaw,
} from './table.ts'

// Plays plans with the same waits beside each other, each once under every pair of winners, and
// ends the day. The gain of a plan is what its colluders gain on average: no winner is known
// before it is published.

/** How much one plan gained on average, and under each pair of winners; raw collateral. */
export interface Gain {
  readonly meanRaw: number
  readonly eachRaw: readonly number[]
}

/** So long rest the first quotes before the first act: packs look at the depth of that time. */
const BEFORE_MS = 40_000
/** The honest maker looks at the books when so much time has passed. */
const MAKER_LOOKS_MS = 1000
const AT_ONCE = 16

async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < all.length) await work(all[next++])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function pass(live: LiveExchange, ms: number): Promise<void> {
  live.shiftClock(ms)
  live.exchange.pipeline.tick()
  await live.exchange.pipeline.whenIdle()
}

interface ConnectionSlot {
  readonly plan: Plan
  readonly table: Table
}

async function playAct(
  live: LiveExchange,
  connectionSlots: readonly ConnectionSlot[],
  index: number,
): Promise<void> {
  await each(connectionSlots, async ({ plan: { acts, failsAt }, table }) => {
    if (index >= acts.length) return
    await carryOut(live, table, acts[index])
    const { newestTrade: tradeEventId } = table
    if (index !== failsAt || tradeEventId === '') return
    // A trade that is mined already cannot fail any more.
    await live.admin('/admin/settlement/faults', { tradeEventId, outcome: 'FAILED' })
  })
  const ms = Math.max(0, ...connectionSlots.map(({ plan }) => plan.acts[index]?.waitMs ?? 0))
  if (ms > 0) await pass(live, ms)
  if (ms >= MAKER_LOOKS_MS) await each(connectionSlots, ({ table }) => takeMispriced(live, table))
}

/** Blocks, payouts and redemptions, until nothing is left to come. */
async function settle(
  live: LiveExchange,
  connectionSlots: readonly ConnectionSlot[],
): Promise<void> {
  await pass(live, MINUTE_MS)
  await nextSample(live)
  await each(connectionSlots, ({ table }) => resolve(live, table))
  const isPaid = ({ table }: ConnectionSlot) => {
    const { clearing, published } = live.exchange.pipeline
    return [...table.markets, table.pool].every(({ slug }) => {
      const found = published.bySlug(slug)
      return (
        found === undefined || clearing.catalogue.byId(found.market.marketId)?.isPaidOut !== false
      )
    })
  }
  while (!connectionSlots.every(isPaid)) await pass(live, MINUTE_MS)
  await each(connectionSlots, ({ table }) => redeemAll(live, table))
  await nextSample(live)
  await nextDay(live)
  await credited(live)
}

/** Gives the gain of each plan, in their order. */
export async function playRound(live: LiveExchange, plans: readonly Plan[]): Promise<Gain[]> {
  const wanted = plans.flatMap((plan) => ALL_WINNERS.map((winners) => ({ plan, winners })))
  const connectionSlots: ConnectionSlot[] = []
  await each([...wanted.entries()], async ([at, { plan, winners }]) => {
    connectionSlots[at] = { plan, table: await openTable(live, { winners, isLate: plan.isLate }) }
  })
  await pass(live, BEFORE_MS)
  const startRaw = connectionSlots.map(({ table }) => wealthRaw(live, table))
  const acts = Math.max(...plans.map((plan) => plan.acts.length))
  for (let index = 0; index < acts; index++) await playAct(live, connectionSlots, index)
  await settle(live, connectionSlots)
  const gained = connectionSlots.map(({ table }, at) => wealthRaw(live, table) - startRaw[at])
  return plans.map((_plan, at) => {
    const eachRaw = gained.slice(at * ALL_WINNERS.length, (at + 1) * ALL_WINNERS.length)
    const sum = eachRaw.reduce((total, raw) => total + raw, 0)
    return { meanRaw: sum / eachRaw.length, eachRaw }
  })
}
