import { NO_FEE_RATE } from '../../../engine/core/accounts/accounts.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import { modeOfReject } from '../../../engine/core/markets/trading-mode.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { OrderFlaw } from '../../messages/intake-result.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { OrderRefusal, TradingRestriction } from './order-answer.ts'

/** The mode that causes a refusal decided at this moment; undefined when no mode does. */
export function tradingRestriction(
  { modes }: Clearing,
  reject: Reject,
  nowMs: TimeMs,
): TradingRestriction | undefined {
  const mode = modeOfReject(reject)
  if (mode === undefined) return undefined
  const endsAtMs = modes.resumesAtMs(mode, nowMs)
  return { mode, resumeAt: endsAtMs === null ? null : isoText(endsAtMs) }
}

/** Whose order was refused when, and what the intake found wrong with its owner or signature. */
interface RefusedAt {
  readonly profileId: ProfileId
  readonly nowMs: TimeMs
  readonly flaw: OrderFlaw | null
}

/** The answer to a refusal. Call it in the same moment, before anything else is decided. */
export function orderRefusal(
  clearing: Clearing,
  reject: Reject,
  { profileId, nowMs, flaw }: RefusedAt,
): OrderRefusal {
  const restriction = tradingRestriction(clearing, reject, nowMs)
  if (restriction !== undefined) return { reject, restriction }
  if (reject.name === flaw?.code) return { reject, more: flaw }
  if (reject !== REJECT.FEE_RATE_MISMATCH) return { reject }
  const expected = clearing.accounts.feeBpsOf(profileId)
  return expected === NO_FEE_RATE ? { reject } : { reject, expectedFeeRateBps: expected }
}
