// Sets and clears the heartbeat deadline of a client (rules §4.9).

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/control-body.ts'

export interface Beat {
  /** Null when no deadline is armed. */
  readonly cancelAtMs: TimeMs | null
  /** Server time at which the heartbeat was decided. */
  readonly nowMs: TimeMs
}

export class HeartbeatChanges {
  readonly #pipeline: Pipeline

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
  }

  /**
   * Arms the profile's deadline, replacing an older one; null disarms it. Returns VALIDATION when
   * the deadline is less than five seconds ahead, and HEARTBEAT_CANCELING while the cancels of an
   * older deadline are in progress.
   */
  async beat(profileId: ProfileId, cancelAtMs: TimeMs | null): Promise<Beat | Reject> {
    const { clearing, sequencer } = this.#pipeline
    let decidedMs: TimeMs = 0
    const refused = await this.#pipeline.change((nowMs) => {
      decidedMs = nowMs
      if (cancelAtMs !== null && cancelAtMs < nowMs + LIMITS.heartbeatAheadMsMin) {
        return REJECT.VALIDATION
      }
      if (sequencer.heartbeats.isCanceling(profileId, nowMs)) return REJECT.HEARTBEAT_CANCELING
      return changeOf(clearing, profileId, cancelAtMs)
    })
    return refused ?? { cancelAtMs, nowMs: decidedMs }
  }
}

/** The command for a heartbeat; null when there is nothing to disarm. */
function changeOf(
  { heartbeats }: Clearing,
  profileId: ProfileId,
  cancelAtMs: TimeMs | null,
): ControlBody | null {
  if (cancelAtMs !== null) return { kind: 'armHeartbeat', profileId, cancelAtMs }
  return heartbeats.isArmed(profileId) ? { kind: 'disarmHeartbeat', profileId } : null
}
