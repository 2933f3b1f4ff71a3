// Faults that a run may plant into the protocol. The invariants must notice each, except where the
// protocol tolerates it. test/mutation/log-changes.ts plants those that are faults of LogMember's
// text.

export const PLANTED_FAULTS = [
  /** A leader that was replaced still appends. */
  'append ignores the epoch',
  /** Neither the end of the log nor its primary key is compared. */
  'append ignores the end of the log',
  'acquire keeps the epoch',
  /** A row found after a lost reply counts, although no commit followed that waits for the disk. */
  'a found row counts',
  /** A standby takes what it sees, although it may be on one disk only. */
  'a visible row counts',
  'an append counts before it returns',
  /** Main acknowledges although its lease has ended. */
  'main ignores the lease',
  /** After a lost reply, other records are appended under the same numbers. */
  'a seq is used again',
  /** A new leader decides before it has what the log held when it acquired the leadership. */
  'a leader decides before the end of the log',
  'the copy is ahead of the log',
] as const
export type PlantedFault = (typeof PLANTED_FAULTS)[number]

/** Safety rests on the epoch; the lease only decides who should try. */
export const TOLERATED_FAULT = 'acquire ignores the lease'

type Fault = PlantedFault | typeof TOLERATED_FAULT
export type Planted = ReadonlySet<Fault>

const ALL: readonly Fault[] = [...PLANTED_FAULTS, TOLERATED_FAULT]

/** The fault of that name; none for an empty name. Throws for an unknown name. */
export function plantedOf(name: string): Planted {
  if (name === '') return new Set()
  const found = ALL.find((each) => each === name)
  if (found === undefined) throw new Error(`the faults are: ${ALL.join(', ')}`)
  return new Set([found])
}
