// A view that needs a visitor asks for a login; the menu of the visitor opens itself then.

import type { Unwatch } from './signal.ts'

const REQUESTED = 'loginasked'

/** Opens the menu of the visitor; without one, the page of the account. */
export function askForLogin(): void {
  const isReceived = !dispatchEvent(new Event(REQUESTED, { cancelable: true }))
  if (!isReceived) location.hash = '#/account'
}

/** Calls `open` whenever a view asks for a login. */
export function onLoginRequested(open: () => void): Unwatch {
  const received = (event: Event): void => {
    event.preventDefault()
    open()
  }
  addEventListener(REQUESTED, received)
  return () => removeEventListener(REQUESTED, received)
}
