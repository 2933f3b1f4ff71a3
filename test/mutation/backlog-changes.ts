import type { FileChanges } from './mutation.ts'

// Rules of late rows: what a large command writes later, and which reads wait for it.

const BACKLOG = ['test/persistence/follower/backlog.test.ts']

export const BACKLOG_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/follower/book-tables.ts',
    tests: ['test/persistence/follower/follower.test.ts'],
    changes: [
      [
        'a filled maker stays live',
        'const isClosed = code === MAKER.CLOSED',
        'const isClosed = code === MAKER.OPEN',
      ],
    ],
  },
  {
    file: 'persistence/follower/book-tables.ts',
    tests: BACKLOG,
    changes: [
      ['own makers are written by age', 'this.orders.writeLateOwnMaker(row, page)\n', '\n'],
    ],
  },
  {
    file: 'persistence/follower/tables/orders/order-events.ts',
    tests: BACKLOG,
    changes: [
      [
        'an event passes the late events of its owner',
        'if (!this.#backlog.has(owner)) {',
        'if (this.#backlog !== null) {',
      ],
      [
        'a trade ends before its late makers are written',
        'this.#backlog.drain(pace, this.#writeLate)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'persistence/query/late-rows.ts',
    tests: BACKLOG,
    changes: [
      [
        'an owner is read while its rows are late',
        'if (owner !== undefined && this.#hasOwner(owner)) return true\n',
        '\n',
      ],
      [
        'a trade is read while its makers are late',
        'return tradeSeqs.some((seq) => this.#trade.get(seq) !== undefined)',
        'return tradeSeqs.some((seq) => seq < 0)',
      ],
    ],
  },
]
