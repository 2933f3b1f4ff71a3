import { LIMITS } from '../../engine/domain/limits.ts'
import { CommandFlow, flowMarket } from '../support/command-flow.ts'
import { SHARE } from '../support/exchange-client.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { type Scene, type Sizes, SMALL } from './scene.ts'

// A folder whose journal holds more orders than callers may place in reasonable time. One market is
// full of bids of one maker; another one is full of orders of many, which expire at one instant.

const BIDS = LIMITS.openOrdersPerProfileMax
/** With the bids this is seven eighths of all orders that there can be. */
const EXPIRING = 6 * LIMITS.openOrdersPerProfileMax
const MAKER = 1
const [SWEPT, ENDING] = [2, 3].map(flowMarket)

/** The command flow makes three markets. A profile may rest few orders beside so many. */
export const WIDE_SIZES: Sizes = { ...SMALL, marketsBefore: 3, wideOrders: 40 }
/** A buyer of `yes` at 0.5 meets every bid. */
export const WIDE_SCENE: Pick<Scene, 'sellers' | 'sweepSize'> = {
  sellers: SWEPT,
  sweepSize: BIDS * SHARE,
}

export function fillWide(dataDir: string, instantMs: number): void {
  const flow = new CommandFlow(1)
  const order = { side: 0, orderType: 0, sizeRaw: SHARE }
  for (let each = 0; each < BIDS; each++) {
    const terms = { marketId: SWEPT.id, accountId: MAKER, outcome: 1, priceTicks: 500 }
    flow.place({ ...order, ...terms })
  }
  const expirationSec = Math.floor(instantMs / 1000)
  for (let each = 0; each < EXPIRING; each++) {
    const terms = { marketId: ENDING.id, accountId: 2 + (each % 6), outcome: 0, expirationSec }
    flow.place({ ...order, ...terms, priceTicks: 1 + (each % 400) })
  }
  fillJournal(dataDir, flow.records, 1024)
}
