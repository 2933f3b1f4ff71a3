// The oracle of the demo: prices that wander, reported each second to the second. So every boundary
// of a slot has a report that is stamped with it.

import { adminCall } from './demo-client.ts'
import type { OwnServer } from './own-server.ts'

export interface PriceWalk {
  stop(): Promise<void>
}

export interface PriceWalkOptions {
  readonly operators: OwnServer
  readonly adminToken: string
  /** Where the prices start. */
  readonly prices: Readonly<Record<string, number>>
  readonly warn: (sentence: string) => void
}

const EVERY_MS = 1000
/** Largest step of a second, as a part of the price. */
const STEP = 0.0004

export function startPriceWalk({
  operators,
  adminToken,
  prices,
  warn,
}: PriceWalkOptions): PriceWalk {
  const now = new Map(Object.entries(prices))
  let isStopped = false
  let said = ''
  let timer: NodeJS.Timeout | undefined
  const report = async () => {
    const atMs = Math.floor(Date.now() / EVERY_MS) * EVERY_MS
    const reports = [...now].map(([symbol, price]) => {
      const next = price * (1 + (Math.random() * 2 - 1) * STEP)
      now.set(symbol, next)
      return { symbol, price: next.toFixed(2), atMs }
    })
    await adminCall(operators, adminToken, '/admin/oracle/prices', { reports })
  }
  const guarded = () =>
    report().catch((error) => {
      const sentence = `the demo's oracle: ${error instanceof Error ? error.message : error}`
      if (!isStopped && sentence !== said) warn(sentence)
      said = sentence
    })
  let running = guarded()
  const next = () => {
    if (isStopped) return
    timer = setTimeout(
      () => {
        running = guarded()
        running.then(next)
      },
      EVERY_MS - (Date.now() % EVERY_MS),
    )
  }
  running.then(next)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
