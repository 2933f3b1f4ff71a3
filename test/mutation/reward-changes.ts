import type { FileChanges } from './mutation.ts'

// Rewards and rebates.

const SCORES = ['test/engine/core/rewards/scores.test.ts']
const REBATES = [
  'test/engine/core/rewards/rebates.test.ts',
  'test/engine/core/rewards/collusion.test.ts',
]
const SHARES = ['test/engine/core/rewards/share-parts.test.ts']
const SHARE_TABLES = ['test/persistence/follower/share-parts.test.ts']
const STATE = [
  'test/engine/core/rewards/rewards.test.ts',
  'test/engine/core/rewards/referral-parts.test.ts',
  'test/engine/core/money/reversal.test.ts',
]
const FOLLOWED = ['test/persistence/follower/rewards.test.ts']
const PAID = ['test/server/api/portfolio/rewards.test.ts']
const KILLED = ['test/crash/rewards.test.ts']

export const REWARD_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/rewards/scores.ts',
    tests: SCORES,
    changes: [
      ['an order at the spread earns', '< terms.spreadHalfTicks', '<= terms.spreadHalfTicks'],
      ['a small order earns', 'isNear && order.leftRaw >= terms.minSizeRaw', 'isNear'],
      ['quotes of one side count as much', 'const ONE_SIDED = 3n', 'const ONE_SIDED = 1n'],
      ['one side counts near 0 and 1', 'return isInside && more > both', 'return more > both'],
      ['a score grows with nearness alone', 'nearness * nearness', 'nearness'],
      ['the middle counts in ticks', '2 * Math.abs(signed) - mid', 'Math.abs(signed) - mid'],
      ['asks count as bids', 'if (signed > 0) sides.bids', 'if (signed !== 0) sides.bids'],
      ['each minute gives the same', 'upTo(inDay + 1) - upTo(inDay)', 'upTo(1)'],
    ],
  },
  {
    file: 'engine/core/rewards/rebates.ts',
    tests: REBATES,
    changes: [
      ['a fee is given twice', 'referralBps: Math.min(referralBps, BPS - ofMakers)', 'referralBps'],
      ['every maker gets the whole rebate', ' * BigInt(makerSharesRaw)', ' * BigInt(sharesRaw)'],
    ],
  },
  {
    file: 'engine/core/rewards/rewards.ts',
    tests: STATE,
    changes: [
      [
        'a part is credited twice',
        "assert(open.parts === command.part, 'each part is credited once, in order')\n",
        '\n',
      ],
      ['a sample never ends', 'if (command.isLast) this.open = null\n', '\n'],
      ['a day is due while it runs', 'if (this.day <= command.day) this.today', 'this.today'],
      ['a new day is earned in the old one', 'if (day <= this.day) return\n', 'return\n'],
      ['a snapshot forgets what is due', 'this.due.restore(captured.due)\n', '\n'],
      [
        'a snapshot forgets the open sample',
        'open === null ? null : { ...open, referralBps: open.referralBps ?? 0 }\n    this',
        'null\n    this',
      ],
      [
        'a rate counts for blocks before it',
        'referralBps: this.referralBps, parts: 0',
        'referralBps, parts: 0',
      ],
      ['rewards come from nowhere', 'ledger.takeSystem(REWARDS_ACCOUNT, rewardRaw)\n', '\n'],
      [
        'fees below zero stop every payment',
        'if (rebateRaw > 0) ledger.takeSystem',
        'ledger.takeSystem',
      ],
      ['what is paid is still owed', 'this.due.take(accountId, rewardRaw, rebateRaw)\n', '\n'],
    ],
  },
  {
    file: 'engine/core/rewards/rewards.ts',
    tests: SHARES,
    changes: [
      ['a payout forgets parts', 'this.today.add(accountId, 0, worthRaw)', 'void worthRaw'],
      [
        'a market leaves while a sample is open',
        'return this.open !== null && market.lastTradeSeq > 0',
        'return false',
      ],
      [
        'a market leaves while parts wait',
        ' || this.shareParts.has(market.marketId)) return true',
        ') return true',
      ],
      ['a snapshot forgets parts', 'this.shareParts.restore(captured.shareParts)\n', '\n'],
      [
        'parts are not hashed',
        "for (const part of shareParts) yield ['sharePart', ...part]\n",
        '\n',
      ],
      [
        'a trade that was taken back is waited for',
        ' || blocks.countableSeq > this.countedSeq',
        '',
      ],
    ],
  },
  {
    file: 'engine/core/decide/money/rewards.ts',
    tests: SHARES,
    changes: [
      ['a part behind the payout is lost', 'if (worthRaw === 0) continue', 'continue'],
      [
        'one account takes every row',
        'if (owners.boundOf(SHARE_PART_ROWS, accountId, own) !== null) return false\n',
        '\n',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/accounts/rewards.ts',
    tests: SHARE_TABLES,
    changes: [
      ['a part waits behind its payout', 'this.#dropShares.run(marketId)\n', '\n'],
      ['a payout owes nothing', 'if (raw > 0) this.#totals.push([owner, raw, 0])\n', '\n'],
      [
        'a part of a referral is a rebate',
        'if (referred === 0) this.#earn',
        'if (true) this.#earn',
      ],
    ],
  },
  {
    file: 'engine/core/rewards/samples.ts',
    tests: FOLLOWED,
    changes: [
      ['bids are asks', 'signedTicks.push(bids ? ticks : -ticks)', 'signedTicks.push(-ticks)'],
    ],
  },
  {
    file: 'engine/core/rewards/middle.ts',
    tests: FOLLOWED,
    changes: [
      [
        'the middle is that of the best bid',
        'return bidTicks + (this.#largeAsk === PRICE_ONE_TICKS ? this.#ask : this.#largeAsk)',
        'return 2 * bidTicks',
      ],
    ],
  },
  {
    file: 'persistence/follower/rewards/mined-rebates.ts',
    tests: FOLLOWED,
    changes: [
      [
        'a part of a fee in shares is collateral',
        'if (trade.side === SIDE.BUY) shares.add(keyOf(trade, owner, 0), raw)',
        'if (false) shares.add(keyOf(trade, owner, 0), raw)',
      ],
      [
        'a trade that was set aside gets a rebate',
        '  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)\n',
        '',
      ],
      [
        'a late trade gets no rebate',
        'FROM settlements JOIN trades ON seq = trade_seq\n',
        'FROM settlements JOIN trades ON seq = -trade_seq\n',
      ],
      [
        'trades of counted blocks count again',
        'this.#ofBlocks.all(afterSeq, endSeq)',
        'this.#ofBlocks.all(afterSeq - 900, endSeq)',
      ],
    ],
  },
  {
    file: 'persistence/follower/rewards/reward-scorer.ts',
    tests: FOLLOWED,
    changes: [
      [
        'a credited sample is scored',
        'rewards.open === null) this.#job = null',
        'false) this.#job = null',
      ],
      ['a sample of a snapshot is never scored', 'if (open === null) return\n', 'return\n'],
    ],
  },
  {
    file: 'engine/core/decide/money/rewards.ts',
    tests: PAID,
    changes: [
      [
        'who comes first gets all',
        'const isEnough = allRaw <= BigInt(fund.leftRaw)',
        'const isEnough = owedRaw <= fund.leftRaw',
      ],
    ],
  },
  {
    file: 'server/exchange/jobs/reward-minutes.ts',
    tests: KILLED,
    changes: [
      ['a start credits the first part again', 'const part = open.parts\n', 'const part = 0\n'],
    ],
  },
]
