import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'
import { handshakeOf, SocketClient } from '../../../support/socket-client.ts'
import { UnreportedDisk } from '../../../support/unreported-disk.ts'

// A socket is notified that its proof ended, and what became of markets, once that is durable
// (invariant 1).

const TOKENS = '/auth/api-tokens'
const { live } = await exchange()

/** During the work the disk says that nothing is durable, except up to a seq given to `upTo`. */
async function withUnreported(work: (upTo: (seq: number) => void) => Promise<void>): Promise<void> {
  const { pipeline } = live.exchange
  await pipeline.durable()
  const disk = new UnreportedDisk(pipeline)
  try {
    await work((seq) => disk.report(seq))
  } finally {
    disk.reportAll()
  }
}

/** Sends requests that rest on no change, so that everything that may be published is published. */
async function otherCalls(): Promise<void> {
  for (let round = 0; round < 5; round++) await live.send('GET', '/health')
}

/** Requests a change. Gives the seq of its command before the command is durable. */
async function stamped(change: () => Promise<unknown>): Promise<number> {
  const { clearing } = live.exchange.pipeline
  const { lastSeq } = clearing
  void change()
  while (clearing.lastSeq === lastSeq) await live.send('GET', '/health')
  return clearing.lastSeq
}

const revoke =
  ({ tokenId }: Trader, by: Trader) =>
  () =>
    live.call(by, 'DELETE', `${TOKENS}/${tokenId}`)

test('a handshake with an ended proof is answered once the end is durable', async () => {
  const trader = await live.trader(0)
  const cookie = cookieOf(await login(live, newWallet()))
  const origin = `http://127.0.0.1:${live.port}`
  const rows: [change: () => Promise<unknown>, headers: Record<string, string>, code: string][] = [
    [revoke(trader, trader), handshakeOf(trader, live.nowMs()), 'API_KEY_INVALID'],
    [() => withCookie(live, cookie, 'POST', '/auth/logout'), { cookie, origin }, 'SESSION_INVALID'],
  ]
  for (const [change, headers, code] of rows) {
    const clients: SocketClient[] = []
    await withUnreported(async () => {
      await stamped(change)
      const client = await SocketClient.open(live.port, { headers })
      clients.push(client)
      client.socket.emit('subscribe_order_events')
      await otherCalls()
      assert.deepEqual(client.frames, [])
    })
    const [client] = clients
    const [ended, refused] = await client.take('exception', 2)
    assert.deepEqual([at(ended, 'code'), at(refused, 'code')], [code, 'UNAUTHENTICATED'])
    client.close()
  }
})

test('a subscription of an ended token closes once the end is durable', async () => {
  const rain = await live.openMarket('rain')
  const trader = await live.trader(1_000_000_000)
  const client = await SocketClient.open(live.port, { headers: handshakeOf(trader, live.nowMs()) })
  client.socket.emit('subscribe_order_events')
  await client.take('system', 1)
  await withUnreported(async (upTo) => {
    let placed: Promise<unknown> = Promise.resolve()
    const placedSeq = await stamped(() => {
      placed = live.place(trader, rain)
      return placed
    })
    await stamped(revoke(trader, trader))
    upTo(placedSeq)
    await placed
    await otherCalls()
    assert.deepEqual(client.ends, [])
    assert.deepEqual(client.of('exception'), [])
  })
  await client.until(() => client.ends.length > 0)
  assert.deepEqual(client.of('orderEvent'), [])
  assert.equal(at(client.of('exception'), 0, 'code'), 'UNAUTHENTICATED')
})

test('books, tapes and events of markets show a change once it is durable', async () => {
  const snow = await live.openMarket('snow')
  const [maker, taker] = [await live.trader(1_000_000_000), await live.trader(1_000_000_000)]
  const client = await SocketClient.open(live.port)
  const marketSlugs = ['snow']
  client.socket.emit('subscribe_market_prices', { marketSlugs })
  client.socket.emit('subscribe_trades', { marketSlugs })
  client.socket.emit('subscribe_market_lifecycle')
  await client.take('orderbookUpdate', 1)
  await client.take('system', 3)
  const before = client.frames.length
  let replies: Promise<unknown>[] = []
  const wanted = { ticks: 500, sizeRaw: 1_000_000 }
  await withUnreported(async () => {
    for (const change of [
      () => live.place(maker, snow, wanted),
      () => live.place(taker, snow, { ...wanted, outcome: 1 }),
      () => live.openMarket('sleet'),
    ]) {
      await stamped(() => {
        replies = [...replies, change()]
        return Promise.all(replies)
      })
    }
    await otherCalls()
    // A reader that comes now sees the old book too.
    client.socket.emit('subscribe_market_prices', { marketSlugs, snapshot: true })
    await client.take('orderbookUpdate', 2)
    await client.take('system', 4)
    // A book that does not change is sent again now and then.
    for (const book of client.of('orderbookUpdate')) {
      assert.deepEqual(at(book, 'orderbook', 'bids'), [])
    }
    const events = client.frames.slice(before).map(({ event }) => event)
    assert.deepEqual(new Set(events), new Set(['orderbookUpdate', 'system']))
  })
  await Promise.all(replies)
  const [trade] = await client.take('trade', 1)
  const [created] = await client.take('marketCreated', 1)
  assert.deepEqual([at(trade, 'price'), at(created, 'slug')], [0.5, 'sleet'])
  client.close()
})
