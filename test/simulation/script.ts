// What happens in a simulated world, step by step. The seed and the number of a step fix the step,
// so any steps may be left out and the others keep their meaning.

import { OP, type Workload, workloadOf } from '../../bench/workload/workload.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { Random } from '../support/random.ts'

/** Clients and operators act; the last acts happen to the machine. */
export const ACTS = [
  // Rows of the workload as they are, and changed into other kinds of orders.
  'row',
  'typed',
  'market',
  'exact',
  'expiring',
  'named',
  'crossing',
  'resent',
  'again',
  'restricted',
  // Orders of sub-accounts, sent by their partners.
  'delegated',
  'batch',
  'replace',
  'replaces',
  'crowd',
  // Cancels in addition to those of the workload.
  'cancelAgain',
  'cancelForeign',
  'cancelNamed',
  'cancelBatch',
  'cancelAll',
  'cancelWide',
  // Orders in the place of others, and smaller ones.
  'replaceOrder',
  'decreaseOrder',
  'orderGroup',
  // Accounts, money, markets.
  'deposit',
  'withdraw',
  'token',
  'revoke',
  'touch',
  'login',
  'logout',
  'edit',
  'sponsor',
  'approve',
  'leave',
  'address',
  'open',
  'resolve',
  'brief',
  'unwind',
  // Money that moves outside trading.
  'split',
  'merge',
  'redeem',
  'convert',
  'payOut',
  // Packs, offers of packs, and the funds of the house.
  'house',
  'pack',
  'packAgain',
  'offer',
  'take',
  'recall',
  'settle',
  'curate',
  'delist',
  'buy',
  // Groups, series, markets that live, and what the oracle says.
  'bunch',
  'crown',
  'amend',
  'lock',
  'unlock',
  'flag',
  'series',
  'retire',
  'quote',
  // What delays orders, cancels them or fails their trades.
  'fault',
  'beat',
  'restrict',
  'freeze',
  // The machine.
  'tick',
  'thread',
  'receive',
  'commit',
  'report',
  'time',
  'clockBack',
  'sleep',
  'night',
  'catchUp',
  'stall',
  'wake',
  'refuse',
  'accept',
  'crash',
  'death',
  'rest',
] as const
export type Act = (typeof ACTS)[number]

export interface Step {
  readonly act: Act
  /** Row of the workload, for acts that take a row. */
  readonly row: number
  /** In [0, 1): each act reads them in its own way. */
  readonly dice: readonly [number, number]
}

export interface Setting {
  readonly accounts: number
  readonly tracks: number
  readonly threads: number
  readonly capacity: number
  /** Taker delay of every second market at the beginning of a world. */
  readonly takerDelayMs: number
  /** Time that passes between two looks at a time slice of main; with 0 no slice ends. */
  readonly lookMs: number
}

export interface Script {
  readonly seed: number
  readonly setting: Setting
  readonly work: Workload
  readonly steps: readonly Step[]
}

export type Odds = Readonly<Partial<Record<Act, number>>>

const CLIENTS: Odds = {
  row: 62,
  typed: 6,
  market: 5,
  exact: 2.5,
  expiring: 2,
  named: 4,
  crossing: 2,
  resent: 1.5,
  again: 1.2,
  restricted: 2,
  delegated: 3,
  batch: 0.4,
  replace: 2,
  replaces: 0.3,
  crowd: 0.02,
  cancelAgain: 1.5,
  cancelForeign: 0.7,
  cancelNamed: 0.7,
  cancelBatch: 1.5,
  cancelAll: 0.3,
  replaceOrder: 4,
  decreaseOrder: 3,
  orderGroup: 1,
  deposit: 0.8,
  withdraw: 0.5,
  token: 0.4,
  revoke: 0.2,
  touch: 0.4,
  login: 0.4,
  logout: 0.3,
  edit: 0.4,
  sponsor: 0.3,
  approve: 0.4,
  leave: 0.2,
  address: 0.3,
  open: 0.15,
  resolve: 0.06,
  brief: 0.3,
  unwind: 0.1,
  split: 0.6,
  merge: 0.4,
  redeem: 0.5,
  convert: 1,
  payOut: 0.3,
  house: 0.1,
  pack: 2.5,
  packAgain: 0.3,
  offer: 0.6,
  take: 1,
  recall: 0.15,
  settle: 0.3,
  curate: 0.4,
  delist: 0.1,
  buy: 2,
  bunch: 0.15,
  crown: 0.1,
  amend: 0.2,
  lock: 0.15,
  unlock: 0.3,
  flag: 0.2,
  series: 0.15,
  retire: 0.04,
  quote: 1.5,
  fault: 0.5,
  beat: 0.5,
  restrict: 0.1,
  freeze: 0.2,
}

/** Worlds in which some acts are far more frequent. */
export const MANY = {
  /** Markets, sessions and tokens that come and go, nearly as often as orders. */
  lives: {
    brief: 18,
    unwind: 6,
    resolve: 1,
    token: 8,
    revoke: 8,
    login: 20,
    logout: 18,
    row: 30,
    typed: 3,
    market: 3,
  },
  groups: {
    orderGroup: 15,
    replaceOrder: 8,
    decreaseOrder: 5,
    typed: 10,
    market: 8,
    beat: 2,
    freeze: 0.5,
    restrict: 0.3,
    crash: 0.3,
    death: 0.1,
    rest: 0.1,
  },
  amends: {
    replaceOrder: 25,
    decreaseOrder: 25,
    delegated: 20,
    replace: 20,
    sponsor: 8,
    approve: 4,
  },
} as const satisfies Readonly<Record<string, Odds>>

export type Many = keyof typeof MANY

export function isMany(name: string): name is Many {
  return name in MANY
}

/** Kinds of machines: each act is as frequent as its number says. */
const MACHINES: readonly Odds[] = [
  { tick: 10, thread: 10, receive: 6, commit: 6, report: 5, catchUp: 6, time: 2, rest: 0.05 },
  {
    tick: 14,
    thread: 14,
    receive: 4,
    commit: 6,
    report: 5,
    catchUp: 1,
    time: 2,
    stall: 0.1,
    wake: 1,
  },
  { tick: 12, thread: 14, receive: 9, commit: 1, report: 0.3, catchUp: 0.2, time: 2, rest: 0.02 },
  {
    tick: 14,
    thread: 12,
    receive: 5,
    commit: 5,
    report: 3,
    catchUp: 0.5,
    time: 3,
    rest: 0.03,
    clockBack: 0.1,
    stall: 0.2,
    wake: 1,
    refuse: 0.1,
    accept: 1,
    cancelWide: 0.15,
  },
]
const CRASHES: Odds = { crash: 0.02, death: 0.01, sleep: 0.05, night: 0.01 }

function wheelOf(odds: Odds): (dice: number) => Act {
  const acts = ACTS.filter((act) => (odds[act] ?? 0) > 0)
  const sum = acts.reduce((total, act) => total + (odds[act] ?? 0), 0)
  let reached = 0
  const ends = acts.map((act) => {
    reached += (odds[act] ?? 0) / sum
    return reached
  })
  return (dice) => acts[ends.findIndex((end) => dice < end)] ?? acts[0]
}

/** Acts that use up one row of the workload. */
const TAKES_ROW = new Set<Act>(['row', 'typed', 'market', 'exact', 'expiring', 'named', 'crossing'])

/** `more` changes how frequent some acts are. */
export function scriptOf(seed: number, length: number, more: Odds = {}): Script {
  const random = new Random(seed)
  const setting: Setting = {
    accounts: random.pick([2, 4, 6, 8, 12]),
    tracks: random.pick([1, 2, 3, 4, 6]),
    threads: random.pick([1, 2, 3, 16]),
    capacity: random.pick([48, 160, 160, 400, 1000, 1000]),
    takerDelayMs: random.pick([0, 0, 1, 500, 3000]),
    lookMs: seed % 3 === 0 ? 0 : LIMITS.mainSliceMs / (seed % 3),
  }
  const live = random.pick([20, 50, 80, 110])
  // Seeds in a row play on every kind of machine.
  const machine = MACHINES[seed % MACHINES.length]
  const spin = wheelOf({ ...CLIENTS, ...machine, ...CRASHES, ...more })
  const steps: Step[] = []
  let rows = 0
  for (let index = 0; index < length; index++) {
    const act = spin(random.next())
    const row = TAKES_ROW.has(act) ? rows++ : rows
    steps.push({ act, row, dice: [random.next(), random.next()] })
  }
  const { accounts, tracks: books } = setting
  const work = workloadOf({ seed, live, books, accounts, ops: rows + 1 })
  return { seed, setting, work, steps }
}

export function isCancel({ work }: Script, row: number): boolean {
  return work.op[row] === OP.CANCEL
}
