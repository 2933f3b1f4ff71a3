// Stands between main and its ports and checks each command twice: when it is journaled, and when
// its market has answered. It knows the invariants, the model and the disk, and passes everything
// on.

import assert from 'node:assert/strict'
import type { Clearing } from '../../engine/core/clearing.ts'
import { STATE } from '../../engine/core/orders/order-table.ts'
import { concernsBook } from '../../engine/domain/command-kinds.ts'
import {
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventMarketId,
  eventSeq,
  eventSizeRaw,
  eventSlot,
  eventTicks,
  MAKER,
  RESULT,
} from '../../engine/domain/event.ts'
import { HOUSE_ACCOUNT } from '../../engine/domain/ids.ts'
import { ladderTicks, SIDE } from '../../engine/domain/order.ts'
import type { FrameVisitor } from '../../engine/shard/shard-handle.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import type { SlowAnswer } from '../support/reference-book.ts'
import { AccountLines } from './account-lines.ts'
import type { Answer, Model } from './model.ts'
import { type Conserves, MoneyWatch } from './money-watch.ts'
import { touchedBy } from './move-model.ts'
import { TOKENS } from './orders.ts'
import type { SimDisk } from './sim-disk.ts'

const ENDS: Readonly<Record<number, string>> = {
  [RESULT.RESTED]: 'rested',
  [RESULT.FILLED]: 'filled',
  [RESULT.KILLED]: 'killed',
  [RESULT.STP_STOPPED]: 'stopped',
  [RESULT.WOULD_CROSS]: 'would cross',
  [RESULT.CANCELS_DONE]: 'canceled',
  [RESULT.HELD]: 'held',
  [RESULT.GONE]: 'gone',
  [RESULT.NOT_PLACED]: 'not placed',
}

/** One event, read out of a frame. */
interface Emitted {
  kind: number
  code: number
  ticks: number
  slot: number
  sizeRaw: number
  leftRaw: number
}

type Frame = Parameters<FrameVisitor['settle']>

interface Touched {
  readonly account: number
  readonly marketId: number
  readonly free: readonly number[]
}

export class Watch {
  readonly #clearing: Clearing
  readonly #model: Model
  readonly #disk: SimDisk
  readonly money: MoneyWatch
  /** Open size of each market, summed from the published events. */
  readonly publicRaw: number[] = []
  /** The model's answers to orders that have no reply yet. */
  readonly answers = new Map<number, SlowAnswer>()
  readonly lines = new AccountLines()
  /** How many commands of each kind came. */
  readonly kinds = new Map<string, number>()
  commands = 0
  fills = 0
  releases = 0
  blocks = 0
  reversals = 0

  constructor(clearing: Clearing, world: { model: Model; disk: SimDisk; conserves: Conserves }) {
    this.#clearing = clearing
    this.#model = world.model
    this.#disk = world.disk
    this.money = new MoneyWatch(clearing, world.conserves)
  }

  /** Sees each frame before `next` does. */
  before(next: FrameVisitor): FrameVisitor {
    return {
      settle: (...frame) => this.#settle(next, frame),
      publish: (...frame) => this.#publish(next, frame),
      published: () => next.published(),
    }
  }

  /** A client received something that rests on this command (invariant 1). */
  reported(seq: number): void {
    assert(seq <= this.#disk.reportedSeq, 'nothing is published before it is durable')
  }

  /** A command was appended to the journal: main has just admitted it. */
  journaled(seq: number, record: Uint8Array): void {
    this.commands++
    const command = decodeCommand(record)
    assert.equal(command.seq, seq, 'a record carries the seq it is appended with')
    assert.equal(seq, this.#clearing.lastSeq, 'a command is journaled when it is admitted')
    this.#model.admit(command)
    this.kinds.set(command.kind, (this.kinds.get(command.kind) ?? 0) + 1)
    this.lines.journaled(command, (slot, generation) => this.#model.ownerOf(slot, generation))
    if (command.kind === 'adjustBalance') {
      this.money.adjusted(command.profileId, command.collateralRaw)
      if (command.collateralRaw < 0) this.#model.assertPays(command.profileId)
    }
    if (command.kind === 'fundHouse') this.money.adjusted(HOUSE_ACCOUNT, command.collateralRaw)
    if (command.kind === 'withdraw') {
      this.money.adjusted(command.profileId, -command.collateralRaw)
      this.#model.assertPays(command.profileId)
      this.#compareOwner(command.profileId, 0)
    }
    if (!concernsBook(command)) {
      const { venue, packs, referrals } = this.#model
      const parked = packs.touched.map((account) => [account, 0] as const)
      const touched = [...touchedBy(command, venue), ...parked, ...referrals.touched]
      for (const play of [...packs.plays, ...referrals.plays])
        this.kinds.set(play, (this.kinds.get(play) ?? 0) + 1)
      for (const [account, marketId] of touched) {
        this.money.look(account, marketId)
        this.#compareOwner(account, marketId)
      }
      for (const [, marketId] of touched) this.money.holds(marketId)
    }
    if (command.kind === 'createMarket') this.money.inside(command.marketId)
    if (command.kind === 'createGroup') {
      for (const { marketId } of command.markets) this.money.inside(marketId)
    }
    if (command.kind === 'createProfile') this.money.cash(command.profileId)
    if (command.kind === 'createSubAccount') this.money.cash(command.profileId)
    if (command.kind === 'mineBlock') {
      this.blocks++
      assert(command.throughSeq <= this.#disk.reportedSeq, 'a block covers durable trades only')
    }
    if (command.kind === 'failSettlement') {
      this.reversals++
      for (const { accountId, marketId } of command.legs) {
        this.money.look(accountId, marketId)
        this.#compareOwner(accountId, marketId)
      }
      for (const { marketId } of command.legs) this.money.holds(marketId)
    }
    if (command.kind === 'placeOrder') {
      const { accountId, marketId, slot } = command
      assert.equal(this.#clearing.orders.reservedRawOf(slot), command.reserveRaw)
      this.money.look(accountId, marketId)
      this.#compareOwner(accountId, marketId)
      this.money.holds(marketId)
    } else this.money.holds()
  }

  #settle(next: FrameVisitor, [words, f64s, at, count]: Frame): void {
    const seq = eventSeq(f64s, eventAt(at, 0))
    const emitted: Emitted[] = []
    for (let record = 0; record < count; record++) {
      emitted.push(readRecord(words, f64s, eventAt(at, record)))
    }
    const answer = this.#model.settle(seq)
    const touched = this.#touchedBy(emitted)
    this.#compare(seq, answer, emitted)
    next.settle(words, f64s, at, count)
    if ('answer' in answer && answer.answer.shares > 0n) {
      assert.equal(BigInt(this.#clearing.lastFeeRaw), answer.answer.fee, 'the fee')
    }
    this.#checkTouched(touched, emitted)
  }

  #compare(seq: number, answer: Answer, emitted: Emitted[]): void {
    if (answer.kind === 'cancels') {
      this.#compareCancels(answer, emitted)
      return
    }
    if (answer.kind === 'decrease') {
      this.#compareDecrease(answer, emitted)
      return
    }
    if (answer.replacedId !== undefined) this.#count('order replaced')
    else if (answer.answer.end === 'not placed') this.#count('order not replaced')
    if (answer.kind === 'order') this.answers.set(seq, answer.answer)
    else if (answer.answer.end !== 'gone') this.releases++
    this.#compareOrder(answer, emitted)
  }

  #count(what: string): void {
    this.kinds.set(what, (this.kinds.get(what) ?? 0) + 1)
  }

  #touchedBy(emitted: readonly Emitted[]): Touched[] {
    const { orders } = this.#clearing
    const touched: Touched[] = []
    for (const { kind, slot } of emitted) {
      if (slot === 0 || kind === EVENT.NOT_OPEN) continue
      const account = orders.accountOf(slot)
      if (touched.some((each) => each.account === account)) continue
      const marketId = orders.marketOf(slot)
      touched.push({ account, marketId, free: this.#freeOf(account, marketId) })
    }
    return touched
  }

  #freeOf(account: number, marketId: number): number[] {
    const { ledger } = this.#clearing
    const shares = [0, 1].map((outcome) => ledger.freeSharesRaw(account, marketId, outcome))
    return [ledger.freeRaw(account), ...shares]
  }

  #checkTouched(touched: readonly Touched[], emitted: readonly Emitted[]): void {
    for (const { account, marketId, free } of touched) {
      const now = this.#freeOf(account, marketId)
      for (let index = 0; index < 3; index++) {
        assert(now[index] >= free[index], 'no answer of a market lowers a free balance')
      }
      this.money.look(account, marketId)
      this.#compareOwner(account, marketId)
    }
    for (const { kind, slot } of emitted) if (kind !== EVENT.NOT_OPEN) this.#checkOrder(slot)
    this.money.holds(touched[0]?.marketId)
  }

  /** Domain 2.7, rule 4: filled + remaining + canceled = original; locked is what 2.5 says. */
  #checkOrder(slot: number): void {
    const { orders } = this.#clearing
    if (slot === 0 || orders.stateOf(slot) === STATE.FREE) return
    const leftRaw = orders.leftRawOf(slot)
    const order = this.#model.live.get(orders.seqOf(slot))
    assert(order !== undefined, 'an open order lives in the model')
    assert.equal(orders.sizeRawOf(slot) - leftRaw, order.filledRaw, 'filled plus left is the size')
    const reservedRaw = BigInt(orders.reservedRawOf(slot))
    const buys = orders.sideOf(slot) === SIDE.BUY
    if (buys && orders.marketFormOf(slot) === 1) {
      const isWhole = order.filledRaw === 0 && reservedRaw === order.request.spend
      assert(isWhole, 'a held market buy locks what it spends')
      return
    }
    const dueRaw = (BigInt(leftRaw) * BigInt(buys ? orders.priceTicksOf(slot) : 1000)) / 1000n
    assert.equal(reservedRaw, dueRaw, 'an open order locks what rules §2.5 says')
  }

  #compareOwner(account: number, marketId: number): void {
    const { ledger } = this.#clearing
    const { slow } = this.#model
    const cash = slow.cash(account)
    assert.equal(ledger.freeRaw(account), Number(cash.free), 'free collateral')
    assert.equal(ledger.reservedRaw(account), Number(cash.locked), 'locked collateral')
    const row = ledger.rows.find(account, marketId)
    if (row === 0) return
    for (const outcome of [0, 1]) {
      const purse = slow.shares(account, marketId, TOKENS[outcome])
      const index = row * 2 + outcome
      assert.equal(ledger.sharesFreeRaw[index], Number(purse.free), 'free shares')
      assert.equal(ledger.sharesReservedRaw[index], Number(purse.locked), 'locked shares')
    }
  }

  #compareOrder(
    { request, answer, replacedId }: Extract<Answer, { kind: 'order' | 'release' }>,
    emitted: readonly Emitted[],
  ): void {
    const { orders } = this.#clearing
    const fills = emitted.filter(({ kind }) => kind === EVENT.FILL)
    assert.equal(fills.length, answer.fills.length, 'the number of fills')
    for (const [index, { slot, code, ticks, sizeRaw, leftRaw }] of fills.entries()) {
      const expected = answer.fills[index]
      assert.equal(orders.seqOf(slot), expected.maker, 'the next maker in the book')
      assert.equal(sizeRaw, Number(expected.shares), 'the size of a fill')
      assert.equal(leftRaw, Number(expected.left), 'what a fill leaves')
      assert.equal(code === MAKER.CLOSED, expected.closed, 'whether a fill ends its maker')
      const limitTicks = ladderTicks(orders.outcomeOf(slot), orders.priceTicksOf(slot))
      assert.equal(ticks, limitTicks, 'a maker trades at its limit')
    }
    const replaced = emitted.filter(({ kind }) => kind === EVENT.CANCELED)
    const replacedIds = replaced.map(({ slot }) => orders.seqOf(slot))
    assert.deepEqual(replacedIds, replacedId === undefined ? [] : [replacedId], 'what is replaced')
    const canceled = emitted.filter(({ kind }) => kind === EVENT.STP_CANCEL)
    const ids = canceled.map(({ slot }) => orders.seqOf(slot))
    assert.deepEqual(ids, answer.cancelled, 'own makers that are canceled')
    const done = emitted[emitted.length - 1]
    assert.equal(done.kind, EVENT.DONE, 'an answer ends with DONE')
    assert.equal(ENDS[done.code], answer.end, 'how an order ends')
    assert.equal(BigInt(done.sizeRaw), answer.shares, 'what an order traded')
    this.fills += fills.length
    if (request.price === null || answer.shares === 0n) return
    const value = answer.collateral * 1_000_000n
    const limit = answer.shares * request.price
    const keeps = request.side === 'buy' ? value <= limit : value >= limit
    assert(keeps, 'a taker never trades worse than its limit on average')
  }

  #compareDecrease({ id, leftRaw }: { id: number; leftRaw: number }, emitted: Emitted[]): void {
    const [event] = emitted
    assert.equal(emitted.length, 2, 'a decrease has one event and DONE')
    const isOpen = event.kind !== EVENT.NOT_OPEN
    const seq = isOpen ? this.#clearing.orders.seqOf(event.slot) : id
    assert.equal(seq, id, 'the order that is decreased')
    const expected = event.kind === EVENT.DECREASED ? event.leftRaw : 0
    assert.equal(expected, leftRaw, 'what a decrease leaves')
  }

  #compareCancels(
    answer: { ids: readonly number[]; gone: readonly number[] },
    emitted: Emitted[],
  ): void {
    const { orders } = this.#clearing
    const done = emitted.pop()
    assert.equal(ENDS[done?.code ?? 0], 'canceled', 'cancels end with DONE')
    assert.equal(emitted.length, answer.ids.length, 'each named order has its answer')
    const gone = emitted.filter(({ kind }) => kind === EVENT.CANCELED)
    const ids = gone.map(({ slot }) => orders.seqOf(slot))
    assert.deepEqual(ids, answer.gone, 'the orders that were open are canceled')
    for (const { slot, leftRaw } of gone) {
      const bySpend = orders.marketFormOf(slot) === 1 && orders.sideOf(slot) === SIDE.BUY
      assert.equal(leftRaw, bySpend ? orders.reservedRawOf(slot) : orders.leftRawOf(slot))
    }
  }

  #publish(next: FrameVisitor, [words, f64s, at, count]: Frame): void {
    this.reported(eventSeq(f64s, eventAt(at, 0)))
    for (let record = 0; record < count; record++) {
      const event = eventAt(at, record)
      const { kind, code, ticks, sizeRaw, leftRaw } = readRecord(words, f64s, event)
      const marketId = eventMarketId(words, event)
      let changeRaw = 0
      if (kind === EVENT.FILL) changeRaw = -sizeRaw - (code === MAKER.CLOSED ? leftRaw : 0)
      else if (kind === EVENT.CANCELED || kind === EVENT.STP_CANCEL) {
        // A held order was never shown.
        changeRaw = ticks === 0 ? 0 : -leftRaw
      } else if (kind === EVENT.DECREASED) changeRaw = ticks === 0 ? 0 : -sizeRaw
      else if (kind === EVENT.DONE && code === RESULT.RESTED) changeRaw = leftRaw
      this.publicRaw[marketId] = (this.publicRaw[marketId] ?? 0) + changeRaw
    }
    next.publish(words, f64s, at, count)
  }
}

function readRecord(words: Int32Array, f64s: Float64Array, event: number): Emitted {
  return {
    kind: eventKind(words, event),
    code: eventCode(words, event),
    ticks: eventTicks(words, event),
    slot: eventSlot(words, event),
    sizeRaw: eventSizeRaw(f64s, event),
    leftRaw: eventLeftRaw(f64s, event),
  }
}
