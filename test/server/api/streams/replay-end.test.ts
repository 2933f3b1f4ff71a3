import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missedFrames } from '../../../../persistence/query/read/orders/missed-frames.ts'
import { tradeParts } from '../../../../persistence/query/read/trade-parts.ts'
import { placeOfId } from '../../../../server/api/streams/account/order-frames.ts'
import { exchange } from '../../../support/exchange.ts'
import { framesOf, listening } from '../../../support/frame-story.ts'
import { at } from '../../../support/json-path.ts'
import {
  assertSame,
  eventsOf,
  isEnd,
  isEndOfReplay,
  isReported,
  joined,
  ORDER_EVENTS,
  updateOf,
} from '../../../support/replay-client.ts'
import { accepted } from '../../../support/replies.ts'

// Where a replay of order events ends and live events begin (rules §5.3): each event comes from one
// of the two, however late main publishes it.

const SHARE = 1_000_000
const { live } = await exchange({ flags: ['--block-ms', '20'] })

/** Delays one kind of read of the tables until the test lets it pass. */
function heldUp(name: string): { release: () => void; restore: () => void } {
  const { query } = live.exchange
  const request = query.request.bind(query)
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  query.request = async (read, requested, slice) => {
    if (read.name === name) await isReleased
    return request(read, requested, slice)
  }
  return {
    release,
    restore: () => {
      query.request = request
    },
  }
}

/** Resolves when a trade ended, that is durable, and every listener was notified of it. */
function nextEnd(): Promise<void> {
  const { mining } = live.exchange.pipeline
  assert(mining !== null)
  return new Promise((resolve) => {
    const ended = (isEnd: boolean) => {
      if (!isEnd) return
      leave()
      resolve()
    }
    const leave = mining.listen({
      onBlock: ({ mined }) => ended(mined.length > 0),
      onSetback: ({ status }) => ended(status === 'FAILED'),
    })
  })
}

/** The chain takes the trade, takes it with a later block, or refuses it for good. */
for (const outcome of ['MINED', 'RETRYING', 'FAILED'] as const) {
  test(`an end comes once although its block is read after the replay: ${outcome}`, () => {
    return endsOnce(outcome)
  })
}

async function endsOnce(outcome: 'MINED' | 'RETRYING' | 'FAILED'): Promise<void> {
  const market = await live.openMarket(`sleet-${outcome.toLowerCase()}`)
  const [alice, bob] = [await live.trader(1000 * SHARE), await live.trader(1000 * SHARE)]
  const steady = await listening(live, bob)
  if (outcome !== 'MINED') {
    await accepted(live.admin('/admin/settlement/faults', { next: 1, outcome }))
  }
  const settling = heldUp(tradeParts.name)
  const ended = nextEnd()
  await live.ordered(alice, market, { outcome: 1, ticks: 500, sizeRaw: SHARE })
  const taken = await live.ordered(bob, market, { ticks: 500, sizeRaw: SHARE })
  await ended
  // The end is durable, and the feed waits for the tables. The replay reads them first.
  const client = await joined(live, bob, { afterEventId: 0 })
  await client.until(() => isReported(client))
  assert.equal(eventsOf(client).filter(isEnd).length, 1)
  settling.release()
  await steady.until(() => framesOf(steady, taken).length === 3)
  settling.restore()
  const fence = await live.ordered(bob, market, { ticks: 10, sizeRaw: SHARE })
  for (const each of [client, steady]) await each.until(() => framesOf(each, fence).length > 0)
  assertSame(eventsOf(client), eventsOf(steady), 'each event once')
  for (const each of [client, steady]) each.close()
}

test('an event that the replay sent does not come again when main settles it later', async () => {
  const dora = await live.trader(1000 * SHARE)
  const market = await live.openMarket('dusk')
  await live.ordered(dora, market, { ticks: 10, sizeRaw: SHARE })
  const client = await joined(live, dora, { afterEventId: 0 })
  await client.until(() => isReported(client))
  const { pipeline } = live.exchange
  const seq = pipeline.clearing.lastSeq
  // The tables may show a command before its market answers main.
  pipeline.publisher.orderEvents.publish([
    updateOf(dora.profileId, seq),
    updateOf(dora.profileId, seq + 1),
  ])
  const [, next] = await client.take('orderEvent', 2)
  assert.deepEqual(placeOfId(Number(at(next, 'eventId'))), { seq: seq + 1, index: 0 })
  client.close()
})

test('events that come during a replay are sent before its end', async () => {
  const market = await live.openMarket('dawn')
  const eve = await live.trader(1000 * SHARE)
  const first = await live.ordered(eve, market, { ticks: 10, sizeRaw: SHARE })
  const reading = heldUp(missedFrames.name)
  const steady = await listening(live, eve)
  const client = await joined(live, eve, { afterEventId: 0 })
  await client.until(() => client.of('system').length > 0)
  const second = await live.ordered(eve, market, { ticks: 20, sizeRaw: SHARE })
  await steady.until(() => framesOf(steady, second).length > 0)
  assert.deepEqual(client.of('orderEvent'), [], 'the replay waits for the tables')
  reading.release()
  await client.until(() => isReported(client))
  reading.restore()
  const before = client.frames.slice(0, client.frames.findIndex(isEndOfReplay))
  const ids = before.flatMap(({ event, payload }) =>
    event === 'orderEvent' ? [at(payload, 'orderId')] : [],
  )
  assert.deepEqual(ids, [first, second])
  assert.equal(
    at(client.of('system').at(-1), 'message'),
    `Replayed 2 missed events of ${ORDER_EVENTS}`,
  )
  for (const each of [client, steady]) each.close()
})
