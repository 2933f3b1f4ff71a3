import type { RegistrationRules } from '../auth/registrations.ts'
import {
  ADDRESS_RATES,
  eachRateClass,
  PROFILE_RATES,
  type Rate,
  type Rates,
} from '../edge/http/access/rate-limit.ts'
import type { Regions } from '../edge/http/access/regions.ts'
import { type AnySetting, type Kind, maybe, type Setting, setting, WrongUse } from './flags.ts'
import { count, itemsOf, oneOf } from './kinds.ts'

// Settings of the calls that are refused: too frequent calls, and trades from some countries.

const RATE = /^([1-9][0-9]{0,6}):([1-9][0-9]{0,6})$/
const HEADER = /^[A-Za-z0-9-]{1,64}$/
const COUNTRIES = /^[A-Za-z]{2}(?: *, *[A-Za-z]{2})*$/

const rate: Kind<Rate> = {
  shape: 'RATE:BURST',
  wants: 'calls a second and a burst, like 1000:2000, each from 1 to 9999999',
  read(text) {
    const [, perSecond, burst] = RATE.exec(text) ?? []
    if (perSecond === undefined || burst === undefined) return undefined
    return { perSecond: Number(perSecond), burst: Number(burst) }
  },
  show: ({ perSecond, burst }) => `${perSecond}:${burst}`,
}

const headerName: Kind<string> = {
  shape: 'NAME',
  wants: 'the name of a header, like cf-ipcountry',
  read: (text) => (HEADER.test(text) ? text.toLowerCase() : undefined),
}

const countries: Kind<readonly string[]> = {
  shape: 'CC,CC',
  wants: 'countries of two letters, like CU,IR',
  read(text) {
    if (!COUNTRIES.test(text)) return undefined
    return itemsOf(text).map((each) => each.toUpperCase())
  },
}

const ADDRESS_RATE = eachRateClass((rateClass) =>
  setting(
    `address-rate-${rateClass}`,
    rate,
    ADDRESS_RATES[rateClass],
    `Calls of one address, rate class ${rateClass}.`,
  ),
)
/** Callers of the public class are unknown, so it has no rate for profiles. */
const { public: _none, ...PROFILE_RATE } = eachRateClass((rateClass) =>
  setting(
    `rate-${rateClass}`,
    rate,
    PROFILE_RATES[rateClass],
    `Calls of one profile, rate class ${rateClass}.`,
  ),
)

const ADDRESS_HEADER = maybe(
  'address-header',
  headerName,
  'The header in which a proxy names the address of a caller.',
)

const GEO = {
  header: maybe('geo-header', headerName, 'The header in which a proxy names the country.'),
  block: maybe('geo-block', countries, 'Countries from which trading is refused.'),
  unknown: setting(
    'geo-unknown',
    oneOf('allow', 'refuse'),
    'allow',
    'Whether to allow or refuse trading when that header names no country.',
  ),
} as const

const REGISTRATION = {
  isOpen: setting<'open' | 'closed'>(
    'registration',
    oneOf('open', 'closed'),
    'open',
    'Who makes profiles: anybody by a first login (open), or only the operator (closed).',
  ),
  perAddressMax: setting(
    'registrations-per-day',
    count(1, 1_000_000),
    200,
    'New profiles by first logins from one address and day (UTC).',
  ),
  inAllMax: setting(
    'registrations-per-day-all',
    count(1, 10_000_000),
    20_000,
    'New profiles by first logins from all addresses and day (UTC).',
  ),
} as const

export const LIMIT_ROWS: readonly AnySetting[] = [
  ...Object.values(PROFILE_RATE),
  ...Object.values(ADDRESS_RATE),
  ADDRESS_HEADER,
  ...Object.values(GEO),
  ...Object.values(REGISTRATION),
]

type Get = <T>(row: Setting<T>) => T

export function ratesOf(get: Get): { readonly address: Rates; readonly profile: Rates } {
  return {
    address: eachRateClass((rateClass) => get(ADDRESS_RATE[rateClass])),
    profile: eachRateClass((rateClass) =>
      rateClass === 'public' ? PROFILE_RATES.public : get(PROFILE_RATE[rateClass]),
    ),
  }
}

export function registrationOf(get: Get, isLimited: boolean): RegistrationRules {
  const isOpen = get(REGISTRATION.isOpen) === 'open'
  const perAddressMax = isLimited ? get(REGISTRATION.perAddressMax) : Number.POSITIVE_INFINITY
  const inAllMax = isLimited ? get(REGISTRATION.inAllMax) : Number.POSITIVE_INFINITY
  return { isOpen, perAddressMax, inAllMax }
}

/** Undefined when no proxy is trusted to name the address of a caller. */
export function addressHeaderOf(get: Get): string | undefined {
  return get(ADDRESS_HEADER)
}

/** Undefined when no country is refused. */
export function regionsOf(get: Get): Regions | undefined {
  const header = get(GEO.header)
  const blocked = get(GEO.block)
  const refusesUnknown = get(GEO.unknown) === 'refuse'
  if (header === undefined) {
    if (blocked !== undefined) throw new WrongUse('--geo-block needs --geo-header')
    if (refusesUnknown) throw new WrongUse('--geo-unknown refuse needs --geo-header')
    return undefined
  }
  if (blocked === undefined && !refusesUnknown) {
    throw new WrongUse('--geo-header needs --geo-block')
  }
  return { header, blocked: new Set(blocked), refusesUnknown }
}
