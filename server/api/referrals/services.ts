import type { SharedServices } from '../shared-services.ts'
import type { Referrals } from './referrals-service.ts'

/** What the routes of this folder need. */
export interface ReferralServices extends SharedServices {
  readonly referrals: Referrals
}
