import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { LIMITS } from '../../engine/domain/limits.ts'
import { MarketTopic } from '../../server/api/streams/market/market-topics.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { RawClient } from '../support/raw-client.ts'
import { rawSubscriber, wideFrame } from '../support/raw-member.ts'
import { SocketClient } from '../support/socket-client.ts'
import { closeAll } from '../support/socket-desk.ts'
import '../support/two-edges.ts'

// A reader that stops reading the tape, or the answers to its own requests. The process holds no
// more for it than its bound, and it costs nobody else a frame.

const SHARE = 1_000_000
const SLUG = `rain-${'tomorrow-'.repeat(12)}`
/** Prices of one sweep: its frame has some 20 KB. */
const SWEEP = 800
const SWEEP_BYTES_MIN = 16_000
/** More frames of sweeps than the kernel keeps for a reader. */
const FRAMES = 500
/** More than the budget of the tape lets through in a moment. */
const FLOOD_BYTES = 16 << 20
const FRAMES_AT_ONCE = 20
const { live } = await exchange({
  socketBounds: {
    messagesPerSecondMax: 100_000,
    ownerMessagesMax: 1_000_000,
    ownerMarketsRequestedMax: 1_000_000,
  },
  markets: [SLUG],
})
let topic: MarketTopic
const clients: SocketClient[] = []
const raws: RawClient[] = []
let seq = 1_000_000

afterEach(async () => {
  for (const raw of raws.splice(0)) raw.destroy()
  await closeAll(live, clients)
  assert.deepEqual(live.faults.splice(0), [])
})

/** A socket below the library that receives the tape. */
async function rawReader(): Promise<RawClient> {
  const requested = ['subscribe_trades', { marketSlugs: [SLUG] }] as const
  const raw = await rawSubscriber(live.port, requested, 'Subscribed to')
  raws.push(raw)
  return raw
}

async function briskReader(): Promise<SocketClient> {
  const client = await SocketClient.open(live.port)
  clients.push(client)
  client.socket.emit('subscribe_trades', { marketSlugs: [SLUG] })
  await client.take('system', 1)
  const watch = live.exchange.pipeline.published.bySlug(SLUG)?.watch
  assert.ok(watch instanceof MarketTopic, 'somebody subscribes to the market')
  topic = watch
  return client
}

/** Publishes a trade as the pipeline does. */
function publishTrade(prices: number): void {
  seq++
  for (let ticks = 1; ticks <= prices; ticks++) topic.filled(seq, ticks, SHARE, true)
  topic.arrived(seq)
}

const sequencesOf = (client: SocketClient) =>
  client.of('trade').map((frame) => Number(at(frame, 'sequence')))

function assertRising(sequences: readonly number[]): void {
  assert.deepEqual(
    sequences,
    sequences.map((_, index) => sequences[0] + index),
  )
}

/** The numbers of the frames that a raw reader got. */
const numbersIn = (text: string) =>
  [...text.matchAll(/"sequence":(\d+)/g)].map(([, number]) => Number(number))

test('a reader of the tape that stops holds little, sees its gap, and costs nobody', async () => {
  const deaf = (await rawReader()).pause()
  const brisk = await briskReader()
  let unreadMax = 0
  for (let frame = 1; frame <= FRAMES; frame++) {
    publishTrade(SWEEP)
    await brisk.take('trade', frame)
    unreadMax = Math.max(unreadMax, live.sockets.unreadBytes)
  }
  assertRising(sequencesOf(brisk))
  assert.ok(unreadMax > LIMITS.socketTopicAheadBytesMax, `it reads too little: ${unreadMax}`)
  assert.ok(unreadMax < LIMITS.socketBufferedBytesMax / 2, `it holds ${unreadMax} bytes`)
  assert.equal(live.sockets.slowCount, 0, 'it is not ended')
  deaf.resume()
  const newest = sequencesOf(brisk).at(-1) ?? 0
  while (!deaf.received.includes(`"sequence":${newest},`)) await new Promise(setImmediate)
  publishTrade(1)
  while (!deaf.received.includes(`"sequence":${newest + 1},`)) await new Promise(setImmediate)
  const received = numbersIn(deaf.received)
  assert.deepEqual(
    received,
    [...new Set(received)].sort((a, b) => a - b),
    'each frame once, in order',
  )
  const gap = received.findLastIndex(
    (number, index) => index > 0 && number !== received[index - 1] + 1,
  )
  assert.ok(gap > 0, 'the numbers that it missed are a gap')
  const caughtUp = received.length - gap - 1
  assert.ok(caughtUp <= LIMITS.socketTapeBytesMax / SWEEP_BYTES_MIN, `${caughtUp} at once`)
  assert.equal(deaf.isClosed, false)
})

test('frames that come faster than threads pass them on end no reader', async () => {
  const deaf = (await rawReader()).pause()
  const brisk = await briskReader()
  const { counts } = live.sockets
  const before = counts.bytesSent
  while (counts.bytesSent - before < FLOOD_BYTES) {
    for (let frame = 0; frame < FRAMES_AT_ONCE; frame++) publishTrade(SWEEP)
    await new Promise(setImmediate)
  }
  const newest = () => sequencesOf(brisk).at(-1) ?? 0
  const missed = newest()
  deaf.resume()
  while (newest() <= missed || !deaf.received.includes(`"sequence":${newest()},`)) {
    publishTrade(1)
    await new Promise(setImmediate)
  }
  assert.deepEqual([deaf.isClosed, brisk.ends, live.sockets.slowCount], [false, [], 0])
})

test('a burst longer than a group keeps gives every reader the newest frames', async () => {
  const readers = [await briskReader(), await briskReader()]
  const count = LIMITS.socketGroupFramesMax + 500
  for (let trade = 0; trade < count; trade++) publishTrade(1)
  const last = () => Number(at(readers[0].of('trade').at(-1), 'sequence'))
  // Readers catch up one by one; the next trade counts for those that have.
  for (const reader of readers) await reader.take('trade', LIMITS.socketTapeFramesMax)
  publishTrade(1)
  for (const reader of readers) {
    await reader.take('trade', LIMITS.socketTapeFramesMax + 1)
    const sequences = sequencesOf(reader)
    assert.equal(sequences.length, LIMITS.socketTapeFramesMax + 1)
    assertRising(sequences)
    assert.equal(sequences.at(-1), last())
  }
  assert.equal(live.sockets.slowCount, 0)
  assert.deepEqual(
    readers.flatMap(({ ends }) => ends),
    [],
  )
})

test('the answers to a client that read too little come in batches once it reads', async () => {
  const raw = await rawReader()
  raw.pause()
  // The answer repeats the names: some ten kilobytes for each request.
  const names = Array.from({ length: LIMITS.socketMarketsMax }, () => SLUG)
  const requested = JSON.stringify(['subscribe_trades', { marketSlugs: names }])
  const request = wideFrame(`42/markets,${requested}`)
  let sent = 0
  const send = async (times: number) => {
    for (let time = 0; time < times; time++) {
      sent++
      raw.send(request)
      await new Promise(setImmediate)
    }
  }
  while (live.sockets.unreadBytes <= LIMITS.socketAheadBytesMax) {
    await send(1)
    // The exchange has the request by now, also where another thread reads it.
    await live.send('GET', '/health')
  }
  // So many more wait behind the unread bytes: more than a connection may have unread.
  await send(Math.ceil((2 * LIMITS.socketBufferedBytesMax) / request.length))
  await live.send('GET', '/health')
  const unread = live.sockets.unreadBytes
  assert.ok(unread < LIMITS.socketBufferedBytesMax, `it holds ${unread} bytes`)
  raw.resume()
  const answers = () => raw.received.split('Subscribed to').length - 2
  while (answers() < sent && !raw.isClosed) await new Promise(setImmediate)
  assert.equal(answers(), sent)
  assert.equal(live.sockets.slowCount, 0)
})

test('a client that never reads its answers is ended at its bound', async () => {
  const raw = (await rawReader()).pause()
  const names = Array.from({ length: LIMITS.socketMarketsMax }, () => SLUG)
  const requested = JSON.stringify(['subscribe_trades', { marketSlugs: names }])
  const request = wideFrame(`42/markets,${requested}`)
  let unreadMax = 0
  while (live.sockets.slowCount === 0) {
    assert.equal(raw.isClosed, false, 'it is ended as a slow reader')
    for (let time = 0; time < 8; time++) raw.send(request)
    // Requests that the exchange has not taken yet would end it for another reason.
    await live.send('GET', '/health')
    unreadMax = Math.max(unreadMax, live.sockets.unreadBytes)
  }
  assert.ok(unreadMax < LIMITS.socketBufferedBytesMax, `it holds ${unreadMax} bytes`)
})
