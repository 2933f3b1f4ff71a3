// The exchange with one market and a book of some 2 KB, whose frames go out as fast as they are
// read. It tells its port, the market and the bytes of a frame; a message is for how long, and the
// answer is the CPU that it took, in microseconds.

import { assert } from '../../engine/domain/assert.ts'
import { startLive } from '../../test/support/live-exchange.ts'
import { openMarket, place } from '../../test/support/live-orders.ts'
import { LEVELS, SHARE } from './book-size.ts'

const SLUG = 'fan-out'
const live = await startLive({
  flags: ['--market-threads', '1'],
  socketWaits: { bookMs: 0, bookSendsPerSec: Number.POSITIVE_INFINITY },
})
const market = await openMarket(live, SLUG)
const trader = await live.trader(1_000_000 * SHARE)
for (let level = 0; level < LEVELS; level++) {
  const wanted = { outcome: level % 2 === 0 ? (0 as const) : (1 as const), ticks: 300 + level }
  const made = await place(live, trader, market, { ...wanted, sizeRaw: 100 * SHARE })
  assert(made.status === 201, 'the book is filled')
}
const published = live.exchange.pipeline.published.bySlug(SLUG)
assert(published !== undefined, 'the market is shown')

process.on('message', (forMs) => {
  const untilMs = performance.now() + Number(forMs)
  const before = process.cpuUsage()
  const change = (): void => {
    // As if an order had changed the book: it is encoded again.
    published.version++
    published.watch?.changed()
    if (performance.now() < untilMs) setImmediate(change)
    else {
      const { user, system } = process.cpuUsage(before)
      process.send?.(user + system)
    }
  }
  change()
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port: live.port, slug: SLUG })
