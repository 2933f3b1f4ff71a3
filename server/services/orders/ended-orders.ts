import type { AccountId, ProfileId } from '../../../engine/domain/ids.ts'
import { orderByClientId, orderBySlot } from '../../../persistence/query/read/orders/user-orders.ts'
import type { OrderName } from '../../pipeline/spine/sequencer.ts'
import type { PrivateReads } from '../private-reads.ts'

export interface EndedOrder {
  readonly accountId: AccountId
  /** An index into ORDER_STATUSES. */
  readonly status: number
}

/**
 * Looks up orders that ended, and their owners. Null when there is none, undefined when there is no
 * answer in time.
 */
export interface EndedOrders {
  order(profileId: ProfileId, name: OrderName): Promise<EndedOrder | null | undefined>
  orderByClientId(
    profileId: ProfileId,
    clientOrderId: string,
  ): Promise<(EndedOrder & OrderName) | null | undefined>
}

/** Looks them up in the read tables. */
export function endedOrders(reads: PrivateReads): EndedOrders {
  return {
    order: (profileId, { slot, generation }) =>
      reads.read(orderBySlot, { slot, generation }, { profileId }),
    orderByClientId: (profileId, clientOrderId) =>
      reads.read(orderByClientId, { accountId: profileId, clientOrderId }, { profileId }),
  }
}
