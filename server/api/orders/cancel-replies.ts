// Replies of the cancel routes (rules §4.7, §4.8).

import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { type Bytes, bytes, JSON_TYPE, type Reply, reply } from '../../edge/http/reply.ts'
import { orderId, shownClientOrderId } from '../../edge/http/schema/fields.ts'
import { boolean, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional } from '../../edge/http/schema/schema.ts'
import { tradingRestriction } from '../../exchange/order-entry/order-answer.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { canceledView } from '../../exchange/read-model/views.ts'
import { type Refusal, refuse } from '../../messages/refusal.ts'
import type { Requester } from '../reads/private-reads.ts'
import { workFor } from '../reads/private-reads.ts'
import type { Steps } from '../reads/sliced-work.ts'
import { message } from '../shapes.ts'
import type { AllCanceled, BatchOutcome, Canceled, FailedCancel } from './cancels.ts'
import { tradedUntilCancel } from './order-shapes.ts'
import type { OrderServices } from './services.ts'

const DONE = 'Orders canceled successfully'
const PARTLY = 'Some orders could not be canceled'
const OK = 200
/** The status when some orders are canceled and some are not. */
export const MULTI_STATUS = 207
export const SOME_CANCELED = 'Some orders are canceled, and failed lists those that are not.'

const failedCancel = () =>
  object({
    orderId: optional(orderId()),
    clientOrderId: shownClientOrderId(),
    reason: means(
      oneOf(
        'ORDER_NOT_FOUND',
        'ORDER_FILLED',
        'ORDER_RELEASE_IN_PROGRESS',
        'DELAYED_CANCEL_OFF',
        'UNKNOWN_ERROR',
      ),
      'Code of the error.',
    ),
    message: means(text(), 'Message of the error.'),
    retryable: means(boolean(), 'True when the same cancel may succeed shortly after.'),
  })

const clientNamed = () =>
  object({
    clientOrderId: means(text(), 'Client order id given in the call.'),
    orderId: orderId(),
  })

const canceledOrder = () => anyOf(orderId(), clientNamed())

export function batchCancelReply() {
  return object({
    message: means(text(), 'Summary of the result.'),
    canceled: means(
      list(canceledOrder()),
      'Canceled orders: order ids, or both ids if the call used client ids.',
    ),
    orders: means(
      list(tradedUntilCancel()),
      'What each canceled order traded until its cancel; after a cancel of all orders, ' +
        'traded orders first, at most 10,000.',
    ),
    failed: means(
      list(failedCancel()),
      'Orders that were not canceled, each with its reason; at most 10,000.',
    ),
  })
}

/** The reply to a cancel of one order. */
export function cancelReply() {
  return object({ ...message().properties, ...tradedUntilCancel().properties })
}

/** A refusal with the fields that the trading mode, or a release in progress, adds to it. */
export function refuseCancel(reject: Reject, pipeline: Pipeline): Refusal {
  if (reject === REJECT.ORDER_RELEASE_IN_PROGRESS) {
    return refuse(reject, { reason: 'ORDER_RELEASE_IN_PROGRESS', retryable: true })
  }
  return refuse(reject, tradingRestriction(pipeline.clearing, reject, pipeline.sequencer.nowMs()))
}

export function cancelDone(canceled: Canceled | Reject, pipeline: Pipeline) {
  if (canceled instanceof Reject) return refuseCancel(canceled, pipeline)
  return { message: 'Order canceled successfully', ...canceledView(canceled) }
}

interface BatchReply {
  message: string
  orders: ReturnType<typeof canceledView>[]
  canceled: (string | { clientOrderId: string; orderId: string })[]
  failed: FailedCancel[]
}

/**
 * 200 when no order is open any more, 207 when some still are. The call names no orders, so none
 * can be unknown.
 */
function cancelAllResult(outcome: AllCanceled): BatchReply | Reply<BatchReply> {
  const { orderIds, failed } = outcome
  const done = { canceled: orderIds, orders: outcome.orders.map(canceledView) }
  if (failed.length === 0) return { message: DONE, ...done, failed }
  return reply(MULTI_STATUS, { message: PARTLY, ...done, failed })
}

/** Rows of a list encoded per step of a reply. */
const ROWS_PER_STEP = 1000

/** Encodes a list as JSON, a batch of rows per step. */
function* listText<T>(
  rows: readonly T[],
  shown: (row: T) => unknown,
): Generator<undefined, string> {
  const texts: string[] = []
  for (let from = 0; from < rows.length; from += ROWS_PER_STEP) {
    const some = rows.slice(from, from + ROWS_PER_STEP).map(shown)
    texts.push(JSON.stringify(some).slice(1, -1))
    yield
  }
  return `[${texts.join(',')}]`
}

/** Encodes the reply to a cancel of very many orders, a batch of rows per step. */
function* cancelAllText(outcome: AllCanceled, message: string): Steps<string> {
  const canceled = yield* listText(outcome.orderIds, (id) => id)
  const orders = yield* listText(outcome.orders, canceledView)
  const failed = yield* listText(outcome.failed, (each) => each)
  const head = JSON.stringify({ message }).slice(0, -1)
  return `${head},"canceled":${canceled},"orders":${orders},"failed":${failed}}`
}

/** A profile may have 262,144 open orders. Encoding them at once would delay other orders. */
export async function cancelAllInSlices(
  outcome: AllCanceled,
  { slices, pipeline }: Pick<OrderServices, 'slices' | 'pipeline'>,
  requester: Requester,
): Promise<BatchReply | Reply<BatchReply> | Bytes> {
  const { orderIds, failed } = outcome
  if (orderIds.length + failed.length <= ROWS_PER_STEP) return cancelAllResult(outcome)
  const isWhole = failed.length === 0
  const steps = cancelAllText(outcome, isWhole ? DONE : PARTLY)
  const text = await slices.run(workFor(requester, pipeline), steps)
  if (text === null) return cancelAllResult(outcome)
  return bytes(text, JSON_TYPE, isWhole ? OK : MULTI_STATUS)
}

/**
 * 200 when all are canceled, 207 when some are. When none is: 409 if a market blocks the cancel of
 * one of them, 400 if an id is known, else 404.
 */
export function batchResult(
  outcome: BatchOutcome,
  by: 'orderId' | 'clientOrderId',
): BatchReply | Reply<BatchReply> | Refusal {
  const { failed } = outcome
  const canceled = outcome.canceled.map(({ orderId: id, clientOrderId }) =>
    by === 'orderId' ? id : { clientOrderId: clientOrderId ?? '', orderId: id },
  )
  const done = { canceled, orders: outcome.canceled.map(canceledView) }
  if (failed.length === 0) return { message: DONE, ...done, failed }
  if (canceled.length > 0) return reply(MULTI_STATUS, { message: PARTLY, ...done, failed })
  const isBound = failed.some(({ reason }) => reason === 'DELAYED_CANCEL_OFF')
  if (isBound) return refuse(REJECT.DELAYED_CANCEL_OFF, { ...done, failed })
  const reject = outcome.anyKnown ? REJECT.ORDER_NOT_OPEN : REJECT.ORDERS_NOT_FOUND
  return refuse(reject, { ...done, failed })
}
