// A demo bot that trades with a pool: it buys one outcome or the other, so the price wanders.

import type { DemoClient } from '../demo-client.ts'
import { type BotOptions, type Rounds, startRounds } from './rounds.ts'
import { whileOpen } from './while-open.ts'

export interface PoolTraderOptions extends BotOptions {
  readonly trader: DemoClient
  /** Slug of the pool's market. */
  readonly market: string
  readonly isOpen: () => Promise<boolean>
}

const ROUND_MS = 4000
const UNITS_MAX = 40
const UNIT_RAW = 1_000_000

async function tradeOnce({ trader, market }: PoolTraderOptions): Promise<void> {
  const outcomeIndex = Math.random() < 0.5 ? 0 : 1
  const raw = (1 + Math.floor(Math.random() * UNITS_MAX)) * UNIT_RAW
  await trader.call('POST', '/amm/buy', { market, outcomeIndex, collateralAmount: String(raw) })
}

/** Approves in its own round, because an approval is valid from its block on; then it trades. */
export function startPoolTrader(options: PoolTraderOptions): Rounds {
  const { trader, market, isOpen, warn, audience } = options
  let isApproved = false
  const approve = async () => {
    await trader.call('POST', '/amm/allowances/approve', { market, side: 'BUY' })
    isApproved = true
  }
  const round = async () => {
    if (await isOpen()) await whileOpen(isOpen, isApproved ? () => tradeOnce(options) : approve)
  }
  return startRounds({
    name: "the demo's pool trader",
    warn,
    audience,
    round,
    pauseMs: () => ROUND_MS,
  })
}
