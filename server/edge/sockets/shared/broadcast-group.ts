// The broadcast group of one stream of shared frames: a book, a tape, the events of markets. A
// frame is encoded once and published natively, to a limited number of readers per tick, so that
// orders wait only briefly. A reader that does not keep up leaves its native topic, and costs
// nothing until it has caught up with its bytes. It then receives what it needs to be up to date,
// and rejoins.
// Invariants: a reader is in a topic, or it is behind. Readers join only between two frames, so
// nobody receives a frame twice.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { SocketPort } from '../../http/gateway/socket-port.ts'
import type { FrameCounts, Member, Waiter } from '../member.ts'
import type { Pump, Sender } from '../pump.ts'
import { type SendBudget, Share } from '../send-budget.ts'

/**
 * When frames are sent. `made`: their pace was decided before they were built. `newest`: a reader
 * may miss all but the newest. `every`: every reader receives each frame.
 */
export type Pace = 'made' | 'newest' | 'every'

/** Provides the frames for a reader that was behind. */
export interface Source {
  readonly pace: Pace
  /**
   * The frames that a reader needs after the first `count` frames of the group. Null when it missed
   * too many and must not miss any.
   */
  since(count: number): readonly Uint8Array[] | null
  /** Called after a reader left. */
  left?(): void
  /** Called when every frame is out. */
  idle?(): void
}

export interface BroadcastParts {
  readonly pump: Pump
  /** Ends the members and notifies them that a frame broke. */
  readonly fail: (error: unknown, members: readonly Member[]) => void
  readonly port: SocketPort
  readonly counts: FrameCounts
  readonly tick: TickBudget
  readonly budgets: FrameBudgets
}

/** The write budgets per second of shared frames. */
export interface FrameBudgets {
  readonly books: SendBudget
  /** Frames that are built whether they can be sent or not: tapes and events. */
  readonly tapes: SendBudget
  /** Frames to single readers: new ones, and those that were behind. */
  readonly firsts: SendBudget
}

/** Frames that the budget would pay for this much later are dropped if readers may miss them. */
const LATE_MS = 1000

/** What all groups together may still send in this event-loop tick. */
export class TickBudget {
  readonly #pump: Pump
  #tick = -1
  #sends = 0
  #bytes = 0

  constructor(pump: Pump) {
    this.#pump = pump
  }

  /** A tick sends to at least one topic, however long its frame is. */
  takes(sends: number, bytes: number): boolean {
    if (this.#tick !== this.#pump.tick) {
      this.#tick = this.#pump.tick
      this.#sends = 0
      this.#bytes = 0
    }
    const isFirst = this.#sends === 0
    this.#sends += sends
    this.#bytes += bytes
    if (isFirst) return true
    const { socketTopicMembersMax, socketTickBytesMax } = LIMITS
    return this.#sends <= socketTopicMembersMax && this.#bytes <= socketTickBytesMax
  }
}

/** Why a group waits: for the next event-loop tick, for its budget, or for edge threads. */
type Hold = 'tick' | 'budget' | 'threads'

interface Topic {
  readonly name: string
  readonly members: Set<Member>
}

export class BroadcastGroup implements Sender, Waiter {
  readonly #name: string
  readonly #parts: BroadcastParts
  readonly #source: Source
  readonly #topics: Topic[] = []
  /** The topic of each reader; null for a reader that is behind. */
  readonly #topicOf = new Map<Member, Topic | null>()
  /** For each reader that is behind, the number of frames it was sent or offered. */
  readonly #counts = new Map<Member, number>()
  /** Readers that are behind and may take frames again. */
  readonly #ready = new Set<Member>()
  #queue: Uint8Array[] = []
  /** The index of the next topic for the first frame of the queue. */
  #topicAt = 0
  /** Frames that were sent to every reader. */
  #sentCount = 0
  readonly #share = new Share()
  /** The budget paid for the first frame of the queue. */
  #isPaid = false
  #queuedBytes = 0
  readonly #firsts = new Share()
  /** Bytes sent to the newest reader when it joined. */
  firstBytes = 0

  constructor(name: string, parts: BroadcastParts, source: Source) {
    this.#name = name
    this.#parts = parts
    this.#source = source
  }

  get isEmpty(): boolean {
    return this.#topicOf.size === 0
  }

  get size(): number {
    return this.#topicOf.size
  }

  /** Whether every frame is out. */
  get isIdle(): boolean {
    return this.#queue.length === 0
  }

  get members(): readonly Member[] {
    return [...this.#topicOf.keys()]
  }

  has(member: Member): boolean {
    return this.#topicOf.has(member)
  }

  /** Frames passed to the group so far. */
  get count(): number {
    return this.#sentCount + this.#queue.length
  }

  /** A reader that joins, or joins again, first receives the frames of the source. */
  join(member: Member): void {
    const topic = this.#topicOf.get(member)
    const isBehind = topic === null
    const count = topic ? this.#countOf(topic) : this.count
    this.#fallBehind(member, isBehind ? (this.#counts.get(member) ?? count) : count)
    this.hasCapacity(member)
  }

  leave(member: Member): void {
    const topic = this.#topicOf.get(member)
    if (topic === undefined) return
    if (topic !== null) this.#leaveTopic(topic, member)
    this.#topicOf.delete(member)
    this.#counts.delete(member)
    this.#ready.delete(member)
    this.#source.left?.()
  }

  /** Sends a frame to every reader, in order. */
  say(packet: Uint8Array): void {
    if (this.isEmpty) return
    this.#queue.push(packet)
    this.#queuedBytes += packet.length
    if (this.#queue.length > LIMITS.socketGroupFramesMax) this.#overflow()
    this.#parts.pump.wake(this)
  }

  hasCapacity(member: Member): void {
    if (!this.#counts.has(member)) return
    this.#ready.add(member)
    this.#parts.pump.wake(this)
  }

  work(untilMs: number): boolean {
    try {
      const hold = this.#publish(untilMs) ?? this.#serveReady(untilMs)
      if (hold === 'tick') this.#parts.pump.wakeLater(this)
      if (hold === 'budget') this.#parts.pump.wakeForBudget(this)
      if (hold === 'threads') this.#parts.pump.wakeForThreads(this)
      if (hold !== null) return false
    } catch (error) {
      this.#drop(error)
    }
    return !this.isIdle || this.#ready.size > 0
  }

  /** The reason why frames wait; null when none does. */
  #publish(untilMs: number): Hold | null {
    while (!this.isIdle && performance.now() < untilMs) {
      const packet = this.#queue[0]
      // Its readers may miss frames, or get them late.
      const canWait = this.#source.pace !== 'every'
      if (canWait && this.#parts.port.isCongested) return 'threads'
      if (!this.#pays(packet)) return this.isIdle ? null : 'budget'
      while (this.#topicAt < this.#topics.length) {
        const topic = this.#topics[this.#topicAt]
        const bytes = packet.length * Math.min(1, topic.members.size)
        if (!this.#parts.tick.takes(topic.members.size, bytes)) return 'tick'
        this.#topicAt++
        this.#announce(topic, packet)
      }
      this.#topicAt = 0
      this.#sentCount++
      this.#queue.shift()
      this.#queuedBytes -= packet.length
      this.#isPaid = false
      if (this.isIdle) this.#source.idle?.()
    }
    return null
  }

  /** Whether the first frame of the queue may be sent. */
  #pays(packet: Uint8Array): boolean {
    if (this.#isPaid || this.#source.pace === 'made') return true
    const { tapes } = this.#parts.budgets
    const nowMs = performance.now()
    const cost = { sends: this.size, bytes: this.size * packet.length }
    if (this.#share.requestedMs === null) tapes.request(this.#share, cost, nowMs)
    if (tapes.allows(this.#share, nowMs)) {
      tapes.wrote(this.#share, cost, nowMs)
      this.#isPaid = true
      return true
    }
    const queued = { sends: 0, bytes: this.size * this.#queuedBytes }
    const isLate = tapes.costOf(queued) > LATE_MS
    if (isLate && this.#source.pace === 'newest') this.#overflow()
    return false
  }

  #announce(topic: Topic, packet: Uint8Array): void {
    edgePoint('at-socket-send')
    for (const member of topic.members) {
      if (member.lagsBefore(packet.length)) this.#fallBehind(member, this.#sentCount)
    }
    if (topic.members.size === 0) return
    this.#parts.port.announce(topic.name, packet)
    this.#parts.counts.framesSent += topic.members.size
    this.#parts.counts.bytesSent += topic.members.size * packet.length
  }

  #fallBehind(member: Member, count: number): void {
    const topic = this.#topicOf.get(member) ?? null
    if (topic !== null) this.#leaveTopic(topic, member)
    this.#topicOf.set(member, null)
    this.#counts.set(member, count)
    member.waitForCapacity(this)
  }

  /** Frames that the readers of a topic were sent: topics before the index have one more. */
  #countOf(topic: Topic): number {
    return this.#sentCount + (this.#topics.indexOf(topic) < this.#topicAt ? 1 : 0)
  }

  #leaveTopic(topic: Topic, member: Member): void {
    topic.members.delete(member)
    member.leaveTopic(topic.name)
  }

  /** Serves readers between two frames; reports whether their first frames are unpaid. */
  #serveReady(untilMs: number): Hold | null {
    const { firsts } = this.#parts.budgets
    if (!this.isIdle) return null
    for (const member of this.#ready) {
      const nowMs = performance.now()
      if (nowMs >= untilMs) return null
      const about = { sends: 1, bytes: this.firstBytes }
      if (this.#firsts.requestedMs === null) firsts.request(this.#firsts, about, nowMs)
      if (!firsts.allows(this.#firsts, nowMs)) return 'budget'
      this.#ready.delete(member)
      firsts.wrote(this.#firsts, { sends: 1, bytes: this.#served(member) }, nowMs)
    }
    return null
  }

  /** Serves one reader; returns the bytes. */
  #served(member: Member): number {
    try {
      return this.#serve(member)
    } catch (error) {
      this.leave(member)
      this.#parts.fail(error, [member])
      return 0
    }
  }

  #serve(member: Member): number {
    if (!member.takesShared) {
      member.waitForCapacity(this)
      return 0
    }
    const packets = this.#source.since(this.#counts.get(member) ?? 0)
    if (packets === null) {
      member.endSlow()
      return 0
    }
    this.#counts.delete(member)
    member.giveShared(packets)
    const topic = this.#freest()
    topic.members.add(member)
    this.#topicOf.set(member, topic)
    member.joinTopic(topic.name)
    this.firstBytes = packets.reduce((sum, { length }) => sum + length, 0)
    return this.firstBytes
  }

  #freest(): Topic {
    const found = this.#topics.find(({ members }) => members.size < LIMITS.socketTopicMembersMax)
    if (found !== undefined) return found
    const topic = { name: `${this.#name}#${this.#topics.length}`, members: new Set<Member>() }
    this.#topics.push(topic)
    return topic
  }

  /** Too many frames wait, so every reader counts as behind. */
  #overflow(): void {
    for (const topic of this.#topics) {
      const count = this.#countOf(topic)
      for (const member of topic.members) {
        this.#fallBehind(member, count)
        this.hasCapacity(member)
      }
    }
    this.#clear()
  }

  /** Drops the waiting frames. */
  #clear(): void {
    this.#sentCount += this.#queue.length
    this.#queue = []
    this.#queuedBytes = 0
    this.#topicAt = 0
    this.#isPaid = false
    this.#parts.budgets.tapes.withdraw(this.#share)
  }

  /** A fault in a frame ends the readers of the group, and nobody else. */
  #drop(error: unknown): void {
    const { members } = this
    this.#clear()
    this.#ready.clear()
    for (const member of members) this.leave(member)
    this.#parts.fail(error, members)
  }
}
