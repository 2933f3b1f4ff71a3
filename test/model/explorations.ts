// What is explored of the model. The protocol holds within all bounds. Every planted fault breaks
// it, except that of the lease, on which safety does not rest.

/** How the states are visited: `shortest` finds the shortest error trail, and needs more memory. */
export type Search = 'all' | 'shortest' | 'liveness'

export interface Exploration {
  readonly name: string
  /** Definitions of the model. */
  readonly macros: Readonly<Record<string, string | number>>
  readonly search: Search
  readonly isBroken: boolean
}

/** The constant of the model, and what is wrong. */
const FAULTS: readonly (readonly [fault: string, name: string])[] = [
  ['APPEND_IGNORES_EPOCH', 'an append does not check the epoch'],
  ['APPEND_IGNORES_END', 'an append does not check that it follows the end'],
  ['ACQUIRE_KEEPS_EPOCH', 'an acquire does not raise the epoch'],
  ['ACKNOWLEDGES_BEFORE_APPEND', 'a leader acknowledges before the append returned'],
  ['ACKNOWLEDGES_REFUSED_APPEND', 'a leader acknowledges a refused append'],
  ['INTERRUPTED_COMMIT_COUNTS', 'a commit whose wait was interrupted counts'],
  ['FOUND_ROW_COUNTS', 'a row found after a lost reply counts without a commit'],
  ['FOUND_LEADERSHIP_COUNTS', 'a leadership found after a lost reply counts without a commit'],
  ['FORMER_LEADERSHIP_COUNTS', 'a node takes its former leadership for a new one'],
  ['VISIBLE_ROW_COUNTS', 'a standby applies rows as soon as it sees them'],
  ['NEWER_ROW_COUNTS', 'a promoted node applies rows of a later epoch'],
  ['DECIDES_BEFORE_END', 'a promoted node decides before it applied the end of the log'],
  ['KEEPS_UNACKNOWLEDGED', 'a restarted leader keeps what was not acknowledged'],
  ['CONFIRMS_ON_ANOTHER_CONNECTION', 'a leader finds its row and renews on two connections'],
  ['REPORTS_ON_ANOTHER_CONNECTION', 'a standby reads the end and reports on two connections'],
  [
    'NOTIFIES_ON_ANOTHER_CONNECTION',
    'a number acknowledged by one primary confirms rows of another',
  ],
]

/** Most states, in gigabytes of memory: one after another. */
export const LARGE: readonly Exploration[] = [
  {
    name: 'the protocol: 2 batches, 3 epochs',
    macros: { ROWS: 2, EPOCHS: 3 },
    search: 'all',
    isBroken: false,
  },
  {
    name: 'the protocol: 3 batches',
    macros: { ROWS: 3 },
    search: 'all',
    isBroken: false,
  },
]

export const SMALL: readonly Exploration[] = [
  {
    name: 'the protocol: 2 lost primaries',
    macros: { LEADERSHIPS: 3, FAIL_OVERS: 2 },
    search: 'all',
    isBroken: false,
  },
  {
    name: 'the protocol: some node leads in the end',
    macros: { ROWS: 1, UNSORTED: 1, LIVENESS: 1 },
    search: 'liveness',
    isBroken: false,
  },
  {
    name: 'variation: an acquire does not check the lease',
    macros: { FAULT: 'ACQUIRE_IGNORES_LEASE' },
    search: 'all',
    isBroken: false,
  },
  ...FAULTS.map(
    ([fault, name]): Exploration => ({
      name: `fault: ${name}`,
      macros: { FAULT: fault, LEADERSHIPS: 3, FAIL_OVERS: 2, UNSORTED: 1 },
      search: 'shortest',
      isBroken: true,
    }),
  ),
  {
    name: 'fault: a lease never ends',
    macros: { FAULT: 'LEASE_NEVER_ENDS', ROWS: 1, UNSORTED: 1, LIVENESS: 1 },
    search: 'liveness',
    isBroken: true,
  },
]
