import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { lifecycleFrame, placeOfId } from '../../../../server/api/streams/account/order-frames.ts'
import { exchange } from '../../../support/exchange.ts'
import { Cast, listening, Story } from '../../../support/frame-story.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import type { OrderRequest } from '../../../support/live-orders.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import {
  assertSame,
  eventsOf,
  type Frame,
  idOf,
  isEnd,
  isReported,
  joined,
  marksOf,
  missedBy,
  updateOf,
  wasLate,
} from '../../../support/replay-client.ts'
import { orderIdOf, type Reply } from '../../../support/replies.ts'

// A client that comes back names the newest events that it has, and receives what it missed (rules
// §5.3): the same frames that a client received that never left, and each of them once.

const SHARE = 1_000_000
/** Fewer than the replays that a profile may ask for at once. */
const CUTS = 14
const seed = freshSeed()
const random = new Random(seed)
const flags = ['--block-ms', '20']
const { live } = await exchange({ flags })

/** Every kind of event, for the maker and for the taker. */
const STORY = [
  'alice m1 buy no 10 @500',
  'alice m2 buy no 10 @490',
  'bob t1 buy yes 4 @510',
  'bob rests buy yes 3 @100',
  'bob cancels rests',
  'bob t2 buy yes 12 @500',
  'bob t3 buy yes 9 @510 FAK',
  'bob t4 buy yes 1 @10 FAK',
  'alice m3 buy no 5 @500',
  'operator fault FAILED',
  'bob t5 buy yes spend 0.3 FOK',
  't5 received 3',
  'operator fault RETRYING',
  'bob t6 buy yes 1 @510 FAK',
  't6 received 3',
  'alice m5 buy no 2 @495',
  'alice own buy yes 2 @510 FAK cancel_both',
  'alice m4 buy no 2 @400',
  'bob t7 sell yes 1 @600',
  'alice cancels m4',
  'alice m6 buy no 6 @300',
  'alice reduces m6 to 4',
  'alice replaces m6 by m7 buy no 5 @310',
  'alice reduces m7 to 0',
]

/** Runs the story. Gives the frames of clients that never left. */
async function reported(slug: string, fields: object = {}, more: readonly string[] = []) {
  const cast = await Cast.open(live, ['alice', 'bob'])
  const story = await Story.open(cast, slug, fields)
  for (const line of [...STORY, ...more]) await story.line(line)
  const received = new Map<string, Frame[]>()
  for (const name of ['alice', 'bob']) {
    const client = cast.client(name)
    const matches = () => eventsOf(client).filter(({ type }) => type === 'MATCHED').length
    const ends = () => eventsOf(client).filter(isEnd).length
    await story.all(name === 'alice' ? 'm1' : 't1')
    await client.until(() => ends() === matches())
    received.set(name, eventsOf(client))
  }
  return { cast, received }
}

async function checkCuts(cast: Cast, received: ReadonlyMap<string, Frame[]>): Promise<void> {
  for (const [name, frames] of received) {
    const first = frames.findIndex((frame) => !isEnd(frame))
    for (let cut = 0; cut < CUTS; cut++) {
      const count = random.between(first + 1, frames.length)
      const marks = marksOf(frames.slice(0, count))
      const missed = await missedBy(live, cast.trader(name), marks)
      assertSame(missed, frames.slice(count), `seed ${seed} ${name} ${JSON.stringify(marks)}`)
    }
  }
}

test('a client that comes back receives what it missed, also after a restart', async () => {
  const { cast, received } = await reported('rain')
  const kinds = [...received.values()].flat().map(({ type }) => type)
  assert.equal(new Set(kinds).size, 7, 'the story has every kind of event')
  await checkCuts(cast, received)
  await live.restart()
  await checkCuts(cast, received)
  cast.close()
})

test('held orders are replayed as they were: nothing until their release', async () => {
  const more = ['alice h1 buy no 2 @400', 'bob h2 buy yes 3 @600', 'clock 1000']
  const settings = { takerDelayMs: 100 }
  const cast = await Cast.open(live, ['alice', 'bob'])
  const story = await Story.open(cast, 'slow', settings)
  for (const line of more) await story.line(line)
  await story.received('h2', 3)
  await story.line('bob cancels h2')
  await story.received('h2', 4)
  const frames = eventsOf(cast.client('bob'))
  for (let count = 1; count < frames.length; count++) {
    const missed = await missedBy(live, cast.trader('bob'), marksOf(frames.slice(0, count)))
    assertSame(missed, frames.slice(count), JSON.stringify(frames[count - 1]))
  }
  const all = await missedBy(live, cast.trader('bob'), { afterEventId: 0 })
  assertSame(all, frames, 'from the first event on')
  cast.close()
})

test('one id alone gives no gap: only ends of trades may come again', async () => {
  const { cast, received } = await reported('snow')
  const frames = received.get('bob') ?? []
  for (const count of [3, 8, 15, frames.length]) {
    const afterEventId = frames[count - 1].eventId
    const missed = await missedBy(live, cast.trader('bob'), { afterEventId })
    const ids = new Set(missed.map(idOf))
    assert.equal(ids.size, missed.length, 'nothing comes twice in one answer')
    for (const frame of frames.slice(count)) assert.ok(ids.has(idOf(frame)), idOf(frame))
  }
  const number = frames.findLast(({ eventId }) => typeof eventId === 'number')
  const again = await missedBy(live, cast.trader('bob'), { afterEventId: number?.eventId })
  const had = new Set(frames.slice(0, frames.indexOf(number ?? {}) + 1).map(idOf))
  assert.ok(again.filter((frame) => had.has(idOf(frame))).every(isEnd))
  cast.close()
})

/** The orders that one arrival traded, and the ids of the ends of their parts. */
function partsOf({ body }: Reply): { readonly orderId: string; readonly endId: string }[] {
  const tradeSeq = at(body, 'execution', 'tradeEventId')
  const makers = at(body, 'makerMatches')
  if (typeof tradeSeq !== 'string') return []
  const taker = textAt(body, 'order', 'id')
  const matched = Array.isArray(makers) ? makers.map((maker) => textAt(maker, 'orderId')) : []
  return [taker, ...matched].map((orderId) => {
    return { orderId, endId: `settlement:${tradeSeq}:${orderId}` }
  })
}

test('amid trading, a client that comes back often misses and repeats nothing', async () => {
  const hail = await live.openMarket('hail')
  const [alice, bob] = [await live.trader(10_000 * SHARE), await live.trader(10_000 * SHARE)]
  const steady = await listening(live, bob)
  const requestOf = (outcome: 0 | 1): OrderRequest => {
    return { outcome, ticks: 500, sizeRaw: random.between(1, 9) * SHARE }
  }
  let isOver = false
  const orders = new Set<string>()
  const parts: { readonly orderId: string; readonly endId: string }[] = []
  const trading = async (trader: Trader, outcome: 0 | 1) => {
    while (!isOver) {
      const reply = await live.placed(trader, hail, requestOf(outcome))
      if (trader === bob) orders.add(orderIdOf(reply))
      parts.push(...partsOf(reply))
    }
  }
  const traders = [trading(alice, 1), trading(bob, 0), trading(bob, 0)]
  await steady.take('orderEvent', 5)
  const kept: Frame[] = eventsOf(steady).slice(0, 5)
  for (let round = 0; round < CUTS; ) {
    const client = await joined(live, bob, marksOf(kept))
    const before = eventsOf(steady).length
    await client.until(() => isReported(client))
    const isLate = wasLate(client)
    if (!isLate) {
      await client.until(() => eventsOf(client).length >= 5)
      await steady.until(() => eventsOf(steady).length > before + 5)
      round++
    }
    client.close()
    kept.push(...eventsOf(client))
  }
  isOver = true
  await Promise.all(traders)
  // The replies name every trade, so the end of the last one shows that no frame is left.
  const ends = parts.filter(({ orderId }) => orders.has(orderId)).map(({ endId }) => endId)
  assert.ok(ends.length > 0)
  await steady.until(() => {
    const received = eventsOf(steady)
    const ids = new Set(received.map(idOf))
    const placedIds = new Set(received.map(({ orderId }) => orderId))
    return ends.every((id) => ids.has(id)) && [...orders].every((id) => placedIds.has(id))
  })
  kept.push(...(await missedBy(live, bob, marksOf(kept))))
  assert.equal(new Set(kept.map(idOf)).size, kept.length, 'no event comes twice')
  assertSame(kept, eventsOf(steady), `seed ${seed}`)
  steady.close()
})

test('each event of the widest command has a number of its own', () => {
  const names = { orderId: '', marketSlug: '', tokenId: '', publishedMs: 0 }
  const most = LIMITS.openOrdersPerProfileMax
  for (const [seq, index] of [
    [1, 0],
    [1, most],
    [2, 0],
    [2 ** 33, most],
  ] as const) {
    const id = Number(at(lifecycleFrame(updateOf(1, seq), { ...names, index }), 'eventId'))
    assert.ok(Number.isSafeInteger(id))
    assert.deepEqual(placeOfId(id), { seq, index })
  }
})

test('a client that comes amid a wide answer receives nothing of that command', async () => {
  const carol = await live.trader(0)
  const { orderEvents } = live.exchange.pipeline.publisher
  const seq = live.exchange.pipeline.clearing.lastSeq
  // The events of its first part were not made, so the others would be counted wrongly.
  orderEvents.answered(seq, false)
  const client = await listening(live, carol)
  orderEvents.answered(seq, true)
  orderEvents.publish([updateOf(carol.profileId, seq), updateOf(carol.profileId, seq + 1)])
  const [reported] = await client.take('orderEvent', 1)
  assert.deepEqual(placeOfId(Number(at(reported, 'eventId'))), { seq: seq + 1, index: 0 })
  client.close()
})
