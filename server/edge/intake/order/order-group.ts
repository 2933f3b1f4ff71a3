import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { targetOf } from '../../../auth/on-behalf.ts'
import { FORM } from '../../../messages/intake-layout.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { onBehalfOf } from '../../http/access/on-behalf.ts'
import { orderId } from '../../http/schema/fields.ts'
import { compilePrinted } from '../../http/schema/printed-text.ts'
import { exactlyOne, means, named, oneOf } from '../../http/schema/scalars.ts'
import { type Infer, list, object, optional, schemaOf } from '../../http/schema/schema.ts'
import { clientOrderIdIssue, clientOrderIdText } from './client-order-id.ts'
import { bodyIssues, orderBody, replacementBody } from './order-body.ts'

// Requests with several orders, or with orders that each replace a canceled one (rules §4.8).

/** POST /orders/batch. A fault of one order refuses only that order. */
export const ordersBody = object({
  orders: means(
    list(orderBody, 1, LIMITS.batchOrdersMax),
    'Orders to place, in this order; each is accepted or refused on its own.',
  ),
})

/** One of two ways to identify an order. */
const canceled = exactlyOne(
  { orderId: optional(orderId()), clientOrderId: optional(clientOrderIdText()) },
  'orderId',
  'clientOrderId',
)

export const replaceBody = named(
  'CancelReplace',
  object({
    cancel: means(canceled, 'The order to cancel, by exactly one of its two ids.'),
    replacement: means(replacementBody, 'The order to place with the reserve freed by the cancel.'),
    mode: means(
      oneOf('STOP_ON_FAILURE', 'ALLOW_FAILURE'),
      'Whether to place the replacement when the cancel fails: only with ALLOW_FAILURE.',
    ),
    // The same schema as in an order: this must not be a reason to refuse a replacement after its
    // cancel.
    onBehalfOf: onBehalfOf(),
  }),
)

export const replacesBody = object({
  operations: means(
    list(replaceBody, 1, LIMITS.batchReplacesMax),
    'Cancel-replaces, executed one after another in this order.',
  ),
})

type ReplaceBody = Infer<typeof replaceBody>

export interface Part {
  /** The body of one order. */
  readonly body: unknown
  /** JSON of a ReplaceTask; '' for a plain order. */
  readonly task: string
}

export type Group = { readonly parts: readonly Part[] } | { readonly issues: readonly Issue[] }

const someOrders = compilePrinted(
  object({ orders: list(schemaOf<unknown>({}), 1, LIMITS.batchOrdersMax) }),
)
const oneReplace = compilePrinted(replaceBody)
const someReplaces = compilePrinted(replacesBody)

/** The inputs of reading a group besides its body. */
interface ReadBy {
  /** The profile named in the header; every order must be for that profile. */
  readonly onBehalfOf: number
  readonly nowMs: TimeMs
}

/** The orders of a group, or the issues of the whole body. */
export function readGroup(form: number, value: unknown, by: ReadBy): Group {
  const { issue } = targetOf(by.onBehalfOf, undefined)
  if (issue !== null) return { issues: [issue] }
  if (form === FORM.ORDERS) {
    if (!someOrders.holds(value)) return { issues: someOrders.issues(value) }
    return { parts: value.orders.map((body) => ({ body, task: '' })) }
  }
  if (form === FORM.REPLACE) {
    if (!oneReplace.holds(value)) return { issues: oneReplace.issues(value) }
    return replacesOf([value], '', by)
  }
  if (!someReplaces.holds(value)) return { issues: someReplaces.issues(value) }
  return replacesOf(value.operations, 'operations', by)
}

/** A body with any issue is refused as a whole, before anything is canceled. */
function replacesOf(operations: readonly ReplaceBody[], at: string, by: ReadBy): Group {
  const { nowMs } = by
  const parts = operations.map(({ cancel, mode, replacement, onBehalfOf }) => {
    const body = { ...replacement, ...(onBehalfOf === undefined ? {} : { onBehalfOf }) }
    const target = targetOf(by.onBehalfOf, onBehalfOf)
    const issues = [
      ...cancelIssues(cancel),
      ...(target.issue === null ? [] : [target.issue]),
      ...bodyIssues(body, { isDelegated: target.profileId !== 0, nowMs }).map(underReplacement),
    ]
    return { body, task: JSON.stringify({ cancel: nameIn(cancel), mode }), issues }
  })
  const issues = parts.flatMap((part, index) => {
    const under = at === '' ? '' : `${at}.${index}.`
    return part.issues.map(({ field, message }) => ({ field: under + field, message }))
  })
  return issues.length > 0 ? { issues } : { parts }
}

function underReplacement({ field, message }: Issue): Issue {
  return { field: `replacement.${field}`, message }
}

/** The id of the order to cancel: one of the two, trimmed. */
function nameIn({ orderId: id, clientOrderId }: ReplaceBody['cancel']): ReplaceBody['cancel'] {
  return clientOrderId === undefined ? { orderId: id } : { clientOrderId: clientOrderId.trim() }
}

function cancelIssues({ orderId: id, clientOrderId }: ReplaceBody['cancel']): Issue[] {
  if ((id === undefined) === (clientOrderId === undefined)) {
    return [{ field: 'cancel', message: 'Exactly one of orderId or clientOrderId is required' }]
  }
  const issue = clientOrderId === undefined ? undefined : clientOrderIdIssue(clientOrderId)
  return issue === undefined ? [] : [{ field: 'cancel.clientOrderId', message: issue }]
}
