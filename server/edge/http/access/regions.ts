// Countries where trading is blocked (403). Only the proxy in front of the exchange knows the
// country of a call; it sets a header.

import type { RateClass } from './rate-limit.ts'

export interface Regions {
  /** Lower case. */
  readonly header: string
  /** ISO 3166 codes, upper case. */
  readonly blocked: ReadonlySet<string>
  /** Whether a call without a country is refused too. */
  readonly refusesUnknown: boolean
}

const COUNTRY = /^[A-Z]{2}$/
/** The code that proxies send for an unknown country. */
const UNKNOWN = 'XX'

/** Reads and logins stay open: people who may no longer trade can still see their own data. */
export function isTrading(route: {
  readonly rateClass: RateClass
  readonly method: string
}): boolean {
  return route.rateClass === 'trade' && route.method !== 'GET'
}

/** Whether a call to this route is refused for the country in its headers. */
export function isRestrictedThere(
  regions: Regions | undefined,
  route: Parameters<typeof isTrading>[0],
  headers: ReadonlyMap<string, string>,
): boolean {
  return regions !== undefined && isTrading(route) && isRestricted(regions, headers)
}

/**
 * Whether a call with these headers comes from a blocked country. A repeated header names several
 * countries, and one blocked country is enough.
 */
export function isRestricted(regions: Regions, headers: ReadonlyMap<string, string>): boolean {
  const given = headers.get(regions.header) ?? ''
  const countries = given.split(',').map((each) => each.trim().toUpperCase())
  if (countries.some((each) => regions.blocked.has(each))) return true
  const isKnown = countries.every((each) => COUNTRY.test(each) && each !== UNKNOWN)
  return !isKnown && regions.refusesUnknown
}
