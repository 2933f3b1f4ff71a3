// The public reads, and the values in their paths. Add a line for a new read.

import type { Random } from '../../../test/support/random.ts'
import { readsOf, type Values } from '../read-rows.ts'
import {
  ASSETS,
  BLOCK,
  booksOf,
  groupOf,
  marketOfBook,
  optionOf,
  PAGES,
  PROPERTIES,
  type PublicSize,
  slugOf,
  TOPICS,
  uuidOf,
} from './public-history.ts'

/** Markets on a page: a small exchange has full pages too, and as many groups in all. */
const LIMIT = 10
/** Books of one call: a part of those that a small exchange has, so that both replies are equal. */
const BOOKS_MAX = 30
/** Markets on one page of those that packs can be made of. */
const PACK_MARKETS = 20
const ACTIVE = `/markets/active?limit=${LIMIT}`
const PAGE = `/market-pages/${PAGES.all}/markets?`
const TOPIC_PAGE = `/market-pages/${PAGES.topic}/markets?`

// Two markets pass one filter, or are of one topic, in a small exchange too. A whole list has every
// active market, so it grows with them and has no aim.
export const PUBLIC_READS = readsOf(`
read        open  active markets, any page             ${ACTIVE}&page={page}
read        open  active markets by high_value         ${ACTIVE}&sortBy=high_value
read        open  active markets by liquidity          ${ACTIVE}&sortBy=liquidity
read        open  active markets by ending_soon        ${ACTIVE}&sortBy=ending_soon
read        open  active markets of a category         /markets/active/{topic}?limit=2
read        open  active groups, any page              ${ACTIVE}&tradeType=group&page={groupPage}
read        open  category counts                      /markets/categories/count
read        open  navigation                           /navigation
read        open  page by path                         /market-pages/by-path?path=/topic
read        open  page markets, any page               ${PAGE}limit=${LIMIT}&page={page}
read        open  page markets of a topic              ${TOPIC_PAGE}limit=2
read        open  page markets, one filter             ${PAGE}{oneFilter}&limit=2
read        open  page markets, two filters            ${PAGE}{twoFilters}&limit=2
read        open  page markets, a filter of every key  ${PAGE}{allFilters}&limit=2
read        open  page markets by cursor               ${PAGE}{oneFilter}&limit=2&cursor=
read        open  property keys                        /property-keys
read        open  options of a property                /property-keys/{property}/options
read        open  search                               /markets/search?query={asset}&limit=10
whole list  open  slugs                                /markets/active/slugs
whole list  open  tickers                              /markets/tickers
read        open  exchange info                        /exchange-info
read        open  fees                                 /fees
read        open  time                                 /time
read        open  detail                               /markets/{slug}
read        open  detail of a group                    /markets/{group}
read        open  detail of a resolved market          /markets/{resolved}
read        open  detail of no market                  /markets/none-{number}
read        open  order book                           /markets/{slug}/orderbook
read        open  many order books                     /markets/orderbooks?slugs={slugs}
read        open  events                               /markets/{slug}/events?page=1&limit=100
read        open  events, a page far back              /markets/{slug}/events?page={trade}&limit=1
read        open  feed                                 /markets/{slug}/get-feed-events?limit=25
read        open  prices of 1h                         /markets/{slug}/historical-price?interval=1h
read        open  prices of 1d                         /markets/{slug}/historical-price?interval=1d
read        open  prices of 1m                         /markets/{slug}/historical-price?interval=1m
read        open  prices of all                        /markets/{slug}/historical-price?interval=all
read        open  prices of a group                    /markets/{group}/historical-price
read        open  recommendations                      /markets/{slug}/post-trade-recommendations
read        open  tape                                 /markets/{slug}/trades
read        open  feed of the exchange, all            /feed/trading?audience=all&limit={limit}
read        open  feed of the exchange, featured       /feed/trading?audience=featured&limit={limit}
read        open  markets for packs, any page          /parlay/markets?page={packPage}
`)

export function publicValues(size: PublicSize, random: Random): Values {
  const { active, resolved, trades } = size
  const books = booksOf(size)
  const groups = active / BLOCK.markets
  const slug = () => slugOf(marketOfBook(size, 1 + random.below(books)))
  // Some of the filters that readers choose: as many match in a small exchange as in a large one.
  const filters = (keys: number) => () =>
    Array.from({ length: keys }, (_, at) => `property-${at}=${optionOf(random.below(4))}`).join('&')
  const slugs = () => {
    const picked = new Set<string>()
    while (picked.size < Math.min(BOOKS_MAX, books)) picked.add(slug())
    return [...picked].join(',')
  }
  const oneOf = (count: number) => 1 + random.below(Math.ceil(count))
  return {
    slug,
    slugs,
    // Lists show a group in place of its children.
    page: () => oneOf((groups * (BLOCK.groupAt + 1)) / LIMIT),
    groupPage: () => oneOf(groups / LIMIT),
    packPage: () => oneOf(books / PACK_MARKETS),
    topic: () => oneOf(TOPICS),
    group: () => slugOf(groupOf(size, random.below(groups))),
    resolved: () => slugOf(oneOf(resolved)),
    number: () => random.below(1e9),
    trade: () => oneOf(Math.floor(trades / books)),
    property: () => uuidOf(100 + random.below(PROPERTIES)),
    asset: () => encodeURIComponent(random.pick(ASSETS)),
    oneFilter: filters(1),
    twoFilters: filters(2),
    allFilters: filters(PROPERTIES),
    // Pages of many sizes: one that was requested is cached for a minute.
    limit: () => 20 + random.below(10),
  }
}
