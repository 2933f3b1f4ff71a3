// The commands of the exchange that `make bench-reads` reads, as the core applied them: profiles,
// markets and their resolutions, pages with filters, resting orders.

import { Exchange } from '../../engine/core/exchange.ts'
import type { Command, ControlCommand, NewMarket, PlaceOrder } from '../../engine/domain/command.ts'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import { marketSpec, profileFields } from '../../test/support/specs.ts'
import { BLOCK, type ReadsSize } from './reads-size.ts'
import { ASSETS, OPTIONS, optionOf, PAGES, PROPERTIES, TAGS, TOPICS, uuidOf } from './reads-text.ts'

export const TRADERS = 64
const DEPOSIT_RAW = 100_000_000_000_000
const SHARE_RAW = 1_000_000
/** Steps of 2 ticks on each side of the middle. */
const LEVELS = 10

type Body<T> = T extends ControlCommand ? Omit<T, 'seq' | 'nowMs'> : never

class Story {
  readonly exchange = new Exchange()
  readonly #nowMs: number

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  take(command: Command): Uint8Array {
    this.exchange.apply(command)
    return encodeCommand(command)
  }

  control(body: Body<ControlCommand>): Uint8Array {
    return this.take({ ...body, seq: this.exchange.clearing.lastSeq + 1, nowMs: this.#nowMs })
  }

  /** A bid for the outcome: of NO it stands as an ask of the YES book. */
  bid(terms: Pick<PlaceOrder, 'accountId' | 'marketId' | 'outcome' | 'priceTicks'>): Uint8Array {
    const { orders, catalogue, lastSeq } = this.exchange.clearing
    const { book } = catalogue.existing(terms.marketId)
    const slot = orders.freeSlot(book)
    return this.take({
      ...blankPlace(),
      ...terms,
      ...{ book, slot, seq: lastSeq + 1, nowMs: this.#nowMs, side: SIDE.BUY },
      generation: orders.generationOf(slot) + 1,
      sizeRaw: SHARE_RAW,
      reserveRaw: (terms.priceTicks * SHARE_RAW) / 1000,
      hashHigh: lastSeq,
      hashLow: lastSeq,
    })
  }
}

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

function* pages(story: Story): Iterable<Uint8Array> {
  for (let at = 0; at < PROPERTIES; at++) {
    const options = Array.from({ length: OPTIONS }, (_, index) => ({
      optionId: uuidOf(1000 + at * OPTIONS + index),
      value: optionOf(index),
      label: `Choice ${index}`,
      sortOrder: index,
      parentOptionId: null,
      metadataJson: '{}',
    }))
    const words = { name: `Property ${at}`, slug: `property-${at}`, type: 'select' as const }
    const key = { keyId: uuidOf(100 + at), ...words, isSystem: false, metadataJson: '{}' }
    yield story.control({ kind: 'putPropertyKey', key, options, removedOptionIds: [] })
  }
  const filterGroups = Array.from({ length: PROPERTIES }, (_, at) => ({ slug: `property-${at}` }))
  const bases = { all: {}, topic: { category: ['Topic 1'] } }
  for (const slug of ['all', 'topic'] as const) {
    const contentJson = JSON.stringify({ baseFilter: bases[slug], filterGroups, metadata: {} })
    const place = { pageId: PAGES[slug], name: slug, slug, parentId: null, sortOrder: 0 }
    const page = { ...place, description: null, icon: '', isInNavigation: true, contentJson }
    yield story.control({ kind: 'putMarketPage', page })
  }
}

function* block(story: Story, firstId: number, firstBook: number): Iterable<Uint8Array> {
  const groupId = firstId + BLOCK.groupAt
  for (const at of [0, 1]) {
    const marketId = firstId + at
    const market = specOf(marketId)
    yield story.control({ kind: 'createMarket', marketId, book: firstBook + at, market })
  }
  const children = [0, 1].map((at): NewMarket => {
    const marketId = groupId + 1 + at
    const market = specOf(marketId, { groupId, orderInGroup: at })
    return { marketId, book: firstBook + BLOCK.groupAt + at, market }
  })
  const group = { marketId: groupId, book: 0, market: groupSpec(groupId) }
  yield story.control({ kind: 'createGroup', markets: [group, ...children] })
  for (let marketId = firstId; marketId < firstId + BLOCK.markets; marketId++) {
    if (marketId === groupId) continue
    for (let level = 1; level <= LEVELS; level++) {
      const priceTicks = 500 - 2 * level
      const accountId = 1 + ((marketId + level) % TRADERS)
      yield story.bid({ accountId, marketId, outcome: OUTCOME.YES, priceTicks })
      yield story.bid({ accountId, marketId, outcome: OUTCOME.NO, priceTicks })
    }
  }
}

/** The records of the journal, from the first command on. */
export function* runStory({ active, resolved }: ReadsSize, nowMs: number): Iterable<Uint8Array> {
  const story = new Story(nowMs)
  yield story.control({ kind: 'rules', version: 1 })
  for (let profileId = 1; profileId <= TRADERS; profileId++) {
    const profile = profileFields(profileId)
    yield story.control({ kind: 'createProfile', profileId, profile, token: null })
    yield story.control({ kind: 'adjustBalance', profileId, collateralRaw: DEPOSIT_RAW })
  }
  yield* pages(story)
  for (let marketId = 1; marketId <= resolved; marketId++) {
    yield story.control({ kind: 'createMarket', marketId, book: 1, market: marketSpec(marketId) })
    const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
    yield story.control({ kind: 'resolveMarkets', resolutions })
    yield story.control({ kind: 'archiveMarket', marketId })
  }
  for (let at = 0; at < active / BLOCK.markets; at++) {
    yield* block(story, resolved + 1 + at * BLOCK.markets, 1 + at * BLOCK.books)
  }
}
