// The exchange of the public reads: its size, its ids, the filters of its markets, and its
// commands: profiles, markets and their resolutions, pages with filters, resting orders.

import type { NewMarket } from '../../../engine/domain/command.ts'
import type { MarketSpec } from '../../../engine/domain/markets/market.ts'
import { OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import type { Seal } from '../../../persistence/seal.ts'
import { marketSpec } from '../../../test/support/specs.ts'
import { History, SHARE } from '../history.ts'

export interface PublicSize {
  /** Four of five have a book; the fifth is a group of two of them. */
  readonly active: number
  readonly resolved: number
  readonly trades: number
}

/** Active markets come in blocks: two of their own, a group, and its two children. */
export const BLOCK = { markets: 5, books: 4, groupAt: 2 } as const

/** Slugs: `market-1` to `market-{resolved}` are resolved, the next `active` are open. */
export function slugOf(marketId: number): string {
  return marketSpec(marketId).slug
}

export function booksOf({ active }: PublicSize): number {
  return (active / BLOCK.markets) * BLOCK.books
}

/** The market of a book, counted from 1. */
export function marketOfBook({ resolved }: PublicSize, book: number): number {
  const block = Math.floor((book - 1) / BLOCK.books)
  const at = (book - 1) % BLOCK.books
  return resolved + 1 + block * BLOCK.markets + (at < BLOCK.groupAt ? at : at + 1)
}

/** A group, counted from 0. */
export function groupOf({ resolved }: PublicSize, index: number): number {
  return resolved + 1 + index * BLOCK.markets + BLOCK.groupAt
}

/** Filters of markets, with as many values in a small exchange as in a large one. */
export const TOPICS = 20
export const TAGS = 50
export const PROPERTIES = 12
export const OPTIONS = 20
export const PAGES = { all: uuidOf(1), topic: uuidOf(2) } as const
export const ASSETS =
  `Bitcoin, Ethereum, Solana, Gold, Silver, Oil, the euro, the yen, Apple, Tesla,
Nvidia, the Fed rate, inflation, unemployment, wheat, copper, natural gas, Dogecoin, Amazon,
Microsoft`.split(/,\s+/)

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function optionOf(number: number): string {
  return `choice-${number % OPTIONS}`
}

export const TRADERS = 64
const DEPOSIT_RAW = 100_000_000_000_000
/** Steps of 2 ticks on each side of the middle. */
const LEVELS = 10

function specOf(marketId: number, changes: Partial<MarketSpec> = {}): MarketSpec {
  const asset = ASSETS[marketId % ASSETS.length]
  const properties = Array.from({ length: PROPERTIES }, (_, at) => {
    return [`property-${at}`, [optionOf(marketId * (at + 7) + (marketId >> 3))]] as const
  })
  return marketSpec(marketId, {
    title: `Will ${asset} be above ${100 + (marketId % 900)} at the end of the month?`,
    categories: [`Topic ${marketId % TOPICS}`],
    tags: [`tag ${marketId % TAGS}`],
    properties: Object.fromEntries(properties),
    ...changes,
  })
}

/** A group stands for markets that answer one question, so it has no tokens. */
function groupSpec(marketId: number): MarketSpec {
  return specOf(marketId, { kind: 'group', conditionId: '', yesTokenId: '', noTokenId: '' })
}

function addPages({ driver }: History): void {
  for (let at = 0; at < PROPERTIES; at++) {
    const options = Array.from({ length: OPTIONS }, (_, index) => ({
      optionId: uuidOf(1000 + at * OPTIONS + index),
      value: optionOf(index),
      label: `Choice ${index}`,
      sortOrder: index,
      parentOptionId: null,
      metadataJson: '{}',
    }))
    const names = { name: `Property ${at}`, slug: `property-${at}`, type: 'select' as const }
    const key = { keyId: uuidOf(100 + at), ...names, isSystem: false, metadataJson: '{}' }
    driver.control({ kind: 'putPropertyKey', key, options, removedOptionIds: [] })
  }
  const filterGroups = Array.from({ length: PROPERTIES }, (_, at) => ({ slug: `property-${at}` }))
  const bases = { all: {}, topic: { category: ['Topic 1'] } }
  for (const slug of ['all', 'topic'] as const) {
    const contentJson = JSON.stringify({ baseFilter: bases[slug], filterGroups, metadata: {} })
    const place = { pageId: PAGES[slug], name: slug, slug, parentId: null, sortOrder: 0 }
    const page = { ...place, description: null, icon: '', isInNavigation: true, contentJson }
    driver.control({ kind: 'putMarketPage', page })
  }
}

/** Adds two markets, a group and its two children; all but the group get a book of orders. */
function addBlock(history: History, firstId: number, firstBook: number): void {
  const { driver } = history
  const groupId = firstId + BLOCK.groupAt
  for (const at of [0, 1]) {
    const marketId = firstId + at
    const market = specOf(marketId)
    driver.control({ kind: 'createMarket', marketId, book: firstBook + at, market })
  }
  const children = [0, 1].map((at): NewMarket => {
    const marketId = groupId + 1 + at
    const market = specOf(marketId, { groupId, orderInGroup: at })
    return { marketId, book: firstBook + BLOCK.groupAt + at, market }
  })
  const group = { marketId: groupId, book: 0, market: groupSpec(groupId) }
  driver.control({ kind: 'createGroup', markets: [group, ...children] })
  for (let marketId = firstId; marketId < firstId + BLOCK.markets; marketId++) {
    if (marketId === groupId) continue
    for (let level = 1; level <= LEVELS; level++) {
      const account = 1 + ((marketId + level) % TRADERS)
      const priceTicks = 500 - 2 * level
      const bid = { account, marketId, side: SIDE.BUY, type: 'GTC' as const, priceTicks }
      for (const outcome of [OUTCOME.YES, OUTCOME.NO]) {
        history.place({ ...bid, outcome, sizeRaw: SHARE })
      }
    }
  }
}

/** The records of the journal, from the first command on. */
export function* historyOf(
  { active, resolved }: PublicSize,
  seal: Seal,
  nowMs: number,
): Iterable<Uint8Array> {
  const history = new History(seal, nowMs)
  const { driver } = history
  for (let profileId = 1; profileId <= TRADERS; profileId++) {
    history.addProfile(profileId, DEPOSIT_RAW)
  }
  addPages(history)
  for (let marketId = 1; marketId <= resolved; marketId++) {
    const market = marketSpec(marketId)
    driver.control({ kind: 'createMarket', marketId, book: 1, market })
    const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
    driver.control({ kind: 'resolveMarkets', resolutions })
    driver.control({ kind: 'archiveMarket', marketId })
    yield* history.taken()
  }
  for (let at = 0; at < active / BLOCK.markets; at++) {
    addBlock(history, resolved + 1 + at * BLOCK.markets, 1 + at * BLOCK.books)
    yield* history.taken()
  }
}
