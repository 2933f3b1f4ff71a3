import type { Registrations } from '../../auth/registrations.ts'
import type { Signing } from '../../auth/session.ts'
import type { BoardServices } from '../boards/services.ts'
import type { ReferralServices } from '../referrals/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { AccountChanges } from './accounts.ts'
import type { OperatorChanges } from './operators.ts'
import type { PartnerAccounts } from './partner-accounts.ts'

/** What the routes of this folder need. */
export interface AccountServices
  extends SharedServices,
    Pick<BoardServices, 'boards'>,
    Pick<ReferralServices, 'referrals'> {
  readonly accounts: AccountChanges
  readonly registrations: Registrations
  readonly partners: PartnerAccounts
  readonly operators: OperatorChanges
  /** Makes the messages that wallets sign, and knows them again. */
  readonly signing: Signing
}
