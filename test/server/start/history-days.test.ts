import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../../engine/domain/units.ts'
import { exchange } from '../../support/exchange.ts'
import { at } from '../../support/json-path.ts'
import { accepted } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

test('history is deleted while the exchange runs, and what an account has stays', async () => {
  const {
    live,
    rain: market,
    alice,
    bob,
  } = await exchange({
    markets: ['rain'],
    traders: ['alice', 'bob'],
    flags: ['--history-days', '1', '--order-memory-days', '1', '--block-ms', '20'],
  })
  const read = async (path: string) => (await live.call(alice, 'GET', path)).body
  const countOf = async (path: string, ...field: string[]) => {
    const found = at(await read(path), ...field)
    assert.ok(Array.isArray(found))
    return found.length
  }
  const matched = await live.trade(bob, alice, market, { ticks: 400, sizeRaw: 10_000_000 })
  const { clearing } = live.exchange.pipeline
  const tradedSeq = clearing.catalogue.existing(1).lastTradeSeq
  const mined = () => {
    const { lastTradeSeq } = clearing.catalogue.existing(1)
    return until(() => clearing.blocks.holdsAllThrough(lastTradeSeq))
  }
  await mined()
  const resting = await live.ordered(alice, market, { ticks: 100 })
  const history = '/portfolio/history?limit=20'
  await live.followed()
  assert.equal(await countOf(history, 'data'), 1)
  const days = async (count: number) => {
    for (let hour = 0; hour < count * 24; hour += 4) {
      await live.pass(4 * HOUR_MS)
      await live.trade(bob, alice, market, { ticks: 500, sizeRaw: 1_000_000 })
      await mined()
      await live.followed()
    }
  }
  await days(2)
  await until(async () => (await live.gauge('outcomex_history_pruned_seq')) > tradedSeq)
  await until(async () => (await countOf(history, 'data')) < 12)
  const statusOf = async (orderId: unknown) => {
    const reply = await live.call(alice, 'POST', '/orders/status/batch', { items: [{ orderId }] })
    return at(reply.body, 'results', 0, 'status')
  }
  const shown = async () => [
    await statusOf(at(matched.body, 'order', 'id')),
    await statusOf(resting),
    // 10 shares at 0.4, which are gone from the history, and 12 at 0.5.
    at(await read('/portfolio/positions'), 'summary', 'totalCostBasis'),
  ]
  assert.deepEqual(await shown(), ['not_found', 'found', 10_000_000])
  const count = await countOf(history, 'data')
  assert.ok(count > 0)
  await live.restart()
  assert.deepEqual(await shown(), ['not_found', 'found', 10_000_000])
  assert.equal(await countOf(history, 'data'), count)
  await accepted(live.call(alice, 'DELETE', `/orders/${resting}`))
})
