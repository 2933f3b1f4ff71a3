// Runs the replication protocol in a simulated world, from a seed: three nodes with the real
// LogMember, a log, its two servers, clocks and networks.

import { type Counts, Environment, type LogRun } from './environment.ts'
import { FaultSchedule } from './fault-schedule.ts'
import { SimulatedLog } from './simulated-log.ts'
import { SimulatedNode } from './simulated-node.ts'

const NODES = ['red', 'green', 'blue']

/** An invariant that does not hold, and the step after which it does not. */
export class BrokenLog extends Error {
  override name = 'BrokenLog'
  readonly steps: number

  constructor(steps: number, why: Error) {
    super(`${why.message}, after ${steps} steps`, { cause: why })
    this.steps = steps
  }
}

/** Plays `steps` steps. Throws BrokenLog. Returns what the run has seen. */
export async function playLog(run: LogRun): Promise<Counts> {
  const { steps } = run
  const environment = new Environment(run)
  const log = new SimulatedLog(environment)
  const nodes = NODES.map((name) => new SimulatedNode(environment, log, name))
  const schedule = new FaultSchedule(environment, log, nodes)
  for (const node of nodes) node.start()
  schedule.begin()
  const { invariants } = log
  for (let step = 1; step <= steps; step++) {
    const isDone = !environment.queue.step()
    // Everything that waits for the event goes on before the next one.
    await new Promise(setImmediate)
    for (const node of nodes) node.process?.observe()
    invariants.check(!isDone, () => 'nothing happens any more')
    if (invariants.failure !== null) throw new BrokenLog(step, invariants.failure)
  }
  invariants.checkAll()
  if (invariants.failure !== null) throw new BrokenLog(steps, invariants.failure)
  environment.count('quiet periods', schedule.quietPeriods)
  environment.count('virtual seconds', Math.round(environment.queue.nowMs / 1000))
  return environment.counts
}
