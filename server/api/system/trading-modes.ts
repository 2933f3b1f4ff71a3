// How an operator sets the trading mode, and what everybody may see of it (rules §4.6, §12.7).

import { modeAt } from '../../../engine/core/markets/trading-mode.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  type TradingMode,
  type TradingWindow,
  windowPhase,
} from '../../../engine/domain/markets/trading-mode.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/control-body.ts'

/** A window as an operator asks for it. By default it starts now and has no end. */
export interface WindowRequest extends Pick<TradingWindow, 'mode' | 'publicMessage' | 'endsAtMs'> {
  readonly startsAtMs: TimeMs | null
}

export class TradingModeChanges {
  readonly #pipeline: Pipeline
  /** The durable windows, which may be shown (law 1). */
  #shown: readonly TradingWindow[]

  /** Call it at the start, when everything is durable. */
  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
    this.#shown = pipeline.clearing.modes.windows
  }

  /** The mode in force, by the durable windows. */
  get mode(): TradingMode {
    return modeAt(this.#shown, this.#pipeline.sequencer.nowMs())
  }

  /** The durable windows that are not over, by rising id. */
  get windows(): readonly TradingWindow[] {
    const nowMs = this.#pipeline.sequencer.nowMs()
    return this.#shown.filter((window) => windowPhase(window, nowMs) !== 'over')
  }

  /** Adds a window. A start in the past counts as now. The end must be after the start. */
  put(wanted: WindowRequest, by?: string): Promise<TradingWindow | Reject> {
    const { modes } = this.#pipeline.clearing
    return this.#change((nowMs) => {
      const open = modes.windows.filter((each) => windowPhase(each, nowMs) !== 'over')
      if (open.length >= LIMITS.tradingWindowsMax) return REJECT.TRADING_WINDOW_LIMIT
      const startsAtMs = Math.max(nowMs, wanted.startsAtMs ?? nowMs)
      const { endsAtMs, mode, publicMessage } = wanted
      if (endsAtMs !== null && endsAtMs <= startsAtMs) return REJECT.VALIDATION
      const windowId = modes.lastWindowId + 1
      const window = { windowId, startsAtMs, endsAtMs, mode, publicMessage }
      return [window, { kind: 'putTradingWindow', window }]
    }, by)
  }

  /** Ends a window that is in force, or calls off one that has not begun. */
  end(windowId: number, by?: string): Promise<TradingWindow | Reject> {
    const { modes } = this.#pipeline.clearing
    return this.#change((nowMs) => {
      const window = modes.windows.find((each) => each.windowId === windowId)
      if (window === undefined || windowPhase(window, nowMs) === 'over') {
        return REJECT.TRADING_WINDOW_NOT_FOUND
      }
      return [window, { kind: 'endTradingWindow', windowId }]
    }, by)
  }

  /** `decide` gives the command and the window that it is about. */
  async #change(
    decide: (nowMs: TimeMs) => readonly [TradingWindow, ControlBody] | Reject,
    by?: string,
  ): Promise<TradingWindow | Reject> {
    let window: TradingWindow | undefined
    const changing = this.#pipeline.change((nowMs) => {
      const decided = decide(nowMs)
      if (decided instanceof Reject) return decided
      window = decided[0]
      return decided[1]
    }, by)
    // The windows as this command leaves them. They may change again before it is durable.
    const { windows } = this.#pipeline.clearing.modes
    const refused = await changing
    if (refused !== null) return refused
    assert(window !== undefined, 'a change that was taken has a window')
    this.#shown = windows
    return window
  }
}
