// Hot path. bench/pipeline.bench.ts
// From the intake's verdict on an order to its reply: the caller's token and rate, the queue of its
// account, the sequencer's gates, and the answer once it is durable. Main's thread owns it.

import type { Clearing } from '../../../engine/core/clearing.ts'
import {
  ASK_TABLES,
  decideBeforeFunds,
  type PlaceRequest,
} from '../../../engine/core/decide/decide.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../../engine/domain/command.ts'
import { RESULT } from '../../../engine/domain/event.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import { Slab } from '../../../engine/domain/slab.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import { blankPlace, decodePlaceInto } from '../../../engine/wire/place-codec.ts'
import type { IntakeResult, RefusedOrder, VerifiedOrder } from '../../edge/intake/intake-pool.ts'
import type { OrderFlaw } from '../../edge/intake/order/order-flaw.ts'
import type { OrderTimes } from '../../ops/order-times.ts'
import type { OrderReceipt, Publisher } from '../publisher/durable-publisher.ts'
import { childrenNamed } from '../read-model/market-kinds.ts'
import type { OrderIds } from '../read-model/order-ids.ts'
import type { PublishedMarkets } from '../read-model/published.ts'
import type { Clock } from '../sequencer/clock.ts'
import { DEADLINES_FIRST, type Sequencer } from '../sequencer/sequencer.ts'
import type { Mining, SettlementEvent } from '../settlement/mining.ts'
import type { AccountQueues } from './account-queues.ts'
import {
  ABANDONED,
  type First,
  type OrderAnswer,
  type RefusedAnswer,
  type Requested,
} from './order-answer.ts'
import { orderReplyText } from './order-reply.ts'
import { refusedOrder } from './refused-order.ts'
import type { SeenLookups } from './seen-lookups.ts'
import type { TokenUses } from './token-uses.ts'

export interface OrderDecisionParts {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  readonly publisher: Publisher
  readonly sequencer: Sequencer
  readonly ids: OrderIds
  readonly times: OrderTimes
  readonly queues: AccountQueues
  readonly clock: Clock
  /** Seconds the profile must wait before its next order; 0 = none. */
  readonly profileWaitSec: (profileId: ProfileId) => number
  readonly tokenUses: TokenUses
  /** Absent when main holds every order there ever was. */
  readonly lookups?: SeenLookups
  /** Null when trades are never mined. */
  readonly mining: Mining | null
  /**
   * Whether a market of this slug left memory; undefined without an answer in time. Absent when
   * none ever does.
   */
  readonly isArchived?: IsArchived
}

/** Finds the order of the same hash or client id; `null` and `undefined` as in its class. */
export type FindFirst = (order: PlaceOrder, replays: boolean) => Promise<First | null | undefined>

export type IsArchived = (slug: string, requester: ProfileId) => Promise<boolean | undefined>

/** An order on its way. It has its own copy of the record where it must wait. */
interface Arrival {
  readonly request: PlaceRequest
  readonly record: Uint8Array
  readonly orderFields: string
  readonly flaw: OrderFlaw | null
  readonly requested: Requested
}

/** Refusals of an order that was accepted before. */
const KNOWN: readonly Reject[] = [REJECT.DUPLICATE_ORDER, REJECT.DUPLICATE_CLIENT_ORDER_ID]

/**
 * Refusals that come before those, and may hold only since an order was accepted: its first reply
 * is given all the same.
 */
const SINCE: readonly Reject[] = [
  REJECT.PROFILE_FROZEN,
  REJECT.POST_ONLY_MODE,
  REJECT.CANCEL_ONLY_MODE,
  REJECT.TRADING_DISABLED,
  REJECT.RECV_WINDOW_EXPIRED,
  REJECT.MARKET_NOT_TRADABLE,
  REJECT.ORDER_EXPIRED,
  REJECT.FEE_RATE_UNAVAILABLE,
  REJECT.FEE_RATE_MISMATCH,
]

/** The answer to a refused order whose first one this is; null and undefined as it was found. */
function answerBy(
  first: First | null | undefined,
  refused: RefusedAnswer,
  { isKeyed }: Requested,
): OrderAnswer {
  if (first?.text !== undefined) return { text: first.text, isReplay: true }
  if (!KNOWN.includes(refused.reject) || first === undefined) return refused
  // The first was post-only and would have matched, so it left no trace: try again.
  if (first === null) return { reject: REJECT.OVERLOADED }
  const isTaken = isKeyed === true && first.isOther
  return { reject: isTaken ? REJECT.IDEMPOTENCY_KEY_TAKEN : refused.reject, first }
}

/** What `refusal` gives for an order that only funds may refuse yet. */
export const PASSES: OrderAnswer = { text: '' }

/** An order that waits for its turn. */
export interface KeptOrder {
  readonly decide: (requested: Requested) => void
  /** Resolves with the refusal that is known before its turn, or with `PASSES`. */
  readonly refusal: () => Promise<OrderAnswer>
}

function answering(reply: Requested['reply']): Requested {
  return { timesRow: 0, reply }
}

const NOBODY: Requested = { timesRow: 0, reply: () => {} }

/**
 * Copies the record, so that the order can wait. The decoded order is still the shared one. The
 * record is a Buffer from the intake, and `slice` of a Buffer would share its memory.
 */
function copyOf(arrival: Arrival): Arrival {
  return { ...arrival, record: new Uint8Array(arrival.record) }
}

function refusedBy({ reject, issues, more, broke }: RefusedOrder): RefusedAnswer {
  return broke === undefined ? { reject, issues, more } : { reject, broke }
}

export class OrderDecisions {
  readonly #parts: OrderDecisionParts
  readonly #order = blankPlace()
  /** The requests whose orders are stamped and not answered. */
  readonly #underWay = new Slab<Requested>()
  /** Orders that wait for what is due in their markets, in the order of their arrival. */
  #waiting: Arrival[] = []
  readonly #waitingIn = new Set<MarketId>()
  #findFirst: FindFirst | null = null
  /** Refusals that wait for the name of the first order. */
  #naming = 0

  constructor(parts: OrderDecisionParts) {
    this.#parts = parts
  }

  /** How many orders wait for what is due in their markets. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** How many refusals wait for the name of the first order. */
  get naming(): number {
    return this.#naming
  }

  /** From now on the refusal of a known order names the first one. */
  nameFirst(find: FindFirst): void {
    this.#findFirst = find
  }

  /**
   * Decides the waiting orders; those whose markets are still behind wait on. An account may have
   * become busy meanwhile: its orders then wait for the replacement too.
   */
  retry(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingIn.clear()
    for (const arrival of waiting) this.#decideAgain(arrival)
  }

  /** Checks the intake's verdict, then the caller's token and rate, then the sequencer's gates. */
  judge(result: IntakeResult, requested: Requested): void {
    this.#noteToken(result)
    if (requested.sender?.isGone === true) requested.reply(ABANDONED)
    else if (result.kind === 'refused') {
      this.#refuse(result, requested.reply)
    } else if (this.admits(result, requested.reply))
      this.#decide(this.#arrivalOf(result, requested))
  }

  /** A market that left memory is answered as any resolved market (design §10). */
  #refuse(refused: RefusedOrder, reply: Requested['reply']): void {
    const { marketSlug = '', profileId } = refused
    const { isArchived, published } = this.#parts
    const group = published.bySlug(marketSlug)
    if (group !== undefined && kindOf(group.market) === 'group') {
      reply({ reject: REJECT.MARKET_NOT_FOUND, more: childrenNamed(group) })
      return
    }
    if (marketSlug === '' || isArchived === undefined) {
      reply(refusedBy(refused))
      return
    }
    isArchived(marketSlug, profileId).then(
      (isGone) => {
        if (isGone === undefined) reply({ reject: REJECT.OVERLOADED })
        else reply(isGone ? { reject: REJECT.MARKET_NOT_TRADABLE } : refusedBy(refused))
      },
      (error: unknown) => reply({ reject: REJECT.INTERNAL, broke: { error } }),
    )
  }

  /** Whether token and rate let the caller's next order through; if not, `refuse` is told why. */
  admits(
    { tokenNo, profileId }: Pick<IntakeResult, 'tokenNo' | 'profileId'>,
    refuse: (answer: RefusedAnswer) => void,
  ): boolean {
    if (this.#parts.clearing.accounts.tokenByNo(tokenNo) === undefined) {
      const revoked = { reject: REJECT.TOKEN_REVOKED }
      this.#parts.publisher.whenDurable(this.#parts.clearing.lastSeq, () => refuse(revoked))
      return false
    }
    const waitSec = this.#parts.profileWaitSec(profileId)
    if (waitSec > 0) refuse({ reject: REJECT.RATE_LIMITED, retryAfterSec: waitSec })
    return waitSec === 0
  }

  /** Keeps the intake's verdict on an order that is decided later, in the turn of its account. */
  keep(result: IntakeResult): KeptOrder {
    this.#noteToken(result)
    if (result.kind === 'refused') {
      return {
        decide: ({ reply, decided }) => {
          this.#refuse(result, reply)
          decided?.()
        },
        refusal: () => new Promise((resolve) => this.#refuse(result, resolve)),
      }
    }
    const kept = copyOf(this.#arrivalOf(result, NOBODY))
    return {
      decide: (requested) => this.#decideKept({ ...kept, requested }),
      refusal: () =>
        new Promise((resolve) => this.#foresee({ ...kept, requested: answering(resolve) })),
    }
  }

  /** Replies with the refusal that the order gets whatever its account has free, or `PASSES`. */
  #foresee(arrival: Arrival): void {
    decodePlaceInto(arrival.record, this.#order)
    const { request, requested } = arrival
    if (request.recvWindowMs !== 0) request.wallMs = this.#parts.clock.wallMs()
    const { clearing, sequencer, lookups } = this.#parts
    const refusal = decideBeforeFunds(clearing, request, sequencer.nowMs())
    if (refusal === null) requested.reply(PASSES)
    else if (refusal !== ASK_TABLES) this.#refuseBy(refusal, arrival)
    else {
      assert(lookups !== undefined, 'who does not hold every order can ask for it')
      lookups.lookUp(request.order, (inTables, broke) => {
        if (inTables !== undefined) this.#foresee({ ...arrival, request: { ...request, inTables } })
        else if (broke === undefined) requested.reply({ reject: REJECT.OVERLOADED })
        else requested.reply({ reject: REJECT.INTERNAL, broke })
      })
    }
  }

  #noteToken({ tokenNo }: IntakeResult): void {
    this.#parts.tokenUses.note(this.#parts.clearing.accounts.tokenByNo(tokenNo))
  }

  #arrivalOf(verified: VerifiedOrder, requested: Requested): Arrival {
    assert(verified.isMinted(), 'only the intake pool makes verified orders')
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
    return {
      request,
      record: verified.record,
      orderFields: verified.orderFields,
      flaw: verified.flaw,
      requested,
    }
  }

  #decide(arrival: Arrival): void {
    const { accountId } = arrival.request.order
    if (this.#parts.queues.count === 0 || !this.#parts.queues.isBusy(accountId)) {
      this.#decideNow(arrival)
      return
    }
    const kept = copyOf(arrival)
    const taken = this.#parts.queues.wait(accountId, 'at once', () => this.#decideKept(kept))
    if (!taken) arrival.requested.reply({ reject: REJECT.OVERLOADED })
  }

  #decideKept(arrival: Arrival): void {
    decodePlaceInto(arrival.record, this.#order)
    this.#decideNow(arrival)
  }

  /** A replacement has its account; any other order waits while somebody else has it. */
  #decideAgain(arrival: Arrival): void {
    decodePlaceInto(arrival.record, this.#order)
    if (arrival.requested.decided === undefined) this.#decide(arrival)
    else this.#decideNow(arrival)
  }

  /** There is no await between the decision and the stamp. */
  #decideNow(arrival: Arrival): void {
    const { order, recvWindowMs } = arrival.request
    if (recvWindowMs !== 0) arrival.request.wallMs = this.#parts.clock.wallMs()
    const { timesRow, decided } = arrival.requested
    // Orders of a market are decided in the order of their arrival.
    const isBehind = this.#waitingIn.size > 0 && this.#waitingIn.has(order.marketId)
    const refusal = isBehind
      ? DEADLINES_FIRST
      : this.#parts.sequencer.place(arrival.request, arrival.record)
    if (refusal === DEADLINES_FIRST) {
      this.#wait(arrival)
      return
    }
    if (refusal === ASK_TABLES) {
      this.#askTables(arrival)
      return
    }
    if (refusal !== null) {
      this.#parts.times.refused(timesRow, order.marketId)
      this.#refuseBy(refusal, arrival)
    } else this.#accepted(arrival)
    decided?.()
  }

  /** Replies with a refusal of a gate, once what it rests on is durable. */
  #refuseBy(refusal: Reject, arrival: Arrival): void {
    const { clearing, sequencer, publisher } = this.#parts
    const { request, requested, flaw } = arrival
    const at = { profileId: request.order.accountId, nowMs: sequencer.nowMs(), flaw }
    const answer = refusedOrder(clearing, refusal, at)
    const mayBeKnown =
      KNOWN.includes(refusal) || (requested.replays === true && SINCE.includes(refusal))
    if (this.#findFirst !== null && mayBeKnown) this.#nameFirst(this.#findFirst, arrival, answer)
    else publisher.whenDurable(clearing.lastSeq, () => requested.reply(answer))
  }

  /** Names the order that was accepted before, or gives its first reply again. */
  #nameFirst(find: FindFirst, { request, requested }: Arrival, refused: RefusedAnswer): void {
    this.#naming++
    find({ ...request.order }, requested.replays === true)
      .then(
        (first) => answerBy(first, refused, requested),
        (error: unknown): OrderAnswer => ({ reject: REJECT.INTERNAL, broke: { error } }),
      )
      .then((answer) => {
        this.#naming--
        requested.reply(answer)
      })
  }

  #wait(arrival: Arrival): void {
    this.#waiting.push(copyOf(arrival))
    this.#waitingIn.add(arrival.request.order.marketId)
  }

  #accepted({ request: { order }, orderFields, requested }: Arrival): void {
    this.#parts.times.accepted(requested.timesRow, order)
    this.#parts.publisher.orderUnderWay(order, orderFields, this.#underWay.put(requested))
  }

  /** The order is durable and its market has answered. */
  answer(requestNo: number, receipt: OrderReceipt): void {
    const { reply } = this.#underWay.take(requestNo)
    const { mining } = this.#parts
    if (mining === null || receipt.filledSharesRaw === 0) {
      reply(this.#orderAnswer(receipt, null))
      return
    }
    mining.whenMined(receipt.seq, (settled) => reply(this.#orderAnswer(receipt, settled)))
  }

  /** Decides again, from the first gate, once the tables say whether they hold the order. */
  #askTables(arrival: Arrival): void {
    const { lookups } = this.#parts
    assert(lookups !== undefined, 'who does not hold every order can ask for it')
    const kept = copyOf(arrival)
    const { reply, timesRow, decided } = arrival.requested
    lookups.lookUp(arrival.request.order, (inTables, broke) => {
      const again = { ...kept, request: { ...kept.request, inTables } }
      if (inTables !== undefined) return this.#decideAgain(again)
      decodePlaceInto(kept.record, this.#order)
      this.#parts.times.refused(timesRow, this.#order.marketId)
      reply(
        broke === undefined ? { reject: REJECT.OVERLOADED } : { reject: REJECT.INTERNAL, broke },
      )
      decided?.()
    })
  }

  /** The order is durable, so a fault of its reply concerns the caller alone, not the publisher. */
  #orderAnswer(receipt: OrderReceipt, settled: SettlementEvent | null): OrderAnswer {
    try {
      return this.#replyOf(receipt, settled)
    } catch (error) {
      return { reject: REJECT.INTERNAL, broke: { error } }
    }
  }

  #replyOf(receipt: OrderReceipt, settled: SettlementEvent | null): OrderAnswer {
    edgePoint('at-order-reply')
    if (receipt.result === RESULT.WOULD_CROSS) return { reject: REJECT.POST_ONLY_WOULD_MATCH }
    const market = this.#parts.published.byId(receipt.marketId)
    assert(market !== undefined, 'an order has a published market')
    return { text: orderReplyText(receipt, market, this.#parts.ids, settled) }
  }
}
