import { LIMITS } from '../../engine/domain/limits.ts'
import { FRAME_RATES } from '../../server/edge/sockets/frame-rates.ts'
import { orderBody, SHARE } from '../support/exchange-client.ts'
import { JOIN } from '../support/raw-member.ts'
import { metricsOf } from '../support/server-process.ts'
import type { Attack } from './attack.ts'
import { CROWDED, SOCKET_BYTES } from './attack.ts'
import type { Ground } from './ground.ts'
import type { Peer } from './peer.ts'
import { says, signed, upgrade } from './requests.ts'

// A book with an order at each of 998 prices, and many who read it: each frame is fifty times as
// long as that of an ordinary book.

const SIDE_LEVELS = 499
const READERS = 2000
const CHANGES_PER_SECOND = 500
const CHANGERS = 16
const BATCH = 50
const PRICES = 'subscribe_market_prices'
const SENT_BYTES = /^outcomex_socket_frame_bytes_total (\d+)/m
const { bookBytesPerSec, tapeBytesPerSec, firstBytesPerSec } = FRAME_RATES
/** All budgets of public frames together, and a part for frames of accounts and of the load. */
const BYTES_PER_SEC = 1.1 * (bookBytesPerSec + tapeBytesPerSec + firstBytesPerSec)

let salt = Date.now() * 1000

function dust(on: Ground, outcome: 'yes' | 'no', ticks: number): string {
  const { attacker, quiet } = on.scene
  const terms = { isBuy: true, outcome, ticks, sizeRaw: SHARE, type: 'GTC' } as const
  return orderBody(attacker, quiet, { ...terms, salt: salt++ })
}

/** Rests an order at each price; a short attack takes a tenth of them. */
async function ladder(on: Ground): Promise<void> {
  const levels = on.isShort ? BATCH : SIDE_LEVELS
  let peer = on.peer()
  for (const outcome of ['yes', 'no'] as const) {
    for (let from = 1; from <= levels; from += BATCH) {
      const count = Math.min(BATCH, levels + 1 - from)
      const orders = Array.from({ length: count }, (_, index) => dust(on, outcome, from + index))
      peer = on.again(peer)
      const body = `{"orders":[${orders.join(',')}]}`
      await peer.request(signed(on.scene.attacker, 'POST', '/orders/batch', body))
    }
  }
}

async function readers(on: Ground, count: number, addresses: number): Promise<Peer[]> {
  const peers: Peer[] = []
  while (peers.length < count && (await on.cycle(400))) {
    const peer = on.peer(peers.length % addresses)
    await peer.request(upgrade())
    if (!peer.isSocket) continue
    peers.push(peer.send(JOIN).send(says(PRICES, { marketSlugs: [on.scene.quiet.slug] })))
  }
  return peers
}

async function sentBytes(on: Ground): Promise<number> {
  return Number(SENT_BYTES.exec(await metricsOf(on.baseUrl))?.[1] ?? Number.NaN)
}

/** Changes a ladder that many read; judged by its bytes, which no other process delays. */
async function dustLadder(on: Ground): Promise<void> {
  await ladder(on)
  await readers(on, on.isShort ? 20 : READERS, 2)
  const [startMs, startBytes] = [performance.now(), await sentBytes(on)]
  let changes = 0
  const changer = async () => {
    let peer = on.peer()
    while (await on.cycle(CHANGES_PER_SECOND)) {
      peer = on.again(peer)
      const order = dust(on, 'yes', 1 + (changes++ % SIDE_LEVELS))
      await peer.request(signed(on.scene.attacker, 'POST', '/orders', order))
    }
  }
  await Promise.all(Array.from({ length: CHANGERS }, changer))
  const bytes = (await sentBytes(on)) - startBytes
  const seconds = Math.max(1, (performance.now() - startMs) / 1000)
  const perSecond = bytes / seconds
  if (!(perSecond < BYTES_PER_SEC)) on.reported.add(`${Math.round(perSecond / 1e6)} MB a second`)
}

/** Requests a ladder again and again, as one whose frames were lost. */
async function ladderRequests(on: Ground): Promise<void> {
  await ladder(on)
  const peers = await readers(on, on.isShort ? 20 : 200, 1)
  const marketSlugs = Array.from({ length: LIMITS.socketMarketsMax }, () => on.scene.quiet.slug)
  const request = says(PRICES, { snapshot: true, marketSlugs })
  for (let cycle = 0; await on.cycle(2000); cycle++) {
    const at = cycle % peers.length
    if (!peers[at].isClosed) peers[at].send(request)
  }
}

export const DEEP_BOOKS: readonly Attack[] = [
  {
    name: `a dust ladder of ${2 * SIDE_LEVELS} levels with ${READERS} readers`,
    run: dustLadder,
    bytes: READERS * (SOCKET_BYTES + LIMITS.socketBufferedBytesMax),
    answers: ['101', '200', '201', ...CROWDED],
    meets: ['101', '201'],
    shortRounds: 400,
  },
  {
    name: 'requests for a deep book again and again',
    run: ladderRequests,
    bytes: 200 * (SOCKET_BYTES + LIMITS.socketBufferedBytesMax),
    answers: ['101', '200', 'exception RATE_LIMITED', ...CROWDED],
    meets: ['101', 'exception RATE_LIMITED'],
    shortRounds: 1000,
  },
]
