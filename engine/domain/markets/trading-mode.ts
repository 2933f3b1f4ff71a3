import type { TimeMs } from '../units.ts'

/** Trading modes (rules §4.6), from the freest to the strictest. */
export const TRADING_MODES = ['normal', 'post_only', 'cancel_only', 'disabled'] as const
export type TradingMode = (typeof TRADING_MODES)[number]
/** The modes that a window can set. The normal mode needs no window. */
export type RestrictedMode = Exclude<TradingMode, 'normal'>

/** A span of time with restricted trading, start included and end excluded. */
export interface TradingWindow {
  /** Counts from 1; an id is never given twice. */
  readonly windowId: number
  readonly startsAtMs: TimeMs
  /** Null: the window lasts until an operator ends it. */
  readonly endsAtMs: TimeMs | null
  readonly mode: RestrictedMode
  readonly publicMessage: string
}

/** Whether the window has not started, is in force, or is over. */
export function windowPhase(window: TradingWindow, nowMs: TimeMs): 'scheduled' | 'active' | 'over' {
  if (window.endsAtMs !== null && window.endsAtMs <= nowMs) return 'over'
  return window.startsAtMs <= nowMs ? 'active' : 'scheduled'
}
