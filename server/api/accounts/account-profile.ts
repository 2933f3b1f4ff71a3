// The profile of the address in a path.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { parseAddress } from '../../crypto/address.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { invalid, type Refusal } from '../../messages/refusal.ts'
import type { SharedServices } from '../shared-services.ts'

/** The profile of an address, 0 for an unknown address, or the refusal of the call. */
export function profileOf(address: string, { pipeline }: SharedServices): ProfileId | Refusal {
  if (parseAddress(address) === undefined) {
    return invalid({ field: 'account', message: WRONG_CHECKSUM })
  }
  return pipeline.clearing.accounts.byAddress(address)?.profileId ?? 0
}
