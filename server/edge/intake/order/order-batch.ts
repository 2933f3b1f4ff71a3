import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { targetOf } from '../../../auth/on-behalf.ts'
import { FORM } from '../../../messages/intake-layout.ts'
import type { AmendTask, ReplaceTask } from '../../../messages/intake-result.ts'
import type { Issue } from '../../../messages/refusal.ts'
import { onBehalfOf } from '../../http/access/on-behalf.ts'
import { orderId, uint256Text } from '../../http/schema/fields.ts'
import { compilePrinted } from '../../http/schema/printed-text.ts'
import { exactlyOne, means, named, oneOf } from '../../http/schema/scalars.ts'
import { type Infer, list, object, optional, schemaOf } from '../../http/schema/schema.ts'
import { clientOrderIdIssue, clientOrderIdText } from './client-order-id.ts'
import { bodyIssues, type OrderBody, orderBody, replacementBody } from './order-body.ts'

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

const amendFields = {
  remainingSize: means(
    optional(uint256Text()),
    'Raw shares that may still trade, fewer than are open: the order keeps its place in the queue.',
  ),
  replacement: means(
    optional(replacementBody),
    'A new signed order of type GTC in place of this one: at another price, or of any size.',
  ),
  filledSize: means(
    optional(uint256Text()),
    'The filledSize that you last saw: later fills are subtracted from the new size. ' +
      'When absent, it is what has traded when the exchange decides.',
  ),
  onBehalfOf: onBehalfOf(),
}

/** POST /orders/:orderId/amend: a decrease, or a replacement (rules §4.10). */
export const amendBody = exactlyOne(amendFields, 'remainingSize', 'replacement')

export const amendsBody = object({
  operations: means(
    list(
      object({
        order: means(canceled, 'The order to amend, by exactly one of its two ids.'),
        ...amendFields,
      }),
      1,
      LIMITS.batchReplacesMax,
    ),
    'Amends, decided one after another in this order; each has remainingSize or replacement.',
  ),
})

type AmendBody = Infer<typeof amendBody> & { readonly order?: ReplaceBody['cancel'] }
type ReplaceBody = Infer<typeof replaceBody>

export interface Part {
  /** The body of one order; undefined for an operation without one. */
  readonly body: unknown
  /** The sub-account that an operation without an order is for; 0 for the caller. */
  readonly onBehalfOf?: ProfileId
  /** JSON of an OrderTask; '' for a plain order. */
  readonly task: string
}

export type Batch = { readonly parts: readonly Part[] } | { readonly issues: readonly Issue[] }

const someOrders = compilePrinted(
  object({ orders: list(schemaOf<unknown>({}), 1, LIMITS.batchOrdersMax) }),
)
const oneReplace = compilePrinted(replaceBody)
const someReplaces = compilePrinted(replacesBody)
const oneAmend = compilePrinted(amendBody)
const someAmends = compilePrinted(amendsBody)

/** The inputs of reading a batch besides its body. */
interface ReadBy {
  /** The profile named in the header; every order must be for that profile. */
  readonly onBehalfOf: number
  readonly nowMs: TimeMs
}

/** The orders of a batch, or the issues of the whole body. */
export function readBatch(form: number, value: unknown, by: ReadBy): Batch {
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
  if (form === FORM.AMEND) {
    if (!oneAmend.holds(value)) return { issues: oneAmend.issues(value) }
    return amendsOf([value], '', by)
  }
  if (form === FORM.AMENDS) {
    if (!someAmends.holds(value)) return { issues: someAmends.issues(value) }
    return amendsOf(value.operations, 'operations', by)
  }
  if (!someReplaces.holds(value)) return { issues: someReplaces.issues(value) }
  return replacesOf(value.operations, 'operations', by)
}

/** A body with any issue is refused as a whole, before anything is amended. */
function amendsOf(operations: readonly AmendBody[], at: string, by: ReadBy): Batch {
  return wholeBatch(
    operations.map((operation) => amendOf(operation, by)),
    at,
  )
}

function amendOf({ order, remainingSize, replacement, ...body }: AmendBody, by: ReadBy) {
  const target = targetOf(by.onBehalfOf, body.onBehalfOf)
  const issues = [
    ...(order === undefined ? [] : nameIssues(order, 'order')),
    ...(target.issue === null ? [] : [target.issue]),
    ...((remainingSize === undefined) === (replacement === undefined) ? [ONE_CHANGE] : []),
    ...wrongSize({ remainingSize }),
    ...wrongSize({ filledSize: body.filledSize }),
  ]
  const remainingRaw = remainingSize === undefined ? null : Number(remainingSize)
  const filledRaw = body.filledSize === undefined ? null : Number(body.filledSize)
  const amend = order === undefined ? null : nameIn(order)
  const task = JSON.stringify({ amend, remainingRaw, filledRaw } satisfies AmendTask)
  const { profileId: onBehalfOf } = target
  if (replacement === undefined) return { body: undefined, onBehalfOf, task, issues }
  const placed = ordered(replacement, body.onBehalfOf)
  issues.push(...replacementIssues(placed, onBehalfOf, by))
  return { body: placed, task, issues }
}

const ONE_CHANGE: Issue = {
  field: 'remainingSize',
  message: 'Exactly one of remainingSize or replacement is required',
}

function wrongSize(sizes: Readonly<Record<string, string | undefined>>): Issue[] {
  return Object.entries(sizes).flatMap(([field, size]) => {
    const isRight = size === undefined || Number.isSafeInteger(Number(size))
    return isRight ? [] : [{ field, message: 'must be at most 9007199254740991' }]
  })
}

/** A body with any issue is refused as a whole, before anything is canceled. */
function replacesOf(operations: readonly ReplaceBody[], at: string, by: ReadBy): Batch {
  const parts = operations.map(({ cancel, mode, replacement, onBehalfOf }) => {
    const body = ordered(replacement, onBehalfOf)
    const target = targetOf(by.onBehalfOf, onBehalfOf)
    const issues = [
      ...nameIssues(cancel, 'cancel'),
      ...(target.issue === null ? [] : [target.issue]),
      ...replacementIssues(body, target.profileId, by),
    ]
    return { body, task: JSON.stringify({ cancel: nameIn(cancel), mode }), issues }
  })
  return wholeBatch(parts, at)
}

type ReadPart = Part & { readonly issues: readonly Issue[] }

/** The parts, or the issues of all of them. */
function wholeBatch(parts: readonly ReadPart[], at: string): Batch {
  const issues = parts.flatMap((part, index) => {
    const under = at === '' ? '' : `${at}.${index}.`
    return part.issues.map(({ field, message }) => ({ field: under + field, message }))
  })
  return issues.length > 0 ? { issues } : { parts }
}

/** The body of an order inside another call. */
function ordered(replacement: ReplaceBody['replacement'], onBehalfOf?: ProfileId): OrderBody {
  return { ...replacement, ...(onBehalfOf === undefined ? {} : { onBehalfOf }) }
}

function replacementIssues(body: OrderBody, actorId: ProfileId, { nowMs }: ReadBy): Issue[] {
  return bodyIssues(body, { isDelegated: actorId !== 0, nowMs }).map(underReplacement)
}

function underReplacement({ field, message }: Issue): Issue {
  return { field: `replacement.${field}`, message }
}

/** The id of the order to cancel: one of the two, trimmed. */
function nameIn({ orderId: id = '', clientOrderId }: ReplaceBody['cancel']): ReplaceTask['cancel'] {
  return clientOrderId === undefined ? { orderId: id } : { clientOrderId: clientOrderId.trim() }
}

function nameIssues({ orderId: id, clientOrderId }: ReplaceBody['cancel'], field: string): Issue[] {
  if ((id === undefined) === (clientOrderId === undefined)) {
    return [{ field, message: 'Exactly one of orderId or clientOrderId is required' }]
  }
  const issue = clientOrderId === undefined ? undefined : clientOrderIdIssue(clientOrderId)
  return issue === undefined ? [] : [{ field: `${field}.clientOrderId`, message: issue }]
}
