import { type Hmac, randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Seq } from '../../../engine/domain/ids.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { eachRecord } from '../../../engine/wire/codec.ts'
import { CheckpointCall } from '../../journal/checkpoint-call.ts'
import { nextBatch, same } from '../../journal/journal-chain.ts'
import type { Batch, JournalTail } from '../../journal/journal-port.ts'
import { SqliteJournalWriter } from '../../journal/sqlite-journal.ts'
import { BatchBuffer } from '../../journal/thread/batch-buffer.ts'
import { macsOf } from '../../keyed-folder.ts'
import { CONFIRMED_CHANNEL } from '../log-schema.ts'
import { connectPatiently, connectPrimary, LogUnreachable } from '../postgres-client.ts'
import { PostgresLog } from '../postgres-log.ts'
import {
  type ClusterState,
  CUT_TAG,
  DOWN,
  type FromLogThread,
  LeaseCell,
  LOG_REPORT,
  LOG_REPORT_F64S,
  type LogThreadData,
  processMs,
} from './log-thread.ts'

// One node's membership in a log: it follows the log as a standby, and appends to it as the leader.
// Invariants: a record reaches main, the local copy or a caller only once it cannot be lost: the
// leader's append returned, the leader notified that it was acknowledged, or a synchronous commit
// of this node followed the read that saw it. A row alone proves nothing: the wait of its
// transaction for the second disk may have been interrupted.

const REPORT_EVERY_MS = 1000
/** Rows of one read. */
const ROWS_MAX = 64
/** A standby that sees the lease end waits this long at most before it tries to lead. */
const ACQUIRE_JITTER_MS = 30
const RETRY_MS = 100
const FULL_MS = 1

/** Another node leads, or may lead by now. */
export class Replaced extends Error {
  override name = 'Replaced'
}

/** The log does not continue what this node has. */
export class WrongLog extends Error {
  override name = 'WrongLog'
}

export class LogMember {
  readonly #data: LogThreadData
  readonly #newMac: () => Hmac
  readonly #post: (message: FromLogThread) => void
  readonly #up: Ring
  readonly #down: Ring
  readonly #copy: SqliteJournalWriter
  readonly #call: CheckpointCall
  readonly #lease: LeaseCell
  readonly #batch: BatchBuffer
  readonly #report = new Float64Array(LOG_REPORT_F64S)
  /** The last batch of the log that this node took or appended. */
  #tail: JournalTail
  #confirmedSeq: Seq
  #log: PostgresLog | null = null
  /** The connection for notifications, so that they do not wait behind a commit. */
  #notices: PostgresLog | null = null
  #isNotifying = false
  #notifiedSeq: Seq
  #epoch = 0
  #leaseEndMs = 0
  #renewAtMs = 0
  #wake: () => void = () => {}
  #isStopping = false
  #state: ClusterState

  constructor(data: LogThreadData, post: (message: FromLogThread) => void) {
    this.#data = data
    this.#post = post
    this.#newMac = macsOf(data.folder, 'journal')
    this.#up = new Ring(data.up)
    this.#down = new Ring(data.down)
    this.#call = new CheckpointCall(data.call)
    this.#lease = new LeaseCell(data.lease)
    // What a power failure takes from the copy is in the log.
    this.#copy = new SqliteJournalWriter(data.folder, 'normal', data.tail, data.lock)
    this.#call.open()
    this.#tail = data.tail
    this.#confirmedSeq = data.tail.seq
    this.#notifiedSeq = data.tail.seq
    this.#batch = new BatchBuffer(data.tail.seq)
    this.#state = {
      role: 'standby',
      epoch: 0,
      leader: null,
      isLed: false,
      confirmedSeq: data.tail.seq,
      isSynchronous: false,
      trouble: null,
      clockAheadMs: 0,
    }
  }

  /** Main has pushed frames, or freed space. */
  woken(): void {
    this.#wake()
  }

  /** Appends what waits, ends the lease, and ends `run`. */
  stop(): void {
    this.#isStopping = true
    this.#wake()
  }

  /** Follows the log until this node leads, then appends to it. Throws Replaced and WrongLog. */
  async run(): Promise<void> {
    while (!this.#isStopping && this.#epoch === 0) {
      try {
        await this.#follow()
      } catch (error) {
        if (!(error instanceof LogUnreachable)) throw error
        this.#disconnect()
        this.#publish({ trouble: error.message, isLed: this.#isLedStill })
        await pause(RETRY_MS)
      }
    }
    if (this.#epoch > 0) await this.#lead()
    this.#disconnect()
    this.#copy.close()
  }

  #publish(change: Partial<ClusterState>): void {
    this.#state = { ...this.#state, confirmedSeq: this.#confirmedSeq, ...change }
    this.#post({ kind: 'state', ...this.#state })
  }

  /** Sleeps until it is woken, at most `timeoutMs`. */
  async #sleep(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, timeoutMs))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }

  #disconnect(): void {
    this.#log?.client.destroy()
    this.#notices?.client.destroy()
    this.#log = null
    this.#notices = null
  }

  // A standby.

  /** The leader's lease by the last look; a node that cannot reach the log knows no more. */
  #leaderEndMs = 0
  get #isLedStill(): boolean {
    return this.#leaderEndMs > processMs()
  }

  async #follow(): Promise<void> {
    const { address, node } = this.#data
    const client = await connectPrimary(address, node.name)
    const log = new PostgresLog(client)
    this.#log = log
    await client.script('SET synchronous_commit = on')
    await client.listen(CONFIRMED_CHANNEL, (payload) => {
      this.#confirmedSeq = Math.max(this.#confirmedSeq, Number(payload))
      this.#wake()
    })
    await this.#checkLog(log)
    let reportAtMs = 0
    let lookAtMs = 0
    while (!this.#isStopping) {
      this.#up.answer()
      if (processMs() >= reportAtMs) {
        await this.#reportTo(log)
        reportAtMs = processMs() + REPORT_EVERY_MS
      }
      await this.#take(log)
      if (processMs() >= lookAtMs) {
        const leftMs = await this.#look(log)
        if (leftMs <= 0 && (await this.#tryToLead(log))) return
        lookAtMs = processMs() + nextLookMs(leftMs, this.#data.leaseMs)
      }
      if (this.#confirmedSeq > this.#tail.seq) continue
      await this.#sleep(Math.min(reportAtMs, lookAtMs) - processMs())
    }
  }

  /** Throws if the log does not hold what this node holds. */
  async #checkLog(log: PostgresLog): Promise<void> {
    const base = await log.base()
    if (base === null) throw new WrongLog('the log was never begun, or was emptied')
    if (base.seq > this.#tail.seq) {
      throw new WrongLog(
        `the log begins after seq ${base.seq}, and this node ends at ${this.#tail.seq}: it was ` +
          'away too long; join the cluster again with an empty folder',
      )
    }
    const checksum = await log.checksumAt(this.#tail.seq)
    if (checksum !== null && same(checksum, this.#tail.checksum)) return
    const { seq } = await log.tail()
    throw new WrongLog(
      `this node holds the commands up to seq ${this.#tail.seq}, and the log, which ends at seq ` +
        `${seq}, does not: it is the log of another exchange, or it has lost acknowledged commands`,
    )
  }

  /** Reports the position, which confirms everything that was visible before. */
  async #reportTo(log: PostgresLog): Promise<void> {
    const { seq } = await log.tail()
    const sync = await log.syncState()
    const clockAheadMs = await log.clockAheadMs()
    await log.report(this.#data.node, this.#tail.seq)
    if (sync.isSynchronous || this.#data.sync === 'any') {
      this.#confirmedSeq = Math.max(this.#confirmedSeq, seq)
    }
    this.#publish({ isSynchronous: sync.isSynchronous, trouble: null, clockAheadMs })
  }

  /** Takes the confirmed batches that this node does not have. */
  async #take(log: PostgresLog): Promise<void> {
    while (this.#confirmedSeq > this.#tail.seq) {
      const batches = await log.batches(this.#tail.seq + 1, this.#confirmedSeq, ROWS_MAX)
      if (batches.length === 0) return
      for (const batch of batches) await this.#takeBatch(batch)
    }
  }

  async #takeBatch(batch: Batch): Promise<void> {
    const { checksum } = nextBatch(this.#newMac, this.#tail, batch.lastSeq, batch.records)
    if (batch.firstSeq !== this.#tail.seq + 1 || !same(checksum, batch.checksum)) {
      throw new WrongLog(
        `the checksum of records ${batch.firstSeq} to ${batch.lastSeq} of the log does not match: ` +
          'they were changed, or written by an exchange with another key',
      )
    }
    const records: Uint8Array[] = []
    eachRecord(batch.records, (record) => records.push(record))
    for (const record of records) await this.#send(DOWN.record, record)
    this.#tail = { seq: batch.lastSeq, checksum }
    await this.#send(DOWN.batchEnd, f64(batch.lastSeq))
    await this.#copyBatch(batch)
  }

  async #copyBatch(batch: Batch): Promise<void> {
    this.#copy.copy(batch)
    const isTaken = this.#call.take()
    this.#copy.boundWal(this.#call, isTaken)
    await this.#send(DOWN.copied, f64(batch.lastSeq))
  }

  /** Main takes what is sent, but may be slow. */
  async #send(tag: number, payload: Uint8Array): Promise<void> {
    while (!this.#down.push(tag, payload)) {
      this.#show()
      await pause(FULL_MS)
    }
    this.#show()
  }

  #show(): void {
    this.#down.send()
    if (this.#down.takeWakeUp()) this.#post('wake-up')
  }

  /** Learns who leads. Returns what is left of the lease. */
  async #look(log: PostgresLog): Promise<number> {
    const { epoch, node, url, leftMs } = await log.leadership()
    this.#leaderEndMs = processMs() + leftMs
    const leader = epoch === 0 ? null : { node, url }
    const isSame =
      epoch === this.#state.epoch &&
      this.#state.isLed === leftMs > 0 &&
      this.#state.leader?.url === leader?.url
    if (!isSame) this.#publish({ epoch, leader, isLed: leftMs > 0 })
    return leftMs
  }

  /**
   * Leads if no lease runs. All that is visible afterwards is confirmed, because this commit is.
   */
  async #tryToLead(log: PostgresLog): Promise<boolean> {
    const { node, leaseMs, sync } = this.#data
    const { isSynchronous } = await log.syncState()
    if (!isSynchronous && sync === 'required') return false
    await pause(randomInt(ACQUIRE_JITTER_MS))
    const sentMs = processMs()
    const epoch = await this.#acquire(log)
    if (epoch === null) return false
    this.#leaseEndMs = sentMs + leaseMs
    this.#renewAtMs = sentMs + leaseMs / 3
    const { seq } = await log.tail()
    this.#confirmedSeq = Math.max(this.#confirmedSeq, seq)
    while (this.#tail.seq < seq) {
      await this.#take(log)
      await this.#renewIfDue(log, epoch)
    }
    this.#epoch = epoch
    this.#lease.endMs = this.#leaseEndMs
    this.#batch.startAfter(this.#tail.seq)
    const leader = { node: node.name, url: node.url }
    this.#publish({ role: 'leader', epoch, leader, isLed: true, isSynchronous })
    await this.#send(DOWN.leading, f64(epoch))
    return true
  }

  /** The reply may be lost; then the row says whether this node leads. */
  async #acquire(log: PostgresLog): Promise<number | null> {
    return await log.acquire(this.#data.node, this.#data.leaseMs)
  }

  // The leader.

  async #lead(): Promise<void> {
    let uncopied: Batch | null = null
    for (;;) {
      this.#up.answer()
      const batch = this.#gather()
      if (batch === null) {
        if (uncopied !== null) {
          await this.#copyBatch(uncopied)
          uncopied = null
          continue
        }
        if (this.#isStopping) break
        await this.#repeat((log) => this.#renewIfDue(log, this.#epoch))
        if (this.#up.arm()) await this.#sleep(this.#renewAtMs - processMs())
        continue
      }
      const startedMs = performance.now()
      faultPoint('before-commit')
      const appending = this.#append(batch.batch)
      // The copy is written while the next batch is under way.
      const copying = uncopied === null ? Promise.resolve() : this.#copyBatch(uncopied)
      await Promise.all([appending, copying])
      faultPoint('after-commit')
      uncopied = batch.batch
      this.#tail = { seq: batch.batch.lastSeq, checksum: batch.batch.checksum }
      this.#confirmedSeq = batch.batch.lastSeq
      await this.#durable(batch, (performance.now() - startedMs) * 1000)
      await this.#repeat((log) => this.#renewIfDue(log, this.#epoch))
    }
    this.#lease.endMs = 0
    await this.#repeat((log) => log.release(this.#epoch))
  }

  /** The records that wait, as one batch; null if none. */
  #gather(): { batch: Batch; count: number } | null {
    const up = this.#up
    while (this.#hasNext || up.next()) {
      this.#hasNext = false
      if (up.tag === CUT_TAG) {
        if (this.#batch.count > 0) break
        continue
      }
      if (!this.#batch.fits(up.payloadBytes)) {
        this.#hasNext = true
        break
      }
      this.#batch.add(up)
    }
    if (!this.#hasNext) up.free()
    const { count, lastSeq } = this.#batch
    if (count === 0) return null
    const batch = nextBatch(this.#newMac, this.#tail, lastSeq, this.#batch.records.slice())
    this.#batch.clear()
    return { batch, count }
  }

  /** The current frame of `up` was read but did not fit its batch. */
  #hasNext = false

  /** Returns once the batch is in the log and on a second disk. Throws Replaced. */
  async #append(batch: Batch): Promise<void> {
    for (let isRetry = false; ; isRetry = true) {
      const outcome = await this.#attempt(async (log) => {
        if (isRetry) {
          // The earlier call may have been executed, or may be executed later: only one of the two
          // follows the end of the log.
          const found = await log.checksumAt(batch.lastSeq)
          if (found !== null && same(found, batch.checksum)) {
            // The row may be on one disk only; this commit puts it on the second.
            return (await log.renew(this.#epoch, this.#data.leaseMs)) ? 'appended' : 'replaced'
          }
        }
        return await log.append(this.#epoch, batch)
      })
      if (outcome === 'appended') return
      if (outcome === 'replaced') throw new Replaced('another node leads')
      if (outcome === 'elsewhere' && isRetry) {
        throw new WrongLog(`the log does not end at seq ${this.#tail.seq}, where this leader is`)
      }
    }
  }

  /** Makes a call once; null if the connection broke, after there is another one. */
  async #attempt<T>(call: (log: PostgresLog) => Promise<T>): Promise<T | null> {
    try {
      return await this.#inTime(call(await this.#connected()))
    } catch (error) {
      if (!(error instanceof LogUnreachable)) throw error
      this.#disconnect()
      this.#publish({ trouble: error.message })
      if (this.#leaseEndMs <= processMs()) throw new Replaced('the lease ended unrenewed')
      await pause(FULL_MS)
      return null
    }
  }

  /** Makes a call that may be repeated, until it succeeds. */
  async #repeat<T>(call: (log: PostgresLog) => Promise<T>): Promise<T> {
    for (;;) {
      const result = await this.#attempt(call)
      if (result !== null) return result
    }
  }

  /** Throws Replaced if the lease ends first. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const ended = new Promise<never>((_, reject) => {
      const leftMs = this.#leaseEndMs - processMs()
      const end = () => reject(new Replaced('the lease ended while the log did not answer'))
      timer = setTimeout(end, Math.max(0, leftMs))
    })
    try {
      return await Promise.race([work, ended])
    } finally {
      clearTimeout(timer)
      work.catch(() => {})
    }
  }

  async #connected(): Promise<PostgresLog> {
    if (this.#log !== null && !this.#log.client.isBroken) return this.#log
    const { address, node } = this.#data
    const isOver = () => this.#leaseEndMs <= processMs()
    const client = await connectPatiently(address, node.name, isOver)
    this.#log = new PostgresLog(client)
    await client.script('SET synchronous_commit = on')
    this.#publish({ trouble: null })
    return this.#log
  }

  /** Throws Replaced if another node leads. */
  async #renewIfDue(log: PostgresLog, epoch: number): Promise<true> {
    const { leaseMs, sync } = this.#data
    if (processMs() < this.#renewAtMs) return true
    const sentMs = processMs()
    if (!(await log.renew(epoch, leaseMs))) throw new Replaced('another node leads')
    this.#leaseEndMs = sentMs + leaseMs
    this.#renewAtMs = sentMs + leaseMs / 3
    if (this.#epoch > 0) this.#lease.endMs = this.#leaseEndMs
    const clockAheadMs = await log.clockAheadMs()
    const { isSynchronous } = await log.syncState()
    if (!isSynchronous && sync === 'required') {
      throw new Replaced('the log no longer has a synchronous standby')
    }
    this.#publish({ isSynchronous, clockAheadMs })
    await log.report(this.#data.node, this.#tail.seq)
    return true
  }

  /** Reports a batch to main and to the standbys. */
  async #durable({ batch, count }: { batch: Batch; count: number }, micros: number): Promise<void> {
    if (this.#leaseEndMs <= processMs()) throw new Replaced('the lease ended unrenewed')
    this.#report[LOG_REPORT.seq] = batch.lastSeq
    this.#report[LOG_REPORT.records] = count
    this.#report[LOG_REPORT.bytes] = batch.records.length
    this.#report[LOG_REPORT.micros] = micros
    await this.#send(DOWN.durable, new Uint8Array(this.#report.buffer))
    void this.#notify()
  }

  /** Notifies the standbys of the newest seq. One notification is under way at a time. */
  async #notify(): Promise<void> {
    if (this.#isNotifying) return
    this.#isNotifying = true
    try {
      while (this.#notifiedSeq < this.#confirmedSeq) {
        const seq = this.#confirmedSeq
        const { address, node } = this.#data
        if (this.#notices === null || this.#notices.client.isBroken) {
          this.#notices = new PostgresLog(await connectPrimary(address, node.name))
        }
        await this.#notices.confirm(seq)
        this.#notifiedSeq = seq
      }
    } catch (error) {
      if (!(error instanceof LogUnreachable)) throw error
      // The next batch notifies again, and standbys look for themselves once a second.
    } finally {
      this.#isNotifying = false
    }
  }
}

function f64(value: number): Uint8Array {
  return new Uint8Array(Float64Array.of(value).buffer)
}

/** When a standby looks at the lease again. */
function nextLookMs(leftMs: number, leaseMs: number): number {
  if (leftMs <= 0) return RETRY_MS
  return Math.min(leftMs, leaseMs / 3)
}
