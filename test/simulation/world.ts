// A simulated world: one script, the lives in which it plays, and what outlives these lives.

import assert from 'node:assert/strict'
import { START_MS } from '../../bench/workload/setting.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { PACK_LIMITS } from '../../engine/domain/packs/pack-limits.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import { noteProgress } from '../support/progress.ts'
import {
  closedAreEmpty,
  compareBooks,
  firedAreGone,
  frozenAreGone,
  groupsAreGone,
  intakeKnows,
  liveHash,
  packsAreCounted,
  slotsAreOnTime,
  walk,
} from './audit.ts'
import { Curators } from './curators.ts'
import { Delegates } from './delegates.ts'
import { GroupOwners } from './group-owners.ts'
import { Holders } from './holders.ts'
import { Life } from './life.ts'
import { Model } from './model.ts'
import { type Conserves, conserved } from './money-watch.ts'
import { Movers, type SentMove } from './movers.ts'
import { Operators } from './operators.ts'
import { Packers, type Quoted } from './packers.ts'
import type { Script, Step } from './script.ts'
import { SimDisk, type Tear } from './sim-disk.ts'
import { addTo, newTotals } from './totals.ts'
import { ClientMemory, Traders } from './traders.ts'
import { youngJournal } from './young.ts'

const WALK_EVERY = 100
/** Ticks of main's event loop before it learns that a thread died. */
const LAST_ROUNDS = 4
const TEARS: readonly Tear[] = ['whole', 'cut', 'flipped']
/** Far more rounds than any backlog needs. */
const REST_ROUNDS = 100_000
const SLEEP_MS_MAX = 150_000
/** A world begins so long before the end of a day that most worlds see it. */
const BEFORE_MIDNIGHT_MS = 240_000
const BEGIN_MS = Math.ceil(START_MS / DAY_MS) * DAY_MS - BEFORE_MIDNIGHT_MS

export interface WorldOptions {
  /** A wrong invariant, to see that the watch finds it. */
  readonly conserves?: Conserves
}

export class World {
  readonly disk = new SimDisk()
  readonly totals = newTotals()
  readonly #script: Script
  readonly #options: WorldOptions
  readonly #clock = { nowMs: BEGIN_MS }
  readonly #memory = new ClientMemory()
  #checkpoint = { seq: 0, stateHash: '', model: new Model() }
  #life: Life
  #traders: Traders
  #delegates: Delegates
  #operators: Operators
  #holders: Holders
  #groupOwners: GroupOwners
  #curators: Curators
  readonly #sentMoves: SentMove[] = []
  #movers: Movers
  readonly #quoted: Quoted[] = []
  #packers: Packers
  #walkedAt = 0
  #roundsToLive = 0

  constructor(script: Script, options: WorldOptions = {}) {
    this.#script = script
    this.#options = options
    this.disk.write(youngJournal(script.setting))
    this.disk.reportedSeq = this.disk.lastSeq
    this.#life = this.#open()
    this.#traders = new Traders(script, this.#life, this.#memory)
    this.#delegates = new Delegates(script, this.#life, this.#memory)
    this.#operators = new Operators(script.setting, this.#life)
    this.#holders = new Holders(script.setting, this.#life, this.#memory)
    this.#groupOwners = new GroupOwners(script.setting, this.#life)
    this.#curators = new Curators(this.#life)
    this.#movers = new Movers(this.#life, this.#sentMoves)
    this.#packers = new Packers(this.#life, this.#operators, this.#quoted)
  }

  #open(): Life {
    const { setting } = this.#script
    const checkpoint = this.#checkpoint
    const life = new Life({
      setting,
      disk: this.disk,
      clock: this.#clock,
      conserves: this.#options.conserves ?? conserved,
      checkpoint,
      onCheckpoint: (hash) => assert.equal(hash, checkpoint.stateHash, 'a replay gives the state'),
    })
    const seq = this.disk.lastSeq
    life.model.orderGroups.resumed()
    this.#memory.check(life, seq)
    // Only the books are under way, to their threads.
    for (const thread of life.threads) while (thread.run(1000) > 0) thread.show()
    walk(life)
    compareBooks(life)
    assert.equal(liveHash(life), life.recoveredHash, 'threads take over the recovered books')
    this.#checkpoint = { seq, stateHash: life.recoveredHash, model: life.model.copy() }
    return life
  }

  /** Ends the process and starts another on what the disk has kept. */
  #crash([count, how]: Step['dice']): void {
    const { journal } = this.#life
    this.totals.crashes++
    this.#count()
    journal.crash(Math.floor(count * (journal.waitingCount + 1)), TEARS[Math.floor(how * 3)])
    this.#life = this.#open()
    this.#traders = new Traders(this.#script, this.#life, this.#memory)
    this.#delegates = new Delegates(this.#script, this.#life, this.#memory)
    this.#operators = new Operators(this.#script.setting, this.#life)
    this.#holders = new Holders(this.#script.setting, this.#life, this.#memory)
    this.#groupOwners = new GroupOwners(this.#script.setting, this.#life)
    this.#curators = new Curators(this.#life)
    this.#movers = new Movers(this.#life, this.#sentMoves)
    this.#packers = new Packers(this.#life, this.#operators, this.#quoted)
    this.#walkedAt = 0
    this.#roundsToLive = 0
  }

  #count(): void {
    this.totals.commands += this.#life.watch.commands
    this.totals.fills += this.#life.watch.fills
    this.totals.releases += this.#life.watch.releases
    this.totals.blocks += this.#life.watch.blocks
    this.totals.reversals += this.#life.watch.reversals
    this.totals.refusals += this.#traders.refusals
    this.totals.overloads += this.#traders.overloads
    this.totals.replaced += this.#delegates.replaced
    this.totals.rejected += this.#life.rejected
    addTo(this.totals.kinds, this.#life.watch.kinds)
    addTo(this.totals.reported, this.#delegates.reported)
  }

  /** Accounts that are busy with a replacement. */
  get heldCount(): number {
    return this.#life.pipeline.queues.count
  }

  /** Plays one step of the script. */
  async play(step: Step, index: number): Promise<void> {
    noteProgress()
    // A promise that failed in the last step is the cause of every later failure.
    this.#heed()
    this.#life.readsAreLate = step.dice[1] < 0.05
    const tick = this.#machine(step)
    if (tick) await this.#tick()
    else if (step.act === 'rest') await this.rest()
    else if (tick === null) await this.#client(step, index)
    this.#heed()
    if (this.#life.fault !== null) this.#crash(step.dice)
    if (this.#life.watch.commands - this.#walkedAt < WALK_EVERY) return
    this.#walkedAt = this.#life.watch.commands
    walk(this.#life)
  }

  /** Null when the act is not one of the machine; true when an event-loop tick ends the act. */
  #machine({ act, dice }: Step): boolean | null {
    const { threads, journal, pipeline } = this.#life
    switch (act) {
      case 'tick':
        if (this.#roundsToLive > 0 && --this.#roundsToLive === 0) {
          for (const each of threads) each.bury()
        }
        return true
      case 'thread':
      case 'stall':
      case 'death':
        this.#befall(act, dice)
        return false
      case 'receive':
        this.#life.receive()
        return false
      case 'commit':
        journal.commit(1 + Math.floor(dice[0] * 64))
        return false
      case 'report':
        journal.report()
        this.#life.score()
        return false
      case 'time':
        this.#clock.nowMs += Math.floor(dice[0] * dice[0] * 3000)
        pipeline.tick()
        return false
      case 'clockBack':
        this.#clock.nowMs -= Math.floor(dice[0] * 5000)
        return false
      case 'sleep':
        // The machine stands still; what became due meanwhile is late.
        this.#clock.nowMs += Math.floor(dice[0] * SLEEP_MS_MAX)
        return false
      case 'night':
        this.#clock.nowMs += DAY_MS
        pipeline.tick()
        return false
      default:
        return this.#trouble({ act, dice, row: 0 })
    }
  }

  /** Acts on one of the threads. A life that starts without a live market has none yet. */
  #befall(act: 'thread' | 'stall' | 'death', [which, more]: Step['dice']): void {
    const { threads } = this.#life
    const thread = threads.at(Math.floor(which * threads.length))
    if (thread === undefined) return
    if (act === 'stall') thread.isStalled = true
    else if (act === 'death') {
      thread.isDead = true
      this.#roundsToLive = LAST_ROUNDS
    } else {
      thread.run(1 + Math.floor(more * 24))
      if (more > 0.1) thread.show()
    }
  }

  #trouble({ act, dice }: Step): boolean | null {
    const { threads, journal } = this.#life
    switch (act) {
      case 'wake':
        for (const each of threads) each.isStalled = false
        return false
      case 'refuse':
      case 'accept':
        journal.isRefusing = act === 'refuse'
        return false
      case 'catchUp':
        this.#catchUp()
        return true
      case 'crash':
        this.#crash(dice)
        return true
      default:
        return null
    }
  }

  #client(step: Step, index: number): void | Promise<void> {
    const traders = this.#traders
    switch (step.act) {
      case 'row':
      case 'again':
      case 'resent':
      case 'restricted':
      case 'unwind':
      case 'cancelAgain':
      case 'cancelForeign':
      case 'cancelNamed':
      case 'cancelBatch':
      case 'cancelAll':
      case 'cancelWide':
      case 'replaceOrder':
      case 'decreaseOrder':
        traders[step.act](step, index)
        return
      case 'orderGroup':
        this.#groupOwners.orderGroup(step)
        return
      case 'delegated':
      case 'batch':
      case 'replace':
      case 'replaces':
      case 'crowd':
        return this.#delegates[step.act](step, index)
      case 'token':
      case 'revoke':
      case 'touch':
      case 'login':
      case 'logout':
      case 'edit':
      case 'sponsor':
      case 'approve':
      case 'leave':
      case 'address':
        this.#holders[step.act](step, index)
        return
      case 'split':
      case 'merge':
      case 'redeem':
      case 'convert':
      case 'payOut':
        this.#movers.move(step.act, step, index)
        return
      default:
        if (!this.#operator(step)) traders.order(step, index)
    }
  }

  /** False when the act is none of an operator or of packs. */
  #operator(step: Step): boolean {
    switch (step.act) {
      case 'deposit':
      case 'withdraw':
        this.#operators.adjust(step)
        return true
      case 'bunch':
      case 'crown':
      case 'amend':
      case 'lock':
      case 'unlock':
      case 'flag':
      case 'series':
      case 'retire':
      case 'quote':
        this.#curators[step.act](step)
        return true
      case 'open':
      case 'resolve':
      case 'brief':
      case 'beat':
      case 'fault':
      case 'restrict':
      case 'freeze':
        this.#operators[step.act](step)
        return true
      default:
        return this.#packers.play(step)
    }
  }

  /** Threads, main and disk do all their waiting work, once. */
  #catchUp(): void {
    const { threads, journal } = this.#life
    for (const thread of threads) {
      thread.run(Number.POSITIVE_INFINITY)
      thread.show()
    }
    this.#life.receive()
    journal.commit(Number.POSITIVE_INFINITY)
    journal.report()
    this.#life.score()
  }

  /** An event-loop tick of main, which lets its promises go on and shows what it published. */
  async #tick(): Promise<void> {
    await new Promise(setImmediate)
    this.#heed()
  }

  /** The first promise of main that failed. */
  get failure(): unknown {
    return this.#life.failure
  }

  #heed(): void {
    const { failure } = this.#life
    if (failure !== null) throw failure
  }

  /** Lets everything come to its end, compares the whole state and keeps it as the checkpoint. */
  async rest(): Promise<void> {
    if (this.#life.threads.some((thread) => thread.isDead)) this.#crash([0.5, 0])
    this.#life.journal.isRefusing = false
    // The end of a trade waits for late tables.
    this.#life.readsAreLate = false
    for (const thread of this.#life.threads) thread.isStalled = false
    // A step of a slot that did not fit is tried again, also after the clock went back. The timer
    // would look at the clock more often.
    this.#life.pipeline.tick()
    this.#clock.nowMs = this.#life.pipeline.sequencer.nowMs() + LIMITS.slotRetryMs
    for (let round = 0; round < REST_ROUNDS; round++) {
      await this.#tick()
      // Packs are counted a few at a time.
      if (this.#life.packsAreDue) this.#clock.nowMs += PACK_LIMITS.roundEveryMs
      this.#life.pipeline.tick()
      this.#catchUp()
      const { isAtRest, pipeline, openChanges } = this.#life
      if (isAtRest && pipeline.underWay === 0 && openChanges === 0) break
    }
    await this.#tick()
    assert(this.#life.isAtRest, 'everything under way comes to its end')
    assert.equal(this.#life.pipeline.underWay, 0, 'every order is answered')
    assert.equal(this.#life.openChanges, 0, 'every change is answered')
    assert.equal(this.#delegates.open, 0, 'every call is answered')
    assert.equal(this.#life.pipeline.queues.count, 0, 'no account stays busy')
    walk(this.#life)
    compareBooks(this.#life)
    closedAreEmpty(this.#life)
    firedAreGone(this.#life)
    frozenAreGone(this.#life)
    groupsAreGone(this.#life)
    intakeKnows(this.#life)
    slotsAreOnTime(this.#life)
    packsAreCounted(this.#life)
    const seq = this.disk.lastSeq
    this.#checkpoint = { seq, stateHash: liveHash(this.#life), model: this.#life.model.copy() }
  }

  /** Ends the world: at rest, and once more recovered from the disk. */
  async end(): Promise<string> {
    await this.rest()
    const { stateHash } = this.#checkpoint
    this.#crash([0, 0])
    assert.equal(this.#life.recoveredHash, stateHash, 'a restart gives the same state')
    return stateHash
  }
}
