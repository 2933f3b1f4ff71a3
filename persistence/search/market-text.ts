import type { Market } from '../../engine/core/markets/catalogue.ts'
import { kindOf, takesOrders } from '../../engine/domain/markets/market.ts'
import type { Part } from './meaning.ts'
import { termsOf } from './terms.ts'

// The searched parts of a market, and their weights.

/** The fields of a market that a search uses. */
export type SearchedMarket = Pick<
  Market,
  | 'marketId'
  | 'slug'
  | 'title'
  | 'description'
  | 'categories'
  | 'tags'
  | 'status'
  | 'groupId'
  | 'kind'
>

/**
 * A description starts with the topic of the market. Later come its resolution rules, which many
 * markets share.
 */
const ABOUT_CHARACTERS_MAX = 2000
const MEANT_CHARACTERS_MAX = 400
const WEIGHT = { title: 1, labels: 0.6, about: 0.15 }

/**
 * Only active markets are searched, not locked or resolved ones. A group is found through its
 * children.
 */
export function isSearched(market: Pick<SearchedMarket, 'status' | 'kind'>): boolean {
  return takesOrders(market.status) && kindOf(market) !== 'group'
}

/** The group of a market, which is itself for a group; null if there is none. */
export function groupIdOf({ groupId, marketId, kind }: SearchedMarket): number | null {
  return kindOf({ kind }) === 'group' ? marketId : (groupId ?? null)
}

/** The terms of a market by column of `search_words`, separated by spaces. */
export interface MarketWords {
  readonly title: string
  readonly slug: string
  readonly labels: string
  readonly about: string
}

export function wordsOf({ title, slug, categories, tags, description }: SearchedMarket) {
  const words: MarketWords = {
    title: termsOf(title).join(' '),
    slug: termsOf(slug).join(' '),
    labels: termsOf([...categories, ...tags].join(' ')).join(' '),
    about: termsOf(description.slice(0, ABOUT_CHARACTERS_MAX)).join(' '),
  }
  return words
}

/** The parts that define the meaning of the market. */
export function partsOf({ title, categories, tags, description }: SearchedMarket): Part[] {
  return [
    { text: title, weight: WEIGHT.title },
    { text: [...categories, ...tags].join(' , '), weight: WEIGHT.labels },
    { text: description.slice(0, MEANT_CHARACTERS_MAX), weight: WEIGHT.about },
  ]
}
