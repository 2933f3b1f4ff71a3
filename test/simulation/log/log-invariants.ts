import { LEASE_MS } from './environment.ts'
import type { Change, LogImage, LogRow } from './log-image.ts'

// The invariants of a replicated log. They know all nodes and servers at once, and rest on nothing
// that a node believes. The first that is broken ends the run at the end of the step: thrown at
// once, it would look like a fault of a call.

/** How far the clocks of two database servers may differ. A lease is granted by one of them. */
export const SKEW_MS = 20

export class LogInvariants {
  /** The first invariant that was broken. */
  failure: Error | null = null
  /** The record of each seq that a caller got a reply for. */
  readonly #acknowledged = new Map<number, number>()
  /** The record of each seq that was acknowledged, applied or copied. It can never be another. */
  readonly #settled: number[] = [0]
  /** For how long each node goes on to answer as the leader. */
  readonly #answersForMs = new Map<string, () => number>()
  #log: LogImage

  constructor(log: LogImage) {
    this.#log = log
  }

  get acknowledgedCount(): number {
    return this.#acknowledged.size
  }

  check(isKept: boolean, sentence: () => string): void {
    if (!isKept) this.failure ??= new Error(sentence())
  }

  /** A change is about to be visible on the primary. */
  visible(image: LogImage, change: Change): void {
    if (image !== this.#log || change.kind !== 'row') return
    const { row } = change
    const last = image.rows.at(-1)
    this.check(row.firstSeq === image.tail.seq + 1 && row.isNumbered, () => {
      return `the log has a gap or a duplicate: ${rangeOf(row)} follows seq ${image.tail.seq}`
    })
    this.check(last === undefined || last.epoch <= row.epoch, () => {
      return `epochs fall along the log: ${rangeOf(row)} of epoch ${row.epoch}`
    })
  }

  /** A node has received a record of another node, applied it, or copied it. */
  received(node: string, seq: number, content: number): void {
    const inLog = this.#log.contents[seq]
    this.check(inLog === content, () => {
      return `${node} takes ${content} as seq ${seq}, which is ${inLog} in the log`
    })
    this.#settle(node, seq, content)
  }

  /** A process starts; the function returns what is left of its lease. */
  started(node: string, answersForMs: () => number): void {
    this.#answersForMs.set(node, answersForMs)
  }

  /** A node acknowledges, so no other may answer from an older state. */
  checkAlone(node: string): void {
    for (const [other, answersForMs] of this.#answersForMs) {
      if (other === node) continue
      const leftMs = answersForMs()
      this.check(leftMs <= SKEW_MS, () => {
        return `${node} acknowledges, and ${other} answers for another ${leftMs} ms`
      })
    }
  }

  /** A node replies to the caller of a record. */
  acknowledged(node: string, seq: number, content: number): void {
    this.check(!this.#acknowledged.has(seq), () => {
      return `${node} acknowledges seq ${seq}, which was acknowledged before`
    })
    const inLog = this.#log.contents[seq]
    this.check(inLog === content, () => {
      return `${node} acknowledges ${content} as seq ${seq}, which is ${inLog} in the log`
    })
    this.#acknowledged.set(seq, content)
    this.#settle(node, seq, content)
  }

  #settle(node: string, seq: number, content: number): void {
    const before = this.#settled[seq]
    this.check(before === undefined || before === content, () => {
      return `seq ${seq} is ${content} for ${node}, and ${before} for another node or a caller`
    })
    this.#settled[seq] = content
  }

  /** Another server is the primary. */
  failedOver(log: LogImage): void {
    this.#log = log
    this.#checkSettled(log.tail.seq)
  }

  /** Everything that was acknowledged, applied or copied is in the log. */
  checkAll(): void {
    this.#checkSettled(0)
    for (const [seq, content] of this.#acknowledged) {
      this.check(this.#log.contents[seq] === content, () => `the log lost acknowledged seq ${seq}`)
    }
  }

  #checkSettled(fromSeq: number): void {
    for (let seq = fromSeq; seq < this.#settled.length; seq++) {
      const content = this.#settled[seq]
      this.check(content === undefined || this.#log.contents[seq] === content, () => {
        const kind = this.#acknowledged.has(seq) ? 'acknowledged' : 'applied'
        return `the log lost ${kind} seq ${seq}`
      })
    }
  }

  /** A node reports or acknowledges something with so much left of its lease. */
  leads(node: string, leftMs: number): void {
    this.check(leftMs > 0, () => `${node} acknowledges ${-leftMs} ms after the end of its lease`)
    this.check(leftMs <= LEASE_MS, () => `${node} has a lease of ${leftMs} ms`)
  }
}

function rangeOf({ firstSeq, lastSeq }: LogRow): string {
  return `${firstSeq} to ${lastSeq}`
}
