// A part of the account: a named region that reads itself, and again after the visitor's own events
// and acts of this page.

import type { Context } from '../context.ts'
import { Region } from '../page/blocks.tsx'
import { type ComponentChildren, useLayoutEffect } from '../page/preact.ts'
import { Fault, Shown, useReading } from '../page/reading.tsx'

const ACTED = 'acted'
export const PAUSE_MS = 700

/** An act of this page moved the visitor's money or orders: other parts read them again. */
export function notifyActed(): void {
  dispatchEvent(new Event(ACTED))
}

/** Calls when something of the visitor may have changed. */
export function useOwnEvents({ streams }: Context, listener: () => void): void {
  useLayoutEffect(() => {
    const end = streams.orders(listener)
    addEventListener(ACTED, listener)
    return () => {
      end()
      removeEventListener(ACTED, listener)
    }
  }, [])
}

interface PartProps<Reply> {
  readonly context: Context
  readonly label: string
  readonly read: (signal: AbortSignal) => Promise<Reply>
  readonly children: (reply: Reply) => ComponentChildren
}

export function Part<Reply>({ context, label, read, children }: PartProps<Reply>) {
  const reading = useReading(read, PAUSE_MS)
  useOwnEvents(context, () => reading.again())
  return (
    <Region label={label}>
      <Fault text={reading.fault.value} />
      <Shown reading={reading}>{children}</Shown>
    </Region>
  )
}
