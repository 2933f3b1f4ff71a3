// What lives as long as a component is on the page.

import { untracked, useLayoutEffect, useMemo } from './preact.ts'

/** Makes a thing once for a component, and stops it when the component leaves the page. */
export function useOwned<Thing extends { stop(): void }>(make: () => Thing): Thing {
  // What the thing reads as it is made must not render the component again.
  const thing = useMemo(() => untracked(make), [])
  useLayoutEffect(() => () => thing.stop(), [])
  return thing
}

/** Calls from time to time while the page is seen, and when somebody comes back to it. */
export function whileVisible(everyMs: number, act: () => void): () => void {
  const actIfSeen = () => {
    if (document.visibilityState === 'visible') act()
  }
  const timer = setInterval(actIfSeen, everyMs)
  document.addEventListener('visibilitychange', actIfSeen)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', actIfSeen)
  }
}
