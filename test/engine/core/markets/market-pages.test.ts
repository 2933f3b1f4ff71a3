import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideEdit, decideMarkets } from '../../../../engine/core/decide/markets.ts'
import {
  decideMarketPage,
  decidePageRemoval,
  decidePropertyKey,
} from '../../../../engine/core/decide/pages.ts'
import { decideSeries } from '../../../../engine/core/decide/series.ts'
import { Exchange } from '../../../../engine/core/exchange.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { MarketPage, PropertyKey } from '../../../../engine/domain/markets/market-page.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { decodeCommand, encodeControl } from '../../../../engine/wire/codec.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { marketSpec, seriesSpec } from '../../../support/specs.ts'

// The tree of pages, the properties and the numbers of categories (rules §12.5).

const SEED = freshSeed()

function pageOf(pageId: string, changes: Partial<MarketPage> = {}): MarketPage {
  return {
    pageId,
    name: pageId,
    slug: pageId,
    parentId: null,
    description: null,
    icon: '',
    sortOrder: 0,
    isInNavigation: true,
    contentJson: '{}',
    ...changes,
  }
}

function keyOf(keyId: string): PropertyKey {
  return { keyId, name: keyId, slug: keyId, type: 'select', isSystem: false, metadataJson: '{}' }
}

function optionOf(optionId: string, parentOptionId: string | null = null) {
  return { optionId, value: optionId, label: '', sortOrder: 0, parentOptionId, metadataJson: '{}' }
}

type Control = Parameters<typeof encodeControl>[0]
type Body = Control extends infer Each
  ? Each extends Control
    ? Omit<Each, 'seq' | 'nowMs'>
    : never
  : never

class Flow {
  readonly exchange = new Exchange()
  nowMs = 1000

  /** Applies a command as the journal gives it back. */
  control(body: Body): void {
    const command: Control = {
      ...body,
      seq: this.exchange.clearing.lastSeq + 1,
      nowMs: ++this.nowMs,
    }
    this.exchange.apply(decodeCommand(encodeControl(command)))
  }

  put(page: MarketPage): void {
    this.control({ kind: 'putMarketPage', page })
  }

  get tree() {
    return this.exchange.clearing.pages.tree
  }
}

test('old paths lead to where a page stands now, however pages move', () => {
  const random = new Random(SEED)
  const flow = new Flow()
  const { clearing } = flow.exchange
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const model = new Map<string, MarketPage>()
  const left = new Map<string, string>()
  const pathOf = (id: string | null): string => {
    const page = id === null ? undefined : model.get(id)
    return page === undefined ? '' : `${pathOf(page.parentId)}/${page.slug}`
  }
  for (let step = 0; step < 2000; step++) {
    const before = new Map(ids.flatMap((id) => (model.has(id) ? [[id, pathOf(id)] as const] : [])))
    const pageId = random.pick(ids)
    if (random.chance(0.15)) {
      if (decidePageRemoval(clearing, pageId) !== null) continue
      flow.control({ kind: 'removeMarketPage', pageId })
      model.delete(pageId)
      for (const [path, id] of left) if (id === pageId) left.delete(path)
    } else {
      const slug = random.pick(['x', 'y', 'xy'])
      const page = pageOf(pageId, { slug, parentId: random.pick([null, ...ids]) })
      if (decideMarketPage(clearing, page) !== null) continue
      flow.put(page)
      model.set(pageId, page)
    }
    for (const [id, path] of before) if (model.has(id) && pathOf(id) !== path) left.set(path, id)
    for (const id of model.keys()) left.delete(pathOf(id))
    const stated = `seed ${SEED} step ${step}`
    const paths = [...flow.tree.pages.values()].map((page) => [page.pageId, page.fullPath])
    assert.deepEqual(
      new Map(paths.map(([id, path]) => [id, path])),
      new Map([...model.keys()].map((id) => [id, pathOf(id)])),
      stated,
    )
    assert.deepEqual(new Map([...flow.tree.moved].sort()), new Map([...left].sort()), stated)
    assert.equal(new Set(paths.map(([, path]) => path)).size, paths.length, stated)
    for (const [, path] of paths)
      assert.ok(path.split('/').length - 1 <= LIMITS.pageDepthMax, stated)
  }
})

test('pages, properties and categories come back from a snapshot as they were', () => {
  const flow = new Flow()
  flow.put(pageOf('a'))
  flow.put(pageOf('b', { parentId: 'a', description: 'Öl', contentJson: '{"metadata":{"é":1}}' }))
  flow.put(pageOf('a', { slug: 'moved' }))
  const options = [optionOf('x'), optionOf('y', 'x'), optionOf('z')]
  flow.control({ kind: 'putPropertyKey', key: keyOf('k'), options, removedOptionIds: [] })
  const edited = [{ ...optionOf('x'), label: 'X' }]
  flow.control({
    kind: 'putPropertyKey',
    key: keyOf('k'),
    options: edited,
    removedOptionIds: ['z'],
  })
  flow.control({ kind: 'putPropertyKey', key: keyOf('gone'), options: [], removedOptionIds: [] })
  flow.control({ kind: 'removePropertyKey', keyId: 'gone' })
  const categories = ['Weather', 'Crypto', 'Weather']
  flow.control({
    kind: 'createMarket',
    marketId: 1,
    book: 1,
    market: marketSpec(1, { categories }),
  })
  const hash = flow.exchange.stateHash()
  const [kept] = flow.exchange.clearing.properties.keys.values()
  assert.deepEqual(
    kept.options.map(({ value, label, createdMs, updatedMs }) => [
      value,
      label,
      updatedMs - createdMs,
    ]),
    [
      ['x', 'X', 1],
      ['y', '', 0],
    ],
  )
  const state = packed(flow.exchange)
  const again = restore(unpacked(state))
  assert.equal(again.stateHash(), hash)
  assert.deepEqual(capture(again), unpacked(state))
  const { clearing } = again
  assert.deepEqual(
    [...clearing.pages.tree.moved],
    [
      ['/a', 'a'],
      ['/a/b', 'b'],
    ],
  )
  assert.equal(clearing.catalogue.categories.idOf('Crypto'), 2)
  assert.equal(clearing.catalogue.categories.nameOf(1), 'Weather')
})

test('each field of a page and of an option changes the state hash', () => {
  const hashes = new Set<string>()
  const changes: Partial<MarketPage>[] = [
    {},
    { name: 'x' },
    { slug: 'x' },
    { description: 'x' },
    { icon: 'x' },
    { sortOrder: 1 },
    { isInNavigation: false },
    { contentJson: '{"metadata":{}}' },
  ]
  for (const change of changes) {
    const flow = new Flow()
    flow.put(pageOf('a', change))
    hashes.add(flow.exchange.stateHash())
  }
  for (const options of [[], [optionOf('x')], [{ ...optionOf('x'), metadataJson: '{"a":1}' }]]) {
    const flow = new Flow()
    flow.control({ kind: 'putPropertyKey', key: keyOf('k'), options, removedOptionIds: [] })
    hashes.add(flow.exchange.stateHash())
  }
  assert.equal(hashes.size, changes.length + 3)
})

test('pages, old paths, properties, options and categories have bounds', () => {
  const flow = new Flow()
  const { clearing } = flow.exchange
  for (let page = 1; page <= LIMITS.marketPagesMax; page++) flow.put(pageOf(`p${page}`))
  assert.equal(decideMarketPage(clearing, pageOf('more')), REJECT.PAGE_LIMIT)
  assert.equal(decideMarketPage(clearing, pageOf('p1', { name: 'New' })), null)
  for (let move = 0; move <= LIMITS.movedPathsMax; move++) {
    flow.put(pageOf('p1', { slug: `m${move}` }))
  }
  assert.equal(flow.tree.moved.size, LIMITS.movedPathsMax)
  assert.equal(flow.tree.moved.has('/p1'), false, 'the oldest is forgotten')
  const change = { options: [], removedOptionIds: [] }
  for (let key = 1; key <= LIMITS.propertyKeysMax; key++) {
    flow.control({ kind: 'putPropertyKey', key: keyOf(`k${key}`), ...change })
  }
  assert.equal(
    decidePropertyKey(clearing, { key: keyOf('more'), ...change }),
    REJECT.PROPERTY_LIMIT,
  )
  const named = (count: number) => Array.from({ length: count }, (_none, at) => optionOf(`o${at}`))
  const put = (count: number, key = 'k1') => {
    return decidePropertyKey(clearing, { ...change, key: keyOf(key), options: named(count) })
  }
  assert.equal(put(LIMITS.optionsPerKeyMax), null)
  assert.equal(put(LIMITS.optionsPerKeyMax + 1), REJECT.PROPERTY_LIMIT)
  const many = Array.from({ length: LIMITS.categoriesMax }, (_none, at) => `c${at}`)
  clearing.catalogue.categories.note(many)
  const market = (name: string) => decideMarkets(clearing, [marketSpec(1, { categories: [name] })])
  assert.equal(market('new'), REJECT.CATEGORY_LIMIT)
  assert.equal(market('c7'), null)
  const edit = (name: string) => decideEdit(clearing, { categories: [name] })
  assert.deepEqual([edit('new'), edit('c7')], [REJECT.CATEGORY_LIMIT, null])
  const series = (name: string) => decideSeries(clearing, seriesSpec({ categories: [name] }))
  assert.deepEqual([series('new'), series('c7')], [REJECT.CATEGORY_LIMIT, null])
})
