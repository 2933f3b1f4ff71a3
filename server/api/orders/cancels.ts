// Cancels by order ids, by client order ids, or of a whole market (rules §4.7, §4.8).

import type { Clearing } from '../../../engine/core/clearing.ts'
import { SEEN } from '../../../engine/core/orders/seen-orders.ts'
import type { AccountId, MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_STATUSES } from '../../../engine/domain/order.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { orderByClientId, orderBySlot } from '../../../persistence/query/read/orders/user-orders.ts'
import { marketsOf, ordersOf } from '../../exchange/order-entry/user-cancels.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { CancelReceipt, OrderTrades } from '../../exchange/publisher/durable-publisher.ts'
import type { OrderName } from '../../exchange/sequencer/sequencer.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

/** The name that a client gives for an order. */
export type OrderText = { readonly orderId: string } | { readonly clientOrderId: string }

/** The names of an order. Not every order has a client order id. */
interface OrderNames {
  readonly orderId: string
  readonly clientOrderId?: string
}

/** What an order traded until its cancel, with its names. */
export type Canceled = OrderNames & Omit<OrderTrades, keyof OrderName>

/** A name of a live order of the caller. */
interface Live {
  readonly text: OrderText
  readonly order: OrderName
  readonly orderId: string
  /** '' for none. */
  readonly clientOrderId: string
  readonly reject: null
}

/**
 * A name that matches no live order of the caller, and the reason. With ORDER_NOT_OPEN the order
 * may still turn out to belong to another profile.
 */
interface Unknown {
  readonly text: OrderText
  readonly order: null
  readonly orderId: string | null
  readonly reject: Reject
}

type Resolved = Live | Unknown

type FailedReason =
  | 'ORDER_NOT_FOUND'
  | 'ORDER_FILLED'
  | 'ORDER_RELEASE_IN_PROGRESS'
  | 'DELAYED_CANCEL_OFF'
  | 'UNKNOWN_ERROR'

export interface FailedCancel {
  readonly orderId?: string
  readonly clientOrderId?: string
  readonly reason: FailedReason
  readonly message: string
  readonly retryable: boolean
}

export interface BatchOutcome {
  readonly canceled: Canceled[]
  readonly failed: FailedCancel[]
  /** Whether any id named an order of the caller, open or not. */
  readonly anyKnown: boolean
}

/** Order ids are hex in any letter case. Client ids are case-sensitive and trimmed (rules §4.5). */
function nameOf(text: OrderText): string {
  return 'orderId' in text ? text.orderId.toLowerCase() : text.clientOrderId.trim()
}

const MATCHED = ORDER_STATUSES.indexOf('MATCHED')
const keyOf = (order: OrderName) => order.slot * 2 ** 20 + (order.generation % 2 ** 20)

export class Cancels {
  readonly #pipeline: Pipeline
  readonly #endedOrders: EndedOrders

  constructor(pipeline: Pipeline, ended: EndedOrders) {
    this.#pipeline = pipeline
    this.#endedOrders = ended
  }

  /**
   * Cancels one order. Returns what it traded once the cancel is durable, or the refusal.
   * `answered` is called for a cancel that was sent, when its market has replied. A caller that
   * passes `answered` already holds the account's place in the queue.
   */
  async one(
    profileId: ProfileId,
    text: OrderText,
    answered?: (receipt: CancelReceipt) => void,
  ): Promise<Canceled | Reject> {
    const restricted = await this.restricted(answered === undefined ? profileId : null)
    if (restricted !== null) return restricted
    const resolved = this.#resolve(profileId, text)
    if (resolved.order === null) {
      const reject = await this.#reasonOf(profileId, resolved)
      await this.#pipeline.durable()
      return reject
    }
    const { orders } = this.#pipeline.clearing
    const marketId = orders.marketOf(resolved.order.slot)
    const receipt = await this.#pipeline.cancels.cancel(marketId, [resolved.order], answered)
    if (receipt instanceof Reject) return receipt
    if (receipt.releasing.length > 0) return REJECT.ORDER_RELEASE_IN_PROGRESS
    if (receipt.bound.length > 0) return REJECT.DELAYED_CANCEL_OFF
    const [canceled] = receipt.canceled
    if (canceled !== undefined) return canceledOf(resolved, canceled)
    return this.#whyMissed(profileId, resolved.order, endsOf(receipt))
  }

  /**
   * Cancels the open orders among those named; a repeated id counts once. The other orders are
   * looked up after the cancels, so a maker that pulls its quotes does not wait for ended orders.
   */
  async batch(profileId: ProfileId, texts: readonly OrderText[]): Promise<BatchOutcome | Reject> {
    const restricted = await this.restricted(profileId)
    if (restricted !== null) return restricted
    const unique = new Map(texts.map((text) => [nameOf(text), text]))
    const resolved = [...unique.values()].map((text) => this.#resolve(profileId, text))
    const receipt = await this.#cancelByMarket(resolved.flatMap((each) => each.order ?? []))
    if (receipt instanceof Reject) return receipt
    const { canceled, leftAlone } = receipt
    if (canceled.size === 0) await this.#pipeline.durable()
    const done: Canceled[] = []
    const missed: Resolved[] = []
    for (const each of resolved) {
      const filled = each.order === null ? undefined : canceled.get(keyOf(each.order))
      if (each.order === null || filled === undefined) missed.push(each)
      else done.push(canceledOf(each, filled))
    }
    const left = await Promise.all(
      missed.map((each) => {
        if (each.order === null) return this.#ended(profileId, each)
        const isLeft = leftAlone.has(keyOf(each.order)) || this.#isOpen(each.order)
        return isLeft ? each : this.#missed(profileId, each, receipt.ends)
      }),
    )
    const isUnreported = (each: Resolved) => each.reject === REJECT.READ_TIMEOUT
    if (canceled.size === 0 && left.some(isUnreported)) return REJECT.READ_TIMEOUT
    return {
      canceled: done,
      failed: left.map((each) => {
        const why = each.order === null ? undefined : leftAlone.get(keyOf(each.order))
        if (why !== undefined) return { ...shownNames(each), ...why }
        return isUnreported(each) || this.#isOpen(each.order) ? retryable(each) : failure(each)
      }),
      anyKnown: resolved.length > left.length || left.some(isKnown),
    }
  }

  /** Cancels these orders of one profile, which are live now. */
  async live(live: readonly OrderName[]): Promise<BatchOutcome | Reject> {
    const receipt = await this.#cancelByMarket(live)
    if (receipt instanceof Reject) return receipt
    const { canceled, leftAlone } = receipt
    // The absence of open orders may be due to a fill that is not durable yet.
    if (canceled.size === 0) await this.#pipeline.durable()
    const { ids } = this.#pipeline
    const idsOf = (orders: readonly OrderName[]) => inSlices(orders, (some) => ids.texts(some))
    const gone = live.flatMap((order) => canceled.get(keyOf(order)) ?? [])
    // An order that filled meanwhile is not a failure. An order that is still open found its
    // market's ring full, and the client may retry the cancel.
    const untouched = live.filter((order) => leftAlone.has(keyOf(order)))
    const open = this.stillOpen(live.filter((order) => !leftAlone.has(keyOf(order))))
    const untouchedIds = await idsOf(untouched)
    const failed = untouchedIds.map((orderId, index) => {
      return { orderId, ...(leftAlone.get(keyOf(untouched[index])) ?? IN_RELEASE) }
    })
    return {
      canceled: (await idsOf(gone)).map((orderId, index) => {
        const { filledSharesRaw, filledCollateralRaw, leftRaw } = gone[index]
        return { orderId, filledSharesRaw, filledCollateralRaw, leftRaw }
      }),
      failed: [...failed, ...(await open)],
      anyKnown: live.length > 0,
    }
  }

  /** The live order of the profile that a name refers to now, or a name of no order. */
  nameNow(profileId: ProfileId, text: OrderText): OrderName {
    return this.#resolve(profileId, text).order ?? { slot: 0, generation: 0 }
  }

  /** Why an amend did not find the order open. */
  async whyNotOpen(profileId: ProfileId, text: OrderText): Promise<Reject> {
    const resolved = this.#resolve(profileId, text)
    if (resolved.order !== null) return REJECT.ORDER_NOT_OPEN
    const reject = await this.#reasonOf(profileId, resolved)
    await this.#pipeline.durable()
    return reject
  }

  /** The open orders among these, as failures. */
  async stillOpen(orders: readonly OrderName[]): Promise<FailedCancel[]> {
    const { ids } = this.#pipeline
    const open = orders.filter((order) => this.#isOpen(order))
    const orderIds = await inSlices(open, (some) => ids.texts(some))
    return orderIds.map((orderId) => ({ orderId, ...NOT_CONFIRMED }))
  }

  /**
   * Waits in the queue of a busy account, then returns the refusal if nothing may be canceled. With
   * null the request was dequeued already.
   */
  async restricted(profileId: ProfileId | null): Promise<Reject | null> {
    const { queues } = this.#pipeline
    const waits = profileId !== null && queues.count > 0
    if (waits && !(await queues.round(profileId))) return REJECT.OVERLOADED
    const restricted = this.#pipeline.cancels.restriction()
    return restricted === null ? null : this.#pipeline.refused(restricted)
  }

  /**
   * Cancels orders. Returns the orders that it canceled, why others were not canceled, and how
   * others had ended, each by its key. There is no await before the last command is stamped.
   */
  async #cancelByMarket(orders: readonly OrderName[]): Promise<ByMarket | Reject> {
    const { orders: table } = this.#pipeline.clearing
    const byMarket = new Map<number, OrderName[]>()
    for (const order of orders) {
      const marketId = table.marketOf(order.slot)
      const known = byMarket.get(marketId)
      if (known === undefined) byMarket.set(marketId, [order])
      else known.push(order)
    }
    const receipts = await Promise.all(
      [...byMarket].map(([marketId, each]) => this.#pipeline.cancels.cancel(marketId, each)),
    )
    const canceled = new Map<number, OrderTrades>()
    const ends = new Map<number, Reject>()
    const leftAlone = new Map<number, Why>()
    for (const receipt of receipts) {
      if (receipt instanceof Reject) continue
      for (const order of receipt.canceled) canceled.set(keyOf(order), order)
      for (const [key, reject] of endsOf(receipt)) ends.set(key, reject)
      for (const order of receipt.releasing) leftAlone.set(keyOf(order), IN_RELEASE)
      for (const order of receipt.bound) leftAlone.set(keyOf(order), BOUND)
    }
    const refusals = receipts.flatMap((each) => (each instanceof Reject ? each : []))
    const none = refusals.length > 0 && refusals.length === receipts.length
    return none ? refusals[0] : { canceled, leftAlone, ends }
  }

  #isOpen(order: OrderName | null): boolean {
    return order !== null && this.#pipeline.clearing.orders.isLive(order.slot, order.generation)
  }

  /** The order that a name refers to now. */
  #resolve(profileId: ProfileId, text: OrderText): Resolved {
    const { ids, clearing } = this.#pipeline
    if ('clientOrderId' in text) {
      const slot = clearing.orders.slotByClientId(profileId, text.clientOrderId.trim())
      if (slot === 0) return { text, order: null, orderId: null, reject: REJECT.ORDER_NOT_OPEN }
      const generation = clearing.orders.generationOf(slot)
      const orderId = ids.text(slot, generation)
      const clientOrderId = clearing.orders.clientIdOf(slot)
      return { text, order: { slot, generation }, orderId, clientOrderId, reject: null }
    }
    const order = ids.parse(text.orderId.toLowerCase())
    const orderId = text.orderId.toLowerCase()
    if (order === null) return { text, order: null, orderId, reject: REJECT.ORDER_NOT_FOUND }
    const reject = this.#pipeline.cancels.whyNot(profileId, order)
    if (reject !== null) return { text, order: null, orderId, reject }
    const clientOrderId = clearing.orders.clientIdOf(order.slot)
    return { text, order, orderId, clientOrderId, reject }
  }

  /** Why no live order has this name, and the id of the ended order that had it, if any. */
  async #ended(profileId: ProfileId, named: Unknown): Promise<Unknown> {
    const reject = await this.#reasonOf(profileId, named)
    const { text } = named
    if (!isOver(reject) || !('clientOrderId' in text)) return { ...named, reject }
    const row = await this.#endedOrders.orderByClientId(profileId, text.clientOrderId.trim())
    if (row === undefined || row === null) return { ...named, reject }
    return { ...named, reject, orderId: this.#pipeline.ids.text(row.slot, row.generation) }
  }

  /** Why the name cannot be canceled, given that no live order has it. */
  async #reasonOf(profileId: ProfileId, { text, reject }: Unknown): Promise<Reject> {
    if (reject !== REJECT.ORDER_NOT_OPEN) return reject
    if ('clientOrderId' in text) return this.#whyNotLive(profileId, text.clientOrderId.trim())
    const order = this.#pipeline.ids.parse(text.orderId.toLowerCase())
    return order === null ? REJECT.ORDER_NOT_FOUND : this.#whyNotOpen(profileId, order)
  }

  /**
   * Why no live order has this client id: whether it was ever used. For ids that main does not hold
   * exactly, the tables are queried.
   */
  async #whyNotLive(profileId: ProfileId, clientOrderId: string): Promise<Reject> {
    const known = this.#pipeline.clearing.seen.clientId(profileId, clientOrderId)
    if (known === SEEN.NO) return REJECT.ORDER_NOT_FOUND
    const row = await this.#endedOrders.orderByClientId(profileId, clientOrderId)
    if (row !== undefined && row !== null) return reasonOf(row)
    if (known === SEEN.YES) return REJECT.ORDER_NOT_OPEN
    return row === undefined ? REJECT.READ_TIMEOUT : REJECT.ORDER_NOT_FOUND
  }

  /** An order that was live but had ended when the cancel reached its market, with the reason. */
  async #missed(profileId: ProfileId, each: Live, ends: Ends): Promise<Unknown> {
    const reject = await this.#whyMissed(profileId, each.order, ends)
    return { text: each.text, order: null, orderId: each.orderId, reject }
  }

  /** How an order of the profile ended before its cancel reached the market. */
  async #whyMissed(profileId: ProfileId, order: OrderName, ends: Ends): Promise<Reject> {
    const end = ends.get(keyOf(order))
    const isDoubtful = end === REJECT.ORDER_FILLED && this.#mayBeUndone(profileId)
    const isKnown = end !== undefined && !isDoubtful
    const reject = isKnown ? end : await this.#whyNotOpen(profileId, order)
    return reject === REJECT.ORDER_FILLED ? reject : REJECT.ORDER_NOT_OPEN
  }

  /** The fills of a profile without any reversal are final. */
  #mayBeUndone(profileId: ProfileId): boolean {
    return this.#pipeline.clearing.reversals.tookOf(profileId)
  }

  /**
   * Why this order is not open, for its owner only. The core's state has the reason until another
   * order reuses the slot; after that the read tables have it.
   */
  async #whyNotOpen(profileId: ProfileId, order: OrderName): Promise<Reject> {
    const known = this.#pipeline.cancels.whyEnded(profileId, order)
    if (known !== null) return known
    const row = await this.#endedOrders.order(profileId, order)
    if (row === undefined) return REJECT.READ_TIMEOUT
    const own = row !== null && row.accountId === profileId
    return own ? reasonOf(row) : REJECT.ORDER_NOT_FOUND
  }
}

/** Why the market found orders ended, by order key. */
type Ends = ReadonlyMap<number, Reject>

interface ByMarket {
  readonly canceled: ReadonlyMap<number, OrderTrades>
  readonly leftAlone: ReadonlyMap<number, Why>
  readonly ends: Ends
}

function endsOf({ notOpen }: CancelReceipt): Ends {
  return new Map(
    notOpen.map((order) => {
      return [keyOf(order), order.isMatched ? REJECT.ORDER_FILLED : REJECT.ORDER_NOT_OPEN]
    }),
  )
}

function tradedOf({ filledSharesRaw, filledCollateralRaw, leftRaw }: OrderTrades) {
  return { filledSharesRaw, filledCollateralRaw, leftRaw }
}

function canceledOf({ orderId, clientOrderId }: Live, canceled: OrderTrades): Canceled {
  const names = clientOrderId === '' ? { orderId } : { orderId, clientOrderId }
  return { ...names, ...tradedOf(canceled) }
}

/** Why an ended order cannot be canceled. */
function reasonOf({ status }: EndedOrder): Reject {
  return status === MATCHED ? REJECT.ORDER_FILLED : REJECT.ORDER_NOT_OPEN
}

function isOver(reject: Reject): boolean {
  return reject === REJECT.ORDER_NOT_OPEN || reject === REJECT.ORDER_FILLED
}

/** The order is still open because its market's ring was full, or the order's end is unknown. */
const NOT_CONFIRMED = {
  reason: 'UNKNOWN_ERROR',
  message: 'Failed to cancel order',
  retryable: true,
} as const

type Why = Pick<FailedCancel, 'reason' | 'message' | 'retryable'>

const IN_RELEASE: Why = {
  reason: 'ORDER_RELEASE_IN_PROGRESS',
  message: REJECT.ORDER_RELEASE_IN_PROGRESS.sentence,
  retryable: true,
}

const GONE_FILLED: Why = {
  reason: 'ORDER_FILLED',
  message: REJECT.ORDER_FILLED.sentence,
  retryable: false,
}

/** The market does not allow cancels of delayed orders. */
const BOUND: Why = {
  reason: 'DELAYED_CANCEL_OFF',
  message: REJECT.DELAYED_CANCEL_OFF.sentence,
  retryable: false,
}

function isKnown({ reject }: Resolved): boolean {
  return reject !== REJECT.ORDER_NOT_FOUND
}

function shownNames({ text, orderId }: Resolved): { orderId?: string; clientOrderId?: string } {
  return 'clientOrderId' in text && orderId !== null ? { ...text, orderId } : text
}

function retryable(each: Resolved): FailedCancel {
  return { ...shownNames(each), ...NOT_CONFIRMED }
}

function failure(each: Resolved): FailedCancel {
  const names = shownNames(each)
  if (each.reject === REJECT.ORDER_RELEASE_IN_PROGRESS) return { ...names, ...IN_RELEASE }
  if (each.reject === REJECT.DELAYED_CANCEL_OFF) return { ...names, ...BOUND }
  if (each.reject === REJECT.ORDER_FILLED) return { ...names, ...GONE_FILLED }
  return {
    ...names,
    reason: 'ORDER_NOT_FOUND',
    message: REJECT.ORDER_NOT_OPEN.sentence,
    retryable: false,
  }
}

interface EndedOrder {
  readonly accountId: AccountId
  /** An index into ORDER_STATUSES. */
  readonly status: number
}

/**
 * Looks up ended orders, and their owners. Null when there is none, undefined on a read timeout.
 */
interface EndedOrders {
  order(profileId: ProfileId, name: OrderName): Promise<EndedOrder | null | undefined>
  orderByClientId(
    profileId: ProfileId,
    clientOrderId: string,
  ): Promise<(EndedOrder & OrderName) | null | undefined>
}

/**
 * Looks them up in the read tables once the tables include everything decided before the query, so
 * that an order that has just ended is found.
 */
export function endedOrders(reads: PrivateReads, { durable }: Durable): EndedOrders {
  return {
    order: async (profileId, { slot, generation }) => {
      await durable()
      return reads.read(orderBySlot, { slot, generation }, { profileId })
    },
    orderByClientId: async (profileId, clientOrderId) => {
      await durable()
      return reads.read(orderByClientId, { accountId: profileId, clientOrderId }, { profileId })
    },
  }
}

interface Durable {
  /** Resolves when every command so far is durable. */
  readonly durable: () => Promise<void>
}

// Large jobs are split over event-loop ticks, so that other work does not wait for all of it.

const ITEMS_PER_SLICE = 1000

/**
 * Calls `give` with a thousand items per event-loop tick and joins the results. The state may
 * change between two ticks, so `give` must not rely on one tick for all items.
 */
export async function inSlices<T, R>(
  items: readonly T[],
  give: (some: readonly T[]) => readonly R[],
): Promise<R[]> {
  const given: R[] = []
  for (let from = 0; from < items.length; from += ITEMS_PER_SLICE) {
    if (from > 0) await new Promise(setImmediate)
    for (const each of give(items.slice(from, from + ITEMS_PER_SLICE))) given.push(each)
  }
  return given
}

// Cancels a profile's open orders in all markets or in several. It cancels a part of the orders at
// a time, and the next part when that one is durable. So the rings keep capacity for the orders and
// cancels of others, and main does other work in between.
// Invariants: at most one call per profile runs, and later calls wait in order. So together they
// cancel each order once. Orders placed after the call began are not canceled.

/** Maximum orders and markets of a part, which is stamped in one synchronous step. */
const ORDERS_PER_PART = 4096
const MARKETS_PER_PART = 64

type Outcome = AllCanceled | Reject

export class CancelEverywhere {
  readonly #pipeline: Pipeline
  readonly #cancels: Cancels
  /** The newest call of each profile with a call in progress. */
  readonly #newest = new Map<ProfileId, Promise<unknown>>()

  constructor(pipeline: Pipeline, cancels: Cancels) {
    this.#pipeline = pipeline
    this.#cancels = cancels
  }

  /**
   * Cancels every order that the profile has open when the call starts; with `marketIds`, only
   * those in these markets.
   */
  async run(profileId: ProfileId, marketIds?: readonly MarketId[]): Promise<Outcome> {
    const own = this.#after(profileId, marketIds)
    this.#newest.set(profileId, own)
    try {
      return await own
    } finally {
      if (this.#newest.get(profileId) === own) this.#newest.delete(profileId)
    }
  }

  /** Starts when the previous call has ended, whatever its result. */
  async #after(profileId: ProfileId, marketIds?: readonly MarketId[]): Promise<Outcome> {
    await this.#newest.get(profileId)?.catch(() => {})
    return this.#cancel(profileId, marketIds)
  }

  async #cancel(profileId: ProfileId, marketIds?: readonly MarketId[]): Promise<Outcome> {
    const restricted = await this.#cancels.restricted(profileId)
    if (restricted !== null) return restricted
    const { clearing } = this.#pipeline
    const done = new AllCanceled()
    for (const part of partsOf(clearing, profileId, marketIds)) {
      const open = part.filter((each) => clearing.orders.isLive(each.slot, each.generation))
      const outcome = await this.#cancels.live(open)
      if (!(outcome instanceof Reject)) {
        done.addCanceled(outcome.canceled)
        done.addFailed(outcome.failed)
        continue
      }
      if (done.isEmpty) return outcome
      // A mode that began meanwhile, or a full ring, leaves these orders open.
      done.addFailed(await this.#cancels.stillOpen(open))
    }
    return done
  }
}

/**
 * The live orders of a profile, in all markets or in these, that were placed up to now; in parts,
 * the last of which may be empty. The orders of a market are read when the iteration reaches it.
 */
function* partsOf(
  clearing: Clearing,
  profileId: ProfileId,
  marketIds?: readonly MarketId[],
): Generator<readonly OrderName[]> {
  const throughSeq = clearing.lastSeq
  let part: OrderName[] = []
  let ended = 0
  for (const marketId of marketIds ?? marketsOf(clearing, profileId)) {
    for (const each of ordersOf(clearing, profileId, marketId, { throughSeq })) {
      part.push(each)
      if (part.length < ORDERS_PER_PART) continue
      yield part
      part = []
    }
    if (++ended % MARKETS_PER_PART !== 0) continue
    yield part
    part = []
  }
  yield part
}

const { cancelRowsMax } = LIMITS

function addSome<T>(rows: T[], more: readonly T[]): void {
  for (const each of more.slice(0, cancelRowsMax - rows.length)) rows.push(each)
}

/**
 * The result of canceling all orders. It has the id of each canceled order, but rows of only some:
 * a profile may have 262,144 orders, and a reply with a row for each is too long to hold for a slow
 * reader.
 */
export class AllCanceled {
  readonly orderIds: string[] = []
  /** Orders that are still open, at most LIMITS.cancelRowsMax. */
  readonly failed: FailedCancel[] = []
  readonly #traded: Canceled[] = []
  readonly #untraded: Canceled[] = []

  get isEmpty(): boolean {
    return this.orderIds.length + this.failed.length === 0
  }

  /** Rows of the canceled orders, at most LIMITS.cancelRowsMax; those that traded come first. */
  get orders(): readonly Canceled[] {
    return [...this.#traded, ...this.#untraded].slice(0, cancelRowsMax)
  }

  addCanceled(canceled: readonly Canceled[]): void {
    for (const { orderId } of canceled) this.orderIds.push(orderId)
    addSome(
      this.#traded,
      canceled.filter(({ filledSharesRaw }) => filledSharesRaw > 0),
    )
    addSome(
      this.#untraded,
      canceled.filter(({ filledSharesRaw }) => filledSharesRaw === 0),
    )
  }

  addFailed(failed: readonly FailedCancel[]): void {
    addSome(this.failed, failed)
  }
}
