import assert from 'node:assert/strict'
import { eachResting } from '../../engine/core/book/market.ts'
import { type Amended, decideDecrease } from '../../engine/core/decide/amend.ts'
import { decideCancel } from '../../engine/core/decide/cancel.ts'
import { decidePlace, type PlaceRequest } from '../../engine/core/decide/decide.ts'
import { fillRelease } from '../../engine/core/decide/release.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type {
  Arrival,
  Command,
  ControlCommand,
  PlaceOrder,
  ProfileFields,
  ReleaseOrder,
} from '../../engine/domain/command.ts'
import {
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventSizeRaw,
  eventSlot,
  eventTicks,
  MAKER,
  RESULT,
} from '../../engine/domain/event.ts'
import { NO_TOKEN } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import { ORDER_TYPES, type OrderType, OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { flagBits, flagsOf, type OrderFlags } from '../../engine/domain/order-flags.ts'
import { Reject, type RejectName } from '../../engine/domain/reject-precedence.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { blankRelease } from '../../engine/wire/release-codec.ts'
import { marketSpec, profileFields } from './specs.ts'

// A small caller of the one-thread exchange. It decides, stamps, applies and reports as the
// sequencer does, and a test can call each step.

export type ResultName = keyof typeof RESULT

export interface Wanted extends Partial<OrderFlags> {
  account: number
  marketId: number
  side: number
  outcome: number
  type: OrderType
  /** Absent for the market form. */
  priceTicks?: number
  sizeRaw?: number
  spendRaw?: number
  stp?: number
  expirationSec?: number
  clientOrderId?: string
  orderGroup?: number
  hash?: number
}

export interface MakerFill {
  slot: number
  account: number
  sizeRaw: number
  leftRaw: number
  closed: boolean
  ticks: number
}

export interface Placed {
  /** Null when the order was accepted. */
  refused: RejectName | null
  result: ResultName | null
  slot: number
  generation: number
  filledRaw: number
  /** Collateral that the taker's leg moved at fill prices. */
  collateralRaw: number
  /** In shares for a buy, in collateral for a sell. */
  feeRaw: number
  makers: MakerFill[]
  /** Slots of own makers that self-trade prevention cancelled. */
  stpCancels: number[]
}

export interface OrderRef {
  slot: number
  generation: number
}

export interface BookLevel {
  ticks: number
  sizeRaw: number
}

function resultName(code: number): ResultName {
  const name = Object.keys(RESULT).find((each) => isResult(each) && RESULT[each] === code)
  assert(name !== undefined && isResult(name), 'a result has a name')
  return name
}

function isResult(name: string): name is ResultName {
  return name in RESULT
}

type Body<T> = T extends ControlCommand ? Omit<T, 'seq' | 'nowMs'> : never

export class ExchangeDriver {
  readonly exchange: Exchange
  nowMs = 1_700_000_000_000
  /** Called with every command just before it is applied. */
  onCommand: (command: Command) => void = () => {}
  /** Called just before each chunk is settled. */
  onChunk: () => void = () => {}
  #hashes = 0
  #makers: MakerFill[] = []
  #stpCancels: number[] = []
  #canceled: number[] = []
  #result = 0

  constructor(capacity = 4096, orders = new OrderTable(capacity)) {
    this.exchange = new Exchange(orders)
    this.exchange.onEvents = (words, f64s, count) => {
      this.onChunk()
      for (let record = 0; record < count; record++) {
        this.#receive(words, f64s, eventAt(0, record))
      }
    }
  }

  #receive(words: Int32Array, f64s: Float64Array, event: number): void {
    const kind = eventKind(words, event)
    const slot = eventSlot(words, event)
    if (kind === EVENT.FILL) {
      this.#makers.push({
        slot,
        account: this.clearing.orders.accountOf(slot),
        sizeRaw: eventSizeRaw(f64s, event),
        leftRaw: eventLeftRaw(f64s, event),
        closed: eventCode(words, event) === MAKER.CLOSED,
        ticks: eventTicks(words, event),
      })
    } else if (kind === EVENT.STP_CANCEL) this.#stpCancels.push(slot)
    else if (kind === EVENT.CANCELED) this.#canceled.push(slot)
    else if (kind === EVENT.DONE) this.#result = eventCode(words, event)
  }

  get clearing(): Exchange['clearing'] {
    return this.exchange.clearing
  }

  apply(command: Command): void {
    this.onCommand(command)
    this.exchange.apply(command)
  }

  control(body: Body<ControlCommand>): void {
    this.apply({ ...body, seq: this.clearing.lastSeq + 1, nowMs: this.nowMs })
  }

  addAccount(
    collateralRaw: number,
    changes: Partial<ProfileFields> = {},
    referredBy?: number,
  ): number {
    const profileId = this.clearing.accounts.count + 1
    const profile = profileFields(profileId, changes)
    const token = {
      tokenId: `token-${profileId}`,
      sealedSecret: new Uint8Array(4),
      label: null,
      scopes: ['trading' as const],
    }
    const referred = referredBy === undefined ? {} : { referredBy }
    this.control({ kind: 'createProfile', profileId, profile, token, ...referred })
    this.deposit(profileId, collateralRaw)
    return profileId
  }

  deposit(profileId: number, collateralRaw: number): void {
    if (collateralRaw !== 0) this.control({ kind: 'adjustBalance', profileId, collateralRaw })
  }

  addMarket(changes: Partial<MarketSpec> = {}): number {
    const { catalogue } = this.clearing
    const marketId = catalogue.lastId + 1
    const book = catalogue.freeBook(LIMITS.booksMax)
    this.control({ kind: 'createMarket', marketId, book, market: marketSpec(marketId, changes) })
    return marketId
  }

  orderOf(wanted: Wanted): PlaceOrder {
    const hash = wanted.hash ?? ++this.#hashes
    return {
      ...blankPlace(),
      marketId: wanted.marketId,
      book: this.clearing.catalogue.byId(wanted.marketId)?.book ?? 0,
      accountId: wanted.account,
      side: wanted.side,
      outcome: wanted.outcome,
      orderType: ORDER_TYPES.indexOf(wanted.type),
      ...flagsOf(flagBits(wanted)),
      marketForm: wanted.priceTicks === undefined,
      stp: wanted.stp ?? 0,
      priceTicks: wanted.priceTicks ?? 0,
      sizeRaw: wanted.sizeRaw ?? 0,
      spendRaw: wanted.spendRaw ?? 0,
      expirationSec: wanted.expirationSec ?? 0,
      hashHigh: (hash + 1) >>> 0,
      hashLow: Math.imul(hash, 0x9e3779b1) >>> 0,
      clientOrderId: wanted.clientOrderId ?? '',
      orderGroup: wanted.orderGroup ?? 0,
    }
  }

  /** A request that passes every gate of form. */
  requestOf(order: PlaceOrder): PlaceRequest {
    const profile = this.clearing.accounts.byId(order.accountId)
    const rateBps = profile?.rank?.feeRateBps ?? 0
    return {
      order,
      tokenNo: this.clearing.accounts.tokenById(`token-${order.accountId}`)?.tokenNo ?? NO_TOKEN,
      ownerId: order.accountId,
      signerIsCaller: true,
      makerIsCaller: true,
      signatureOk: true,
      signedFeeBps: Math.min(rateBps, profile?.feeCapBps ?? rateBps),
      timestampMs: 0,
      recvWindowMs: 0,
      wallMs: this.nowMs,
    }
  }

  /**
   * Places an order, perhaps instead of the amended one. `meanwhile` is applied between the
   * decision and the order.
   */
  place(wanted: Wanted, amended?: Amended, meanwhile = () => {}): Placed {
    const order = this.orderOf(wanted)
    const request = { ...this.requestOf(order), amended }
    const refusal = decidePlace(this.clearing, request, this.nowMs)
    if (refusal !== null) return refused(nameOf(refusal))
    meanwhile()
    order.seq = this.clearing.lastSeq + 1
    order.nowMs = this.nowMs
    return this.#arrive(order)
  }

  #arrive(order: Arrival): Placed {
    this.#makers = []
    this.#stpCancels = []
    this.clearing.lastFeeRaw = 0
    this.apply(order)
    const { slot, generation } = order
    return {
      refused: null,
      result: resultName(this.#result),
      slot,
      generation,
      filledRaw: this.clearing.orders.filledSharesRawOf(slot),
      collateralRaw: this.clearing.orders.filledCollateralRawOf(slot),
      feeRaw: this.clearing.lastFeeRaw,
      makers: this.#makers,
      stpCancels: this.#stpCancels,
    }
  }

  /** Releases a held order as the sequencer does when its delay is over. */
  release(ref: OrderRef): Placed {
    return this.#arrive(this.releaseOf(ref))
  }

  releaseOf({ slot, generation }: OrderRef): ReleaseOrder {
    const release = blankRelease()
    fillRelease(release, this.clearing, slot)
    return { ...release, generation, seq: this.clearing.lastSeq + 1, nowMs: this.nowMs }
  }

  /** Checks the gate first. Gives the name of the refusal, or null when the order was canceled. */
  cancel(account: number, ref: OrderRef): RejectName | null {
    const refusal = decideCancel(this.clearing, account, ref.slot, ref.generation)
    if (refusal !== null) return refusal.name
    const marketId = this.clearing.orders.marketOf(ref.slot)
    assert.deepEqual(this.cancelMany(marketId, [ref]), [ref.slot], 'an open order can be canceled')
    return null
  }

  /** Checks the gate first. Gives the name of the refusal, or null when the order was decreased. */
  decrease(account: number, amended: Amended, sizeRaw: number): RejectName | null {
    const byRaw = decideDecrease(this.clearing, account, amended, sizeRaw)
    if (byRaw instanceof Reject) return byRaw.name
    const { slot, generation } = amended
    const marketId = this.clearing.orders.marketOf(slot)
    const stamp = { seq: this.clearing.lastSeq + 1, nowMs: this.nowMs }
    this.apply({ kind: 'decreaseOrder', ...stamp, marketId, slot, generation, byRaw })
    return null
  }

  /** Applies the command past the gate; gives the slots that it really canceled. */
  cancelMany(marketId: number, refs: readonly OrderRef[], reason = 0): number[] {
    this.#canceled = []
    this.apply({
      kind: 'cancelOrders',
      seq: this.clearing.lastSeq + 1,
      nowMs: this.nowMs,
      marketId,
      reason,
      count: refs.length,
      slots: Uint32Array.from(refs, (ref) => ref.slot),
      generations: Uint32Array.from(refs, (ref) => ref.generation),
    })
    return this.#canceled
  }

  /** Funds half a pair for both accounts and lets them mint, so shares come from nothing else. */
  mint(marketId: number, sizeRaw: number, to: { yes: number; no: number; taker: number }): void {
    const wanted = { marketId, side: SIDE.BUY, priceTicks: 500, sizeRaw }
    const yes = { ...wanted, account: to.yes, outcome: OUTCOME.YES }
    const no = { ...wanted, account: to.no, outcome: OUTCOME.NO }
    const [rests, takes] = to.taker === to.yes ? [no, yes] : [yes, no]
    this.deposit(to.yes, sizeRaw / 2)
    this.deposit(to.no, sizeRaw / 2)
    const rested = this.place({ ...rests, type: 'GTC' })
    assert.equal(rested.result, 'RESTED', 'a mint needs a book that does not cross 0.500')
    const taken = this.place({ ...takes, type: 'FAK' })
    assert.equal(taken.result, 'FILLED', 'a mint needs no other order at 0.500')
  }

  freeRaw(account: number): number {
    return this.clearing.ledger.freeRaw(account)
  }

  reservedRaw(account: number): number {
    return this.clearing.ledger.reservedRaw(account)
  }

  sharesRaw(account: number, marketId: number, outcome: number): number {
    return this.clearing.ledger.freeSharesRaw(account, marketId, outcome)
  }

  sharesReservedRaw(account: number, marketId: number, outcome: number): number {
    const { ledger } = this.clearing
    return ledger.sharesReservedRaw[ledger.rows.find(account, marketId) * 2 + outcome]
  }

  /** Rules §2.7: level totals of the YES ladder, best first. */
  book(marketId: number): { bids: BookLevel[]; asks: BookLevel[] } {
    const bids: BookLevel[] = []
    const asks: BookLevel[] = []
    const { orders } = this.clearing
    eachResting(this.clearing.catalogue.existing(marketId).book, (ticks, slot, _owner, leftRaw) => {
      const side = orders.sideOf(slot) === orders.outcomeOf(slot) ? bids : asks
      const last = side.at(-1)
      if (last?.ticks === ticks) last.sizeRaw += leftRaw
      else side.push({ ticks, sizeRaw: leftRaw })
    })
    return { bids: bids.reverse(), asks }
  }

  holds(): void {
    assert.equal(this.exchange.checkInvariants(), null)
  }
}

function nameOf(refusal: Exclude<ReturnType<typeof decidePlace>, null>): RejectName {
  assert(refusal instanceof Reject, 'a driver without tables never has to query them')
  return refusal.name
}

function refused(name: RejectName): Placed {
  return {
    refused: name,
    result: null,
    slot: 0,
    generation: 0,
    filledRaw: 0,
    collateralRaw: 0,
    feeRaw: 0,
    makers: [],
    stpCancels: [],
  }
}
