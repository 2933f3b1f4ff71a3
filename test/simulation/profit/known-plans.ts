import type { Act, Plan } from './plan.ts'

// Plans that gained once, each by a rule that is another today.

const ACT: Act = {
  ...{ kind: 'trade', who: 'ann', other: 'ben', market: 0, outcome: 0, ticks: 500 },
  ...{ part: 1, waitMs: 0 },
}

function plan(acts: readonly Partial<Act>[], failsAt = -1): Plan {
  return { acts: acts.map((act) => ({ ...ACT, ...act })), failsAt }
}

export const KNOWN_PLANS: ReadonlyMap<string, Plan> = new Map([
  [
    'rebates and referrals of a fee in shares that are worth nothing',
    plan([{ kind: 'news' }, { kind: 'trade', outcome: 1 }]),
  ],
  ['the money of a sub-account that signs for itself', plan([{ kind: 'actFor', who: 'pat' }])],
  [
    'a pack on prices that are shown for a moment',
    plan([
      { kind: 'ask', ticks: 300 },
      { kind: 'ask', who: 'pat', outcome: 1, ticks: 710 },
      { kind: 'ask', market: 1, ticks: 300 },
      { kind: 'ask', who: 'pat', market: 1, outcome: 1, ticks: 710, waitMs: 200 },
      // What the asks lose to the honest bids is less than what these packs are worth.
      ...[1, 2, 3, 4].map(() => ({ kind: 'pack', who: 'ben' }) as const),
    ]),
  ],
  [
    'proceeds of a trade that fails, taken out before its block',
    plan(
      [
        { kind: 'news' },
        { kind: 'trade', market: 1, outcome: 1, ticks: 1, waitMs: 40_000 },
        { kind: 'ask', market: 1 },
        { kind: 'sell', who: 'ben', market: 1, outcome: 1 },
        { kind: 'withdraw', who: 'ben' },
      ],
      3,
    ),
  ],
])
