import type { FileChanges } from './mutation.ts'

// The history of markets.

const HISTORY = ['test/persistence/query/history.test.ts']
const ROUTES = ['test/server/api/markets/market-history.test.ts']
const DAYS = ['test/server/exchange/read-model/tickers.test.ts']

export const HISTORY_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/follower/tables/mined-trades.ts',
    tests: HISTORY,
    changes: [
      [
        'a group has no trades',
        'if (groupId !== null) this.#number(epoch, groupId, tradeSeq)',
        'if (groupId === marketId) this.#number(epoch, groupId, tradeSeq)',
      ],
      [
        'a block takes trades that were set aside',
        '  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)`',
        '`',
      ],
      [
        'a block takes the trades of the block before',
        'seq > ? AND seq <= ?',
        'seq >= ? AND seq <= ?',
      ],
      [
        'a retried trade is not listed',
        'if (found !== undefined) this.#put(epoch, found.marketId, command.tradeSeq)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/settlements.ts',
    tests: HISTORY,
    changes: [['a trade that is taken back is not marked', 'this.#bust.run(tradeSeq)\n', '\n']],
  },
  {
    file: 'persistence/follower/tables/candles.ts',
    tests: HISTORY,
    changes: [
      [
        'a candle counts its first fill alone',
        'volume_raw = volume_raw + excluded.volume_raw',
        'volume_raw = volume_raw',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/trades.ts',
    tests: HISTORY,
    changes: [
      [
        'a start in the middle of an epoch begins it again',
        'epochOf(known) !== epochOf(row[2])',
        'known !== row[2]',
      ],
    ],
  },
  {
    file: 'persistence/query/read/history/market-trades.ts',
    tests: HISTORY,
    changes: [
      [
        'a read back begins with its own place',
        'AND (traded_ms, seq) < (?, ?)',
        'AND (traded_ms, seq) <= (?, ?)',
      ],
      [
        'a page begins with the trade of its seq',
        'AND (traded_ms, seq) > (?, ?)',
        'AND (traded_ms, seq) >= (?, ?)',
      ],
      [
        'a price that was taken back counts',
        'this.#close.get(epochOf(firstSeq), marketId, 0, ms)',
        'this.#close.get(epochOf(firstSeq), marketId, 1, ms)',
      ],
      [
        'a read back ends with its epoch',
        'epoch = this.#epochBefore.get(marketId, firstMs, firstSeq)\n',
        'break\n',
      ],
    ],
  },
  {
    file: 'persistence/query/read/history/mined-trades.ts',
    tests: HISTORY,
    changes: [['a page ends with its epoch', 'number = found.firstNumber - 1\n', 'number = 0\n']],
  },
  {
    file: 'persistence/query/read/portfolio/history.ts',
    tests: ['test/persistence/query/portfolio-history.test.ts'],
    changes: [
      [
        'the history of one market ends where a page looked no further',
        'return { rows, cut: end ?? null }',
        'return { rows, cut: null }',
      ],
      [
        'rows behind the place where one list was cut come too early',
        'if (floor !== null && isBefore(row, floor)) break\n',
        '\n',
      ],
    ],
  },
  {
    file: 'persistence/query/read/history/tape.ts',
    tests: HISTORY,
    changes: [
      [
        'a market that was read to the end of its first read is left',
        'this.#rows.length < this.#count) return',
        'this.#rows.length <= this.#count) return',
      ],
    ],
  },
  {
    file: 'persistence/query/read/history/tape.ts',
    tests: HISTORY,
    changes: [
      [
        'trades that were taken back are missing',
        'const ALL: Kinds = [0, 1]',
        'const ALL: Kinds = [0]',
      ],
    ],
  },
  {
    file: 'server/api/markets/services.ts',
    tests: ROUTES,
    changes: [
      [
        'a series goes on after the resolution',
        "published.status === 'RESOLVED' ? published.updatedMs : this.#clock()",
        'this.#clock()',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/day-figures.ts',
    tests: DAYS,
    changes: [
      ['a day never ends', 'if (columns.bucket[at] < oldest) continue\n', '\n'],
      ['a day that grows loses its order', 'this.#head = 0\n', '\n'],
    ],
  },
  {
    file: 'server/start/last-day.ts',
    tests: ROUTES,
    changes: [['a start forgets the last day', 'market.day.add(candle.bucket, candle)\n', '\n']],
  },
]
