import type { FileChanges } from './mutation.ts'

// What those earn who refer others.

const PARTS = ['test/engine/core/rewards/referral-parts.test.ts']
const FOLLOWED = ['test/persistence/follower/referrals.test.ts']
const CODES = ['test/server/api/referral-code.test.ts']

export const REFERRAL_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/rewards/rebates.ts',
    tests: PARTS,
    changes: [
      ['a part is the whole fee', 'return mulDivFloor(feeRaw, referralBps, BPS)', 'return feeRaw'],
    ],
  },
  {
    file: 'engine/core/rewards/rewards.ts',
    tests: PARTS,
    changes: [
      ['who referred is owed nothing', 'this.today.add(referrer, 0, earnedRaw)\n', '\n'],
      ['a part of a fee is a reward', 'add(referrer, 0, earnedRaw)', 'add(referrer, earnedRaw, 0)'],
      ['a rate is never set', 'this.referralBps = referralBps\n', '\n'],
      ['the rate is not hashed', "yield ['referrals', this.referralBps, ofOpen]\n", '\n'],
    ],
  },
  {
    file: 'persistence/follower/tables/accounts/referrals.ts',
    tests: FOLLOWED,
    changes: [
      [
        'the last trade of a block counts again',
        'seq > ? AND seq <= ?\n',
        'seq >= ? AND seq <= ?\n',
      ],
      [
        'a restart forgets who referred',
        'this.#hasAny = this.#any.get() !== undefined',
        'this.#hasAny = false',
      ],
      ['a block counts again', 'this.#mined = []\n', '\n'],
      ['a fee in shares counts by its number', 'if (side !== SIDE.BUY) sums', 'if (true) sums'],
      [
        'a trade set aside counts with its block',
        '\n  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)',
        '',
      ],
    ],
  },
  {
    file: 'server/api/referrals/referrals.ts',
    tests: CODES,
    changes: [
      [
        'any letter checks a code',
        'return referralCodeOf(profileId) === stated ? profileId',
        'return true ? profileId',
      ],
      ['codes have one case', 'code.trim().toUpperCase()', 'code.trim()'],
    ],
  },
]
