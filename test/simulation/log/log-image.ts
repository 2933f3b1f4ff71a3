import type { Seq } from '../../../engine/domain/ids.ts'
import { eachRecord, recordMs, recordSeq } from '../../../engine/wire/codec.ts'
import { EMPTY_TAIL } from '../../../persistence/journal/journal-chain.ts'
import type { Batch, JournalTail } from '../../../persistence/journal/journal-port.ts'
import type {
  AppendOutcome,
  Leadership,
  ListedNode,
  NodeIdentity,
  StateAt,
} from '../../../persistence/log/postgres-log.ts'
import type { Planted } from './planted-faults.ts'

// The tables of a simulated log, as one server holds them, and the statements of log-schema.ts and
// postgres-log.ts on them. A statement does not change the tables: it returns the change, which the
// server applies when its transaction becomes visible.

/** A row of `batches`. */
export interface LogRow extends Batch {
  readonly epoch: number
  /** What each record holds. */
  readonly contents: readonly number[]
  /** The records bear the numbers of the row. */
  readonly isNumbered: boolean
}

export interface LeadershipRow extends Omit<Leadership, 'leftMs'> {
  /** By the clock of the server. */
  readonly untilMs: number
}

interface NodeRow extends NodeIdentity {
  readonly seq: Seq
  readonly seenMs: number
}

export type Change =
  /** A transaction that only locks a row commits too. */
  | { readonly kind: 'lock' }
  | { readonly kind: 'row'; readonly row: LogRow }
  | { readonly kind: 'leadership'; readonly leadership: LeadershipRow }
  | { readonly kind: 'node'; readonly node: NodeRow }
  | { readonly kind: 'hash'; readonly node: string; readonly state: StateAt }
  /** Removes the oldest rows, through the one that ends at `base`. */
  | { readonly kind: 'trim'; readonly base: JournalTail }

const LOCK_ONLY: Change = { kind: 'lock' }
/** Of these, the tables keep the newest of each node. */
const HASHES_MAX = 64

export function contentsOf(records: Uint8Array): number[] {
  const contents: number[] = []
  eachRecord(records, (record) => contents.push(recordMs(record)))
  return contents
}

export function rowOf(epoch: number, batch: Batch): LogRow {
  let seq = batch.firstSeq
  let isNumbered = true
  eachRecord(batch.records, (record) => {
    isNumbered &&= recordSeq(record) === seq++
  })
  isNumbered &&= seq === batch.lastSeq + 1
  return { ...batch, epoch, contents: contentsOf(batch.records), isNumbered }
}

export class LogImage {
  readonly rows: LogRow[]
  /** What the record of each seq holds. */
  readonly contents: number[]
  leadership: LeadershipRow
  /** Nothing before it is kept. */
  base: JournalTail
  readonly #nodes: Map<string, NodeRow>
  readonly #hashes: Map<string, StateAt[]>

  constructor(from?: LogImage) {
    this.rows = [...(from?.rows ?? [])]
    this.contents = [...(from?.contents ?? [0])]
    this.leadership = from?.leadership ?? { epoch: 0, node: '', run: '', url: '', untilMs: -1 }
    this.base = from?.base ?? EMPTY_TAIL
    this.#nodes = new Map(from === undefined ? [] : from.#nodes)
    this.#hashes = new Map(from === undefined ? [] : from.#hashes)
  }

  apply(change: Change): void {
    if (change.kind === 'row') {
      const { row } = change
      this.rows.push(row)
      for (const [index, content] of row.contents.entries()) {
        this.contents[row.firstSeq + index] = content
      }
    } else if (change.kind === 'leadership') this.leadership = change.leadership
    else if (change.kind === 'trim') this.#trim(change.base)
    else if (change.kind === 'node') this.#nodes.set(change.node.name, change.node)
    else if (change.kind === 'hash') {
      const { node, state } = change
      const before = this.#hashes.get(node) ?? []
      if (before.some(({ seq }) => seq === state.seq)) return
      this.#hashes.set(node, [...before.slice(1 - HASHES_MAX), state])
    }
  }

  #trim(base: JournalTail): void {
    this.base = base
    this.rows.splice(0, this.#indexOf(base.seq + 1))
  }

  // What reads.

  get tail(): JournalTail {
    const last = this.rows.at(-1)
    return last === undefined ? this.base : { seq: last.lastSeq, checksum: last.checksum }
  }

  checksumAt(seq: Seq): Uint8Array | null {
    if (seq === this.base.seq) return this.base.checksum
    const row = this.rows[this.#indexOf(seq)]
    return row !== undefined && row.lastSeq === seq ? row.checksum : null
  }

  /** The index of the first row that ends at `seq` or later. */
  #indexOf(seq: Seq): number {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.rows[middle].lastSeq < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  batches(fromSeq: Seq, throughSeq: Seq, limit: number): Batch[] {
    const found: Batch[] = []
    for (let index = this.#indexOf(fromSeq); found.length < limit; index++) {
      const row = this.rows.at(index)
      if (row === undefined || row.lastSeq > throughSeq) break
      if (row.firstSeq >= fromSeq) found.push(row)
    }
    return found
  }

  leadershipAt(nowMs: number): Leadership {
    const { untilMs, ...leadership } = this.leadership
    return { ...leadership, leftMs: leadership.epoch === 0 ? -1 : untilMs - nowMs }
  }

  nodesAt(nowMs: number): ListedNode[] {
    return [...this.#nodes.values()].map((node) => ({ ...node, seenMs: nowMs - node.seenMs }))
  }

  differsFrom(node: string, other: string): Seq | null {
    const others = this.#hashes.get(other) ?? []
    const own = this.#hashes.get(node) ?? []
    const found = own.find(({ seq, hash }) => {
      return others.some((state) => state.seq === seq && state.hash !== hash)
    })
    return found?.seq ?? null
  }

  // What changes something. A null change commits nothing, so it waits for no disk.

  /** `isAlone`: no replica would have the row, and one is required. */
  append(
    row: LogRow,
    isAlone: boolean,
    planted: Planted,
  ): { outcome: AppendOutcome; change: Change | null } {
    if (this.leadership.epoch !== row.epoch && !planted.has('append ignores the epoch')) {
      return { outcome: 'replaced', change: null }
    }
    if (isAlone) return { outcome: 'unsynchronous', change: LOCK_ONLY }
    const isNext = this.tail.seq === row.firstSeq - 1
    if (!isNext && !planted.has('append ignores the end of the log')) {
      return { outcome: 'elsewhere', change: LOCK_ONLY }
    }
    return { outcome: 'appended', change: { kind: 'row', row } }
  }

  acquire(by: LeadershipRow, nowMs: number, planted: Planted): LeadershipRow | null {
    const { epoch, untilMs, run } = this.leadership
    if (epoch !== by.epoch) return null
    if (untilMs > nowMs && run !== by.run && !planted.has('acquire ignores the lease')) return null
    return { ...by, epoch: planted.has('acquire keeps the epoch') ? Math.max(1, epoch) : epoch + 1 }
  }

  renew(epoch: number, untilMs: number): LeadershipRow | null {
    return this.leadership.epoch === epoch ? { ...this.leadership, untilMs } : null
  }

  /** The end of the newest of the `rowsMax` oldest rows that ends at `throughSeq` or before. */
  trim(epoch: number, throughSeq: Seq, rowsMax: number): JournalTail | null {
    if (this.leadership.epoch !== epoch) return null
    const oldest = this.rows.slice(0, rowsMax).filter(({ lastSeq }) => lastSeq <= throughSeq)
    const last = oldest.at(-1)
    return last === undefined ? null : { seq: last.lastSeq, checksum: last.checksum }
  }
}
