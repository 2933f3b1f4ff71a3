// The exchange of many profiles in `make bench-reads`: how large it is.

export interface CrowdSize {
  /** The first of them quotes every market, and trades with all others. */
  readonly profiles: number
  /** Trades of each other profile. */
  readonly trades: number
}

export const MAKER = 1
export const MARKETS = 50
/** For one match there are so many profiles. */
const PROFILES_A_MATCH = 100
/** The first matches are about one market each. */
export const MARKETS_OF_MATCHES = 10

export function matchesOf({ profiles }: CrowdSize): number {
  return Math.ceil(profiles / PROFILES_A_MATCH)
}
