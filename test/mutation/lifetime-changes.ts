import type { FileChanges } from './mutation.ts'

// Lives of markets and books.

const LIFETIMES = ['test/engine/core/markets/lifetimes.test.ts']
const ARCHIVED = ['test/server/api/markets/archived.test.ts']

export const LIFETIME_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/markets/catalogue.ts',
    tests: LIFETIMES,
    changes: [
      ['a book is never given back', 'this.#byBook[market.book] = undefined\n', '\n'],
      [
        'a free book is passed over',
        'if (market.book < this.#lowestFree) this.#lowestFree = market.book\n',
        '\n',
      ],
      ['a venue is never forgotten', 'else this.#venues.delete(each)', ''],
      ['a restored market never leaves', 'this.noteEmptied(own)\n', '\n'],
      ['a snapshot forgets how many markets there were', 'this.lastId = lastId\n', '\n'],
    ],
  },
  {
    file: 'engine/core/money/blocks.ts',
    tests: LIFETIMES,
    changes: [
      [
        'a market leaves before its trade is mined',
        'if (tradeSeq > this.throughSeq) return false\n',
        '\n',
      ],
      [
        'a market leaves while its trade is set aside',
        'for (const seq of this.#aside) if (seq <= tradeSeq) return false\n',
        '\n',
      ],
    ],
  },
  {
    file: 'engine/core/clearing.ts',
    tests: LIFETIMES,
    changes: [
      [
        'a book closes while an order lives in it',
        'book !== 0 && this.orders.rowsOfBook.firstOf(book) === 0',
        'book !== 0',
      ],
      [
        'what reversals took of a market is kept for ever',
        'this.reversals.forget(marketId)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/exchange/order-entry/order-entry.ts',
    tests: ARCHIVED,
    changes: [
      [
        'an order for an archived market finds none',
        'isGone ? { reject: REJECT.MARKET_NOT_TRADABLE } : refusedBy(refused)',
        'refusedBy(refused)',
      ],
    ],
  },
  {
    file: 'server/api/markets/market-changes.ts',
    tests: ARCHIVED,
    changes: [
      ['a slug of an archived market is given again', ' || (await this.#isSlugUsed(slug))', ''],
      [
        'a slug is given twice while the tables are queried',
        'slugs.some((slug) => this.#requested.has(slug))',
        'slugs.length === 0',
      ],
    ],
  },
  {
    file: 'server/exchange/jobs/archive.ts',
    tests: ['test/server/exchange/jobs/archive.test.ts'],
    changes: [
      [
        'a market leaves before its records are published',
        '(this.#overSince.get(market) ?? Number.POSITIVE_INFINITY) > shownSeq',
        '(this.#overSince.get(market) ?? 0) < 0 && shownSeq < 0',
      ],
    ],
  },
  {
    file: 'engine/core/decide/markets.ts',
    tests: LIFETIMES,
    changes: [
      [
        'an id of a market outgrows its records',
        ' || catalogue.lastId + specs.length > LIMITS.marketsEverMax',
        '',
      ],
    ],
  },
  {
    file: 'engine/core/decide/endings.ts',
    tests: LIFETIMES,
    changes: [['a market leaves with its shares', ' && rowCount === 0', '']],
  },
  {
    file: 'engine/core/markets/oracle.ts',
    tests: ['test/engine/core/markets/slots.test.ts'],
    changes: [
      ['a later report stands for a boundary', 'known.atMs > atMs', 'false'],
      ['a report stands for a boundary long before', ' || lateMs > BOUNDARY_WAIT_MS', ''],
      ['a boundary waits for an earlier report', ' && lateMs <= BOUNDARY_REPORT_MS', ''],
      ['a report stands for a boundary behind it', 'atMs >= boundary.atMs && ', ''],
    ],
  },
  {
    file: 'server/exchange/jobs/slot-clock.ts',
    tests: ['test/server/exchange/jobs/slots.test.ts'],
    changes: [
      ['YES needs a price that rose', 'closeE8 >= strikeE8', 'closeE8 > strikeE8'],
      ['a slot begins in the past', 'Math.max(series.lastEndMs, ', '(series.lastEndMs || '],
      [
        'a boundary is decided before its five seconds',
        '(report === null ? BOUNDARY_WAIT_MS : BOUNDARY_REPORT_MS)',
        '(report === null ? BOUNDARY_WAIT_MS : 0)',
      ],
    ],
  },
]
