// How long an order may wait in the book. It knows neither the page nor the exchange.

export const UNTILS = ['canceled', 'hour', 'day', 'midnight', 'own'] as const
export type Until = (typeof UNTILS)[number]

export interface Lifetime {
  readonly until: Until
  /** A date and a time as the browser writes them, for an own end alone. */
  readonly at: string
}

const MS_PER_SEC = 1000
const HOUR_SEC = 3600
const DAY_SEC = 24 * HOUR_SEC

/**
 * The last second of the order in Unix seconds, which it lives through (rules §1.3); 0 for no end,
 * and null while an own end is empty or wrong.
 */
export function expirationSecOf({ until, at }: Lifetime, nowMs: number): number | null {
  const nowSec = Math.floor(nowMs / MS_PER_SEC)
  switch (until) {
    case 'canceled':
      return 0
    case 'hour':
      return nowSec + HOUR_SEC
    case 'day':
      return nowSec + DAY_SEC
    case 'midnight':
      return Math.floor(new Date(nowMs).setHours(23, 59, 59, 0) / MS_PER_SEC)
    case 'own': {
      const endSec = Math.floor(Date.parse(at) / MS_PER_SEC)
      return endSec >= nowSec ? endSec : null
    }
  }
}

/** What is wrong with an own end; an empty one is not wrong yet. */
export function lifetimeFault({ until, at }: Lifetime, nowMs: number): string {
  if (until !== 'own' || at === '') return ''
  if (Number.isNaN(Date.parse(at))) return 'Type a date and a time.'
  return expirationSecOf({ until, at }, nowMs) === null ? 'This time has passed.' : ''
}
