// Shows everybody that trading is restricted, with the message of the operator if there is one.

import { read } from '../exchange/api.ts'
import {
  ACCEPTED,
  type MaintenanceStatus,
  type Restriction,
  restrictionOf,
} from '../exchange/trading-mode.ts'
import { dayTime, visible } from './format.ts'
import { signal } from './preact.ts'

export class TradingMode {
  readonly restriction = signal<Restriction | null>(null)

  /** Reads it again. A read that fails changes nothing: the next one comes soon. */
  async refresh(): Promise<void> {
    try {
      this.restriction.value = restrictionOf(await read<MaintenanceStatus>('/maintenance/status'))
    } catch {
      // The page works without it, and orders say why they are refused.
    }
  }
}

export function ModeBanner({ mode: { restriction } }: { readonly mode: TradingMode }) {
  return (
    <div class="banner" role="status">
      {restriction.value !== null && <Words restriction={restriction.value} />}
    </div>
  )
}

function Words({ restriction: { mode, message, endsAt } }: { readonly restriction: Restriction }) {
  const until = endsAt === null ? '.' : ` until ${dayTime(endsAt)}.`
  return (
    <>
      <strong>{`${ACCEPTED[mode]}${until}`}</strong>
      {message !== '' && <bdi>{` ${visible(message)}`}</bdi>}
    </>
  )
}
