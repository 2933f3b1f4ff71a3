// What of trading is restricted on the whole exchange, and the message of its operator.

export type Mode = 'post_only' | 'cancel_only' | 'disabled'

export interface Restriction {
  readonly mode: Mode
  /** The message of the operator; empty for none. */
  readonly message: string
  /** Null until an operator ends it. */
  readonly endsAt: string | null
}

/** What is accepted, by mode. */
export const ACCEPTED: Readonly<Record<Mode, string>> = {
  post_only: 'Only post-only orders and cancellations are accepted',
  cancel_only: 'Only cancellations are accepted',
  disabled: 'Neither orders nor cancellations are accepted',
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

/** Whether trading was refused because it is restricted. */
export function isModeRefusal(code: string): boolean {
  return REFUSALS.has(code)
}
