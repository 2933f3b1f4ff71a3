// What no stream tells is asked for again and again, but only for a page that somebody looks at.

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
