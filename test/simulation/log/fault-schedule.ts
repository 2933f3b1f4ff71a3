// Decides what fails, and when. Periods with faults take turns with quiet ones, at whose end a node
// must lead and every node must have the whole log.

import { type Environment, LEASE_MS } from './environment.ts'
import type { SimulatedLog } from './simulated-log.ts'
import type { SimulatedNode } from './simulated-node.ts'

/** Once nothing fails any more, some node leads after so long. */
const LED_WITHIN_MS = LEASE_MS + 2000
/** A standby notices within so long that a primary has ended silently. */
const NOTICED_MS = 6 * LEASE_MS
/** After that, for so long commands are decided, and then for so long they are not. */
const DECIDING_MS = 500
const CATCH_UP_MS = 1500

export class FaultSchedule {
  readonly #environment: Environment
  readonly #log: SimulatedLog
  readonly #nodes: readonly SimulatedNode[]
  /** Quiet periods so far. */
  quietPeriods = 0

  constructor(environment: Environment, log: SimulatedLog, nodes: readonly SimulatedNode[]) {
    this.#environment = environment
    this.#log = log
    this.#nodes = nodes
  }

  begin(): void {
    const environment = this.#environment
    const { random, queue } = environment
    environment.isQuiet = false
    environment.isDeciding = true
    environment.lossOdds = random.pick([0.001, 0.004, 0.02])
    const meanMs = random.pick([100, 300, 800])
    const untilMs = queue.nowMs + environment.between(3000, 15_000)
    // With some faults only, a run comes to states that others would prevent.
    const ofNodes = this.#faultsOfNodes().filter(() => random.chance(0.5))
    const ofServers = this.#faultsOfServers().filter(() => random.chance(0.3))
    this.#failAgain([...ofNodes, ...ofServers], meanMs, untilMs)
  }

  #failAgain(faults: readonly (() => void)[], meanMs: number, untilMs: number): void {
    const { queue, random } = this.#environment
    if (queue.nowMs > untilMs) {
      this.#calm()
      return
    }
    queue.after(this.#environment.between(0, 2 * meanMs), () => {
      if (faults.length > 0) random.pick(faults)()
      this.#failAgain(faults, meanMs, untilMs)
    })
  }

  #forMs(): number {
    return this.#environment.between(0, this.#environment.random.pick([200, 2.5 * LEASE_MS]))
  }

  #faultsOfNodes(): (() => void)[] {
    const node = () => this.#environment.random.pick(this.#nodes)
    return [
      () => node().kill(),
      () => node().pause(this.#forMs()),
      () => node().process?.stop(),
      () => node().partition(this.#forMs()),
      () => node().reset(),
    ]
  }

  #faultsOfServers(): (() => void)[] {
    const log = this.#log
    const downMs = () => this.#environment.between(0, 200)
    return [
      () => log.terminateAny(),
      () => log.terminateCommitting(),
      () => log.restart(downMs()),
      () => log.failOver(downMs()),
      () => log.detach(this.#forMs()),
      () => log.desynchronize(this.#forMs()),
      // More often than others: only this shows whether a row counts before it is confirmed.
      () => log.loseRows(),
      () => log.loseRows(),
      () => log.loseRows(),
      () => log.trim(Math.min(...this.#nodes.map(({ safeSeq }) => safeSeq))),
    ]
  }

  #calm(): void {
    const { queue } = this.#environment
    this.#environment.trace(() => 'nothing fails from here on')
    this.#environment.isQuiet = true
    this.#log.recover()
    for (const node of this.#nodes) {
      node.heal()
      node.process?.resume()
      node.start()
    }
    const silentMs = this.#log.silentMs + NOTICED_MS - queue.nowMs
    queue.after(LED_WITHIN_MS + Math.max(0, silentMs), () => this.#checkLed())
  }

  #checkLed(): void {
    const { queue } = this.#environment
    const { invariants, primary } = this.#log
    invariants.check(
      this.#nodes.some((node) => node.isLeading),
      () => `no node leads after ${LED_WITHIN_MS} ms without faults`,
    )
    const seqBefore = primary.image.tail.seq
    queue.after(DECIDING_MS, () => {
      this.#environment.isDeciding = false
      queue.after(CATCH_UP_MS, () => {
        const { seq } = this.#log.primary.image.tail
        invariants.check(seq > seqBefore, () => 'the leader appends nothing')
        for (const node of this.#nodes) this.#checkEnd(node, seq)
        invariants.checkAll()
        this.quietPeriods++
        this.begin()
      })
    })
  }

  #checkEnd({ name, process, copiedSeq }: SimulatedNode, seq: number): void {
    const { invariants } = this.#log
    const durableSeq = process?.durableSeq ?? -1
    invariants.check(durableSeq === seq, () => {
      return `${name} is at seq ${durableSeq}, and the log ends at seq ${seq}`
    })
    invariants.check(copiedSeq === seq, () => {
      return `the copy of ${name} ends at ${copiedSeq}, and the log at ${seq}`
    })
  }
}
