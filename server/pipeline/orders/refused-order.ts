import { NO_FEE_RATE } from '../../../engine/core/accounts/accounts.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import { modeOfRefusal } from '../../../engine/core/markets/trading-mode.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { isoText } from '../../http/iso-text.ts'
import type { OrderAnswer, TradingBar } from './order-answer.ts'

/** The mode that causes a refusal decided at this moment; undefined when no mode does. */
export function tradingBar(
  { modes }: Clearing,
  reject: Reject,
  nowMs: TimeMs,
): TradingBar | undefined {
  const mode = modeOfRefusal(reject)
  if (mode === undefined) return undefined
  const endsAtMs = modes.resumesAtMs(mode, nowMs)
  return { mode, resumeAt: endsAtMs === null ? null : isoText(endsAtMs) }
}

/** The answer to a refusal. Call it in the same moment, before anything else is decided. */
export function refusedOrder(
  clearing: Clearing,
  reject: Reject,
  { profileId, nowMs }: { readonly profileId: ProfileId; readonly nowMs: TimeMs },
): OrderAnswer {
  const bar = tradingBar(clearing, reject, nowMs)
  if (bar !== undefined) return { reject, bar }
  if (reject !== REJECT.FEE_RATE_MISMATCH) return { reject }
  const expected = clearing.accounts.feeBpsOf(profileId)
  return expected === NO_FEE_RATE ? { reject } : { reject, expectedFeeRateBps: expected }
}
