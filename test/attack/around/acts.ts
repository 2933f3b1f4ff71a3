import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { JOIN } from '../../support/raw-member.ts'
import { asks } from '../attack.ts'
import type { Ground } from '../ground.ts'
import { plain, says, signed, upgrade } from '../requests.ts'

// What one caller tries on profiles, bookmarks, packs, feeds, boards and the files of the console.

const HEX = '0123456789abcdef'
const CALLERS = 32
const PACK_PAGES = 80
const DEEPEST_PAGE = 100
const READERS = 500
const READERS_SHORT = 8
const JSON_HEADERS = { 'content-type': 'application/json' }
const MESSAGES = 8

export function publicBookmarks(on: Ground): Promise<void> {
  const request = plain('GET', `/market-bookmarks/public/${on.scene.attacker.account}`)
  return asks(on, { perSecond: 300, connections: CALLERS }, () => request)
}

export function packMarkets(on: Ground): Promise<void> {
  const page = (cycle: number) => `/parlay/markets?limit=50&page=${1 + (cycle % PACK_PAGES)}`
  return asks(on, { perSecond: 300, connections: CALLERS }, (cycle) => plain('GET', page(cycle)))
}

/** Prices packs of as many legs as a pack takes. */
export function packQuotes(on: Ground): Promise<void> {
  const slugs = [...on.scene.legs.map(({ slug }) => slug), ...on.scene.slugs]
  return asks(on, { perSecond: 400, connections: CALLERS }, (cycle) => {
    const legs = Array.from({ length: PACK_LIMITS.legsMax }, (_, leg) => ({
      marketSlug: slugs[(cycle + leg) % slugs.length],
      outcomeIndex: leg % 2,
    }))
    const body = JSON.stringify({ legs, stake: `${1_000_000 + cycle}` })
    return plain('POST', '/parlay/quote', { headers: JSON_HEADERS, body })
  })
}

/** Kinds of calls of the attack on curated packs: a purchase is sent twice under its key. */
const CURATED_KINDS = 4
const AN_HOUR_SEC = 3600

/** Reads the list of curated packs, prices one for fresh stakes, and buys it again and again. */
export function curatedPacks(on: Ground): Promise<void> {
  const { attacker, things } = on.scene
  const startMs = Date.now()
  const run = `${process.pid}-${startMs}`
  const deadline = String(Math.floor(startMs / 1000) + AN_HOUR_SEC)
  const list = plain('GET', '/parlay/packs')
  return asks(on, { perSecond: 400, connections: CALLERS }, (cycle) => {
    const round = Math.floor(cycle / CURATED_KINDS)
    const kind = cycle % CURATED_KINDS
    if (kind === 0) return list
    const wanted = { packId: things.curatedId, stakeAmount: `${1_000_000 + round}` }
    if (kind === 1) return signed(attacker, 'POST', '/parlay/partner/quote', JSON.stringify(wanted))
    const terms = { minPayoutAmount: '1', idempotencyKey: `${run}-${round}` }
    const body = JSON.stringify({ ...wanted, ...terms, deadline })
    return signed(attacker, 'POST', '/parlay/partner/buy', body)
  })
}

/** Starts of addresses: most profiles match the shortest. */
export function addressSearches(on: Ground): Promise<void> {
  return asks(on, { perSecond: 300, connections: CALLERS }, (cycle) => {
    const [first, second] = [HEX[cycle % 16], HEX[(cycle >> 4) % 16]]
    const start = cycle % 3 === 0 ? '0x0' : cycle % 3 === 1 ? `0x${first}` : `0x${first}${second}`
    return plain('GET', `/profiles/search?query=${start}&limit=${1 + (cycle % 10)}`)
  })
}

/** Walks through feeds, one entry a page, from the newest to the oldest. */
export async function feedWalks(on: Ground): Promise<void> {
  const { attacker } = on.scene
  const lists = [
    '/feed/following?',
    '/feed/trading?audience=following&',
    '/feed/trading?audience=featured&',
    '/feed/trading?audience=all&',
  ]
  const caller = async (_: unknown, index: number) => {
    const list = lists[index % lists.length]
    let peer = on.peer(index % 2)
    let cursor = ''
    while (await on.cycle(400)) {
      peer = on.again(peer, index % 2)
      const path = `${list}limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`
      const body = await peer.request(signed(attacker, 'GET', path))
      cursor = /"nextCursor":"([^"]*)"/.exec(body)?.[1] ?? ''
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

/** Makes and takes back offers while many sockets listen to offers. */
export async function offersReceived(on: Ground): Promise<void> {
  const { attacker } = on.scene
  const readers = on.isShort ? READERS_SHORT : READERS
  for (let opened = 0; opened < readers && (await on.cycle(200)); opened++) {
    const peer = on.peer(opened % 2)
    await peer.request(upgrade())
    if (peer.isSocket) peer.send(JOIN).send(says('subscribe_live_offers'))
  }
  const legs = on.scene.legs.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))
  const body = JSON.stringify({ legs, stakeMax: '2000000', payout: '6000000' })
  const caller = async () => {
    let peer = on.peer()
    while (await on.cycle(200)) {
      peer = on.again(peer)
      const made = await peer.request(signed(attacker, 'POST', '/parlay/offers', body))
      const id = /"id":"(\d+)"/.exec(made)?.[1]
      if (id === undefined) continue
      await on.again(peer).request(signed(attacker, 'DELETE', `/parlay/offers/${id}`))
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
}

const CROWD = 205
const OFFER_SHARE = 4

/** So many profiles as once held all offers make theirs again and again, and read the list. */
export function offersOfMany(on: Ground): Promise<void> {
  const crowd = on.scene.fans.slice(0, CROWD)
  const legs = on.scene.legs.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))
  const body = JSON.stringify({ legs, stakeMax: '1000000', payout: '3000000' })
  const list = plain('GET', '/parlay/offers')
  return asks(on, { perSecond: 1600, connections: CALLERS }, (cycle) => {
    if (cycle % OFFER_SHARE !== 0) return list
    const maker = crowd[(cycle / OFFER_SHARE) % crowd.length]
    return signed(maker, 'POST', '/parlay/offers', body)
  })
}

export function followSlices(on: Ground): Promise<void> {
  const { attacker, famous } = on.scene
  const path = `/profiles/${famous.account}/follow`
  return asks(on, { perSecond: 200, connections: 8 }, (cycle) =>
    signed(attacker, cycle % 2 === 0 ? 'DELETE' : 'PUT', path),
  )
}

function toolCall(name: string, given: object, id: number) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }
}

/** Calls as many tools in one body as it may hold. */
export function toolBodies(on: Ground): Promise<void> {
  const { attacker, slugs } = on.scene
  return asks(on, { perSecond: 100, connections: 8 }, (cycle) => {
    const slug = slugs[cycle % slugs.length]
    const calls = [
      toolCall('search_markets', { query: `market ${cycle} above` }, 0),
      toolCall('get_market_price_history', { slug, interval: 'all' }, 1),
      toolCall('get_market_trades', { slug, limit: 100 }, 2),
      toolCall('list_markets', { limit: 25 }, 3),
      toolCall('get_my_positions', {}, 4),
      toolCall('get_my_orders', { limit: 100 }, 5),
      toolCall('get_order_book', { slug }, 6),
      toolCall('get_my_balance', {}, MESSAGES - 1),
    ]
    return signed(attacker, 'POST', '/mcp', JSON.stringify(calls))
  })
}

export function deepBoards(on: Ground): Promise<void> {
  const spans = ['24h', '7d', '30d', 'all']
  return asks(on, { perSecond: 400, connections: CALLERS }, (cycle) => {
    const span = spans[cycle % spans.length]
    const type = cycle % 2 === 0 ? 'pnl' : 'volume'
    const page = DEEPEST_PAGE - (cycle % 7)
    return plain('GET', `/leaderboard/${type}?timeframe=${span}&limit=100&page=${page}`)
  })
}

/** The paths of the files that the pages of the exchange load. */
export async function filesOf(on: Ground): Promise<string[]> {
  const pages = []
  const peer = on.peer()
  for (const page of ['/', '/operator', '/docs/openapi']) {
    pages.push(await peer.request(plain('GET', page)))
  }
  peer.end()
  const found = [...pages.join('').matchAll(/\/assets\/[^"?]+/g)].map(([path]) => path)
  return [...new Set(found)]
}

/** Requests files as they are: such a client takes no compressed bytes. */
export async function wholeFiles(on: Ground): Promise<void> {
  const files = await filesOf(on)
  await asks(on, { perSecond: 100, connections: 8 }, (cycle) =>
    plain('GET', files[cycle % files.length]),
  )
}
