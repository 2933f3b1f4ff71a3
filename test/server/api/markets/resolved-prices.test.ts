import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted } from '../../../support/replies.ts'

// The prices of a resolved market are what its shares pay (rules §9.1).

const UNIT = 1_000_000
const { live } = await exchange()
const ann: Trader = await live.trader(10_000 * UNIT)

async function resolve(slug: string, body: object): Promise<void> {
  await accepted(live.admin(`/admin/markets/${slug}/resolve`, body))
}

async function detail(slug: string): Promise<unknown> {
  const reply = await accepted(live.send('GET', `/markets/${slug}`))
  return reply.body
}

const sameEverywhere = (pair: readonly number[]) => {
  return { buy: { market: pair, limit: pair }, sell: { market: pair, limit: pair } }
}

const PAYOUTS = [
  ['yes', { winningOutcomeIndex: 0 }, [1, 0]],
  ['no', { winningOutcomeIndex: 1 }, [0, 1]],
  ['split', { payoutNumerators: [3, 1] }, [0.75, 0.25]],
] as const

for (const [slug, resolution, paid] of PAYOUTS) {
  test(`a market with a book shows what its shares pay: ${slug}`, async () => {
    const market = await live.openMarket(slug)
    await live.placed(ann, market, { ticks: 600 })
    const before = await detail(slug)
    assert.deepEqual(at(before, 'prices'), [0.8, 0.2])
    await resolve(slug, resolution)
    const body = await detail(slug)
    assert.deepEqual(at(body, 'prices'), paid)
    assert.deepEqual(at(body, 'tradePrices'), sameEverywhere(paid))
  })
}

test('a pool shows it in percent', async () => {
  for (const [name, resolution, paid] of PAYOUTS) {
    const slug = `pool-${name}`
    await accepted(live.admin('/admin/markets', { kind: 'amm', slug, title: slug }), 201)
    await resolve(slug, resolution)
    const percent = paid.map((each) => each * 100)
    assert.deepEqual(at(await detail(slug), 'prices'), percent)
  }
})

test('the children of a group show it too', async () => {
  const markets = ['red', 'blue'].map((slug) => ({ slug, title: slug }))
  const cup = { slug: 'cup', title: 'Who wins the cup?', markets }
  await accepted(live.admin('/admin/groups', cup), 201)
  await detail('cup')
  await accepted(live.admin('/admin/groups/cup/resolve', { winner: 'red' }))
  const group = await detail('cup')
  assert.deepEqual(
    [0, 1].map((index) => at(group, 'markets', index, 'prices')),
    [
      [1, 0],
      [0, 1],
    ],
  )
})
