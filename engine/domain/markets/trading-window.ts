import type { TimeMs } from '../units.ts'

/** Trading modes (rules §4.6), least restrictive first. */
export const TRADING_MODES = ['normal', 'post_only', 'cancel_only', 'disabled'] as const
export type TradingMode = (typeof TRADING_MODES)[number]
/** The modes a window can set. Normal mode needs no window. */
export type RestrictedMode = Exclude<TradingMode, 'normal'>

/** A period of restricted trading, from its start up to but excluding its end. */
export interface TradingWindow {
  /** Counts from 1. Ids are never reused. */
  readonly windowId: number
  readonly startsAtMs: TimeMs
  /** null: until an operator ends the window. */
  readonly endsAtMs: TimeMs | null
  readonly mode: RestrictedMode
  readonly publicMessage: string
}

/** Whether the window is in the future, in force or over. */
export function windowPhase(window: TradingWindow, nowMs: TimeMs): 'scheduled' | 'active' | 'over' {
  if (window.endsAtMs !== null && window.endsAtMs <= nowMs) return 'over'
  return window.startsAtMs <= nowMs ? 'active' : 'scheduled'
}
