// The frames of one account, built and encoded once for all of its sockets. Each frame has a
// number, and every socket receives its frames in numerical order. A slow reader costs only its
// position, an index into the log. A reader that falls too far behind is disconnected, with the
// reason. The bytes to all sockets of an account are paid from a budget that accounts share
// equally, so the frames of an account with many sockets are built later, and delay no other
// account.
// Invariants: numbers rise. `#log` has every frame that some member was not offered yet. A fault in
// a frame ends the sockets that should receive it, and never reaches the code that posted it.

import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import { refuse } from '../../messages/refusal.ts'
import type { Frame, Member, Receivers, SharedFrames } from './member.ts'
import { packetOf } from './packets.ts'
import type { Pump, Sender } from './pump.ts'
import { type FrameCost, type SendBudget, Share } from './send-budget.ts'

/** A frame that is not built yet. */
export interface Post {
  readonly to: Receivers
  /** The command that caused it; null where a replay never sends such frames. */
  readonly seq: Seq | null
  readonly event: string
  readonly payload: () => object
}

interface Numbered extends Post {
  readonly number: number
}

export interface StreamParts {
  readonly pump: Pump
  readonly budget: SendBudget
  readonly onFault: (error: unknown, edge: 'socket' | 'frame') => string
  /** Bytes in the logs of all streams. */
  readonly held: { bytes: number }
}

export class AccountStream implements Sender, SharedFrames {
  readonly #parts: StreamParts
  readonly #members = new Set<Member>()
  #posts: Numbered[] = []
  #postAt = 0
  #log: Frame[] = []
  /** Position of the first frame in the log. */
  #firstPlace = 0
  #endBytes = 0
  /** Members to serve in this round, and the index of the next. */
  #round: Member[] = []
  #roundAt = 0
  #isRoundDue = false
  readonly #share = new Share()
  /** Bytes of the newest batch of frames. */
  #batchBytes = 0
  /** Numbers of the newest posted frame and of the newest built frame. */
  postedNumber = 0
  madeNumber = 0

  constructor(parts: StreamParts) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** Position of the next frame to be built. */
  get endPlace(): number {
    return this.#firstPlace + this.#log.length
  }

  /** Returns undefined past the newest frame. */
  frameAt(place: number): Frame | undefined {
    return this.#log[place - this.#firstPlace]
  }

  /** Bytes of the built frames from a position on. */
  bytesFrom(place: number): number {
    const frame = this.frameAt(place)
    return frame === undefined ? 0 : this.#endBytes - frame.endBytes + frame.packet.length
  }

  join(member: Member): void {
    this.#members.add(member)
  }

  leave(member: Member): void {
    this.#members.delete(member)
    if (this.isEmpty) this.#parts.budget.withdraw(this.#share)
    this.#trim()
  }

  /** Queues a frame, to be built later in order. */
  post(post: Post): void {
    this.postedNumber++
    this.#posts.push({ number: this.postedNumber, ...post })
    if (this.#posts.length - this.#postAt > LIMITS.socketFramesDueMax) this.#overflow()
    this.#parts.pump.wake(this)
  }

  /** Called when a member has something to send, or may send again. */
  wake(): void {
    this.#isRoundDue = true
    this.#parts.pump.wake(this)
  }

  work(untilMs: number): boolean {
    try {
      this.#serve(untilMs)
      // The next batch is built after the last one was sent, so a reader that keeps up has a short
      // backlog.
      if (!this.#isServing && !this.#isRoundDue && this.#pays()) {
        this.#make(untilMs)
        this.#serve(untilMs)
      }
      this.#trim()
    } catch (error) {
      this.fail(error, () => true)
    }
    const isPosted = this.#postAt < this.#posts.length && this.#share.requestedMs === null
    return isPosted || this.#isServing || this.#isRoundDue
  }

  /** Whether there are frames to build, and the budget pays for a batch of them. */
  #pays(): boolean {
    if (this.#postAt === this.#posts.length) return false
    const { budget, pump } = this.#parts
    const nowMs = performance.now()
    const cost = this.#costOf(this.#batchBytes)
    if (this.#share.requestedMs === null) budget.request(this.#share, cost, nowMs)
    if (budget.allows(this.#share, nowMs)) return true
    pump.wakeForBudget(this)
    return false
  }

  #costOf(bytes: number): FrameCost {
    const { size } = this.#members
    return { sends: size, bytes: size * bytes }
  }

  /** Ends the members that miss a frame because of the error. */
  fail(error: unknown, misses: (member: Member) => boolean): void {
    endBroken(this.#parts, error, [...this.#members].filter(misses))
  }

  get #isServing(): boolean {
    return this.#roundAt < this.#round.length
  }

  /** Builds at most one batch of frames. */
  #make(untilMs: number): void {
    const startBytes = this.#endBytes
    const mostBytes = startBytes + LIMITS.socketBatchBytes
    while (this.#postAt < this.#posts.length && this.#endBytes < mostBytes) {
      const post = this.#posts[this.#postAt++]
      this.#made(post)
      if (performance.now() >= untilMs) break
    }
    this.#batchBytes = this.#endBytes - startBytes
    this.#parts.budget.wrote(this.#share, this.#costOf(this.#batchBytes), performance.now())
    if (this.#postAt < this.#posts.length) return
    this.#posts = []
    this.#postAt = 0
  }

  #made({ number, seq, to, event, payload }: Numbered): void {
    this.madeNumber = number
    try {
      edgePoint('at-socket-frame')
      const packet = packetOf(event, payload())
      this.#endBytes += packet.length
      this.#parts.held.bytes += packet.length
      this.#log.push({ number, seq, to, packet, endBytes: this.#endBytes })
      this.#isRoundDue = true
    } catch (error) {
      this.fail(error, (member) => to.receives(member, { number, seq }))
    }
  }

  #serve(untilMs: number): void {
    if (!this.#isServing && this.#isRoundDue) {
      this.#isRoundDue = false
      this.#round = [...this.#members]
      this.#roundAt = 0
    }
    const isFull = this.#parts.held.bytes > LIMITS.socketLogBytesMax
    while (this.#isServing) {
      const member = this.#round[this.#roundAt++]
      this.#serveOne(member, isFull)
      if (performance.now() >= untilMs) return
    }
    this.#round = []
    this.#roundAt = 0
  }

  #serveOne(member: Member, isFull: boolean): void {
    try {
      if (member.catchUp(isFull)) this.#isRoundDue = true
    } catch (error) {
      this.fail(error, (each) => each === member)
    }
  }

  /** Drops the frames that every member was offered. */
  #trim(): void {
    if (this.#log.length === 0) return
    let place = this.endPlace
    for (const member of this.#members) place = Math.min(place, member.place)
    const count = place - this.#firstPlace
    assert(count >= 0, 'no member is before the log')
    if (count === 0) return
    for (let index = 0; index < count; index++) {
      this.#parts.held.bytes -= this.#log[index].packet.length
    }
    this.#log = count === this.#log.length ? [] : this.#log.slice(count)
    this.#firstPlace = place
  }

  /** Drops all posts when too many wait. Members that miss one are disconnected with the reason. */
  #overflow(): void {
    const last = new Map(this.#posts.map(({ to, number }) => [to, { number, seq: null }]))
    this.#posts = []
    this.#postAt = 0
    this.#parts.budget.withdraw(this.#share)
    this.madeNumber = this.postedNumber
    for (const member of [...this.#members]) {
      if ([...last].some(([to, place]) => to.receives(member, place))) member.endSlow()
    }
  }
}

function endBroken({ onFault }: StreamParts, error: unknown, members: readonly Member[]): void {
  const faultId = onFault(error, 'frame')
  const refusal = refuse('INTERNAL', { faultId })
  for (const member of members) member.end(refusal)
}

/** The streams by account; a stream exists while it has members. */
export class Streams {
  readonly #parts: StreamParts
  readonly #streams = new Map<number, AccountStream>()

  constructor(parts: Omit<StreamParts, 'held'>) {
    this.#parts = { ...parts, held: { bytes: 0 } }
  }

  get heldBytes(): number {
    return this.#parts.held.bytes
  }

  of(profileId: ProfileId): AccountStream | undefined {
    return this.#streams.get(profileId)
  }

  /** The stream for a new member of this profile. */
  open(profileId: ProfileId): AccountStream {
    const stream = this.#streams.get(profileId) ?? new AccountStream(this.#parts)
    this.#streams.set(profileId, stream)
    return stream
  }

  /** Ends members that miss a frame because of the error. */
  fail(error: unknown, members: readonly Member[]): void {
    endBroken(this.#parts, error, members)
  }

  left(member: Member): void {
    const profileId = member.caller?.profileId ?? 0
    const stream = this.#streams.get(profileId)
    stream?.leave(member)
    if (stream?.isEmpty === true) this.#streams.delete(profileId)
  }
}
