// A bot of the demo that trades with a pool: it buys of one outcome or the other, and so the price
// wanders.

import type { DemoClient } from './demo-client.ts'

export interface PoolTrader {
  stop(): Promise<void>
}

export interface PoolTraderOptions {
  readonly trader: DemoClient
  /** Slug of the market of the pool. */
  readonly market: string
  readonly warn: (sentence: string) => void
}

const ROUND_MS = 4000
const UNITS_MAX = 40
const UNIT_RAW = 1_000_000

async function tradeOnce({ trader, market }: PoolTraderOptions): Promise<void> {
  const outcomeIndex = Math.random() < 0.5 ? 0 : 1
  const raw = (1 + Math.floor(Math.random() * UNITS_MAX)) * UNIT_RAW
  await trader.call('POST', '/amm/buy', { market, outcomeIndex, collateralAmount: String(raw) })
}

/** Approves once, then trades in rounds. The same failure of a round is told once. */
export function startPoolTrader(options: PoolTraderOptions): PoolTrader {
  const { trader, market, warn } = options
  let stopped = false
  let said = ''
  let timer: NodeJS.Timeout | undefined
  const guarded = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      const sentence = `the demo's pool trader: ${error instanceof Error ? error.message : error}`
      if (!stopped && sentence !== said) warn(sentence)
      said = sentence
    }
  }
  const next = () => {
    if (stopped) return
    timer = setTimeout(() => {
      running = guarded(() => tradeOnce(options))
      running.then(next)
    }, ROUND_MS)
  }
  const approval = { market, side: 'BUY' }
  let running = guarded(() => trader.call('POST', '/amm/allowances/approve', approval))
  running.then(next)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
