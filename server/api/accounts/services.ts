import { randomBytes } from 'node:crypto'
import type { FrozenProfile } from '../../../engine/core/accounts/frozen.ts'
import {
  decideFreeze,
  decideOperator,
  decideRemoval,
  decideUnfreeze,
} from '../../../engine/core/decide/operators.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Role } from '../../../engine/domain/operator.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Registrations } from '../../auth/registrations.ts'
import { digestOf, type Signing } from '../../auth/session.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { BoardServices } from '../boards/services.ts'
import type { ReferralServices } from '../referrals/referrals.ts'
import type { SharedServices } from '../shared-services.ts'
import type { AccountChanges, PartnerAccounts } from './accounts.ts'

// Operations on profiles and operators. Each one is an ordinary command that names the operator.

const TOKEN_BYTES = 24

export class OperatorChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /**
   * Freezes a profile: it can neither trade nor withdraw, and its orders are canceled. A frozen
   * profile stays as it is. Resolves when all of this is durable.
   */
  async freeze(profileId: ProfileId, reason: string, by: string): Promise<FrozenProfile | Reject> {
    const { frozen } = this.#pipeline.clearing
    const changing = this.#pipeline.change(() => {
      if (frozen.isFrozen(profileId)) return null
      const refused = decideFreeze(this.#pipeline.clearing, profileId)
      return refused ?? { kind: 'freezeProfile', profileId, reason }
    }, by)
    // Read before the wait: the end of the freeze may become durable together with it.
    const found = frozen.of(profileId)
    const refused = await changing
    if (refused !== null) return refused
    assert(found !== undefined, 'a profile that was frozen has its entry')
    return found
  }

  /** Returns null once the profile may trade again, or the refusal. */
  unfreeze(profileId: ProfileId, reason: string, by: string): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    return this.#pipeline.change(() => {
      const refused = decideUnfreeze(clearing, profileId)
      if (refused !== null || !clearing.frozen.isFrozen(profileId)) return refused
      return { kind: 'unfreezeProfile', profileId, reason }
    }, by)
  }

  /** Adds an operator. Returns its token, which is never shown again, or the refusal. */
  async add(
    name: string,
    role: Role,
    by: string,
  ): Promise<{ token: string; createdMs: TimeMs } | Reject> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    let createdMs: TimeMs = 0
    const refused = await this.#pipeline.change((nowMs) => {
      createdMs = nowMs
      const wrong = decideOperator(this.#pipeline.clearing, name)
      return wrong ?? { kind: 'addOperator', name, role, tokenDigest: digestOf(token) }
    }, by)
    return refused ?? { token, createdMs }
  }

  /** Removes an operator. Its token becomes invalid. */
  remove(name: string, by: string): Promise<Reject | null> {
    return this.#pipeline.change(() => {
      return decideRemoval(this.#pipeline.clearing, name) ?? { kind: 'removeOperator', name }
    }, by)
  }
}

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
