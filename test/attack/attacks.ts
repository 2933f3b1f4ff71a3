import { privateKeyToAccount } from 'viem/accounts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { keyOf, orderBody, SHARE } from '../support/exchange-client.ts'
import { JOIN } from '../support/raw-member.ts'
import { ADMIN_TOKEN } from '../support/server-process.ts'
import { AROUND } from './around/attacks.ts'
import { type Attack, asks, CROWDED, SOCKET_BYTES } from './attack.ts'
import { COSTLY_READS } from './costly-reads.ts'
import { DEEP_BOOKS } from './deep-books.ts'
import type { Ground } from './ground.ts'
import type { Peer } from './peer.ts'
import { plain, says, signed, upgrade } from './requests.ts'
import { WIDE_ACTS } from './wide-acts.ts'

// What one caller with few addresses and one token tries on an exchange with default rates.

const MIB = 2 ** 20
const CONNECTIONS = 5000
/** The connections without a body come from this many addresses. */
const ADDRESSES = 4
const OPENINGS_PER_SECOND = 500
const DOCUMENT = plain('GET', '/openapi.json')
const PIPELINED = 100
/** How many unsent bytes the attacker queues before it waits for the exchange. */
const AHEAD_BYTES_MAX = MIB
const HALF = plain('POST', '/orders', {
  headers: { 'content-type': 'application/json', 'content-length': '500' },
})

async function unreadReplies(on: Ground): Promise<void> {
  let peer = on.peer().pause()
  const requested = DOCUMENT.repeat(PIPELINED)
  while (await on.cycle(30)) {
    peer = on.again(peer).pause()
    if (peer.waitingBytes < AHEAD_BYTES_MAX) peer.send(requested)
  }
  // A connection that is not read learns of its end when it writes.
  while (on.isShort && !peer.isClosed) {
    if (peer.waitingBytes < AHEAD_BYTES_MAX) peer.send(requested)
    await new Promise(setImmediate)
  }
}

async function noBodies(on: Ground): Promise<void> {
  const peers: Peer[] = []
  for (let cycle = 0; await on.cycle(OPENINGS_PER_SECOND); cycle++) {
    const from = cycle % ADDRESSES
    const place = cycle % CONNECTIONS
    const old = peers[place]
    if (old !== undefined && !old.isClosed && old.answers === 0) continue
    old?.end()
    peers[place] = on.peer(from).send(HALF)
  }
}

async function anonymousSockets(on: Ground): Promise<void> {
  const peers: Peer[] = []
  for (let cycle = 0; await on.cycle(OPENINGS_PER_SECOND); cycle++) {
    const place = cycle % LIMITS.socketsMax
    if (peers[place]?.isClosed === false) continue
    const peer = on.peer()
    peers[place] = peer
    void peer.request(upgrade()).then(() => peer.isSocket && peer.send(JOIN))
  }
}

/** Sockets of the attacker's token, each joined, more than the token may have. */
async function members(on: Ground, count: number): Promise<Peer[]> {
  const peers: Peer[] = []
  while (peers.length < count && (await on.cycle(200))) {
    const peer = on.peer()
    await peer.request(upgrade(on.scene.attacker))
    if (peer.isSocket) peers.push(peer.send(JOIN))
  }
  return peers
}

async function positionsSockets(on: Ground): Promise<void> {
  const peers = await members(on, LIMITS.socketsPerProfileMax + 76)
  const slugs = { marketSlugs: [on.scene.quiet.slug, on.scene.full.slug] }
  for (let cycle = 0; await on.cycle(1000); cycle++) {
    peers[cycle % peers.length].send(says('subscribe_positions', slugs))
  }
}

async function statusBatches(on: Ground): Promise<void> {
  const { attacker, statusIds } = on.scene
  const body = JSON.stringify({ items: statusIds.map((orderId) => ({ orderId })) })
  const caller = async () => {
    let peer = on.peer()
    while (await on.cycle(400)) {
      peer = on.again(peer)
      await peer.request(signed(attacker, 'POST', '/orders/status/batch', body))
    }
  }
  await Promise.all(Array.from({ length: 64 }, caller))
}

/** Requests proofs of its balances on many connections at once, once they are counted. */
async function proofs(on: Ground): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  let first = on.peer()
  await first.request(plain('POST', '/admin/solvency', { headers, body: '{}' }))
  while (!(await first.request(plain('GET', '/solvency'))).includes('root')) first = on.again(first)
  const caller = async () => {
    let peer = on.peer()
    while (await on.cycle(400)) {
      peer = on.again(peer)
      await peer.request(signed(on.scene.attacker, 'GET', '/solvency/proof?limit=50'))
    }
  }
  await Promise.all(Array.from({ length: 64 }, caller))
}

const ORDERS_PER_SECOND = 20

async function listeners(on: Ground): Promise<void> {
  const { attacker, quiet } = on.scene
  const peers = await members(on, on.isShort ? 50 : LIMITS.socketsPerProfileMax)
  for (const peer of peers) peer.send(says('subscribe_order_events'))
  let peer = on.peer()
  for (let cycle = 0; await on.cycle(ORDERS_PER_SECOND); cycle++) {
    const terms = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE } as const
    const salt = Date.now() * 1000 + cycle
    peer = on.again(peer)
    const body = orderBody(attacker, quiet, { ...terms, type: 'GTC', salt })
    await peer.request(signed(attacker, 'POST', '/orders', body))
  }
}

function hammer(request: () => string, perSecond: number, connections = 8) {
  return (on: Ground): Promise<void> => asks(on, { perSecond, connections }, request)
}

const WRONG = plain('DELETE', '/orders/all/none', {
  headers: { 'svc-api-key': 'nobody', 'svc-timestamp': 'never', 'svc-signature': 'none' },
})
const METRICS = plain('GET', '/metrics')
const OWN_METRICS = plain('GET', '/metrics', {
  headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
})
const SLUGS = plain('GET', '/markets/active/slugs')

/** Looks for common words, in another order each time. */
async function freshSearches(on: Ground): Promise<void> {
  const words = 'market will trade price above before event official winner coin rain final'.split(
    ' ',
  )
  let serial = 0
  const caller = async () => {
    let peer = on.peer()
    while (await on.cycle(600)) {
      peer = on.again(peer)
      const from = serial++ % words.length
      const text = [...words.slice(from), ...words.slice(0, from), serial].join('+')
      await peer.request(
        plain('GET', `/markets/search?query=${text}&similarityThreshold=0&limit=50`),
      )
    }
  }
  await Promise.all(Array.from({ length: 64 }, caller))
}

/** Logs in with a new key each time. */
async function freshLogins(on: Ground): Promise<void> {
  const run = `${process.pid} ${Date.now()}`
  let serial = 0
  const caller = async (_: unknown, index: number) => {
    const from = index % 2
    let peer = on.peer(from)
    while (await on.cycle(60)) {
      peer = on.again(peer, from)
      const message = await peer.request(plain('GET', '/auth/signing-message'))
      // The message is a text; a refusal is an object.
      if (!message.startsWith('"')) continue
      const key = Buffer.from(keyOf(`${run} ${serial++}`)).toString('hex')
      const wallet = privateKeyToAccount(`0x${key}`)
      const headers = {
        'x-account': wallet.address,
        'x-signing-message': message,
        'x-signature': await wallet.signMessage({ message: String(JSON.parse(message)) }),
        'content-type': 'application/json',
      }
      await peer.request(plain('POST', '/auth/login', { headers, body: '{"client":"eoa"}' }))
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
}

export const ATTACKS: readonly Attack[] = [
  {
    name: 'unread replies on one connection',
    run: unreadReplies,
    bytes: LIMITS.unreadReplyBytes.address,
    answers: ['closed'],
    meets: ['closed'],
    shortRounds: 30,
  },
  {
    name: `${CONNECTIONS} connections without a body`,
    run: noBodies,
    bytes: CONNECTIONS * SOCKET_BYTES,
    answers: [...CROWDED, '408 BODY_TIMEOUT'],
    meets: ['429 RATE_LIMITED', '408 BODY_TIMEOUT'],
    shortRounds: 800,
  },
  {
    name: 'anonymous sockets of one address',
    run: anonymousSockets,
    bytes: LIMITS.socketsPerAddressMax * SOCKET_BYTES,
    answers: ['101', 'closed', '429 SOCKET_LIMIT', '429 RATE_LIMITED', '503 OVERLOADED'],
    meets: ['101', 'closed'],
    shortRounds: 2200,
  },
  {
    name: 'sockets of one token for positions',
    run: positionsSockets,
    bytes: 2 * LIMITS.socketsPerProfileMax * SOCKET_BYTES,
    answers: ['101', 'closed', 'exception SOCKET_LIMIT', 'exception READ_TIMEOUT'],
    meets: ['exception SOCKET_LIMIT'],
    shortRounds: 2200,
  },
  {
    name: '64 status/batch of 50 orders at once',
    run: statusBatches,
    bytes: 64 * MIB,
    answers: ['200', ...CROWDED, '503 READ_TIMEOUT'],
    meets: ['200'],
    shortRounds: 300,
  },
  {
    name: '64 proofs of solvency at once',
    run: proofs,
    bytes: 64 * MIB,
    answers: ['200', '202', ...CROWDED, '503 NOT_COUNTED'],
    meets: ['200'],
    shortRounds: 600,
  },
  {
    name: 'listening sockets of an account that trades',
    run: listeners,
    bytes: 2 * LIMITS.socketsPerProfileMax * SOCKET_BYTES,
    answers: ['101', '201', 'closed', 'exception SOCKET_LIMIT', 'exception SLOW_READER'],
    meets: ['101', '201'],
    shortRounds: 100,
  },
  {
    name: 'refusals while nobody reads the log',
    run: hammer(() => WRONG, 2000, 16),
    bytes: LIMITS.logWaitingBytesMax,
    answers: ['401 API_KEY_INVALID', ...CROWDED],
    meets: [],
    shortRounds: 1000,
    stallsLog: true,
  },
  {
    name: '/metrics without a token',
    run: hammer(() => METRICS, 1000),
    bytes: 0,
    answers: ['401 ADMIN_TOKEN_INVALID', ...CROWDED],
    meets: [],
    shortRounds: 1000,
  },
  {
    name: '/metrics with the token',
    run: hammer(() => OWN_METRICS, 400),
    bytes: 0,
    answers: ['200', ...CROWDED],
    meets: ['200'],
    shortRounds: 200,
  },
  {
    name: '/markets/active/slugs of all markets',
    run: hammer(() => SLUGS, 300),
    bytes: LIMITS.unreadReplyBytes.address,
    answers: ['200', ...CROWDED],
    meets: ['200'],
    shortRounds: 500,
  },
  {
    name: 'searches for texts that nobody searched before',
    run: freshSearches,
    bytes: 32 * MIB,
    answers: ['200', ...CROWDED, '503 READ_TIMEOUT'],
    meets: ['200', '429 RATE_LIMITED'],
    shortRounds: 400,
  },
  {
    name: 'logins of fresh keys',
    run: freshLogins,
    bytes: 0,
    answers: ['200', ...CROWDED, '429 REGISTRATION_LIMIT'],
    meets: ['200', '429 RATE_LIMITED'],
    shortRounds: 200,
  },
  ...WIDE_ACTS,
  ...COSTLY_READS,
  ...DEEP_BOOKS,
  ...AROUND,
]
