// Query parameters of lists of the caller's orders, in one market or in all markets of a match.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { ORDER_STATUSES, type OrderStatus } from '../../../engine/domain/order.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer } from '../../edge/http/schema/scalars.ts'
import { list, optional, schemaOf } from '../../edge/http/schema/schema.ts'

/** A status filter as spelled in the query, in any letter case. */
const statusText = () =>
  schemaOf<string>({
    type: 'string',
    pattern: `^(${ORDER_STATUSES.map(anyCase).join('|')})$`,
    description: `One of ${ORDER_STATUSES.join(', ')}, in any letter case.`,
  })

function anyCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toLowerCase()}]`).join('')
}

export function userOrderQuery() {
  return {
    statuses: means(
      optional(list(statusText(), 1, 16)),
      'Statuses of the orders to list, in any letter case; only LIVE by default.',
    ),
    limit: means(
      optional(integer(1, LIMITS.userOrdersLimitMax)),
      `Maximum orders to list; ${LIMITS.userOrdersLimitMax} by default.`,
    ),
  }
}

export function statusNumbers(statuses: readonly string[] | undefined): number[] {
  const upper = (statuses ?? []).map((status) => status.toUpperCase())
  const wanted: readonly OrderStatus[] =
    upper.length === 0 ? ['LIVE'] : ORDER_STATUSES.filter((status) => upper.includes(status))
  return wanted.map((status) => ORDER_STATUSES.indexOf(status))
}
