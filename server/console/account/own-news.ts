// When something of the visitor may have changed: its orders and trades, and acts of this page.

import type { Context } from '../context.ts'
import { Refused } from '../exchange/api.ts'
import { onActed } from '../page/parts/acted.ts'
import type { Unwatch } from '../page/signal.ts'

export function onOwnNews({ streams }: Context, listener: () => void): Unwatch {
  const ends = [streams.orders(listener), onActed(listener)]
  return () => {
    for (const end of ends) end()
  }
}

const UNKNOWN_SPEAKER = 401

/** The sentence of a failed read. A session that ended elsewhere ends here too. */
export function failureOf(error: unknown, { trader }: Context): string {
  if (error instanceof Refused && error.status === UNKNOWN_SPEAKER) trader.ended()
  return error instanceof Error ? error.message : String(error)
}
