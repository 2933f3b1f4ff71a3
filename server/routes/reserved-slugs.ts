// Names that no market may have, since a path means something else by them.

import type { Route } from '../http/route.ts'

/** Where a market's slug stands in a path. */
const SLUG_NAMES: ReadonlySet<string> = new Set([':slug', ':addressOrSlug'])
/** Of paths that the API names and this exchange does not serve yet. */
const NAMED_BY_API = ['active', 'search', 'timeline', 'stable', 'categories', 'tickers']

/** Every word that stands in a path where another route takes a slug. */
export function reservedSlugs(routes: readonly Pick<Route<never>, 'path'>[]): ReadonlySet<string> {
  const paths = routes.map(({ path }) => path.split('/'))
  const reserved = new Set(NAMED_BY_API)
  for (const path of paths) {
    for (const [at, part] of path.entries()) {
      if (!SLUG_NAMES.has(part)) continue
      for (const other of paths) {
        const word = other[at] ?? ''
        const isBeside = path.slice(0, at).every((each, index) => each === other[index])
        if (isBeside && word !== '' && !word.startsWith(':')) reserved.add(word)
      }
    }
  }
  return reserved
}
