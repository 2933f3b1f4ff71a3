import type { TimeMs } from './units.ts'

/** Trading modes (rules §4.6), from the freest to the strictest. */
export const TRADING_MODES = ['normal', 'post_only', 'cancel_only', 'disabled'] as const
export type TradingMode = (typeof TRADING_MODES)[number]
/** What a window can bring about: the normal mode needs none. */
export type RestrictedMode = Exclude<TradingMode, 'normal'>

/** A span of time, start in and end out, in which trading is restricted. */
export interface TradingWindow {
  /** Counts from 1; an id is never given twice. */
  readonly windowId: number
  readonly startsAtMs: TimeMs
  /** Null: until an operator ends it. */
  readonly endsAtMs: TimeMs | null
  readonly mode: RestrictedMode
  readonly publicMessage: string
}

/** Whether it has not started, is in force, or is over. */
export function windowPhase(window: TradingWindow, nowMs: TimeMs): 'scheduled' | 'active' | 'over' {
  if (window.endsAtMs !== null && window.endsAtMs <= nowMs) return 'over'
  return window.startsAtMs <= nowMs ? 'active' : 'scheduled'
}
