import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import type { MarketId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { query } from '../query.ts'

// Archived markets, as of their archival (design §10).

const ROW = `facts AS metadata,
  EXISTS (SELECT 1 FROM match_markets WHERE market_slug = markets.slug) AS isOfMatch`
const BY_SLUG = `SELECT ${ROW} FROM markets WHERE slug = ? AND is_archived = 1`
const OF_GROUP = `
SELECT ${ROW} FROM markets WHERE group_id = ? AND is_archived = 1 ORDER BY market_id LIMIT ?`
const BY_ID = `SELECT ${ROW} FROM markets WHERE market_id = ? AND is_archived = 1`
const IS_CONDITION = `
SELECT 1 AS isUsed FROM markets
WHERE is_archived = 1 AND json_extract(facts, '$.conditionId') = ?`
const IS_PREFIX_USED = 'SELECT slug FROM markets WHERE slug > ? AND slug < ?'
const IS_USED = 'SELECT 1 AS isUsed FROM markets WHERE slug = ?'
const PREFIX_LOOKS_MAX = 1000

interface Metadata {
  readonly metadata: string
  readonly isOfMatch: number
}

export interface ArchivedMarket extends Market {
  readonly isOfMatch: boolean
}

function marketOf({ metadata, isOfMatch }: Metadata): ArchivedMarket {
  return { ...JSON.parse(metadata), isOfMatch: isOfMatch === 1 }
}

function marketOrNull(row: Metadata | undefined): ArchivedMarket | null {
  return row === undefined ? null : marketOf(row)
}

/** The archived markets of a group, in group order. */
export const archivedOfGroup = query({
  name: 'archivedOfGroup',
  prepare: (db) => db.prepare<[MarketId, number], Metadata>(OF_GROUP),
  run: (ofGroup, groupId: MarketId): ArchivedMarket[] =>
    ofGroup.all(groupId, LIMITS.groupChildrenMax).map(marketOf),
})

/** The archived market of a slug; null if there is none. */
export const archivedMarket = query({
  name: 'archivedMarket',
  prepare: (db) => db.prepare<[string], Metadata>(BY_SLUG),
  run: (bySlug, slug: string) => marketOrNull(bySlug.get(slug)),
})

/** In the order of the slugs; null for a market that is not archived. */
export const archivedBySlugs = query({
  name: 'archivedBySlugs',
  prepare: (db) => db.prepare<[string], Metadata>(BY_SLUG),
  run: (bySlug, slugs: readonly string[]) => slugs.map((slug) => marketOrNull(bySlug.get(slug))),
})

/** In the order of the ids; null for a market that is not archived. */
export const archivedMarkets = query({
  name: 'archivedMarkets',
  prepare: (db) => db.prepare<[number], Metadata>(BY_ID),
  run: (byId, marketIds: readonly MarketId[]) => marketIds.map((id) => marketOrNull(byId.get(id))),
})

/** Whether the slug was ever used by a market. */
export const isSlugUsed = query({
  name: 'isSlugUsed',
  prepare: (db) => db.prepare<[string], { isUsed: number }>(IS_USED),
  run: (isUsed, slug: string) => isUsed.get(slug) !== undefined,
})

/** Whether an archived market has the condition. */
export const isArchivedCondition = query({
  name: 'isArchivedCondition',
  prepare: (db) => db.prepare<[string], { isUsed: number }>(IS_CONDITION),
  run: (isUsed, conditionId: string) => isUsed.get(conditionId) !== undefined,
})

/** Whether a slot ever had a slug of this prefix, followed by a hyphen and digits. */
export const isSlugPrefixUsed = query({
  name: 'isSlugPrefixUsed',
  prepare: (db) => db.prepare<[string, string], { slug: string }>(IS_PREFIX_USED),
  run: (between, prefix: string) => {
    // The character after 9 is a colon, so the range contains all slugs that continue with a digit.
    let left = PREFIX_LOOKS_MAX
    for (const { slug } of between.iterate(`${prefix}-`, `${prefix}-:`)) {
      // Too many similar slugs: another prefix is also easier to read.
      if (left-- === 0 || /^[0-9]+$/.test(slug.slice(prefix.length + 1))) return true
    }
    return false
  },
})
