import type { TestMarket, Trader } from './exchange-client.ts'
import { type LoopPlan, type LoopResult, OrderLoop } from './open-loop.ts'
import { OrderPool, type PoolSalts } from './order-pool.ts'
import { Random } from './random.ts'

// Sends orders from a process of its own, so that no measured main thread bears the cost.

export interface FloodSetting {
  readonly traders: readonly Trader[]
  readonly markets: readonly TestMarket[]
  readonly seed: number
}

/** A question to the sender, which answers each question with one message, in turn. */
export type FloodAsk =
  | { readonly kind: 'setting'; readonly setting: FloodSetting }
  | { readonly kind: 'sign'; readonly count: number }
  | { readonly kind: 'run'; readonly plan: LoopPlan }
  | { readonly kind: 'salts' }

export type FloodAnswer = null | LoopResult | PoolSalts

let pool = new OrderPool([])
let markets: readonly TestMarket[] = []
let random = new Random(0)

async function answer(ask: FloodAsk): Promise<FloodAnswer> {
  switch (ask.kind) {
    case 'setting':
      pool = new OrderPool(ask.setting.traders)
      markets = ask.setting.markets
      random = new Random(ask.setting.seed)
      return null
    case 'sign':
      pool.sign(ask.count, markets, random)
      return null
    case 'run':
      return await new OrderLoop(ask.plan, pool).run()
    case 'salts':
      return pool.salts()
  }
}

process.on('message', async (ask: FloodAsk) => process.send?.(await answer(ask)))
process.send?.('ready')
