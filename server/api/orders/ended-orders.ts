import type { AccountId, ProfileId } from '../../../engine/domain/ids.ts'
import { orderByClientId, orderBySlot } from '../../../persistence/query/read/orders/user-orders.ts'
import type { OrderName } from '../../exchange/sequencer/sequencer.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

export interface EndedOrder {
  readonly accountId: AccountId
  /** An index into ORDER_STATUSES. */
  readonly status: number
}

/**
 * Looks up ended orders, and their owners. Null when there is none, undefined on a read timeout.
 */
export interface EndedOrders {
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
