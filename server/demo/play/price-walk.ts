// The oracle of the demo: wandering prices, reported on every full second, or on every full minute
// while nobody looks. So every boundary of a slot has a report stamped with exactly its time.

import { adminCall } from '../demo-client.ts'
import type { OwnServer } from '../own-server.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'

export interface PriceWalkOptions extends BotOptions {
  readonly operators: OwnServer
  readonly adminToken: string
  /** The starting prices. */
  readonly prices: Readonly<Record<string, number>>
}

const EVERY_MS = 1000
const MINUTE_MS = 60_000
/** Largest step per second, as a fraction of the price. */
const STEP = 0.0004

const untilNext = (spanMs: number) => spanMs - (Date.now() % spanMs)

export function startPriceWalk({
  operators,
  adminToken,
  prices,
  warn,
  audience,
}: PriceWalkOptions): Rounds {
  const now = new Map(Object.entries(prices))
  const report = () => {
    const atMs = Math.floor(Date.now() / EVERY_MS) * EVERY_MS
    const reports = [...now].map(([symbol, price]) => {
      const next = price * (1 + (Math.random() * 2 - 1) * STEP)
      now.set(symbol, next)
      return { symbol, price: next.toFixed(2), atMs }
    })
    return adminCall(operators, adminToken, '/admin/oracle/prices', { reports })
  }
  return startRounds({
    name: "the demo's oracle",
    warn,
    audience,
    round: report,
    pauseMs: () => untilNext(EVERY_MS),
    awayMs: () => untilNext(MINUTE_MS),
  })
}
