// A view did something that moved the visitor's money or orders: other parts read them again.

import type { Unwatch } from '../signal.ts'

const ACTED = 'acted'

export function reportActed(): void {
  dispatchEvent(new Event(ACTED))
}

export function onActed(listener: () => void): Unwatch {
  addEventListener(ACTED, listener)
  return () => removeEventListener(ACTED, listener)
}
