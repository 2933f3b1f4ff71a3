// Hot path. bench/pipeline.bench.ts
// The owner of an order from its request to its reply (design §3), read from top to bottom:
// `place` submits the request to the intake, `verdict` takes the intake's verdict, `#decide` passes
// it to the sequencer's gates, `answered` takes the receipt once the market has answered and the
// command is durable, and `#reply` ends the order. The main thread owns it.
// Invariants: an order is in `#open` from its request to its reply, under one id that the intake's
// result and the receipt carry. Each id gets one reply. Nothing is awaited between the decision and
// the stamp.

import type { Token } from '../../../engine/core/accounts/accounts.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import {
  ASK_TABLES,
  decideBeforeFunds,
  type PlaceRequest,
} from '../../../engine/core/decide/decide.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { RESULT } from '../../../engine/domain/event.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import { Slab } from '../../../engine/domain/slab.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import { blankPlace, decodePlaceInto } from '../../../engine/wire/place-codec.ts'
import type {
  IntakeRefusal,
  IntakeResult,
  OrderFlaw,
  VerifiedOrder,
} from '../../messages/intake-result.ts'
import type { OrderIntake } from '../../messages/order-intake.ts'
import type { OrderReceipt, Publisher } from '../publisher/durable-publisher.ts'
import { childrenNamed } from '../read-model/market-kinds.ts'
import type { OrderIds } from '../read-model/order-ids.ts'
import type { PublishedMarkets } from '../read-model/published.ts'
import type { Clock } from '../sequencer/clock.ts'
import { DEADLINES_FIRST, type Sequencer } from '../sequencer/sequencer.ts'
import type { Mining, SettlementEvent } from '../settlement/mining.ts'
import type { AccountQueues } from './account-queues.ts'
import { answerBy, type FindFirst, mayBeKnown } from './known-order.ts'
import {
  ABANDONED,
  type OpenOrder,
  type OrderAnswer,
  type OrderCall,
  type OrderRefusal,
  orderRefusal,
} from './order-answer.ts'
import { orderReplyText } from './order-reply.ts'
import type { SeenLookups } from './seen-lookups.ts'

/** A token's last use is kept to the minute: a command for each call would double the journal. */
const NOTE_EVERY_MS = 60_000

/** Notes when each API token last signed a call. */
export class TokenUses {
  readonly #sequencer: Sequencer

  constructor(sequencer: Sequencer) {
    this.#sequencer = sequencer
  }

  /** Does nothing for an unknown token, within the minute, and when the journal is full. */
  note(token: Token | undefined): void {
    if (token === undefined) return
    const nowMs = this.#sequencer.nowMs()
    if (token.lastUsedMs !== null && nowMs - token.lastUsedMs < NOTE_EVERY_MS) return
    this.#sequencer.change(() => ({ kind: 'touchToken', tokenId: token.tokenId }))
  }
}

/** Whether a market of this slug left memory; undefined without an answer in time. */
export type IsArchived = (slug: string, requester: ProfileId) => Promise<boolean | undefined>

export interface OrderEntryParts {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  readonly publisher: Publisher
  readonly sequencer: Sequencer
  readonly ids: OrderIds
  readonly queues: AccountQueues
  readonly clock: Clock
  readonly tokenUses: TokenUses
  /** Seconds the profile must wait before its next order; 0 = none. */
  readonly profileWaitSec: (profileId: ProfileId) => number
  /** Absent when the main thread holds every order there ever was. */
  readonly lookups?: SeenLookups
  /** Null when trades are never mined. */
  readonly mining: Mining | null
  /** Absent when no market ever leaves memory. */
  readonly isArchived?: IsArchived
}

/** An order with the intake's verdict. An order that must wait has its own copy of the record. */
interface Arrival {
  readonly id: number
  readonly request: PlaceRequest
  readonly record: Uint8Array
  readonly orderFields: string
  readonly flaw: OrderFlaw | null
}

/** Rests on state, so it is given once that state is durable; a rate limit does not. */
const REVOKED: OrderRefusal = { reject: REJECT.TOKEN_REVOKED }

/** The result of `refusal` when only the account's funds can still refuse the order. */
export const PASSES: OrderAnswer = { text: '' }

/** An order that is decided later, when its account is free. */
export interface KeptOrder {
  readonly decide: (order: OpenOrder) => void
  /** Resolves with the refusal that is known beforehand, or with `PASSES`. */
  readonly refusal: () => Promise<OrderAnswer>
}

/**
 * Copies the record, so that the order can wait. The decoded order is still the shared one. The
 * record is a Buffer from the intake, and `slice` of a Buffer would share its memory.
 */
function copyOf(arrival: Arrival): Arrival {
  return { ...arrival, record: new Uint8Array(arrival.record) }
}

function refusedBy(refused: IntakeRefusal): OrderRefusal {
  const { reject, issues, more, retryAfterSec, broke } = refused
  return broke === undefined ? { reject, issues, more, retryAfterSec } : { reject, broke }
}

export class OrderEntry {
  readonly #parts: OrderEntryParts
  /** Null when no signed orders come. */
  #intake: OrderIntake | null = null
  #findFirst: FindFirst | null = null
  readonly #open = new Slab<OpenOrder>()
  /** Orders of requests whose verdicts are still to come, and of replacements. */
  #reserved = 0
  /** The order that is being decided. */
  readonly #order = blankPlace()
  /** Orders that wait for deadlines of their markets, in the order of their arrival. */
  #waiting: Arrival[] = []
  readonly #waitingIn = new Set<MarketId>()
  /** Requests since the start that were refused by rate before they were checked. */
  limitedCount = 0

  constructor(parts: OrderEntryParts) {
    this.#parts = parts
  }

  connect(intake: OrderIntake | null): void {
    this.#intake = intake
  }

  /** From now on the refusal of a known order names the first one. */
  nameFirst(find: FindFirst): void {
    this.#findFirst = find
  }

  /** Orders between their request and their reply. */
  get count(): number {
    return this.#open.count + this.#reserved
  }

  /** Orders that wait for deadlines of their markets. */
  get waiting(): number {
    return this.#waiting.length
  }

  get reserved(): number {
    return this.#reserved
  }

  /** Counts orders that are not open yet; a negative number releases them. */
  reserve(orders: number): void {
    this.#reserved += orders
  }

  /** Whether so many more orders may enter. The bound applies to orders and to no other call. */
  hasCapacity(orders = 1): boolean {
    return this.count + orders <= LIMITS.ordersUnderWayMax
  }

  // The request.

  /** Enters a signed order; `reply` is called exactly once. */
  place(call: OrderCall, reply: (answer: OrderAnswer) => void): void {
    if (!this.hasCapacity()) {
      reply({ reject: REJECT.OVERLOADED })
      return
    }
    const { timesRow, sender, replays, idempotencyKey = '' } = call
    const isKeyed = idempotencyKey !== ''
    const id = this.#open.put({ timesRow, reply, sender, replays, isKeyed })
    this.submit(call, id)
  }

  /** Gives a request to the intake. */
  submit(call: OrderCall, requestId: number, form = 0): void {
    assert(this.#intake !== null, 'signed orders come through the intake')
    // Lists every field, because a spread cost each order as much as its decision.
    this.#intake.submit({
      requestId,
      nowMs: this.#parts.clock.wallMs(),
      form,
      method: call.method,
      pathWithQuery: call.pathWithQuery,
      apiKey: call.apiKey,
      timestamp: call.timestamp,
      signature: call.signature,
      body: call.body,
      verdict: call.verdict,
      onBehalfOf: call.onBehalfOf,
      idempotencyKey: call.idempotencyKey,
    })
  }

  addressOf(requestId: number): string {
    return this.#open.at(requestId).sender?.addressKey ?? ''
  }

  // The verdict of the intake, then the caller's token and rate.

  /** Takes the verdict on an order that `place` entered. */
  verdict(result: IntakeResult): void {
    const id = result.requestId
    this.#parts.publisher.times.reported(this.#open.at(id).timesRow)
    this.#judge(result, id)
  }

  /** Enters one order of a request, or the refusal of a whole request, with its verdict. */
  enter(result: IntakeResult, order: OpenOrder): void {
    this.#judge(result, this.#open.put(order))
  }

  /** Keeps the verdict on an order that is decided later, when its account is free. */
  keep(result: IntakeResult): KeptOrder {
    this.#noteToken(result)
    if (result.kind === 'refused') {
      return {
        decide: (order) => {
          this.#refuse(result, this.#open.put(order))
          order.decided?.()
        },
        refusal: () =>
          new Promise((reply) => this.#refuse(result, this.#open.put({ timesRow: 0, reply }))),
      }
    }
    const kept = copyOf(this.#arrivalOf(result, 0))
    return {
      decide: (order) => this.#decideKept({ ...kept, id: this.#open.put(order) }),
      refusal: () =>
        new Promise((reply) => {
          this.#foresee({ ...kept, id: this.#open.put({ timesRow: 0, reply }) })
        }),
    }
  }

  #judge(result: IntakeResult, id: number): void {
    this.#noteToken(result)
    if (this.#open.at(id).sender?.isGone === true) this.#reply(id, ABANDONED)
    else if (result.kind === 'refused') this.#refuse(result, id)
    else {
      const refusal = this.#callerRefusal(result)
      if (refusal === null) this.#decide(this.#arrivalOf(result, id))
      else if (refusal === REVOKED) this.#whenDurable(() => this.#reply(id, refusal))
      else this.#reply(id, refusal)
    }
  }

  #noteToken({ tokenNo }: Pick<IntakeResult, 'tokenNo'>): void {
    this.#parts.tokenUses.note(this.#parts.clearing.accounts.tokenByNo(tokenNo))
  }

  /** A market that left memory is answered as any resolved market (design §10). */
  #refuse(refused: IntakeRefusal, id: number): void {
    const { marketSlug = '', profileId } = refused
    if (refused.reject === REJECT.RATE_LIMITED) this.limitedCount++
    const { isArchived, published } = this.#parts
    const group = published.bySlug(marketSlug)
    if (group !== undefined && kindOf(group.market) === 'group') {
      this.#reply(id, { reject: REJECT.MARKET_NOT_FOUND, more: childrenNamed(group) })
      return
    }
    if (marketSlug === '' || isArchived === undefined) {
      this.#reply(id, refusedBy(refused))
      return
    }
    isArchived(marketSlug, profileId).then(
      (isGone) => {
        if (isGone === undefined) this.#reply(id, { reject: REJECT.OVERLOADED })
        else this.#reply(id, isGone ? { reject: REJECT.MARKET_NOT_TRADABLE } : refusedBy(refused))
      },
      (error: unknown) => this.#reply(id, { reject: REJECT.INTERNAL, broke: { error } }),
    )
  }

  /**
   * Counts one order against the caller's rate. Resolves with the refusal of its token or rate, or
   * with null.
   */
  admission(caller: Pick<IntakeResult, 'tokenNo' | 'profileId'>): Promise<OrderRefusal> | null {
    this.#noteToken(caller)
    const refusal = this.#callerRefusal(caller)
    if (refusal === null) return null
    return refusal === REVOKED
      ? this.#parts.publisher.durable().then(() => refusal)
      : Promise.resolve(refusal)
  }

  #callerRefusal({
    tokenNo,
    profileId,
  }: Pick<IntakeResult, 'tokenNo' | 'profileId'>): OrderRefusal | null {
    const { clearing, profileWaitSec } = this.#parts
    if (clearing.accounts.tokenByNo(tokenNo) === undefined) return REVOKED
    const waitSec = profileWaitSec(profileId)
    return waitSec === 0 ? null : { reject: REJECT.RATE_LIMITED, retryAfterSec: waitSec }
  }

  /** Calls `run` once the state of this moment is durable. */
  #whenDurable(run: () => void): void {
    this.#parts.publisher.whenDurable(this.#parts.clearing.lastSeq, run)
  }

  #arrivalOf(verified: VerifiedOrder, id: number): Arrival {
    assert(verified.isMinted(), 'only the intake makes verified orders')
    const order = this.#order
    decodePlaceInto(verified.record, order)
    const request: PlaceRequest = {
      order,
      tokenNo: verified.tokenNo,
      ownerId: verified.ownerId,
      signerIsCaller: verified.signerIsAccount,
      makerIsCaller: verified.makerIsAccount,
      signatureOk: verified.signatureOk,
      signedFeeBps: verified.signedFeeBps,
      timestampMs: verified.timestampMs,
      recvWindowMs: verified.recvWindowMs,
      wallMs: 0,
    }
    const { record, orderFields, flaw } = verified
    return { id, request, record, orderFields, flaw }
  }

  // The decision of the sequencer.

  #decide(arrival: Arrival): void {
    const { accountId } = arrival.request.order
    const { queues } = this.#parts
    if (queues.count === 0 || !queues.isBusy(accountId)) {
      this.#decideNow(arrival)
      return
    }
    const kept = copyOf(arrival)
    const taken = queues.wait(accountId, 'at once', () => this.#decideKept(kept))
    if (!taken) this.#reply(arrival.id, { reject: REJECT.OVERLOADED })
  }

  #decideKept(arrival: Arrival): void {
    decodePlaceInto(arrival.record, this.#order)
    this.#decideNow(arrival)
  }

  /** A replacement holds its account; any other order waits while another request holds it. */
  #decideAgain(arrival: Arrival): void {
    decodePlaceInto(arrival.record, this.#order)
    if (this.#open.at(arrival.id).decided === undefined) this.#decide(arrival)
    else this.#decideNow(arrival)
  }

  /** There is no await between the decision and the stamp. */
  #decideNow(arrival: Arrival): void {
    const { order, recvWindowMs } = arrival.request
    if (recvWindowMs !== 0) arrival.request.wallMs = this.#parts.clock.wallMs()
    const { timesRow, decided, amended } = this.#open.at(arrival.id)
    arrival.request.amended = amended?.(order.accountId)
    // Orders of a market are decided in the order of their arrival.
    const isBehind = this.#waitingIn.size > 0 && this.#waitingIn.has(order.marketId)
    const refusal = isBehind
      ? DEADLINES_FIRST
      : this.#parts.sequencer.place(arrival.request, arrival.record)
    if (refusal === DEADLINES_FIRST) {
      this.#waiting.push(copyOf(arrival))
      this.#waitingIn.add(order.marketId)
      return
    }
    if (refusal === ASK_TABLES) {
      this.#lookUp(arrival)
      return
    }
    if (refusal === null) {
      this.#parts.publisher.times.accepted(timesRow, order)
      this.#parts.publisher.whenOrder(order, arrival.orderFields, arrival.id)
    } else {
      this.#parts.publisher.times.refused(timesRow, order.marketId)
      this.#refuseBy(refusal, arrival)
    }
    decided?.()
  }

  /**
   * Decides the waiting orders again; those whose deadlines are still not stamped keep waiting. An
   * account may have become busy meanwhile: its orders then wait for the replacement too.
   */
  retry(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingIn.clear()
    for (const arrival of waiting) this.#decideAgain(arrival)
  }

  /** Decides again, from the first gate, once the tables report whether they hold the order. */
  #lookUp(arrival: Arrival): void {
    const { lookups, publisher } = this.#parts
    assert(lookups !== undefined, 'only lookups drop orders from memory')
    const kept = copyOf(arrival)
    lookups.lookUp(arrival.request.order, (inTables, broke) => {
      if (inTables !== undefined) {
        this.#decideAgain({ ...kept, request: { ...kept.request, inTables } })
        return
      }
      decodePlaceInto(kept.record, this.#order)
      const { timesRow, decided } = this.#open.at(kept.id)
      publisher.times.refused(timesRow, this.#order.marketId)
      this.#reply(
        kept.id,
        broke === undefined ? { reject: REJECT.OVERLOADED } : { reject: REJECT.INTERNAL, broke },
      )
      decided?.()
    })
  }

  /** Replies with the refusal that the order gets whatever funds its account has, or `PASSES`. */
  #foresee(arrival: Arrival): void {
    decodePlaceInto(arrival.record, this.#order)
    const { id, request } = arrival
    if (request.recvWindowMs !== 0) request.wallMs = this.#parts.clock.wallMs()
    const { clearing, sequencer, lookups } = this.#parts
    const refusal = decideBeforeFunds(clearing, request, sequencer.nowMs())
    if (refusal === null) this.#reply(id, PASSES)
    else if (refusal !== ASK_TABLES) this.#refuseBy(refusal, arrival)
    else {
      assert(lookups !== undefined, 'only lookups drop orders from memory')
      lookups.lookUp(request.order, (inTables, broke) => {
        if (inTables !== undefined) this.#foresee({ ...arrival, request: { ...request, inTables } })
        else if (broke === undefined) this.#reply(id, { reject: REJECT.OVERLOADED })
        else this.#reply(id, { reject: REJECT.INTERNAL, broke })
      })
    }
  }

  /** Replies with a refusal of a gate, once the state that it rests on is durable. */
  #refuseBy(refusal: Reject, { id, request, flaw }: Arrival): void {
    const { clearing, sequencer } = this.#parts
    const at = { profileId: request.order.accountId, nowMs: sequencer.nowMs(), flaw }
    const refused = orderRefusal(clearing, refusal, at)
    const open = this.#open.at(id)
    if (this.#findFirst === null || !mayBeKnown(refusal, open)) {
      this.#whenDurable(() => this.#reply(id, refused))
      return
    }
    this.#findFirst({ ...request.order }, open.replays === true)
      .then(
        (first) => answerBy(first, refused, open),
        (error: unknown): OrderAnswer => ({ reject: REJECT.INTERNAL, broke: { error } }),
      )
      .then((answer) => this.#reply(id, answer))
  }

  // The answer of the market, and the reply.

  /** The order is durable and its market has answered. */
  answered(id: number, receipt: OrderReceipt): void {
    const { mining } = this.#parts
    if (mining === null || receipt.filledSharesRaw === 0) {
      this.#reply(id, this.#answerOf(receipt, null))
      return
    }
    mining.whenMined(receipt.seq, (settled) => this.#reply(id, this.#answerOf(receipt, settled)))
  }

  /** The order is durable, so a fault of its reply concerns the caller alone, not the publisher. */
  #answerOf(receipt: OrderReceipt, settled: SettlementEvent | null): OrderAnswer {
    try {
      edgePoint('at-order-reply')
      const { result, replaced } = receipt
      if (result === RESULT.WOULD_CROSS) return { reject: REJECT.POST_ONLY_WOULD_MATCH }
      if (result === RESULT.NOT_PLACED) {
        return replaced === undefined ? { reject: REJECT.ORDER_NOT_OPEN } : { text: '', replaced }
      }
      const market = this.#parts.published.byId(receipt.marketId)
      assert(market !== undefined, 'an order has a published market')
      return { text: orderReplyText(receipt, market, this.#parts.ids, settled), replaced }
    } catch (error) {
      return { reject: REJECT.INTERNAL, broke: { error } }
    }
  }

  #reply(id: number, answer: OrderAnswer): void {
    this.#open.take(id).reply(answer)
  }
}
