// Countries whose people may not trade here: 403. Which country a call comes from, only the proxy
// in front of the exchange can say, in a header.

import type { Lane } from './rate-limit.ts'

export interface Regions {
  /** Lower case. */
  readonly header: string
  /** ISO 3166 codes, upper case. */
  readonly blocked: ReadonlySet<string>
  /** Whether a call without a country is refused too. */
  readonly refusesUnknown: boolean
}

const COUNTRY = /^[A-Z]{2}$/
/** What proxies say when they do not know. */
const UNKNOWN = 'XX'

/** Reads stay open, and so do logins: who may no longer trade can still see what is theirs. */
export function isTrading(route: { readonly lane: Lane; readonly method: string }): boolean {
  return route.lane === 'trade' && route.method !== 'GET'
}

/**
 * Whether a call with these headers comes from where trading is refused. A header that came twice
 * names several countries: one that is blocked is enough.
 */
export function isBarred(regions: Regions, headers: ReadonlyMap<string, string>): boolean {
  const given = headers.get(regions.header) ?? ''
  const countries = given.split(',').map((each) => each.trim().toUpperCase())
  if (countries.some((each) => regions.blocked.has(each))) return true
  const isKnown = countries.every((each) => COUNTRY.test(each) && each !== UNKNOWN)
  return !isKnown && regions.refusesUnknown
}
