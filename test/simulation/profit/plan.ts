import type { Random } from '../../support/random.ts'

// What colluding accounts do, act by act. Acts know nothing of who wins until the
// winners are published: then the colluders know them, as they do shortly before a market ends.

/** How often each kind comes among random acts. */
const ODDS = {
  trade: 4,
  ask: 3,
  take: 1,
  sell: 2,
  cancel: 1,
  split: 1,
  merge: 1,
  poolBuy: 1,
  poolSell: 1,
  pack: 3,
  offer: 1,
  withdraw: 2,
  actFor: 1,
  publish: 1,
  nothing: 0,
} as const
export type ActKind = keyof typeof ODDS
const KINDS: readonly ActKind[] = Object.entries(ODDS).flatMap(([kind, odds]) => {
  return isKind(kind) ? Array<ActKind>(odds).fill(kind) : []
})

function isKind(text: string): text is ActKind {
  return text in ODDS
}

/** Ann; Ben, whom she referred; Pat, a partner; and a sub-account of Pat with a server wallet. */
export const COLLUDERS = ['ann', 'ben', 'pat', 'sub'] as const
export type Colluder = (typeof COLLUDERS)[number]

/**
 * 0 has fees, rebates, rewards and referrals; 1 has none of them; 2 has the winner of 0 and its
 * correlation key; 3 has the winner of 1 and a taker delay.
 */
export const MARKETS = [0, 1, 2, 3] as const
export type MarketIndex = (typeof MARKETS)[number]

export interface Act {
  readonly kind: ActKind
  readonly who: Colluder
  readonly other: Colluder
  readonly market: MarketIndex
  /** The other leg of packs and offers. */
  readonly second: MarketIndex
  readonly outcome: 0 | 1
  /** Of the outcome. */
  readonly ticks: number
  /** The size, as a part of what is possible: in (0, 1]. */
  readonly part: number
  /** Time that passes behind the act. */
  readonly waitMs: number
}

export interface Plan {
  readonly acts: readonly Act[]
  /** The chain fails the trade of this act, unless it is mined before; -1 for none. */
  readonly failsAt: number
  /** Whether the markets close soon: nobody knows a winner before. */
  readonly isLate: boolean
}

const LENGTH_MAX = 10
const LATE = 0.5
/** How many late plans begin when the winners are known. */
const UPDATES_FIRST = 0.6
const WAITS_MS = [0, 0, 200, 1500]
const TICKS = [1, 100, 300, 400, 450, 490, 500, 510, 600, 700, 900, 999]
/** Longer than orders rest before they count for packs, and than a block takes. */
const REST_MS = 40_000

function randomAct(random: Random): Act {
  const who = random.pick(COLLUDERS)
  const others = COLLUDERS.filter((each) => each !== who)
  return {
    kind: random.pick(KINDS),
    who,
    other: random.pick(others),
    market: random.pick(MARKETS),
    second: random.pick(MARKETS),
    outcome: random.chance(0.5) ? 0 : 1,
    ticks: random.pick(TICKS),
    part: random.pick([0.000001, 0.01, 0.1, 0.5, 1]),
    waitMs: 0,
  }
}

/** The time behind each act. Plans that are played beside each other share one clock. */
export function randomWaits(random: Random): readonly number[] {
  return Array.from({ length: LENGTH_MAX }, () => {
    return random.chance(0.15) ? REST_MS : random.pick(WAITS_MS)
  })
}

export function withWaits(plan: Plan, waitsMs: readonly number[]): Plan {
  return { ...plan, acts: plan.acts.map((act, at) => ({ ...act, waitMs: waitsMs[at] })) }
}

function failure({ length }: readonly Act[], random: Random): number {
  return random.chance(0.2) ? random.below(length) : -1
}

/** Most plans are short, so that one act in them can gain more than the others lose. */
export function randomPlan(random: Random): Plan {
  const length = random.between(1, random.pick([2, 4, 6, LENGTH_MAX]))
  const rest = Array.from({ length }, () => randomAct(random))
  const publish: Act = { ...randomAct(random), kind: 'publish' }
  const isLate = random.chance(LATE)
  const acts =
    isLate && random.chance(UPDATES_FIRST) ? [publish, ...rest].slice(0, LENGTH_MAX) : rest
  return { acts, failsAt: failure(acts, random), isLate }
}

/** A plan that differs from this one in an act: changed, added, left out, or moved. */
export function changedPlan(plan: Plan, random: Random): Plan {
  const { acts } = plan
  if (random.chance(0.1)) return { ...plan, failsAt: failure(acts, random) }
  const at = random.below(acts.length + 1)
  const before = acts.slice(0, at)
  const after = acts.slice(at)
  const [act = randomAct(random), ...rest] = after
  switch (random.below(4)) {
    case 0:
      return { ...plan, acts: [...before, randomAct(random), ...after].slice(0, LENGTH_MAX) }
    case 1:
      return acts.length > 1 ? without(plan, Math.min(at, acts.length - 1)) : plan
    case 2:
      return { ...plan, acts: [...before, { ...randomAct(random), kind: act.kind }, ...rest] }
    default:
      return { ...plan, acts: [...rest, act, ...before].slice(0, LENGTH_MAX) }
  }
}

function without({ acts, failsAt, isLate }: Plan, out: number): Plan {
  const moved = failsAt === out ? -1 : failsAt > out ? failsAt - 1 : failsAt
  return { acts: acts.filter((_act, at) => at !== out), failsAt: moved, isLate }
}

/** The plans that do nothing in place of one act of this one. The clock goes on as before. */
export function shorterPlans(plan: Plan): Plan[] {
  return plan.acts.flatMap(({ kind }, out) => {
    if (kind === 'nothing') return []
    const nothing = (act: Act): Act => ({ ...act, kind: 'nothing' })
    return [{ ...plan, acts: plan.acts.map((act, at) => (at === out ? nothing(act) : act)) }]
  })
}

export function textOf({ acts, failsAt, isLate }: Plan): string {
  const lines = acts.map((act, at) => {
    const { kind, who, other, market, second, outcome, ticks, part, waitMs } = act
    const where = `market ${market} (and ${second}), outcome ${outcome} at ${ticks}`
    const fails = at === failsAt ? '; its trade fails' : ''
    return `  ${kind} by ${who} with ${other}: ${where}, part ${part}, then ${waitMs} ms${fails}`
  })
  return [isLate ? '  shortly before the markets close' : '  long before', ...lines].join('\n')
}
