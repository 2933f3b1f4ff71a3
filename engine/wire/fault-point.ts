// Where a crash can be asked for, to prove that a start comes back from it: OUTCOMEX_FAULT names a
// point and which passing of it ends the process as a power cut would. Each thread counts its own
// passings. Without the variable a point is one comparison with a constant.

export const FAULT_VARIABLE = 'OUTCOMEX_FAULT'

export const FAULT_POINTS = [
  /** A command is decided; neither the journal nor its market was given it. */
  'after-decide',
  /** A held order is taken from holding, and its market was not given it. */
  'mid-release',
  /** A deadline passed: before each of the cancels that it asks for. */
  'mid-cancels',
  'before-commit',
  /** The disk has it and main does not know. */
  'after-commit',
  /** Durable and settled, and its client was told nothing. */
  'before-reply',
  /** A block is durable, and nobody was told that its trades are mined. */
  'before-mined',
  /** Between two chunks of the read tables, at a start or in `outcomex rebuild`. */
  'mid-rebuild',
  /** A snapshot is written and not yet under its name. */
  'mid-snapshot',
] as const
export type FaultPoint = (typeof FAULT_POINTS)[number]

interface Armed {
  readonly point: FaultPoint
  readonly passing: number
}

/** A point and a passing, or null for a text that means none. */
export function readFault(text: string | undefined): Armed | null {
  const [, name, passing] = /^([a-z-]+):([1-9][0-9]{0,8})$/.exec(text ?? '') ?? []
  const point = FAULT_POINTS.find((each) => each === name)
  return point === undefined ? null : { point, passing: Number(passing) }
}

const armed = readFault(process.env[FAULT_VARIABLE])
let passings = 0

export function faultPoint(point: FaultPoint): void {
  if (armed !== null) pass(armed, point)
}

function pass({ point: wanted, passing }: Armed, point: FaultPoint): void {
  if (point === wanted && ++passings === passing) process.kill(process.pid, 'SIGKILL')
}
