import { modeAt } from '../../../engine/core/markets/trading-mode.ts'
import type { FilterAge } from '../../../engine/core/orders/seen-filters.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { isOf } from '../../../engine/domain/command-kinds.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  type TradingMode,
  type TradingWindow,
  windowPhase,
} from '../../../engine/domain/markets/trading-window.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { DemoTrader } from '../../demo/demo-client.ts'
import type { Pages } from '../../docs/pages.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import type { Readiness } from '../../ops/readiness.ts'
import type { WebFiles } from '../../web/web-files.ts'
import type { SharedServices } from '../shared-services.ts'

// The operator's changes to the trading mode, and its public view (rules §4.6, §12.7).

/** A window that an operator requests. By default it starts now and has no end. */
interface WindowRequest extends Pick<TradingWindow, 'mode' | 'publicMessage' | 'endsAtMs'> {
  readonly startsAtMs: TimeMs | null
}

export class TradingModeChanges {
  readonly #pipeline: Pipeline
  /** The durable windows, which may be published (invariant 1). */
  #shown: readonly TradingWindow[]

  /** Call it at the start, when everything is durable. */
  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
    this.#shown = pipeline.clearing.modes.windows
    pipeline.listenToReplicated((command) => {
      if (isOf('modes', command)) this.#shown = pipeline.clearing.modes.windows
    })
  }

  /** The mode in force according to the durable windows. */
  get mode(): TradingMode {
    return modeAt(this.#shown, this.#pipeline.sequencer.nowMs())
  }

  /** The durable windows that have not ended, by ascending id. */
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

  /** Ends a window that is in force, or cancels one that has not begun. */
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

  /** `decide` returns the command and its window. */
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
    // The windows after this command. They may change again before it is durable.
    const { windows } = this.#pipeline.clearing.modes
    const refused = await changing
    if (refused !== null) return refused
    assert(window !== undefined, 'an accepted change has a window')
    this.#shown = windows
    return window
  }
}

/** What the routes of this folder need. */
export interface SystemServices extends SharedServices {
  readonly modes: TradingModeChanges
  /** From which order on all are remembered. */
  readonly remembered: { readonly oldest: FilterAge }
  readonly readiness: () => Readiness
  readonly metricsText: () => Promise<string>
  /** The OpenAPI document, encoded once. */
  readonly openApi: () => Uint8Array
  /** The AsyncAPI document of the sockets, for a caller that named this host. */
  readonly asyncApi: (host: string) => Uint8Array
  /** The same as a page. */
  readonly asyncApiPage: () => Uint8Array
  readonly pages: () => Pages
  /** The traders of the demo; null when the exchange is none. */
  readonly demoTraders: () => readonly DemoTrader[] | null
  /** The console's pages and files. */
  readonly web: () => WebFiles | Promise<WebFiles>
}
