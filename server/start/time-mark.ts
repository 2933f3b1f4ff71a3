// The journal says how far the server's time has come, also of an exchange in which nothing
// happens: while no other command comes, one an hour states the rules in force once more, which
// changes nothing. So the next start knows about when the exchange stopped, and a wall clock that
// is a day ahead of that is either wrong or a long stop.

import { CLOCK_LIMITS } from '../../engine/domain/clock-limits.ts'
import type { Pipeline } from '../exchange/pipeline.ts'

/** Call it about once a second. */
export function markTime(pipeline: Pick<Pipeline, 'clearing' | 'sequencer' | 'change'>): void {
  const { clearing, sequencer } = pipeline
  if (sequencer.nowMs() - clearing.lastNowMs < CLOCK_LIMITS.markMs) return
  void pipeline.change(() => ({ kind: 'rules', version: clearing.rulesVersion }))
}
