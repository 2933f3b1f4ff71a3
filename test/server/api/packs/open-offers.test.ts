import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { at, type LiveExchange, startLive, type Trader } from '../../../support/live-exchange.ts'
import { openMarket, place } from '../../../support/live-orders.ts'
import { readOf } from '../../../support/live-reads.ts'
import { codeOf } from '../../../support/live-session.ts'

// The list of open offers of packs is fair between makers, and costs what it returns.

const UNIT = 1_000_000
const MAKERS = 6
const { offersOfMakerMax } = PACK_LIMITS
let live: LiveExchange
let makers: Trader[]
let legs: { readonly marketSlug: string; readonly outcomeIndex: number }[]

before(async () => {
  live = await startLive({})
  const seller = await live.trader(1_000_000 * UNIT)
  makers = await Promise.all(Array.from({ length: MAKERS }, () => live.trader(1000 * UNIT)))
  const markets = [await openMarket(live, 'first'), await openMarket(live, 'second')]
  for (const market of markets) {
    const wanted = { outcome: 1, ticks: 500, sizeRaw: 1000 * UNIT } as const
    assert.equal((await place(live, seller, market, wanted)).status, 201)
  }
  legs = markets.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))
})
after(() => live.stop())
afterEach(() => assert.deepEqual(live.faults, []))

const offer = (by: Trader) =>
  live.call(by, 'POST', '/parlay/offers', { legs, stakeMax: `${UNIT}`, payout: `${2 * UNIT}` })

async function listed(query = ''): Promise<unknown[]> {
  const { body, text } = await readOf(live, `/parlay/offers${query}`)
  const data = at(body, 'data')
  assert.ok(Array.isArray(data), text)
  return data
}

test('five makers of a hundred newer offers leave another maker its place', async () => {
  const [quiet, ...crowd] = makers
  const first = await offer(quiet)
  assert.equal(first.status, 201, first.text)
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
  const gone = await live.call(quiet, 'DELETE', `/parlay/offers/${id}`)
  assert.equal(gone.status, 200, gone.text)
  assert.deepEqual(await listed(), before)
})
