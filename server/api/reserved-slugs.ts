// Names that no market may have as its slug, since they mean something else in a path.

import type { Route } from '../edge/http/route.ts'

/** The path parameters that hold a market's slug. */
const SLUG_NAMES: ReadonlySet<string> = new Set([':slug', ':addressOrSlug'])
/** Words of paths that the API names and this exchange does not serve yet. */
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
