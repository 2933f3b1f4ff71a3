// Parts of the replies to operators that several views show.

import type { ProfileId } from '../../../engine/domain/ids.ts'

export interface ListedMarket {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly status: string
  readonly deadline: string | null
  readonly volumeRaw: string
}

export interface FoundProfile {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  readonly displayName: string
  readonly rank: { readonly name: string } | null
  readonly feeCapBps: number | null
  readonly effectiveFeeRateBps: number | null
  readonly scopes: readonly string[]
  readonly createdAt: string
  readonly frozenAt: string | null
  readonly frozenReason: string | null
}

interface ListedProfile {
  readonly profileId: ProfileId
  readonly account: string
  readonly username: string | null
  readonly rank: string | null
  readonly feeCapBps: number | null
  readonly isFrozen: boolean
}

export interface ProfilePage {
  readonly profiles: readonly ListedProfile[]
  readonly next: number | null
}
