import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { type MarketStatus, takesOrders } from '../../../../engine/domain/markets/market.ts'
import { addTo, totalOf } from '../../../../engine/domain/units.ts'
import { Facets, type Filter } from '../../../../server/exchange/read-model/lists/facets.ts'
import { FilterCounts } from '../../../../server/exchange/read-model/lists/filter-counts.ts'
import {
  FIELD_SORT_NAMES,
  MarketLists,
  SORT_NAMES,
} from '../../../../server/exchange/read-model/lists/market-lists.ts'
import { restingRaw } from '../../../../server/exchange/read-model/market-kinds.ts'
import {
  type PublishedMarket,
  PublishedMarkets,
} from '../../../../server/exchange/read-model/published.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketOf } from '../../../support/specs.ts'

// Lists that are kept in order by what changed, against lists that are sorted again for each read.

const SEED = freshSeed()
const START_MS = 1_800_000_000_000
const USDC = { address: `0x${'0'.repeat(40)}`, decimals: 6, symbol: 'USDC' }
const SORTS = [...SORT_NAMES, ...FIELD_SORT_NAMES]
const ALL = 1_000_000
const WORDS = ['a', 'b', 'c', 'd']
const ABOVE: Readonly<Record<string, readonly string[]>> = { a: ['b', 'c'], b: ['c'] }

/** One exchange as readers see it, and the slow way to read it. */
class World {
  readonly random: Random
  readonly published = new PublishedMarkets()
  readonly words = { version: 0, isFlat: false }
  readonly lists: MarketLists
  readonly queries: { readonly base: Filter; readonly filter: Filter }[] = []
  #nowMs = START_MS

  constructor(seed: number) {
    this.random = new Random(seed)
    const facets = new Facets(this.published.active, {
      categoryIdOf: (name) => WORDS.indexOf(name) + 1,
      version: () => this.words.version,
      above: (_key, value) => this.above(value),
    })
    this.lists = new MarketLists(this.published, USDC, () => START_MS, facets)
  }

  above(value: string): readonly string[] {
    return this.words.isFlat ? [] : (ABOVE[value] ?? [])
  }

  some(): string[] {
    return WORDS.filter(() => this.random.chance(0.4))
  }

  add(): void {
    this.#nowMs += this.random.below(2)
    const { random } = this
    const market = marketOf(this.published.lastId + 1, {
      createdMs: this.#nowMs,
      updatedMs: this.#nowMs,
      deadlineMs: random.chance(0.3) ? null : START_MS + random.below(5),
      categories: this.some(),
      tags: this.some(),
      ...(random.chance(0.5) ? { properties: { ticker: this.some(), length: this.some() } } : {}),
    })
    this.published.add(market)
  }

  any(): PublishedMarket | undefined {
    const all = this.published.all()
    return all.length === 0 ? undefined : this.random.pick(all)
  }

  /** A trade, an order, a new status, or the end of a market. */
  change(): void {
    const each = this.any()
    if (each === undefined) return
    const { random } = this
    const dice = random.next()
    if (dice < 0.6) {
      if (random.chance(0.5)) addTo(each.volume, random.below(3) * 2 ** random.below(52))
      const ticks = random.between(1, 900)
      each.depth.rested(ticks, 1000 * random.between(1, 5), true)
      each.restingRaw = null
      this.published.active.changed(each)
    } else if (dice < 0.9) {
      const status = random.pick<MarketStatus>(['FUNDED', 'LOCKED', 'FUNDED_FLAGGED', 'RESOLVED'])
      this.#nowMs++
      this.published.refresh({ ...each.market, status, updatedMs: this.#nowMs })
    } else if (each.status === 'RESOLVED') {
      this.published.remove(each.market)
    }
  }

  valuesOf({ market }: PublishedMarket, key: string): readonly string[] {
    if (key === 'tradeType') return ['clob']
    if (key === 'category') return market.categories
    if (key === 'categoryId') return market.categories.map((name) => `${WORDS.indexOf(name) + 1}`)
    if (key === 'tag') return market.tags
    return (market.properties?.[key] ?? []).flatMap((value) => [value, ...this.above(value)])
  }

  passes(each: PublishedMarket, filter: Filter): boolean {
    return [...filter].every(([key, values]) => {
      const own = this.valuesOf(each, key)
      return values.some((value) => own.includes(value))
    })
  }

  active(filter: Filter): PublishedMarket[] {
    const all = this.published.all().filter(({ status }) => takesOrders(status))
    return all.filter((each) => this.passes(each, filter))
  }
}

/** The worth by which a market stands in a list, highest first. */
function worthOf(sort: (typeof SORTS)[number], each: PublishedMarket): bigint {
  const { market, volume, updatedMs } = each
  const field = {
    createdAt: market.createdMs,
    updatedAt: updatedMs,
    deadline: market.deadlineMs ?? Number.MAX_SAFE_INTEGER,
    id: market.marketId,
  }
  switch (sort) {
    case 'lp_rewards':
    // No market of this world has figures of its day.
    case 'trending':
      return 0n
    case 'newest':
      return BigInt(field.id)
    case 'high_value':
      return totalOf(volume)
    case 'liquidity':
      return BigInt(restingRaw(each))
    case 'ending_soon':
      return BigInt(-field.deadline)
    case 'createdAt':
    case 'updatedAt':
    case 'deadline':
    case 'id':
      return BigInt(-field[sort])
    case '-createdAt':
      return BigInt(field.createdAt)
    case '-updatedAt':
      return BigInt(field.updatedAt)
    case '-deadline':
      return BigInt(field.deadline)
    case '-id':
      return BigInt(field.id)
    default:
      return sort satisfies never
  }
}

function slowly(world: World, sort: (typeof SORTS)[number], filter: Filter): number[] {
  const all = world.active(filter).map((each) => ({ each, worth: worthOf(sort, each) }))
  all.sort((one, other) => {
    if (one.worth !== other.worth) return one.worth > other.worth ? -1 : 1
    return other.each.market.marketId - one.each.market.marketId
  })
  return all.map(({ each }) => each.market.marketId)
}

const idsOf = (markets: Iterable<PublishedMarket>) =>
  Array.from(markets, ({ market }) => market.marketId)

function someFilter(world: World): Filter {
  const { random } = world
  const keys = ['category', 'categoryId', 'tag', 'tradeType', 'ticker', 'length', 'nothing']
  const chosen = keys.filter(() => random.chance(0.25))
  return new Map(
    chosen.map((key) => {
      const values =
        key === 'categoryId' ? ['1', '3'] : key === 'tradeType' ? ['clob'] : world.some()
      return [key, values]
    }),
  )
}

function checkRead(world: World): void {
  const { random, lists } = world
  const sort = random.pick(SORTS)
  const filter = someFilter(world)
  const { facets } = lists
  facets.catchUp()
  const list = lists.ordered(sort)
  const stated = `seed ${SEED}: ${sort} ${JSON.stringify([...filter])}`
  const expected = slowly(world, sort, filter)
  const bits = facets.passing(filter)
  assert.equal(bits.count, expected.length, stated)
  assert.equal(facets.countOf(filter), expected.length, stated)
  assert.deepEqual(idsOf(list.page(0, ALL, bits)), expected, stated)
  const skip = random.below(expected.length + 2)
  assert.deepEqual(idsOf(list.page(skip, 5, bits)), expected.slice(skip, skip + 5), stated)
  const whole = slowly(world, sort, new Map())
  assert.deepEqual(idsOf(list.all()), whole, stated)
  assert.deepEqual(idsOf(list.page(skip, 7, null)), whole.slice(skip, skip + 7), stated)
  // From any market, in the list or not, the rest of a filtered list follows.
  const from = list.page(random.below(whole.length + 1), 1, null).at(0)
  if (from !== undefined) {
    const at = whole.indexOf(from.market.marketId)
    const rest = whole.slice(at + 1).filter((id) => expected.includes(id))
    assert.deepEqual(idsOf(list.after(list.placeOf(from), ALL, bits)), rest, stated)
    assert.deepEqual(idsOf(list.after(list.placeOf(from), ALL, null)), whole.slice(at + 1), stated)
  }
  checkCounts(world)
}

const COUNTED = ['ticker', 'tag', 'category', 'length', 'nothing']

/** The counts of a filter, market by market: its own key does not narrow what a key counts. */
function slowCounts(world: World, base: Filter, filter: Filter) {
  const markets = world.active(base)
  const countOf = (key: string, value: string): number => {
    const others = new Map([...filter].filter(([other]) => other !== key))
    const passing = markets.filter((each) => world.passes(each, others))
    return passing.filter((each) => world.valuesOf(each, key).includes(value)).length
  }
  const ofKey = (key: string) => Object.fromEntries(WORDS.map((word) => [word, countOf(key, word)]))
  return Object.fromEntries(COUNTED.map((key) => [key, ofKey(key)]))
}

/** One of few queries, so that most are repeated while markets change. */
function checkCounts(world: World): void {
  const { random, lists } = world
  const counts = lists.filterCounts
  const known = world.queries
  const isNew = known.length < 4 || random.chance(0.05)
  if (isNew) known.push({ base: someFilter(world), filter: someFilter(world) })
  const at = isNew ? known.length - 1 : random.below(known.length)
  const { base, filter } = known[at]
  const values = () => new Map(COUNTED.map((key) => [key, WORDS]))
  const text = counts.text({ name: `${at}`, stamp: '', base, filter, values })
  const expected = slowCounts(world, base, filter)
  const stated = `seed ${SEED}: ${JSON.stringify([[...base], [...filter]])}`
  assert.deepEqual(JSON.parse(text), expected, stated)
  const countOf = lists.facets.countsIn(lists.facets.passing(base), filter)
  for (const key of COUNTED) {
    for (const word of WORDS) assert.equal(countOf(key, word), expected[key][word], stated)
  }
}

test('lists and filters kept by what changed equal lists that are rebuilt', () => {
  for (let life = 0; life < 10; life++) {
    const world = new World(SEED + life)
    const { random } = world
    for (let step = 0; step < 200; step++) {
      const burst = random.chance(0.03) ? 400 : random.below(6)
      for (let each = 0; each < burst; each++) {
        if (random.chance(life % 2 === 0 ? 0.1 : 0.4)) world.add()
        else world.change()
      }
      if (random.chance(0.02)) {
        world.words.isFlat = !world.words.isFlat
        world.words.version++
      }
      checkRead(world)
    }
  }
})

test('a read behind one change of five thousand markets places one market', () => {
  const world = new World(1)
  for (let each = 0; each < 5000; each++) world.add()
  const looked = { count: 0 }
  const list = world.lists.ordered('high_value')
  const each = world.published.byId(2500)
  assert.ok(each !== undefined)
  for (const market of world.published.all()) {
    const { volume } = market
    const look = () => {
      looked.count++
      return volume
    }
    Object.defineProperty(market, 'volume', { get: look })
  }
  addTo(each.volume, 1_000_000)
  looked.count = 0
  world.published.active.changed(each)
  assert.equal(world.lists.ordered('high_value'), list)
  assert.deepEqual(idsOf(list.page(0, 1, null)), [2500])
  assert.ok(looked.count <= 8, `${looked.count} looks at a market`)
})

test('repeated counts count the markets that changed, and no others', () => {
  const world = new World(2)
  const { facets, filterCounts: counts } = world.lists
  for (let each = 0; each < 2000; each++) world.add()
  const query = (word: string) => ({
    name: word,
    stamp: '',
    base: new Map(),
    filter: new Map([['tag', [word]]]),
    values: () => new Map([['tag', WORDS]]),
  })
  const request = (word: string) => {
    facets.catchUp()
    return counts.text(query(word))
  }
  const before = request('a')
  for (let each = 0; each < 20; each++) {
    const { market } = world.published.byId(1 + each) ?? {}
    assert.ok(market !== undefined)
    world.published.refresh({ ...market, tags: ['a', 'd'] })
    request('a')
  }
  assert.notEqual(request('a'), before)
  assert.equal(counts.countedCount, 1)
  assert.equal(request('a'), new FilterCounts(facets).text(query('a')))
})

test('counts are kept for a bounded number of queries', () => {
  const { facets, filterCounts: counts } = new World(3).lists
  facets.catchUp()
  const values = () => new Map([['tag', Array.from({ length: 1000 }, (_, at) => `${at}`)]])
  for (let each = 0; each < 3 * LIMITS.countedQueriesMax; each++) {
    counts.text({ name: `${each}`, stamp: '', base: new Map(), filter: new Map(), values })
  }
  assert.ok(counts.held <= LIMITS.filterCountsKeptMax)
  const one = () => new Map([['tag', ['a']]])
  for (let each = 0; each < 3 * LIMITS.countedQueriesMax; each++) {
    counts.text({ name: `${each}`, stamp: '1', base: new Map(), filter: new Map(), values: one })
  }
  assert.ok(counts.held <= LIMITS.countedQueriesMax, `${counts.held} counts`)
})
