// Names that cannot be market slugs, because they have another meaning in a path.

import type { Route } from '../edge/http/route.ts'

/** The path parameters that hold a market's slug. */
const SLUG_NAMES: ReadonlySet<string> = new Set([':slug', ':addressOrSlug'])
/** Path segments that the API defines and this exchange does not serve yet. */
const NAMED_BY_API = ['active', 'search', 'timeline', 'stable', 'categories', 'tickers']

/** Every path segment at the place where another route has a slug. */
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
