// What of trading is restricted on the whole exchange, and what its operator says of that.

import { Signal } from '../page/signal.ts'
import { read } from './api.ts'

export type Mode = 'post_only' | 'cancel_only' | 'disabled'

export interface Restriction {
  readonly mode: Mode
  /** What the operator says; empty for nothing. */
  readonly message: string
  /** Null until an operator ends it. */
  readonly endsAt: string | null
}

interface Window {
  readonly publicMessage: string
  readonly endsAt: string | null
  readonly effects: readonly { readonly mode: Mode }[]
}

export interface MaintenanceStatus {
  readonly active: readonly Window[]
}

/** From mild to strict: of windows that overlap the strictest counts (rules §12.7). */
const MODES: readonly Mode[] = ['post_only', 'cancel_only', 'disabled']

/** Null while trading is normal. */
export function restrictionOf({ active }: MaintenanceStatus): Restriction | null {
  const all = active.flatMap(({ publicMessage: message, endsAt, effects }) =>
    effects.map(({ mode }) => ({ mode, message, endsAt })),
  )
  const strictness = ({ mode }: Restriction): number => MODES.indexOf(mode)
  return all.reduce<Restriction | null>(
    (most, each) => (most === null || strictness(each) > strictness(most) ? each : most),
    null,
  )
}

const REFUSALS: ReadonlySet<string> = new Set([
  'post_only_mode',
  'cancel_only_mode',
  'trading_disabled',
])

/** Whether a refusal says that trading is restricted. */
export function isModeRefusal(code: string): boolean {
  return REFUSALS.has(code)
}

export class TradingMode {
  readonly restriction = new Signal<Restriction | null>(null)

  /** Reads it again. A read that fails changes nothing: it is asked for again soon. */
  async ask(): Promise<void> {
    try {
      this.restriction.set(restrictionOf(await read<MaintenanceStatus>('/maintenance/status')))
    } catch {
      // The page works without it, and orders say why they are refused.
    }
  }
}
