// The exchange with one market, whose book goes out as fast as it is read.

import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { SHARE } from '../../test/support/exchange-client.ts'
import { startLive } from '../../test/support/live-exchange.ts'
import { serve } from '../harness/child.ts'
import { cpuOf, type PublishPlan } from '../http/plain-server.ts'

const SLUG = 'fan-out'

const WITHOUT_BUDGETS = {
  bookMs: 0,
  bookSendsPerSec: Number.POSITIVE_INFINITY,
  bookBytesPerSec: Number.POSITIVE_INFINITY,
}

/** All readers have one address, and all connect at once. */
const ONE_ADDRESS = {
  perAddressMax: LIMITS.anonymousSocketsMax,
  ownerMessagesMax: 10 * LIMITS.anonymousSocketsMax,
  ownerMarketsRequestedMax: 10 * LIMITS.anonymousSocketsMax,
}

export interface BooksServer {
  readonly port: number
  readonly slug: string
}

export interface BooksPlan {
  /** Price levels of the book. */
  readonly levels: number
  readonly edgeThreads: number
}

/** A service: a request is a plan; the reply is the CPU that it took, in microseconds. */
export async function serveBooks({ levels, edgeThreads }: BooksPlan): Promise<void> {
  const live = await startLive({
    flags: ['--market-threads', '1', '--edge-threads', String(edgeThreads)],
    socketBounds: ONE_ADDRESS,
    socketWaits: WITHOUT_BUDGETS,
  })
  const market = await live.openMarket(SLUG)
  const trader = await live.trader(1_000_000 * SHARE)
  for (let level = 0; level < levels; level++) {
    const outcome = level % 2 === 0 ? 0 : 1
    const terms = { outcome, ticks: 300 + level, sizeRaw: 100 * SHARE } as const
    const { status } = await live.place(trader, market, terms)
    assert(status === 201, 'the book is filled')
  }
  const published = live.exchange.pipeline.published.bySlug(SLUG)
  assert(published !== undefined, 'the market is published')
  const change = () => {
    // As if an order had changed the book: it is encoded again.
    published.version++
    published.watch?.changed()
  }
  const ready: BooksServer = { port: live.port, slug: SLUG }
  serve(ready, (plan: PublishPlan) => cpuOf(change, plan))
}
