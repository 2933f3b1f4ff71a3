// Divides the query thread's and main's sliced work among callers. Profiles cost nothing to create,
// so work is grouped by address first, and by partner for all of its sub-accounts.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Share } from '../../../engine/thread/fair-queue.ts'
import { OWN_GROUP } from '../../../persistence/query/query-queue.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { CallCharges } from '../../messages/call.ts'
import type { WorkFor } from './sliced-work.ts'

interface By {
  readonly profileId: ProfileId
  readonly address?: string
  readonly group?: string
}

interface Caller extends By {
  readonly isGone?: () => boolean
  readonly charges?: CallCharges | undefined
}

/**
 * A partner acts for its sub-accounts from its own servers, and they may call from anywhere. A
 * profile whose address is not tracked is a separate group.
 */
export function shareOf(by: By, partners: PartnerNames): Share {
  const { profileId, address = '', group } = by
  if (group !== undefined) return { group, owner: profileId }
  if (profileId === 0) return { group: OWN_GROUP, owner: profileId }
  const partnerId = partnerOf(profileId, partners)
  if (partnerId !== null) return { group: `partner ${partnerId}`, owner: profileId }
  return { group: address === '' ? `profile ${profileId}` : address, owner: profileId }
}

/** Finds the partner of a profile, and the profiles that a partner created. */
interface PartnerNames {
  byId(profileId: ProfileId): { readonly partnerId: ProfileId } | undefined
  ofPartner(partnerId: ProfileId): readonly ProfileId[]
}

/** The partner whose share a profile uses; a partner uses its own. Null for neither. */
function partnerOf(profileId: ProfileId, partners: PartnerNames): ProfileId | null {
  const known = partners.byId(profileId)
  if (known !== undefined) return known.partnerId
  return partners.ofPartner(profileId).length > 0 ? profileId : null
}

/** The caller that main's sliced work is done for, and the account that is charged. */
export function workFor(caller: Caller, { clearing }: Pipeline): WorkFor {
  const { isGone, charges } = caller
  return {
    share: shareOf(caller, clearing.accounts.partners),
    onTook: (ms) => charges?.mainTook(ms),
    ...(isGone === undefined ? {} : { isGone }),
  }
}
