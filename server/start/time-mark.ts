// Keeps the server's time in the journal of an idle exchange: while no other command arrives, an
// hourly command restates the rules in force, which changes nothing. So the next start knows
// roughly when the exchange stopped. A wall clock that is a day ahead of that is either wrong or
// means a long stop.

import { CLOCK_LIMITS } from '../../engine/domain/clock-limits.ts'
import type { Pipeline } from '../exchange/pipeline.ts'

/** Call it about once a second. */
export function markTime(pipeline: Pick<Pipeline, 'clearing' | 'sequencer' | 'change'>): void {
  const { clearing, sequencer } = pipeline
  if (sequencer.nowMs() - clearing.lastNowMs < CLOCK_LIMITS.markMs) return
  void pipeline.change(() => ({ kind: 'rules', version: clearing.rulesVersion }))
}
