// What operators do to profiles and to each other: commands like any other, each with the name of
// the operator who asked.

import { randomBytes } from 'node:crypto'
import type { FrozenProfile } from '../../../engine/core/accounts/frozen.ts'
import {
  decideFreeze,
  decideOperator,
  decideRemoval,
  decideUnfreeze,
} from '../../../engine/core/decide/operators.ts'
import type { Role } from '../../../engine/domain/operator.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { digestOf } from '../../auth/session.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import { byOperator, type RareBody } from '../../pipeline/spine/rare-body.ts'

const TOKEN_BYTES = 24

export class OperatorChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /**
   * The profile neither trades nor withdraws from then on, and its orders are canceled; one that is
   * frozen stays as it is. 0 once all of it is durable, or why not.
   */
  async freeze(profileId: number, reason: string, by: string): Promise<FrozenProfile | number> {
    const { frozen } = this.#pipeline.clearing
    let found: FrozenProfile | undefined
    const { seq, reject } = this.#pipeline.sequencer.decide(() => {
      if (frozen.isFrozen(profileId)) return 0
      const refused = decideFreeze(this.#pipeline.clearing, profileId)
      return refused || byOperator({ kind: 'freezeProfile', profileId, reason }, by)
    })
    if (reject === 0) found = frozen.of(profileId)
    // An overload rests on nothing; else the cancels, which came behind the freeze, count too.
    if (seq > 0) await this.#pipeline.durable()
    return found ?? reject
  }

  /** 0 once the profile may trade again, or why not. */
  async unfreeze(profileId: number, reason: string, by: string): Promise<number> {
    const { clearing, sequencer } = this.#pipeline
    const { seq, reject } = sequencer.decide(() => {
      const refused = decideUnfreeze(clearing, profileId)
      if (refused !== 0 || !clearing.frozen.isFrozen(profileId)) return refused
      return byOperator({ kind: 'unfreezeProfile', profileId, reason }, by)
    })
    await this.#pipeline.durable(seq)
    return reject
  }

  /** The new operator and its token, which is told once. */
  async add(
    name: string,
    role: Role,
    by: string,
  ): Promise<{ token: string; createdMs: TimeMs } | number> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    let createdMs: TimeMs = 0
    const refused = await this.#change((nowMs) => {
      createdMs = nowMs
      const wrong = decideOperator(this.#pipeline.clearing, name)
      return wrong || { kind: 'addOperator', name, role, tokenDigest: digestOf(token) }
    }, by)
    return refused === 0 ? { token, createdMs } : refused
  }

  /** Its token proves nothing from then on. */
  remove(name: string, by: string): Promise<number> {
    return this.#change(() => {
      return decideRemoval(this.#pipeline.clearing, name) || { kind: 'removeOperator', name }
    }, by)
  }

  async #change(decide: (nowMs: TimeMs) => RareBody | number, by: string): Promise<number> {
    const { seq, reject } = this.#pipeline.sequencer.decide((nowMs) => {
      const decided = decide(nowMs)
      return typeof decided === 'number' ? decided : byOperator(decided, by)
    })
    await this.#pipeline.durable(seq)
    return reject
  }
}
