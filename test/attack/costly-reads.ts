import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, object, openObject } from '../../server/edge/http/schema/schema.ts'
import {
  ExchangeClient,
  orderBody,
  SHARE,
  shaped,
  type TestMarket,
  type Trader,
} from '../support/exchange-client.ts'
import { type Attack, asks, CROWDED } from './attack.ts'
import type { Ground } from './ground.ts'
import { plain, signed } from './requests.ts'
import { inSlices } from './scene.ts'

// Reads whose cost grows with what one caller made, or with what it requests, at the bounds.

const MIB = 2 ** 20
const CONNECTIONS = 16
/** Markets of one profile, and profiles of one address. */
const HELD = 1000
const CROWD = 50
const BOOKS = 50
const LEVELS = 998
const BATCH = 50
/** Between two changes of one book: about 900 changes a second of all. */
const CHANGE_MS = 50
const MESSAGES = 8
const LEGS = 20
const JSON_HEADERS = { 'content-type': 'application/json' }

const slugsShape = compile(list(openObject({ slug: text() })))
const detailShape = compile(
  openObject({
    id: integer(),
    slug: text(),
    conditionId: text(),
    tokens: object({ yes: text(), no: text() }),
    venue: openObject({ exchange: text() }),
  }),
)

/** Some active markets that have a book of their own. */
async function someMarkets(on: Ground, count: number): Promise<(TestMarket & Condition)[]> {
  const client = new ExchangeClient(on.baseUrl)
  const all = shaped(slugsShape, await client.get('/markets/active/slugs'))
  const named = all.filter(({ slug }) => slug.startsWith('more-')).slice(0, count)
  const found: (TestMarket & Condition)[] = []
  await inSlices(named.length, async (at) => {
    const detail = shaped(detailShape, await client.get(`/markets/${named[at].slug}`))
    const { id, slug, tokens, venue, conditionId } = detail
    found.push({ id, slug, tokens, exchange: venue.exchange, fee: true, conditionId })
  })
  return found
}

interface Condition {
  readonly conditionId: string
}

/** The attacker holds one raw unit of both outcomes of many markets. */
async function hold(on: Ground): Promise<void> {
  const markets = await someMarkets(on, on.isShort ? 4 : HELD)
  const { attacker } = on.scene
  await inSlices(markets.length, async (at) => {
    const body = JSON.stringify({ conditionId: markets[at].conditionId, amount: '1' })
    await on.peer(2).request(signed(attacker, 'POST', '/portfolio/split', body))
  })
}

async function widePositions(on: Ground): Promise<void> {
  const { attacker } = on.scene
  await asks(on, { perSecond: 1000, connections: CONNECTIONS }, () =>
    signed(attacker, 'GET', '/portfolio/positions'),
  )
}

function batchOf(method: string, params?: object): string {
  const message = { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
  return JSON.stringify(Array.from({ length: MESSAGES }, (_, id) => ({ ...message, id })))
}

/** Eight reads of all positions, or eight lists of tools, in each body. */
async function toolBatches(on: Ground): Promise<void> {
  const { attacker } = on.scene
  const bodies = [
    batchOf('tools/call', { name: 'get_my_positions', arguments: {} }),
    batchOf('tools/list'),
    batchOf('ping'),
  ]
  await asks(on, { perSecond: 1000, connections: CONNECTIONS }, (cycle) =>
    signed(attacker, 'POST', '/mcp', bodies[cycle % bodies.length]),
  )
}

/** Many profiles of one address, each with one costly read outstanding at all times. */
async function readingCrowd(on: Ground): Promise<void> {
  const { beaters, slugs, attacker } = on.scene
  const paths = [
    '/feed/following?limit=1',
    `/portfolio/history?limit=1&market=${slugs[0]}`,
    '/portfolio/positions',
  ]
  const reader = async (profile: Trader, at: number) => {
    let peer = on.peer()
    while (await on.cycle(2000)) {
      peer = on.again(peer)
      await peer.request(signed(profile, 'GET', paths[at % paths.length]))
    }
  }
  await Promise.all([attacker, ...beaters].slice(0, CROWD).map(reader))
}

/** Rests an order on each level of a book. */
async function ladder(on: Ground, maker: Trader, market: TestMarket): Promise<void> {
  const levels = on.isShort ? 10 : LEVELS
  for (let from = 0; from < levels; from += BATCH) {
    const orders = Array.from({ length: Math.min(BATCH, levels - from) }, (_, at) => {
      const ticks = from + at + 1
      const isLow = ticks < 500
      const terms = { isBuy: true, outcome: isLow ? 'yes' : 'no', sizeRaw: SHARE } as const
      const salt = Date.now() * 1000 + ticks
      const own = isLow ? ticks : 1000 - ticks
      return orderBody(maker, market, { ...terms, ticks: own, type: 'GTC', salt })
    })
    const body = `{"orders":[${orders.join(',')}]}`
    await on.peer(2).request(signed(maker, 'POST', '/orders/batch', body))
  }
}

const booksOf = (on: Ground) => someMarkets(on, on.isShort ? 4 : BOOKS)
const makerOf = ({ scene: { beaters } }: Ground, at: number) => beaters[at % beaters.length]

async function deepBooks(on: Ground): Promise<void> {
  const markets = await booksOf(on)
  await inSlices(markets.length, (at) => ladder(on, makerOf(on, at), markets[at]))
}

/** Reads fifty deep books in one call while each of them changes. */
async function changingBooks(on: Ground): Promise<void> {
  const markets = await booksOf(on)
  const path = `/markets/orderbooks?slugs=${markets.map(({ slug }) => slug).join(',')}`
  let isOver = false
  const change = async (market: TestMarket, at: number) => {
    const maker = makerOf(on, at)
    let peer = on.peer(2)
    for (let cycle = 0; !isOver; cycle++) {
      peer = on.again(peer, 2)
      const terms = {
        isBuy: true,
        outcome: 'yes',
        ticks: 1 + (cycle % 400),
        sizeRaw: SHARE,
      } as const
      const body = orderBody(maker, market, {
        ...terms,
        type: 'GTC',
        salt: Date.now() * 1000 + cycle,
      })
      await peer.request(signed(maker, 'POST', '/orders', body))
      if (on.isShort && cycle > 3) return
      await on.rest(CHANGE_MS)
    }
  }
  const changing = markets.map(change)
  await asks(on, { perSecond: 200, connections: CONNECTIONS }, () => plain('GET', path))
  isOver = true
  await Promise.all(changing)
}

/** Quotes of many more legs than a pack takes, and of as many as it takes, without a login. */
function wideQuotes(on: Ground): Promise<void> {
  const slugs = [...on.scene.legs.map(({ slug }) => slug), ...on.scene.slugs]
  return asks(on, { perSecond: 1000, connections: CONNECTIONS }, (cycle) => {
    const count = cycle % 2 === 0 ? LEGS : 5
    const legs = Array.from({ length: count }, (_, leg) => ({
      marketSlug: slugs[(cycle + leg) % slugs.length],
      outcomeIndex: leg % 2,
    }))
    const body = JSON.stringify({ legs, stake: `${1_000_000 + cycle}` })
    return plain('POST', '/parlay/quote', { headers: JSON_HEADERS, body })
  })
}

const READ = ['200', ...CROWDED, '503 READ_TIMEOUT']
/** The thread of `POST /mcp` with its library. */
const TOOLS_BYTES = 128 * MIB

export const COSTLY_READS: readonly Attack[] = [
  {
    name: `positions of ${HELD} markets on ${CONNECTIONS} connections`,
    prepare: hold,
    run: widePositions,
    bytes: 64 * MIB,
    answers: [...READ, '201', '202'],
    meets: ['200'],
    shortRounds: 80,
  },
  {
    name: '/mcp with eight reads of positions or eight lists of tools a body',
    prepare: hold,
    run: toolBatches,
    bytes: TOOLS_BYTES,
    answers: [...READ, '201', '202'],
    meets: ['200'],
    shortRounds: 40,
  },
  {
    name: `${CROWD} profiles of one address, each with a costly read outstanding`,
    run: readingCrowd,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 80,
  },
  {
    name: `${BOOKS} books of ${LEVELS} levels that change, in one call`,
    prepare: deepBooks,
    run: changingBooks,
    bytes: 128 * MIB,
    answers: [...READ, '201'],
    meets: ['200', '201'],
    shortRounds: 40,
  },
  {
    name: `quotes of ${LEGS} legs without a login`,
    run: wideQuotes,
    bytes: 32 * MIB,
    answers: READ,
    meets: ['200'],
    shortRounds: 60,
  },
]
