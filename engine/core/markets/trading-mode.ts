// Windows of restricted trading (rules §4.6). Only commands change them; one thread writes. The
// mode in force is a function of the windows and the time alone, so no command says that it begins
// or ends. Invariants: window ids rise; none is over when the newest was put.

import { assert } from '../../domain/assert.ts'
import type { RareCommand } from '../../domain/command.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import {
  type RestrictedMode,
  TRADING_MODES,
  type TradingMode,
  type TradingWindow,
  windowPhase,
} from '../../domain/trading-mode.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface CapturedTradingModes {
  readonly lastWindowId: number
  readonly windows: readonly TradingWindow[]
}

type TradingModeCommand = Extract<RareCommand, { kind: 'putTradingWindow' | 'endTradingWindow' }>

const REFUSAL_OF: Readonly<Record<RestrictedMode, Reject>> = {
  post_only: REJECT.POST_ONLY_MODE,
  cancel_only: REJECT.CANCEL_ONLY_MODE,
  disabled: REJECT.TRADING_DISABLED,
}

/** The mode in force: where windows overlap, the strictest wins; `normal` where there is none. */
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
  /** A field of its own: orders ask for nothing else while there is no window. */
  count = 0
  lastWindowId = 0

  /** By rising id; some may be over. */
  get windows(): readonly TradingWindow[] {
    return this.#windows
  }

  apply(command: TradingModeCommand): void {
    if (command.kind === 'endTradingWindow') this.#end(command.windowId)
    else this.#put(command.window, command.nowMs)
  }

  #put(window: TradingWindow, nowMs: TimeMs): void {
    assert(window.windowId === this.lastWindowId + 1, 'window ids count from 1')
    this.lastWindowId = window.windowId
    // By the command's own time, so that replay prunes alike.
    this.#windows = this.#windows.filter((each) => windowPhase(each, nowMs) !== 'over')
    this.#windows.push(window)
    this.count = this.#windows.length
  }

  #end(windowId: number): void {
    const left = this.#windows.filter((each) => each.windowId !== windowId)
    assert(left.length < this.#windows.length, 'a window that is ended exists')
    this.#windows = left
    this.count = left.length
  }

  modeAt(nowMs: TimeMs): TradingMode {
    return modeAt(this.#windows, nowMs)
  }

  /**
   * When the windows of this mode that have begun end; null when no end is set. Asked right after a
   * refusal it is the end of the window that was in force.
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

  /** Why no order may come in, or null. */
  orderRefusal(postOnly: boolean, nowMs: TimeMs): Reject | null {
    const mode = this.modeAt(nowMs)
    if (mode === 'normal' || (mode === 'post_only' && postOnly)) return null
    return REFUSAL_OF[mode]
  }

  /** Why nobody may cancel, or null: what the exchange itself cancels is not asked. */
  cancelRefusal(nowMs: TimeMs): Reject | null {
    if (this.count === 0) return null
    return this.modeAt(nowMs) === 'disabled' ? REJECT.TRADING_DISABLED : null
  }

  /** Everything that counts as state, for the state hash; nothing before the first window. */
  *facts(): Iterable<unknown> {
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

/** The mode a refusal names; undefined when no mode is its reason. */
export function modeOfRefusal(reject: Reject): RestrictedMode | undefined {
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
