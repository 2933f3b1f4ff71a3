import type { FileChanges } from './mutation.ts'

// Leaderboards, results of markets, the biggest positions.

const BOARDS = ['test/persistence/follower/boards.test.ts']
const PROJECTED = ['test/persistence/follower/projector.test.ts']
const PASSED = ['test/persistence/follower/biggest-positions.test.ts']
const MARKED = ['test/engine/domain/mark.test.ts']
const COUNTED = ['test/persistence/follower/board-counts.test.ts']
const KEPT = ['test/server/api/boards/projections.test.ts']
const PLACED = ['test/persistence/query/board-place.test.ts']
const SHOWN = ['test/server/api/boards/boards.test.ts']

export const BOARD_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/follower/boards/board-keeper.ts',
    tests: BOARDS,
    changes: [
      [
        'a window has an hour more',
        'this.#until.get(owner, hour - span)',
        'this.#until.get(owner, hour - span - 1)',
      ],
      ['hours never leave a window', 'yield* this.#ended(last.hour, hour)', 'yield'],
      [
        'a start forgets what was not counted',
        'yield* this.#lookWithin(last.seenHour, Number.MAX_SAFE_INTEGER, hour)',
        'yield',
      ],
      [
        'an owner with nothing keeps its row',
        'const isThere = pnlRaw !== 0 || volumeRaw !== 0',
        'const isThere = true',
      ],
      ['rows are not counted', 'if (owners !== 0 || traders !== 0)', 'if (false)'],
    ],
  },
  {
    file: 'persistence/follower/tables/accounts/pnl.ts',
    tests: BOARDS,
    changes: [
      [
        'an ended hour is overwritten',
        'this.#ended.push(rowOf(owner, known))',
        'void rowOf(owner, known)',
      ],
      ['the boards receive no change', 'this.#changed.add(owner)\n', '\n'],
    ],
  },
  {
    file: 'persistence/follower/boards/result-counts.ts',
    tests: PROJECTED,
    changes: [
      ['what is held counts nothing', 'row.costRaw, worthRaw)', 'row.costRaw, 0)'],
      [
        'a market is counted for ever',
        'if (isLast) this.#done.run(due.marketId)',
        'if (isLast) return false',
      ],
      ['an even market counts as lost', 'else if (earnedRaw < 0)', 'else if (earnedRaw <= 0)'],
    ],
  },
  {
    file: 'persistence/follower/tables/accounts/spreads.ts',
    tests: COUNTED,
    changes: [
      [
        'half of one counterparty is no half',
        '2 * ofParty < sharesRaw',
        '2 * ofParty <= sharesRaw',
      ],
      [
        'one counterparty is enough',
        'parties.every(([, ofParty]) =>',
        'parties.some(([, ofParty]) =>',
      ],
      ['the family gives volume', 'if (party === PARTY.OWN || riskRaw === 0) return', ''],
      ['what was held back never counts', 'const sign = isCounted ? 1 : -1', 'const sign = 0'],
      ['volume without a fee counts always', 'if (isPaid || row.isCounted)', 'if (true)'],
    ],
  },
  {
    file: 'persistence/follower/tables/accounts/links.ts',
    tests: COUNTED,
    changes: [
      ['a sub-account is a program', 'family === other && this', 'this'],
      ['referrals link nobody', 'this.#refers(owner, family) || this.#refers(other, own)', 'false'],
      ['a program is one counterparty', ' ? PARTY.NONE : family', ' ? family : family'],
    ],
  },
  {
    file: 'persistence/follower/tables/trades.ts',
    tests: COUNTED,
    changes: [['all collateral is volume', 'Math.min(valueRaw, sizeRaw - valueRaw)', 'valueRaw']],
  },
  {
    file: 'engine/domain/markets/mark.ts',
    tests: MARKED,
    changes: [
      ['NO has the mark of YES', 'position.outcome === 0 ? yesE6', 'true ? yesE6'],
      ['one side is a mark', 'bidTicks === null || askTicks === null', 'bidTicks === null'],
      ['dust is a mark', 'if (sumRaw >= leastRaw) return ticks', 'if (sumRaw > 0) return ticks'],
      [
        'a level needs the size alone',
        'if (sizeRaw > 0) sumRaw += sizeRaw',
        'if (sizeRaw > 0) sumRaw = sizeRaw',
      ],
      [
        'the minimum size of the market does not count',
        'Math.max(LIMITS.markSizeRawMin, minSizeRaw)',
        'LIMITS.markSizeRawMin',
      ],
      ['a small pool is a mark', 'const isLarge = ', 'const isLarge = true || '],
      ['no price is a half', 'if (markYesTicks === 0) return AT_COST\n', '\n'],
    ],
  },
  {
    file: 'engine/core/clearing.ts',
    tests: ['test/server/exchange/read-model/publishing.test.ts', ...PROJECTED],
    changes: [['each fill is a mark', 'if (marksByTrade(legs.sharesRaw)) market', 'market']],
  },
  {
    file: 'persistence/follower/boards/biggest-positions.ts',
    tests: PASSED,
    changes: [
      ['a pass receives no change', '!changed.has(marketId) && ', ''],
      ['a moved mark changes nothing', 'isSame(mark, before.marks.get(marketId))', 'true'],
      ['a missed position stays out', 'if (!found.misses(marketId)) continue', 'continue'],
      ['a market is walked twice', 'found.forget(marketId)\n', '\n'],
      ['every market changes always', '!changed.has(marketId) && ', 'false && '],
    ],
  },
  {
    file: 'persistence/follower/boards/top-rows.ts',
    tests: PASSED,
    changes: [
      ['what was missed is not kept', 'if (marketIds.has(marketId)) this', 'if (false) this'],
      ['the last missed row counts', ' || this.#order(out, known) < 0', ' || true'],
    ],
  },
  {
    file: 'persistence/follower/tables/accounts/average-cost.ts',
    tests: PROJECTED,
    changes: [['a written position marks no market', 'this.#changedMarkets.add(marketId)\n', '\n']],
  },
  {
    file: 'server/api/boards/services.ts',
    tests: KEPT,
    changes: [
      ['pages are made side by side', 'this.#last.then(make)', 'make()'],
      ['any number waits', 'if (this.#underWay.size >= this.#max) return null\n', '\n'],
      ['an answer is good for ever', 'ageMs < FRESH_MS', 'known !== undefined'],
      ['a caller waits for each new answer', 'ageMs < NEARLY_FRESH_MS', 'false'],
    ],
  },
  {
    file: 'server/api/boards/leaderboard.ts',
    tests: SHOWN,
    changes: [
      ['a category has any window', "timeframe === undefined || timeframe === '24h'", 'true'],
    ],
  },
  {
    file: 'persistence/query/read/boards/board-place.ts',
    tests: PLACED,
    changes: [
      ['equal sums share a place', ' OR owner < @owner', ''],
      ['equal profit is no order', 'OR volume_raw > @volumeRaw ', ''],
      ['a place has no bound', 'count < RANKED_MAX ?', 'count <= RANKED_MAX ?'],
      [
        'places of any span count',
        'BOARD_SPANS.all} AND (pnl_raw',
        "BOARD_SPANS['24h']} AND (pnl_raw",
      ],
    ],
  },
]
