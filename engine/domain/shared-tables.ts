// Tables that all callers share, with each owner's share. Capacity and most come from the topic's
// limits. The floor is what an owner may hold of a nearly full table.

import { sharedTable, shareRule } from './fair-share.ts'
import { LIMITS } from './limits.ts'
import { MOVE_LIMITS, POOL_LIMITS } from './moves/move-limits.ts'
import { ORDER_GROUP_LIMITS } from './order-group-limits.ts'
import { PACK_LIMITS } from './packs/pack-limits.ts'
import { SOCIAL_LIMITS } from './social/social-limits.ts'

/** Sub-accounts are profiles, so a partner's share halves as the number of all profiles grows. */
export const SUB_ACCOUNT_SHARE = shareRule(
  LIMITS.profilesMax,
  LIMITS.subAccountsPerPartnerMax,
  1024,
)
/**
 * Profiles reserved for operators and for sub-accounts of partners. First logins cannot use them.
 */
export const PROFILES_RESERVED = 1 << 20

export const SHARED_TABLES = {
  tokens: sharedTable({
    capacity: LIMITS.tokensMax,
    most: LIMITS.tokensPerProfileMax,
    floor: 4,
  }),
  sessions: sharedTable({
    capacity: LIMITS.sessionsMax,
    most: LIMITS.sessionsPerProfileMax,
    floor: 1,
  }),
  withdrawalAddresses: sharedTable({
    capacity: 1 << 21,
    most: LIMITS.withdrawalAddressesPerProfileMax,
    floor: 4,
  }),
  calls: sharedTable({
    capacity: MOVE_LIMITS.callsRememberedMax,
    most: MOVE_LIMITS.callsOfProfileMax,
    floor: 4,
  }),
  orderGroups: sharedTable({
    capacity: ORDER_GROUP_LIMITS.groupsMax,
    most: ORDER_GROUP_LIMITS.groupsOfProfileMax,
    floor: 2,
  }),
  poolApprovals: sharedTable({
    capacity: POOL_LIMITS.approvalsMax,
    most: POOL_LIMITS.approvalsOfProfileMax,
    floor: 4,
  }),
  poolTrades: sharedTable({
    capacity: POOL_LIMITS.tradesInFlightMax,
    most: POOL_LIMITS.tradesOfProfileMax,
    floor: 1,
  }),
  packs: sharedTable({
    capacity: PACK_LIMITS.packsMax,
    most: PACK_LIMITS.packsOfProfileMax,
    floor: 2,
  }),
  offers: sharedTable({
    capacity: PACK_LIMITS.offersMax,
    most: PACK_LIMITS.offersOfMakerMax,
    floor: 1,
  }),
  follows: sharedTable({
    capacity: SOCIAL_LIMITS.followsMax,
    most: SOCIAL_LIMITS.followsPerProfileMax,
    floor: 16,
  }),
  bookmarks: sharedTable({
    capacity: SOCIAL_LIMITS.bookmarksMax,
    most: SOCIAL_LIMITS.bookmarksPerProfileMax,
    floor: 4,
  }),
} as const
