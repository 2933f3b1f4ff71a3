// One node's membership in a log: it follows the log as a standby, and appends to it as the leader.
// Invariants: a record reaches main, the local copy or a caller only once it cannot be lost: the
// leader's append returned, the leader notified that it was acknowledged, or a synchronous commit
// of this node followed the read that saw it. A row alone proves nothing: the wait of its
// transaction for the second disk may have been interrupted.

import type { Hmac } from 'node:crypto'
import type { Seq } from '../../../engine/domain/ids.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { eachRecord } from '../../../engine/wire/codec.ts'
import { nextBatch, same } from '../../journal/journal-chain.ts'
import type { Batch, JournalTail } from '../../journal/journal-port.ts'
import { BatchBuffer } from '../../journal/thread/batch-buffer.ts'
import { CUT_TAG, REPORT, REPORT_F64S } from '../../journal/thread/journal-thread.ts'
import { macsOf } from '../../keyed-folder.ts'
import { LogUnreachable } from '../log-address.ts'
import type { AppendOutcome, ListedNode, LogConnection, StateAt } from '../postgres-log.ts'
import {
  type ClusterState,
  DOWN,
  type FromLogThread,
  LeaseCell,
  type LogThreadData,
} from './log-thread.ts'

const REPORT_EVERY_MS = 1000
/** Rows of one read. */
const ROWS_MAX = 64
/** Standbys that see the lease end try to lead at different times. */
const ACQUIRE_JITTER_MS = 30
/** Batches removed at once, three times in a lease. */
const TRIM_ROWS_MAX = 2000
const RETRY_MS = 100
const KEPT_MS = 10 * 60_000
/** Of these, a node that cannot reach the log forgets the oldest. */
const STATES_MAX = 16
const FULL_MS = 1
/**
 * The part of a lease after which a connection without an answer is closed. A leader then has time
 * to find another server.
 */
const SILENT_PART = { leader: 1 / 3, standby: 1 / 2 } as const
const NO_STANDBY = 'the log no longer has a synchronous standby'

/** Another node leads, or may lead by now. */
export class Replaced extends Error {
  override name = 'Replaced'
}

/** The log does not continue what this node has. */
export class WrongLog extends Error {
  override name = 'WrongLog'
}

/** The local copy of the log. */
export interface LocalCopy {
  /** Throws if the batch does not follow the last one. */
  copy(batch: Batch): void
  close(): void
}

/** What a member needs of the world around it. A simulation has its own. */
export interface LogWorld {
  /** Connects to the primary of the log. Throws LogUnreachable. */
  readonly connect: () => Promise<LogConnection>
  readonly copy: LocalCopy
  /** Milliseconds of a clock that never steps, by which the lease is measured. */
  readonly nowMs: () => number
  /** Calls `run` after a time, unless the returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
  /** A whole number in [0, `below`). */
  readonly random: (below: number) => number
}

export type LogMemberData = Pick<
  LogThreadData,
  'folder' | 'tail' | 'up' | 'down' | 'lease' | 'node' | 'leaseMs' | 'sync'
>

interface OwnBatch extends Batch {
  readonly count: number
}

export class LogMember {
  readonly #data: LogMemberData
  readonly #world: LogWorld
  readonly #newMac: () => Hmac
  readonly #post: (message: FromLogThread) => void
  readonly #up: Ring
  readonly #down: Ring
  readonly #lease: LeaseCell
  readonly #batch: BatchBuffer
  readonly #report = new Float64Array(REPORT_F64S)
  /** The last batch of the log that this node took or appended. */
  #tail: JournalTail
  #confirmedSeq: Seq
  /** The newest end that the leader notified; what the connection shows may be another history. */
  #notified: JournalTail | null = null
  #log: LogConnection | null = null
  /** The connection for notifications, so that they do not wait behind a commit. */
  #notices: LogConnection | null = null
  #isNotifying = false
  /** Rises while this node follows. */
  #steps = 0
  #notifiedSeq: Seq
  /** 0 until this node leads. */
  #epoch = 0
  #leaseEndMs = 0
  #renewAtMs = 0
  /** The end of the leader's lease, as a standby knows it. */
  #leaderEndMs = 0
  /** The current frame of `up` was read but did not fit its batch. */
  #isHeld = false
  readonly #kept = new KeptLog()
  /** States that the log does not have yet. */
  readonly #states: StateAt[] = []
  #wake: () => void = () => {}
  #isStopping = false
  #state: ClusterState

  constructor(data: LogMemberData, world: LogWorld, post: (message: FromLogThread) => void) {
    this.#data = data
    this.#world = world
    this.#post = post
    this.#newMac = macsOf(data.folder, 'journal')
    this.#up = new Ring(data.up)
    this.#down = new Ring(data.down)
    this.#lease = new LeaseCell(data.lease)
    this.#tail = data.tail
    const { seq } = data.tail
    this.#confirmedSeq = seq
    this.#notifiedSeq = seq
    this.#batch = new BatchBuffer(seq)
    this.#state = {
      role: 'standby',
      epoch: 0,
      leader: null,
      isLed: false,
      nodes: [],
      confirmedSeq: seq,
      isSynchronous: false,
      trouble: null,
      clockAheadMs: 0,
    }
  }

  /** Main has pushed frames, or freed space. */
  woken(): void {
    this.#wake()
  }

  /** Compares a state of this node with that of the leader, with the next report. */
  compare(state: StateAt): void {
    this.#states.push(state)
    if (this.#states.length > STATES_MAX) this.#states.shift()
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
        const isLed = this.#leaderEndMs > this.#world.nowMs()
        this.#publish({ trouble: error.message, isLed })
        await this.#pause(RETRY_MS)
      }
    }
    if (this.#epoch > 0) await this.#lead()
    this.#disconnect()
    this.#world.copy.close()
  }

  #publish(change: Partial<ClusterState>): void {
    this.#state = { ...this.#state, confirmedSeq: this.#confirmedSeq, ...change }
    this.#post({ kind: 'state', ...this.#state })
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#world.after(ms, resolve))
  }

  /** Sleeps until it is woken, at most `timeoutMs`. */
  #sleep(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        this.#wake = () => {}
        resolve()
      }
      const cancel = this.#world.after(Math.max(0, timeoutMs), end)
      this.#wake = end
    })
  }

  #disconnect(): void {
    this.#log?.close()
    this.#notices?.close()
    this.#log = null
    this.#notices = null
  }

  // A standby.

  /** Follows the log over one connection, until this node leads or the connection breaks. */
  async #follow(): Promise<void> {
    const log = await this.#world.connect()
    this.#log = log
    const unwatch = this.#watch(log)
    try {
      await this.#followOver(log)
    } finally {
      unwatch()
    }
  }

  /** Closes a connection on which nothing has moved for a while: its server may be gone. */
  #watch(log: LogConnection): () => void {
    // A standby with nothing to do makes one step between two reports.
    const silentMs = Math.max(this.#data.leaseMs * SILENT_PART.standby, 1.5 * REPORT_EVERY_MS)
    let seen = -1
    let cancel = () => {}
    const look = () => {
      if (seen === this.#steps) log.close()
      seen = this.#steps
      cancel = this.#world.after(silentMs, look)
    }
    look()
    return () => cancel()
  }

  async #followOver(log: LogConnection): Promise<void> {
    const { nowMs } = this.#world
    // What was confirmed by another connection may be of another primary.
    this.#confirmedSeq = this.#tail.seq
    this.#notified = null
    await log.listen((tail) => {
      this.#notified = tail
      this.#wake()
    })
    await this.#checkLog(log)
    let reportAtMs = 0
    let lookAtMs = 0
    while (!this.#isStopping) {
      this.#up.answer()
      this.#steps++
      if (nowMs() >= reportAtMs) {
        await this.#reportTo(log)
        reportAtMs = nowMs() + REPORT_EVERY_MS
      }
      await this.#confirmNotified(log)
      await this.#take(log)
      if (nowMs() >= lookAtMs) {
        const leftMs = await this.#look(log)
        if (leftMs <= 0 && (await this.#tryToLead(log))) return
        lookAtMs = nowMs() + nextLookMs(leftMs, this.#data.leaseMs)
      }
      if (this.#notified !== null) continue
      await this.#sleep(Math.min(reportAtMs, lookAtMs) - nowMs())
    }
  }

  /** Throws if the log does not hold what this node holds. */
  async #checkLog(log: LogConnection): Promise<void> {
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
        `${seq}, does not: it is the log of another exchange, or has lost acknowledged commands`,
    )
  }

  /** Reports the position, which confirms everything that was visible before. */
  async #reportTo(log: LogConnection): Promise<void> {
    const { seq } = await log.tail()
    const { isSynchronous } = await log.syncState()
    const clockAheadMs = await log.clockAheadMs()
    await log.report(this.#data.node, this.#tail.seq)
    if (isSynchronous || this.#data.sync === 'any') {
      this.#confirmedSeq = Math.max(this.#confirmedSeq, seq)
    }
    await this.#putStates(log)
    await this.#compareStates(log)
    const nodes = await log.nodes()
    this.#publish({ isSynchronous, trouble: null, clockAheadMs, nodes })
  }

  /** What the leader notified is confirmed if this connection shows the same history. */
  async #confirmNotified(log: LogConnection): Promise<void> {
    const notified = this.#notified
    this.#notified = null
    if (notified === null || notified.seq <= this.#confirmedSeq) return
    const checksum = await log.checksumAt(notified.seq)
    if (checksum !== null && same(checksum, notified.checksum)) this.#confirmedSeq = notified.seq
    else throw new LogUnreachable('the server shows another history than the leader')
  }

  async #putStates(log: LogConnection): Promise<void> {
    const { name } = this.#data.node
    for (let state = this.#states.at(0); state !== undefined; state = this.#states.at(0)) {
      await log.putHash(name, state)
      this.#states.shift()
    }
  }

  /** Whichever of two nodes is wrong: the one that follows stops. */
  async #compareStates(log: LogConnection): Promise<void> {
    const { name } = this.#data.node
    const { leader } = this.#state
    if (leader === null || leader.node === name) return
    const seq = await log.differsFrom(name, leader.node)
    if (seq === null) return
    throw new WrongLog(
      `the state of this node at seq ${seq} differs from that of ${leader.node}, which leads: ` +
        'verify the data folders of both, and let the wrong one join again with an empty folder',
    )
  }

  /** Takes the confirmed batches that this node does not have. */
  async #take(log: LogConnection): Promise<void> {
    while (this.#confirmedSeq > this.#tail.seq && !this.#isStopping) {
      this.#steps++
      const batches = await log.batches(this.#tail.seq + 1, this.#confirmedSeq, ROWS_MAX)
      if (batches.length === 0) {
        throw new WrongLog(`the log does not hold the commands after seq ${this.#tail.seq}`)
      }
      for (const batch of batches) await this.#takeBatch(batch)
    }
  }

  async #takeBatch(batch: Batch): Promise<void> {
    const { checksum } = nextBatch(this.#newMac, this.#tail, batch.lastSeq, batch.records)
    if (batch.firstSeq !== this.#tail.seq + 1 || !same(checksum, batch.checksum)) {
      throw new WrongLog(
        `the checksum of records ${batch.firstSeq} to ${batch.lastSeq} of the log does not ` +
          'match: they were changed, or written by an exchange with another key',
      )
    }
    const records: Uint8Array[] = []
    eachRecord(batch.records, (record) => records.push(record))
    for (const record of records) await this.#send(DOWN.record, record)
    this.#tail = { seq: batch.lastSeq, checksum }
    this.#steps++
    await this.#send(DOWN.batchEnd, f64(batch.lastSeq))
    await this.#copyBatch(batch)
  }

  async #copyBatch(batch: Batch): Promise<void> {
    this.#world.copy.copy(batch)
    await this.#send(DOWN.copied, f64(batch.lastSeq))
  }

  /** Main takes what is sent, but may be slow. */
  async #send(tag: number, payload: Uint8Array): Promise<void> {
    while (!this.#down.push(tag, payload)) {
      this.#steps++
      this.#show()
      await this.#pause(FULL_MS)
    }
    this.#show()
  }

  #show(): void {
    this.#down.send()
    if (this.#down.takeWakeUp()) this.#post('wake-up')
  }

  /** Learns who leads. Returns what is left of the lease; 0 for a lease of this process. */
  async #look(log: LogConnection): Promise<number> {
    const { epoch, node, run, url, leftMs } = await log.leadership()
    // The reply to its own acquisition was lost.
    const isOwn = run === this.#data.node.run
    const isLed = leftMs > 0 && !isOwn
    this.#leaderEndMs = this.#world.nowMs() + leftMs
    const leader = epoch === 0 ? null : { node, url }
    const before = this.#state
    if (epoch !== before.epoch || isLed !== before.isLed || leader?.url !== before.leader?.url) {
      this.#publish({ epoch, leader, isLed })
    }
    return isLed ? leftMs : 0
  }

  /**
   * Leads if no lease runs. Everything that is visible between the acquisition and a renewal of the
   * same epoch is confirmed.
   */
  async #tryToLead(log: LogConnection): Promise<boolean> {
    const { node, leaseMs, sync } = this.#data
    const { isSynchronous } = await log.syncState()
    if (!isSynchronous && sync === 'required') return false
    await this.#pause(this.#world.random(ACQUIRE_JITTER_MS))
    const epoch = await log.acquire(node, leaseMs, this.#state.epoch)
    if (epoch === null) return false
    const { seq } = await log.tail()
    // A later leader may have appended since: a row counts only if the epoch is still the newest,
    // and this commit puts it on the second disk.
    const renewedMs = this.#world.nowMs()
    if (!(await log.renew(epoch, leaseMs))) return false
    this.#leaseEndMs = renewedMs + leaseMs
    this.#renewAtMs = renewedMs + leaseMs / 3
    this.#confirmedSeq = Math.max(this.#confirmedSeq, seq)
    await this.#take(log)
    await this.#renewIfDue(log, epoch)
    this.#epoch = epoch
    this.#lease.endMs = this.#leaseEndMs
    this.#notifiedSeq = this.#tail.seq
    this.#batch.startAfter(this.#tail.seq)
    const leader = { node: node.name, url: node.url }
    this.#publish({ role: 'leader', epoch, leader, isLed: true, isSynchronous })
    await this.#send(DOWN.leading, f64(epoch))
    return true
  }

  // The leader.

  async #lead(): Promise<void> {
    let uncopied: Batch | null = null
    for (;;) {
      this.#up.answer()
      const batch = this.#gather()
      if (batch !== null) {
        // The last batch is copied while this one is under way.
        const copying = uncopied === null ? null : this.#copyBatch(uncopied)
        await Promise.all([this.#commit(batch), copying])
        uncopied = batch
      } else if (uncopied !== null) {
        await this.#copyBatch(uncopied)
        uncopied = null
      } else if (this.#isStopping) break
      else if (this.#up.arm()) await this.#sleep(this.#renewAtMs - this.#world.nowMs())
      await this.#repeat((log) => this.#renewIfDue(log, this.#epoch))
    }
    this.#lease.endMs = 0
    await this.#repeat((log) => log.release(this.#epoch))
  }

  /** The records that wait, as one batch; null if none. */
  #gather(): OwnBatch | null {
    const up = this.#up
    while (this.#isHeld || up.next()) {
      this.#isHeld = false
      if (up.tag === CUT_TAG) {
        if (this.#batch.count > 0) break
        continue
      }
      this.#isHeld = !this.#batch.fits(up.payloadBytes)
      if (this.#isHeld) break
      this.#batch.add(up)
    }
    if (!this.#isHeld) up.free()
    const { count, lastSeq, records } = this.#batch
    if (count === 0) return null
    // A copy: `slice` of a Buffer would share its memory, which the next batch reuses.
    const batch = nextBatch(this.#newMac, this.#tail, lastSeq, new Uint8Array(records))
    this.#batch.clear()
    return { ...batch, count }
  }

  /** Returns once the batch is in the log and on a second disk, and everyone knows. */
  async #commit(batch: OwnBatch): Promise<void> {
    const startedMs = this.#world.nowMs()
    faultPoint('before-commit')
    await this.#append(batch)
    faultPoint('after-commit')
    this.#tail = { seq: batch.lastSeq, checksum: batch.checksum }
    this.#confirmedSeq = batch.lastSeq
    if (this.#leaseEndMs <= this.#world.nowMs()) throw new Replaced('the lease ended unrenewed')
    this.#report[REPORT.seq] = batch.lastSeq
    this.#report[REPORT.records] = batch.count
    this.#report[REPORT.bytes] = batch.records.length
    this.#report[REPORT.micros] = (this.#world.nowMs() - startedMs) * 1000
    await this.#send(DOWN.durable, new Uint8Array(this.#report.buffer))
    void this.#notify()
  }

  /** Returns once the batch is in the log and on a second disk. Throws Replaced. */
  async #append(batch: Batch): Promise<void> {
    for (let isRetry = false; ; isRetry = true) {
      const outcome = await this.#attempt((log) => {
        return isRetry ? this.#appendAgain(log, batch) : this.#appendTo(log, batch)
      })
      if (outcome === 'appended') return
      if (outcome === 'replaced') throw new Replaced('another node leads')
      if (outcome === 'unsynchronous') throw new Replaced(NO_STANDBY)
      if (outcome !== 'elsewhere') continue
      // An earlier call may have been executed after the retry looked for its row.
      const { seq } = await this.#repeat((log) => log.tail())
      if (seq !== batch.lastSeq) {
        throw new WrongLog(`the log ends at seq ${seq}, and its leader is at ${this.#tail.seq}`)
      }
    }
  }

  #appendTo(log: LogConnection, batch: Batch): Promise<AppendOutcome> {
    return log.append(this.#epoch, batch, this.#data.sync === 'required')
  }

  /**
   * After a call whose reply was lost. The earlier call may have been executed, or may be executed
   * later: only one of the two follows the end of the log.
   */
  async #appendAgain(log: LogConnection, batch: Batch): Promise<AppendOutcome> {
    const found = await log.checksumAt(batch.lastSeq)
    if (found === null || !same(found, batch.checksum)) return await this.#appendTo(log, batch)
    // The row may be on one disk only. This commit puts it on the second.
    const { isSynchronous } = await log.syncState()
    if (!isSynchronous && this.#data.sync === 'required') return 'unsynchronous'
    const isLeading = await log.renew(this.#epoch, this.#data.leaseMs)
    return isLeading ? 'appended' : 'replaced'
  }

  /**
   * Makes a call once; null if the connection broke or did not answer. Throws Replaced when the
   * lease ends.
   */
  async #attempt<T>(call: (log: LogConnection) => Promise<T>): Promise<T | null> {
    const silentMs = this.#data.leaseMs * SILENT_PART.leader
    const cancel = this.#world.after(silentMs, () => this.#log?.close())
    try {
      return await this.#inTime(this.#connected().then(call))
    } catch (error) {
      if (!(error instanceof LogUnreachable)) throw error
      this.#disconnect()
      this.#publish({ trouble: error.message })
      await this.#inTime(this.#pause(RETRY_MS))
      return null
    } finally {
      cancel()
    }
  }

  /** Makes a call that may be made twice, until it succeeds. */
  async #repeat<T>(call: (log: LogConnection) => Promise<T>): Promise<T> {
    for (;;) {
      const result = await this.#attempt(call)
      if (result !== null) return result
    }
  }

  /** Throws Replaced if the lease ends first. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let cancel = () => {}
    const ended = new Promise<never>((_, reject) => {
      const end = () => reject(new Replaced('the lease ended while the log did not answer'))
      const leftMs = this.#leaseEndMs - this.#world.nowMs()
      cancel = this.#world.after(Math.max(0, leftMs), end)
    })
    // Whichever loses may still reject.
    work.catch(() => {})
    ended.catch(() => {})
    try {
      return await Promise.race([work, ended])
    } finally {
      cancel()
    }
  }

  async #connected(): Promise<LogConnection> {
    if (this.#log !== null && !this.#log.isBroken) return this.#log
    this.#log = await this.#world.connect()
    this.#publish({ trouble: null })
    return this.#log
  }

  /** Throws Replaced if another node leads. */
  async #renewIfDue(log: LogConnection, epoch: number): Promise<true> {
    const { leaseMs, sync, node } = this.#data
    const sentMs = this.#world.nowMs()
    if (sentMs < this.#renewAtMs) return true
    if (!(await log.renew(epoch, leaseMs))) throw new Replaced('another node leads')
    this.#leaseEndMs = sentMs + leaseMs
    this.#renewAtMs = sentMs + leaseMs / 3
    if (this.#epoch > 0) this.#lease.endMs = this.#leaseEndMs
    const clockAheadMs = await log.clockAheadMs()
    const { isSynchronous } = await log.syncState()
    if (!isSynchronous && sync === 'required') {
      throw new Replaced(NO_STANDBY)
    }
    await log.report(node, this.#tail.seq)
    await this.#putStates(log)
    const nodes = await log.nodes()
    this.#publish({ isSynchronous, clockAheadMs, nodes })
    const throughSeq = this.#kept.throughSeq(nodes, sentMs)
    if (this.#epoch > 0) await log.trim(this.#epoch, throughSeq, TRIM_ROWS_MAX)
    return true
  }

  /** Notifies the standbys of the newest seq. One notification is under way at a time. */
  async #notify(): Promise<void> {
    if (this.#isNotifying) return
    this.#isNotifying = true
    try {
      while (this.#notifiedSeq < this.#confirmedSeq) {
        const tail = this.#tail
        if (this.#notices === null || this.#notices.isBroken) {
          this.#notices = await this.#world.connect()
        }
        await this.#notices.confirm(tail)
        this.#notifiedSeq = tail.seq
      }
    } catch (error) {
      // The next batch notifies again, and standbys look for themselves once a second.
      if (!(error instanceof LogUnreachable)) throw error
    } finally {
      this.#isNotifying = false
    }
  }
}

/**
 * How far the log may be trimmed: every listed node had that seq some time ago. The copy of a node
 * is not forced to its disk, so a power failure may take the newest part of what it reported.
 */
class KeptLog {
  readonly #reports: { readonly atMs: number; readonly seq: Seq }[] = []
  #throughSeq: Seq = 0

  throughSeq(nodes: readonly ListedNode[], nowMs: number): Seq {
    const newest = this.#reports.at(-1)
    if (newest === undefined || nowMs - newest.atMs >= KEPT_MS / 10) {
      this.#reports.push({ atMs: nowMs, seq: Math.min(...nodes.map(({ seq }) => seq)) })
    }
    while (this.#reports.length > 0 && this.#reports[0].atMs <= nowMs - KEPT_MS) {
      this.#throughSeq = this.#reports.shift()?.seq ?? 0
    }
    return Math.min(this.#throughSeq, ...nodes.map(({ seq }) => seq))
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
