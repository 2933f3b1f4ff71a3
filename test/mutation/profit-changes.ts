import type { FileChanges } from './mutation.ts'

// Rules without which colluding accounts gain (rules §15). The plans that gained once must notice.

const tests = ['test/simulation/profit/profit.test.ts']

export const PROFIT_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/rewards/rewards.ts',
    tests,
    changes: [
      [
        'parts of a fee in worthless shares are paid at a half',
        'redemptionRaw(payoutNumerators, yesRaw, noRaw)',
        'Math.floor((yesRaw + noRaw) / 2)',
      ],
    ],
  },
  {
    file: 'engine/core/decide/partners.ts',
    tests,
    changes: [
      [
        'a partner gains the money of a sub-account that signs for itself',
        "reach === 'serverWallets' && made.sealedKey === null ? REJECT.NO_SERVER_WALLET : null",
        'null',
      ],
    ],
  },
  {
    file: 'engine/core/decide/funds.ts',
    tests,
    changes: [
      [
        'proceeds leave before a block holds their trade',
        'collateralRaw <= leavesRaw',
        'collateralRaw >= 0',
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/pack-price.ts',
    tests,
    changes: [
      [
        'a pack is made when the winners of its legs are known',
        'marketIssues(clearing, requested, markets, nowMs + request.closeMs)',
        'marketIssues(clearing, requested, markets, nowMs)',
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/pack-ties.ts',
    tests,
    changes: [
      [
        'two legs of a pack share a correlation key',
        'some((key) => keys.includes(key))',
        'some((key) => keys.includes(key) && false)',
      ],
    ],
  },
  {
    file: 'server/api/packs/pack-books.ts',
    tests,
    changes: [['an order that was just placed prices packs', 'seq > rested || ', '']],
  },
]
