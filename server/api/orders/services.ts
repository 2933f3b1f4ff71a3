import type { SharedServices } from '../shared-services.ts'
import type { CancelEverywhere } from './cancel-everywhere.ts'
import type { CancelReplace } from './cancel-replace-service.ts'
import type { Cancels } from './cancels.ts'
import type { HeartbeatChanges } from './heartbeat-changes.ts'
import type { OrderStatuses } from './order-status-service.ts'

/** What the routes of this folder need. */
export interface OrderServices extends SharedServices {
  readonly cancels: Cancels
  readonly everywhere: CancelEverywhere
  readonly replaces: CancelReplace
  readonly statuses: OrderStatuses
  readonly heartbeats: HeartbeatChanges
}
