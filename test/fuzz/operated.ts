import assert from 'node:assert/strict'
import type { ExchangeClient } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'

// What the operator made before the fuzz, so that each kind of thing can be read, changed and
// removed from the first request on. The operator of the fuzz changes these things alone.

/** The values of the marks that name things of the operator. */
export interface Operated {
  /** Markets that the operator changes and ends; some of them are locked. */
  readonly spares: string[]
  readonly locked: string[]
  /** Those that may be flagged or locked. */
  readonly unlocked: string[]
  /** All pages, those that the operator made, and paths of pages. */
  readonly pages: string[]
  readonly madepages: string[]
  readonly paths: string[]
  /** Properties of markets. */
  readonly keys: string[]
  /** Groups; each has a market of its slug with `-a`. */
  readonly groups: string[]
  /** Numbers of series. */
  readonly series: string[]
  /** Open markets, each the one market of a match. */
  readonly gamemarkets: readonly string[]
}

/** How many there are of each kind: about as many as one round removes. */
const SEVERAL = [0, 1, 2, 3]
export const OPERATORS = SEVERAL.map((number) => `operator-${number}`)
/** Matches, by the number of their market and their fixture. */
export const MATCHES = SEVERAL.length

/** The body that puts a match; it may be put again. */
export function matchBody(number: number, marketSlug: string) {
  const sides = { home: { name: 'Reds' }, away: { name: 'Blues' } }
  const about = { title: 'Reds v Blues', sportType: 'football', startsAt: 0 }
  return { ...about, ...sides, fixtureId: number + 1, markets: [{ slug: marketSlug }] }
}

export function groupBody(slug: string) {
  const markets = ['a', 'b'].map((name) => ({ slug: `${slug}-${name}`, title: name }))
  return { slug, title: 'Which of them wins?', markets }
}

export function seriesBody(number: number) {
  const symbol = `S${number}`
  const slugs = { stableSlug: `now-${number}`, slugPrefix: `of-${number}` }
  const words = { title: 'Up or down', assetName: symbol }
  return { symbol, frequency: 'daily', slotsAhead: 1, ...slugs, ...words }
}

/** `open` are slugs of open markets, one for each match. */
export async function operatedOf(
  client: ExchangeClient,
  open: readonly string[],
): Promise<{ readonly pools: Operated; readonly operatorTokens: readonly string[] }> {
  assert.equal(open.length, MATCHES, 'each match has a market of its own')
  const made = (path: string, field: string, bodies: readonly object[]) =>
    Promise.all(bodies.map(async (body) => String(at(await client.admin(path, body), field))))
  const each = (body: (number: number) => object) => SEVERAL.map(body)
  const page = (number: number) => ({ name: `Page ${number}`, slug: `fuzz-page-${number}` })
  const pages = await made('/admin/market-pages', 'id', each(page))
  const keys = await made(
    '/admin/property-keys',
    'id',
    each((number) => ({
      name: `Key ${number}`,
      slug: `fuzz-key-${number}`,
      options: [{ value: 'one' }, { value: 'two' }],
    })),
  )
  const groups = await made(
    '/admin/groups',
    'slug',
    each((number) => groupBody(`fuzz-made-${number}`)),
  )
  const series = await made('/admin/series', 'seriesId', each(seriesBody))
  const spares = ['', '-a', '-b', '-c', '-locked-a', '-locked-b', '-locked-c'].map(
    (name) => `fuzz-spare${name}`,
  )
  for (const slug of spares) await client.makeMarket(slug, false)
  const locked = spares.filter((slug) => slug.includes('locked'))
  const unlocked = spares.filter((slug) => !locked.includes(slug))
  for (const slug of locked) await client.admin(`/admin/markets/${slug}/lock`, {})
  const operators = OPERATORS.map((name) => ({ name, role: 'read' }))
  const operatorTokens = await made('/admin/operators', 'token', operators)
  for (const [number, slug] of open.entries()) {
    await client.admin(`/admin/sports/matches/match-${number}`, matchBody(number, slug), 'PUT')
  }
  const paths = ['/', ...SEVERAL.map((number) => `/fuzz-page-${number}`)]
  const ofPages = { pages: ['__home__', ...pages], madepages: pages, paths }
  const ofMarkets = { spares, locked, unlocked, groups, series, gamemarkets: open }
  return { pools: { ...ofMarkets, ...ofPages, keys }, operatorTokens }
}
