// Windows of restricted trading (rules §4.6). Only commands change them; one thread writes. The
// mode in force follows from the windows and the time, so no command starts or ends it. Invariants:
// window ids increase; no window was over when the newest one was added.

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import {
  type RestrictedMode,
  TRADING_MODES,
  type TradingMode,
  type TradingWindow,
  windowPhase,
} from '../../domain/markets/trading-window.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface CapturedTradingModes {
  readonly lastWindowId: number
  readonly windows: readonly TradingWindow[]
}

const REFUSAL_OF: Readonly<Record<RestrictedMode, Reject>> = {
  post_only: REJECT.POST_ONLY_MODE,
  cancel_only: REJECT.CANCEL_ONLY_MODE,
  disabled: REJECT.TRADING_DISABLED,
}

/** The mode in force: the strictest of all active windows; `normal` without any. */
export function modeAt(windows: readonly TradingWindow[], nowMs: TimeMs): TradingMode {
  let strictest = 0
  for (const window of windows) {
    if (windowPhase(window, nowMs) !== 'active') continue
    strictest = Math.max(strictest, TRADING_MODES.indexOf(window.mode))
  }
  return TRADING_MODES[strictest]
}

export class TradingModes {
  #windows: TradingWindow[] = []
  /** Number of windows, as a field: while it is 0, an order checks nothing else. */
  count = 0
  lastWindowId = 0

  /** The windows by ascending id; some may be over. */
  get windows(): readonly TradingWindow[] {
    return this.#windows
  }

  apply(command: CommandOf<'modes'>): void {
    if (command.kind === 'endTradingWindow') this.#end(command.windowId)
    else this.#put(command.window, command.nowMs)
  }

  #put(window: TradingWindow, nowMs: TimeMs): void {
    assert(window.windowId === this.lastWindowId + 1, 'window ids count from 1')
    this.lastWindowId = window.windowId
    // Prunes by the command's time, so that a replay prunes the same windows.
    this.#windows = this.#windows.filter((each) => windowPhase(each, nowMs) !== 'over')
    this.#windows.push(window)
    this.count = this.#windows.length
  }

  #end(windowId: number): void {
    const left = this.#windows.filter((each) => each.windowId !== windowId)
    assert(left.length < this.#windows.length, 'only an existing window is ended')
    this.#windows = left
    this.count = left.length
  }

  modeAt(nowMs: TimeMs): TradingMode {
    return modeAt(this.#windows, nowMs)
  }

  /**
   * When the last started window of this mode ends; null if one of them has no end. Right after a
   * refusal this is the end of the window in force.
   */
  resumesAtMs(mode: RestrictedMode, nowMs: TimeMs): TimeMs | null {
    let endsAtMs: TimeMs | null = null
    for (const window of this.#windows) {
      if (window.mode !== mode || window.startsAtMs > nowMs) continue
      if (window.endsAtMs === null) return null
      endsAtMs = Math.max(endsAtMs ?? 0, window.endsAtMs)
    }
    return endsAtMs
  }

  /** Why orders are refused now, or null. */
  orderReject(postOnly: boolean, nowMs: TimeMs): Reject | null {
    const mode = this.modeAt(nowMs)
    if (mode === 'normal' || (mode === 'post_only' && postOnly)) return null
    return REFUSAL_OF[mode]
  }

  /** Why users' cancels are refused now, or null. The exchange's own cancels skip this gate. */
  cancelReject(nowMs: TimeMs): Reject | null {
    if (this.count === 0) return null
    return this.modeAt(nowMs) === 'disabled' ? REJECT.TRADING_DISABLED : null
  }

  /** The full state, for the state hash; empty before the first window. */
  *hashedFields(): Iterable<unknown> {
    if (this.lastWindowId === 0) return
    yield ['trading windows', this.lastWindowId]
    for (const { windowId, startsAtMs, endsAtMs, mode, publicMessage } of this.#windows) {
      yield [windowId, startsAtMs, endsAtMs, mode, publicMessage]
    }
  }

  capture(): CapturedTradingModes {
    return { lastWindowId: this.lastWindowId, windows: [...this.#windows] }
  }

  restore({ lastWindowId, windows }: CapturedTradingModes): void {
    assert(this.lastWindowId === 0, 'only a fresh state is restored')
    this.lastWindowId = lastWindowId
    this.#windows = [...windows]
    this.count = windows.length
  }
}

/** The mode behind a refusal; undefined if the refusal has another reason. */
export function modeOfReject(reject: Reject): RestrictedMode | undefined {
  switch (reject) {
    case REJECT.POST_ONLY_MODE:
      return 'post_only'
    case REJECT.CANCEL_ONLY_MODE:
      return 'cancel_only'
    case REJECT.TRADING_DISABLED:
      return 'disabled'
    default:
      return undefined
  }
}
