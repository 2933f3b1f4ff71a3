// The oracle of the demo: wandering prices, reported on every full second. So every boundary of a
// slot has a report stamped with exactly its time.

import { adminCall } from '../demo-client.ts'
import type { OwnServer } from '../own-server.ts'
import { type Rounds, startRounds } from './rounds.ts'

export interface PriceWalkOptions {
  readonly operators: OwnServer
  readonly adminToken: string
  /** The starting prices. */
  readonly prices: Readonly<Record<string, number>>
  readonly warn: (sentence: string) => void
}

const EVERY_MS = 1000
/** Largest step per second, as a fraction of the price. */
const STEP = 0.0004

export function startPriceWalk({ operators, adminToken, prices, warn }: PriceWalkOptions): Rounds {
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
    round: report,
    pauseMs: () => EVERY_MS - (Date.now() % EVERY_MS),
  })
}
