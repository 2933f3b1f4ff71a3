// When something of the visitor may have changed: its orders and trades, and acts of this page.

import type { Context } from '../context.ts'
import { onActed } from '../page/parts/acted.ts'
import type { Unwatch } from '../page/signal.ts'

export function onOwnUpdates({ streams }: Context, listener: () => void): Unwatch {
  const ends = [streams.orders(listener), onActed(listener)]
  return () => {
    for (const end of ends) end()
  }
}

/** The sentence of a failed read. */
export function failureOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
