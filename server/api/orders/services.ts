import type { Clearing } from '../../../engine/core/clearing.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { PlaceOrder } from '../../../engine/domain/command.ts'
import { RESULT } from '../../../engine/domain/event.ts'
import type { AccountId, ProfileId, TokenNo } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_STATUSES, POLICY_OF_TYPE } from '../../../engine/domain/order.ts'
import { flagBits } from '../../../engine/domain/order-flags.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import {
  type FirstOrder,
  type FirstRow,
  firstOrder,
} from '../../../persistence/query/read/orders/first-order.ts'
import {
  type OrderName,
  type OrderStatus,
  orderStatuses,
  type TradePart,
} from '../../../persistence/query/read/orders/order-status.ts'
import { hmac } from '../../auth/auth-scheme.ts'
import { apiHeaders, MissingProofs } from '../../auth/guard.ts'
import { headerTarget } from '../../auth/on-behalf.ts'
import { idempotencyKeyOf } from '../../edge/http/access/idempotency-key.ts'
import { type Bytes, bytes, JSON_TYPE } from '../../edge/http/reply.ts'
import {
  ABANDONED,
  brokenBy,
  type First,
  type OrderAnswer,
  type OrderCall,
  type OrderRefusal,
} from '../../exchange/order-entry/order-answer.ts'
import type { BatchAnswer, OnPart } from '../../exchange/order-entry/order-batches.ts'
import { type KeptOrder, PASSES } from '../../exchange/order-entry/order-entry.ts'
import { orderReplyText, paidFeeBps, totalsText } from '../../exchange/order-entry/order-reply.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderIds } from '../../exchange/read-model/order-ids.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { orderView, signedFields } from '../../exchange/read-model/views.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import type { Call } from '../../messages/call.ts'
import { FORM } from '../../messages/intake-layout.ts'
import { type IntakeResult, ofOrder, type ReplaceTask } from '../../messages/intake-result.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import { type PrivateReads, type Requester, workFor } from '../reads/private-reads.ts'
import type { SlicedWork, Steps } from '../reads/sliced-work.ts'
import type { SharedServices } from '../shared-services.ts'
import type { Amends } from './amends.ts'
import type { CancelEverywhere, Canceled, Cancels } from './cancels.ts'
import type { QueuePlaces } from './queue-places.ts'

// Finds the order that a client sent earlier, for the refusal of a duplicate, and its first reply.
// The reply is rebuilt from the tables: it is not stored (rules §4.5).

/** Whether a later order has the same terms as the first. */
function isSame(order: PlaceOrder, first: FirstRow): boolean {
  return (
    order.marketId === first.marketId &&
    order.side === first.side &&
    order.outcome === first.outcome &&
    order.orderType === first.orderType &&
    order.marketForm === (first.marketForm === 1) &&
    flagBits(order) === first.flags &&
    order.priceTicks === first.priceTicks &&
    order.sizeRaw === first.sizeRaw &&
    order.spendRaw === first.spendRaw &&
    order.expirationSec === first.expirationSec &&
    order.orderGroup === (first.orderGroup ?? 0)
  )
}

function resultOf({ order, isStopped }: FirstOrder, leftRaw: number): number {
  if (order.heldUntilMs !== null) return RESULT.HELD
  if (isStopped) return RESULT.STP_STOPPED
  if (!POLICY_OF_TYPE[order.orderType].rests) return RESULT.KILLED
  return leftRaw > 0 ? RESULT.RESTED : RESULT.FILLED
}

export class FirstOrders {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #archive: ArchivedMarkets

  constructor(pipeline: Pipeline, reads: PrivateReads, archive: ArchivedMarkets) {
    this.#pipeline = pipeline
    this.#reads = reads
    this.#archive = archive
  }

  /**
   * The order with the hash of this one or, if there is none, with its client id. `replays`
   * requests its first reply too, which is returned for a day and only for the same terms. Null
   * when no order is known or the first left no trace, undefined on a read timeout.
   */
  async find(order: PlaceOrder, replays: boolean): Promise<First | null | undefined> {
    // The first order may be decided and not durable yet.
    await this.#pipeline.durable()
    const { accountId, hashHigh, hashLow, clientOrderId } = order
    const request = {
      accountId,
      hashHigh,
      hashLow,
      clientOrderId,
      makersMax: LIMITS.replyOrdersMax,
    }
    const found = await this.#reads.read(firstOrder, request, { profileId: accountId })
    if (found === undefined || found === null) return found
    const { slot, generation, status, placedMs, marketId } = found.order
    const orderId = this.#pipeline.ids.text(slot, generation)
    const isAgain = isSame(order, found.order)
    const isNamed = clientOrderId !== '' && found.order.clientOrderId === clientOrderId
    const isOther = isNamed && !isAgain
    const first: First = { orderId, status: ORDER_STATUSES[status], isOther }
    const ageMs = this.#pipeline.sequencer.nowMs() - placedMs
    if (!replays || ageMs > LIMITS.replayMs || !isAgain) return first
    const markets = await this.#archive.byIds([marketId], { profileId: accountId })
    const market = markets?.get(marketId)
    return market === undefined ? undefined : { ...first, text: this.#textOf(found, market) }
  }

  /** The reply to the first order, with the current settlement of its trade. */
  #textOf(found: FirstOrder, published: PublishedMarket): string {
    const { order, trade, ownMakers } = found
    const filledSharesRaw = trade?.sharesRaw ?? 0
    const leftRaw = order.sizeRaw === 0 ? 0 : order.placedRaw - filledSharesRaw
    const { slot, generation, accountId, marketId, side, feeBps, placedMs: nowMs } = order
    const receipt = {
      slot,
      generation,
      accountId,
      marketId,
      side,
      feeBps,
      nowMs,
      leftRaw,
      filledSharesRaw,
      seq: order.placedSeq,
      result: resultOf(found, leftRaw),
      filledCollateralRaw: trade?.collateralRaw ?? 0,
      feeRaw: trade?.feeRaw ?? 0,
      makers: trade?.makers ?? [],
      stpCanceled: ownMakers,
      takerDelayMs: (order.heldUntilMs ?? nowMs) - nowMs,
      clientOrderId: order.clientOrderId ?? '',
      orderFields: JSON.stringify(signedFields(order, published.market)).slice(1, -1),
      replaced: undefined,
    }
    return orderReplyText(receipt, published, this.#pipeline.ids, trade?.settlement ?? null)
  }
}

// Cancels an order and places a replacement (rules §4.8). The two legs are not atomic: the cancel
// is first. The funds that it frees are meant for the replacement, so the account's other orders
// and cancels wait until the replacement is decided. A replacement that would be refused whatever
// funds are freed is refused before the cancel, so the old order stays. The operations of one
// request run one after another.

/** The results of both legs of an operation. */
export interface ReplaceLegs {
  /** Null when the cancel was not attempted, because the replacement was refused first. */
  readonly cancel: Canceled | Reject | null
  /** Null when the replacement was not attempted. */
  readonly replacement: OrderAnswer | null
}

/** The legs of each operation, or the refusal of the whole request. */
export type ReplaceAnswer = { readonly legs: readonly ReplaceLegs[] } | OrderRefusal

interface Operation extends ReplaceTask {
  /** The profile whose order is canceled and replaced. */
  readonly profileId: ProfileId
  /** The profile whose token signed the request; its rate limit applies. */
  readonly callerId: ProfileId
  readonly tokenNo: TokenNo
  /** Why the caller may not act for the profile that it named; null when it may. */
  readonly forbidden: Reject | null
  /** The replacement. */
  readonly kept: KeptOrder
}

export class CancelReplace {
  readonly #pipeline: Pipeline
  readonly #cancels: Cancels

  constructor(pipeline: Pipeline, cancels: Cancels) {
    this.#pipeline = pipeline
    this.#cancels = cancels
  }

  /** Runs the operations of a request; `reply` is called once. */
  run(call: OrderCall, form: number, reply: (answer: ReplaceAnswer) => void): void {
    const operations: Operation[] = []
    let broken: OrderRefusal | null = null
    const onPart: OnPart = (result, { index, count, task }) => {
      if (count === 0) {
        this.#pipeline.batches.refuse(result, reply)
        return
      }
      if (result.kind === 'refused' && result.broke !== undefined) {
        broken ??= { reject: result.reject, broke: result.broke }
      } else if (task !== null && 'cancel' in task) {
        operations.push(this.#operationOf(ofOrder(result), task))
      }
      if (index < count - 1) return
      // No operation was run.
      if (broken !== null) return reply(broken)
      if (call.sender?.isGone === true) return reply(ABANDONED)
      assert(operations.length === count, 'each operation has a task')
      const [{ forbidden }] = operations
      // A single operation is refused as a whole. In a batch, each operation has its own result.
      if (form === FORM.REPLACE && forbidden !== null) reply({ reject: forbidden })
      else this.#all(operations).then(reply, (error) => reply(brokenBy(error)))
    }
    const taken = this.#pipeline.batches.submit(call, form, onPart)
    if (!taken) reply({ reject: REJECT.OVERLOADED })
  }

  #operationOf(result: IntakeResult, task: ReplaceTask): Operation {
    return {
      ...task,
      profileId: result.actorId,
      callerId: result.profileId,
      tokenNo: result.tokenNo,
      forbidden: forbiddenBy(result),
      kept: this.#pipeline.orders.keep(result),
    }
  }

  async #all(operations: readonly Operation[]): Promise<ReplaceAnswer> {
    const { orders } = this.#pipeline
    orders.reserve(operations.length)
    const legs: ReplaceLegs[] = []
    try {
      for (const operation of operations) {
        const { callerId: profileId, tokenNo } = operation
        const refusal = await orders.admission({ profileId, tokenNo })
        if (refusal === null) legs.push(await this.#one(operation))
        else if (legs.length > 0) legs.push({ cancel: refusal.reject, replacement: null })
        else return refusal
      }
    } finally {
      orders.reserve(-operations.length)
    }
    return { legs }
  }

  async #one(operation: Operation): Promise<ReplaceLegs> {
    const { profileId, cancel, mode, forbidden } = operation
    if (forbidden !== null) return { cancel: forbidden, replacement: null }
    const { queues } = this.#pipeline
    // The queue of the account is full, so neither leg is attempted.
    if (!(await queues.begin(profileId))) return { cancel: REJECT.OVERLOADED, replacement: null }
    const foreseen = await operation.kept.refusal()
    if (foreseen !== PASSES) {
      queues.end(profileId)
      return { cancel: null, replacement: foreseen }
    }
    let replacement: Promise<OrderAnswer | null> | null = null
    const go = (isCanceled: boolean) => {
      if (isCanceled || mode === 'ALLOW_FAILURE') replacement = this.#replace(operation)
      else {
        replacement = Promise.resolve(null)
        queues.end(profileId)
      }
    }
    const canceled = await this.#cancels
      .one(profileId, cancel, (receipt) => go(receipt.canceled.length === 1))
      .catch((error: unknown) => {
        // The query for the reason failed. The account's other orders continue.
        if (replacement === null) queues.end(profileId)
        throw error
      })
    // A cancel that was refused before it was sent has freed no funds, so there is nothing to wait
    // for.
    if (replacement === null) go(false)
    return { cancel: canceled, replacement: await replacement }
  }

  #replace({ profileId, kept }: Operation): Promise<OrderAnswer> {
    const { queues } = this.#pipeline
    return new Promise((resolve) => {
      kept.decide({ timesRow: 0, reply: resolve, decided: () => queues.end(profileId) })
    })
  }
}

const OF_CALLER: readonly Reject[] = [
  REJECT.SCOPE_MISSING_TRADING,
  REJECT.SCOPE_MISSING_DELEGATED_SIGNING,
  REJECT.NOT_SUB_ACCOUNT,
  REJECT.NO_SERVER_WALLET,
]

/**
 * The refusal if no order of this caller for this account could be placed. Then nothing is
 * canceled.
 */
function forbiddenBy(result: IntakeResult): Reject | null {
  if (result.kind !== 'refused') return null
  const { reject } = result
  return OF_CALLER.includes(reject) ? reject : null
}

/** The authentication of order calls; the intake verifies it. */
export const ORDER_AUTH = hmac('trading')

const missingBy = new WeakMap<readonly string[], MissingProofs>()

/**
 * A call with orders in the form that the intake takes, or the refusal of a call without an API
 * token, which then costs the intake nothing. Edge threads give verdicts only on calls with one.
 */
export function signedCall(
  call: Call,
  { settings }: SharedServices,
  replay?: boolean,
): OrderCall | Refusal {
  const { method, target: pathWithQuery, body, timesRow, verdict } = call
  const { headerPrefixes } = settings
  const { apiKey, timestamp, signature } = apiHeaders(call, headerPrefixes)
  if (apiKey === '' && verdict === undefined) {
    const missing = missingBy.get(headerPrefixes) ?? new MissingProofs(headerPrefixes, '')
    missingBy.set(headerPrefixes, missing)
    return missing.of(call, ORDER_AUTH.accepts)
  }
  const idempotencyKey = idempotencyKeyOf(call)
  // Lists every field, because a spread cost each order as much as its decision.
  return {
    method,
    pathWithQuery,
    body,
    verdict,
    timesRow,
    apiKey,
    timestamp,
    signature,
    onBehalfOf: headerTarget(call),
    idempotencyKey,
    replays: replay ?? idempotencyKey !== '',
    sender: call,
  }
}

// The pipeline's result for an order, as a separate reply or as an entry of a list.

const CREATED = 201
const REPLAYED = [['idempotent-replay', 'true']] as const

export function answered(answer: OrderAnswer): Bytes | Refusal {
  if (!('text' in answer)) return refused(answer)
  return bytes(answer.text, JSON_TYPE, CREATED, answer.isReplay === true ? REPLAYED : [])
}

/** The refusal of an order, with the other fields of its body. */
export function refused(answer: OrderRefusal): Refusal {
  const { reject, issues, expectedFeeRateBps, first, more, retryAfterSec, restriction, broke } =
    answer
  // A fault on the way, often in the reply of a durable order, is reported only to this call.
  if (broke !== undefined) throw broke.error
  if (reject === REJECT.VALIDATION && issues) return invalid(...JSON.parse(issues))
  if (expectedFeeRateBps !== undefined) return refuse(reject, { expectedFeeRateBps })
  if (first !== undefined) {
    return refuse(reject, { orderId: first.orderId, orderStatus: first.status })
  }
  return refuse(reject, restriction ?? more, retryAfterSec)
}

/** `index` and `status`, then the fields of a reply to the order alone. */
function partText(answer: OrderAnswer, index: number): string {
  if ('text' in answer) return `{"index":${index},"status":${CREATED},${answer.text.slice(1)}`
  const { status, innerBody } = refused(answer)
  return `{"index":${index},"status":${status},${innerBody.slice(1)}`
}

export function batchAnswered(batch: BatchAnswer): Bytes | Refusal {
  if ('reject' in batch) return refused(batch)
  return bytes(`{"results":[${batch.answers.map(partText).join(',')}]}`)
}

// Sets and clears the heartbeat deadline of a client (rules §4.9).

interface Beat {
  /** Null when no deadline is armed. */
  readonly cancelAtMs: TimeMs | null
  /** Server time at which the heartbeat was decided. */
  readonly nowMs: TimeMs
}

export class HeartbeatChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /**
   * Arms the profile's deadline, replacing an older one; null disarms it. Returns VALIDATION when
   * the deadline is less than five seconds ahead, and HEARTBEAT_CANCELING while the cancels of an
   * older deadline are in progress.
   */
  beat(profileId: ProfileId, cancelAtMs: TimeMs | null): Promise<Beat | Reject> {
    return this.#change(profileId, () => cancelAtMs)
  }

  /** The same for a deadline that lies so far ahead. */
  beatIn(profileId: ProfileId, aheadMs: TimeMs): Promise<Beat | Reject> {
    return this.#change(profileId, (nowMs) => nowMs + aheadMs)
  }

  async #change(
    profileId: ProfileId,
    cancelAt: (nowMs: TimeMs) => TimeMs | null,
  ): Promise<Beat | Reject> {
    const { clearing, sequencer } = this.#pipeline
    let decidedMs: TimeMs = 0
    let cancelAtMs: TimeMs | null = null
    const refused = await this.#pipeline.change((nowMs) => {
      decidedMs = nowMs
      cancelAtMs = cancelAt(nowMs)
      if (cancelAtMs !== null && cancelAtMs < nowMs + LIMITS.heartbeatAheadMsMin) {
        return REJECT.VALIDATION
      }
      if (sequencer.heartbeats.isCanceling(profileId, nowMs)) return REJECT.HEARTBEAT_CANCELING
      return changeOf(clearing, profileId, cancelAtMs)
    })
    return refused ?? { cancelAtMs, nowMs: decidedMs }
  }
}

/** The command for a heartbeat; null when there is nothing to disarm. */
function changeOf(
  { heartbeats }: Clearing,
  profileId: ProfileId,
  cancelAtMs: TimeMs | null,
): ControlBody | null {
  if (cancelAtMs !== null) return { kind: 'armHeartbeat', profileId, cancelAtMs }
  return heartbeats.isArmed(profileId) ? { kind: 'disarmHeartbeat', profileId } : null
}

// Orders in the replies of POST /orders/status/batch (rules §3.5, §5.2, §12.4). The schema is that
// of POST /orders, with the newest trade of the order instead of its first result, and the totals
// of all its trades.

/** An item of the request: an order by its order id or client order id. */
export type RequestedOrder = { readonly orderId: string } | { readonly clientOrderId: string }

/** No order has slot 0. */
const NO_ORDER = { slot: 0, generation: 0 } as const

/** The orders that a maker traded with are not disclosed to it: they belong to other profiles. */
function makersText(trade: TradePart | null, ids: OrderIds): string {
  if (trade !== null && !trade.isTaker) return ''
  if (trade === null) return '"makerMatches":[],'
  const { seq, makers } = trade
  const createdAt = isoText(trade.tradedMs)
  const orderIds = ids.texts(makers)
  const reported = makers.map(
    ({ sizeRaw }, position) =>
      `{"id":"${seq}-${position}","createdAt":"${createdAt}",` +
      `"matchedSize":"${sizeRaw}","orderId":"${orderIds[position]}"}`,
  )
  return `"makerMatches":[${reported.join(',')}],`
}

/** The effect of self-trade prevention when the order arrived, even if the order traded later. */
function stpFields({ isStopped, ownMakers }: OrderStatus, ids: OrderIds): object {
  const canceled = ids.texts(ownMakers)
  return {
    ...(isStopped ? { reason: 'STP_TAKER_REJECTED' } : {}),
    ...(canceled.length === 0 ? {} : { stpMakerCancels: canceled }),
  }
}

function executionText(found: OrderStatus, ids: OrderIds): string {
  const { order, trade } = found
  const { clientOrderId, eligibleMs } = order
  const fills = {
    filledSharesRaw: order.filledRaw,
    filledCollateralRaw: order.collateralRaw,
    feeRaw: order.feeRaw,
  }
  const isHeld = eligibleMs !== null
  const head = {
    matched: trade !== null,
    // Rules §5.2: an order that never traded is UNMATCHED, even if it was stopped or killed on
    // arrival.
    settlementStatus: isHeld ? 'DELAYED' : (trade?.settlement.status ?? 'UNMATCHED'),
    ...(clientOrderId === null ? {} : { clientOrderId }),
    ...(eligibleMs === null ? {} : { eligibleAt: isoText(eligibleMs) }),
    ...stpFields(found, ids),
    ...(trade === null ? {} : { tradeEventId: String(trade.seq), txHash: trade.settlement.txHash }),
    feeRateBps: order.feeBps,
    effectiveFeeBps: paidFeeBps(order.side, fills),
  }
  return `${JSON.stringify(head).slice(0, -1)},"totalsRaw":${totalsText(order.side, fills)}}`
}

/** The JSON text of `data`: order, makerMatches if the order was the taker, execution. */
function orderStatusText(found: OrderStatus, published: PublishedMarket, ids: OrderIds): string {
  return (
    `{"order":${JSON.stringify(orderView(found.order, published, ids))},` +
    `${makersText(found.trade, ids)}"execution":${executionText(found, ids)}}`
  )
}

export class OrderStatuses {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #archive: ArchivedMarkets
  readonly #slices: SlicedWork

  constructor(
    pipeline: Pipeline,
    reads: PrivateReads,
    archive: ArchivedMarkets,
    slices: SlicedWork,
  ) {
    this.#pipeline = pipeline
    this.#reads = reads
    this.#archive = archive
    this.#slices = slices
  }

  /**
   * The profile's orders, in the requested order; null for an item that names no order of the
   * profile. Undefined when the tables did not catch up in time, or the caller is gone. All items
   * share one query to the tables.
   */
  async find(
    accountId: AccountId,
    params: readonly RequestedOrder[],
    requester: Requester,
  ): Promise<readonly (FoundOrder | null)[] | undefined> {
    const names = params.map((each) => this.#nameOf(each))
    const bounds = {
      makersMax: LIMITS.statusMakersMax,
      makersInAllMax: LIMITS.statusMakersInAllMax,
    }
    const found = await this.#reads.read(orderStatuses, { accountId, names, ...bounds }, requester)
    if (found === undefined) return undefined
    const marketIds = found.flatMap((status) => (status === null ? [] : [status.order.marketId]))
    const markets = await this.#archive.byIds(marketIds, requester)
    if (markets === undefined) return undefined
    const steps = this.#eachReported(found, markets)
    return (await this.#slices.run(workFor(requester, this.#pipeline), steps)) ?? undefined
  }

  *#eachReported(
    found: readonly (OrderStatus | null)[],
    markets: ReadonlyMap<number, PublishedMarket>,
  ): Steps<(FoundOrder | null)[]> {
    const orders: (FoundOrder | null)[] = []
    for (const status of found) {
      orders.push(status === null ? null : this.#reported(status, markets))
      yield
    }
    return orders
  }

  /** Unknown ids are looked up too, so they cost the same as the orders of others. */
  #nameOf(params: RequestedOrder): OrderName {
    if ('clientOrderId' in params) return { clientOrderId: params.clientOrderId.trim() }
    return this.#pipeline.ids.parse(params.orderId.toLowerCase()) ?? NO_ORDER
  }

  #reported(status: OrderStatus, markets: ReadonlyMap<number, PublishedMarket>): FoundOrder | null {
    const { ids } = this.#pipeline
    const { order } = status
    const market = markets.get(order.marketId)
    if (market === undefined) return null
    return {
      orderId: ids.text(order.slot, order.generation),
      clientOrderId: order.clientOrderId,
      text: orderStatusText(status, market, ids),
    }
  }
}

export interface FoundOrder {
  readonly orderId: string
  readonly clientOrderId: string | null
  /** JSON of `data`. */
  readonly text: string
}

/** What the routes of this folder need. */
export interface OrderServices extends SharedServices {
  readonly cancels: Cancels
  readonly everywhere: CancelEverywhere
  readonly replaces: CancelReplace
  readonly amends: Amends
  readonly places: QueuePlaces
  readonly statuses: OrderStatuses
  readonly heartbeats: HeartbeatChanges
}
