import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { accepted, codeOf } from '../../../support/replies.ts'

// The list of open offers of packs is fair between makers, and costs what it returns.

const UNIT = 1_000_000
const MAKERS = 6
const { offersOfMakerMax } = PACK_LIMITS
const { live, seller } = await exchange({ traders: { seller: 1_000_000 * UNIT } })
const makers = await Promise.all(Array.from({ length: MAKERS }, () => live.trader(1000 * UNIT)))
const markets = [await live.openMarket('first'), await live.openMarket('second')]
for (const market of markets) {
  const wanted = { outcome: 1, ticks: 500, sizeRaw: 1000 * UNIT } as const
  await live.placed(seller, market, wanted)
}
const legs = markets.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))

const offer = (by: Trader) =>
  live.call(by, 'POST', '/parlay/offers', { legs, stakeMax: `${UNIT}`, payout: `${2 * UNIT}` })

async function listed(query = ''): Promise<unknown[]> {
  const { body, text } = await live.read(`/parlay/offers${query}`)
  const data = at(body, 'data')
  assert.ok(Array.isArray(data), text)
  return data
}

test('five makers of a hundred newer offers leave another maker its place', async () => {
  const [quiet, ...crowd] = makers
  const first = await accepted(offer(quiet), 201)
  for (const maker of crowd) {
    for (let made = 0; made < offersOfMakerMax; made++) {
      assert.equal((await offer(maker)).status, 201)
    }
    assert.equal(codeOf(await offer(maker)), 'OFFER_LIMIT')
  }
  const all = await listed()
  assert.equal(all.length, 100)
  const id = at(first.body, 'id')
  assert.equal(
    all.findIndex((each) => at(each, 'id') === id),
    MAKERS - 1,
  )
  assert.deepEqual(await listed('?limit=6'), all.slice(0, 6))
})

test('each change of the offers shows in the next reply', async () => {
  const [quiet] = makers
  const before = await listed()
  const made = await offer(quiet)
  const id = at(made.body, 'id')
  const after = await listed()
  assert.equal(at(after[0], 'id'), id, 'the newest maker is the first')
  await accepted(live.call(quiet, 'DELETE', `/parlay/offers/${id}`))
  assert.deepEqual(await listed(), before)
})
