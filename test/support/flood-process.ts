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

/** A question to the sender, which answers each question with one message, in order. */
export type FloodRequest =
  | { readonly kind: 'setting'; readonly setting: FloodSetting }
  | { readonly kind: 'sign'; readonly count: number }
  | { readonly kind: 'run'; readonly plan: LoopPlan }
  | { readonly kind: 'salts' }

export type FloodAnswer = null | LoopResult | PoolSalts

let pool = new OrderPool([])
let markets: readonly TestMarket[] = []
let random = new Random(0)

async function answer(request: FloodRequest): Promise<FloodAnswer> {
  switch (request.kind) {
    case 'setting':
      pool = new OrderPool(request.setting.traders)
      markets = request.setting.markets
      random = new Random(request.setting.seed)
      return null
    case 'sign':
      pool.sign(request.count, markets, random)
      return null
    case 'run':
      return await new OrderLoop(request.plan, pool).run()
    case 'salts':
      return pool.salts()
  }
}

process.on('message', async (request: FloodRequest) => process.send?.(await answer(request)))
process.send?.('ready')
