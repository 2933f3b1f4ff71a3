// What the owners of order groups do in a simulated world: they create, reset and remove them.

import assert from 'node:assert/strict'
import {
  decideCreateGroup,
  decideRemoveGroup,
  decideResetGroup,
} from '../../engine/core/decide/order-groups.ts'
import { REJECT } from '../../engine/domain/reject-precedence.ts'
import type { Decision } from '../../server/exchange/sequencer/sequencer.ts'
import { rejectName } from '../support/reject-name.ts'
import type { Life } from './life.ts'
import type { Setting, Step } from './script.ts'

const WINDOWS_SEC = [0, 0, 1, 5, 60] as const
const ALLOWED: ReadonlySet<string> = new Set([
  ...(['NONE', 'OVERLOADED', 'ORDER_GROUP_LIMIT'] as const),
  ...(['ORDER_GROUP_NOT_FOUND', 'ORDER_GROUP_CANCELING', 'TRADING_DISABLED'] as const),
])

export class GroupOwners {
  readonly #setting: Setting
  readonly #life: Life

  constructor(setting: Setting, life: Life) {
    this.#setting = setting
    this.#life = life
  }

  /** Mostly creates a group; otherwise resets or removes any, its own or another's. */
  orderGroup({ dice: [which, how] }: Step): void {
    const { clearing } = this.#life.pipeline
    const { orderGroups } = this.#life.model
    const profileId = 1 + Math.floor(which * this.#setting.accounts)
    const { ids } = orderGroups
    const groupId = ids[Math.floor(which * 97 * ids.length) % ids.length]
    if (groupId === undefined || how < 0.3) {
      const windowSec = WINDOWS_SEC[Math.floor(which * 89) % WINDOWS_SEC.length]
      const maxFillRaw = windowSec === 0 ? 0 : Math.ceil(how * how * 2e9)
      this.#change(() => {
        const refusal = decideCreateGroup(clearing, profileId)
        return refusal ?? { kind: 'createOrderGroup', profileId, maxFillRaw, windowSec }
      })
      return
    }
    const owner = how > 0.95 ? profileId : orderGroups.ownerOf(groupId)
    this.#change((nowMs) =>
      how < 0.7
        ? (decideResetGroup(clearing, owner, groupId) ?? { kind: 'resetOrderGroup', groupId })
        : (decideRemoveGroup(clearing, owner, groupId, nowMs) ?? {
            kind: 'removeOrderGroup',
            groupId,
          }),
    )
  }

  #change(decide: Decision): void {
    const isLow = this.#life.journal.freeBytes() < 1 << 20
    const answer = this.#life.pipeline.change(decide)
    this.#life.reportsLater(answer)
    this.#life.follow(
      answer.then((refused) => {
        const name = rejectName(refused)
        assert(ALLOWED.has(name), name)
        assert(refused !== REJECT.OVERLOADED || isLow, 'there is space')
      }),
    )
  }
}
