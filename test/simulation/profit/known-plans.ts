import type { Act, Colluder, MarketIndex, Plan } from './plan.ts'

// Plans that gained once, each by a rule that is another today.

const ACT: Act = {
  kind: 'trade',
  who: 'ann',
  other: 'ben',
  market: 0,
  second: 1,
  outcome: 0,
  ticks: 500,
  part: 1,
  waitMs: 0,
}

function plan(acts: readonly Partial<Act>[], more: Partial<Plan> = {}): Plan {
  return { failsAt: -1, isLate: false, ...more, acts: acts.map((act) => ({ ...ACT, ...act })) }
}

/** Asks and bids of an account around one half, which the honest maker leaves where they are. */
const quotes = (who: Colluder, market: MarketIndex) =>
  ([0, 1] as const).map(
    (outcome) => ({ kind: 'ask', who, market, outcome, ticks: 520, part: 0.1 }) as const,
  )

export const KNOWN_PLANS: ReadonlyMap<string, Plan> = new Map([
  [
    'rebates and referrals of a fee in shares that are worth nothing',
    plan([{ kind: 'publish' }, { kind: 'trade', outcome: 1 }], { isLate: true }),
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
        { kind: 'publish' },
        { kind: 'trade', market: 1, outcome: 1, ticks: 1, waitMs: 40_000 },
        { kind: 'ask', market: 1 },
        { kind: 'sell', who: 'ben', market: 1, outcome: 1 },
        { kind: 'withdraw', who: 'ben' },
      ],
      { failsAt: 3, isLate: true },
    ),
  ],
  [
    'a pack of two markets that win together',
    plan([1, 2, 3, 4].map(() => ({ kind: 'pack', second: 2 }) as const)),
  ],
  [
    'a pack when the winners are known, shortly before the markets close',
    plan(
      [
        ...quotes('pat', 0),
        ...quotes('pat', 1).map((act, at) => ({ ...act, waitMs: at === 1 ? 40_000 : 0 })),
        { kind: 'publish' },
        ...[1, 2].map(() => ({ kind: 'pack', who: 'ben' }) as const),
      ],
      { isLate: true },
    ),
  ],
])
