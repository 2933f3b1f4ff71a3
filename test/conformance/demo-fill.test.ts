import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startDemo } from '../../server/demo/demo.ts'
import { OwnCalls } from '../../server/edge/http/access/own-calls.ts'
import { boolean, integer, text } from '../../server/edge/http/schema/scalars.ts'
import {
  compile,
  list,
  object,
  openObject,
  optional,
} from '../../server/edge/http/schema/schema.ts'
import { compiledProgram } from '../support/compiled.ts'
import { newFolder } from '../support/data-folder.ts'
import {
  bookShape,
  ExchangeClient,
  SHARE,
  send,
  shaped,
  type Trader,
} from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { compileProgram, ServerProcess } from '../support/server-process.ts'
import { SocketClient } from '../support/socket-client.ts'

// A first start of the demo may end while it fills its folder; the next start completes it.

/** The markets and the group; slots that trade come on top. */
const MARKETS = 22 + 1
const TRADERS = 3
/** Of the first trader: three books, the group and the pool. */
const BOOKMARKS = 5
const QUOTED = ['rain-tomorrow', 'btc-above-100k', 'home-team-wins', 'rates-cut-in-march']
/** Best bids that differ: the maker quoted that often, or was traded with. */
const QUOTES_SEEN = 2
const FUNDS_RAW = 10_000 * SHARE
const PAIRS_RAW = 100 * SHARE
/** The fill writes about 50 commands; the quotes of the bots follow. */
const CUTS_MAX = 5
const KILLED_AT_SEQ = [0, 27]

await compileProgram()

const trader = object({
  profileId: integer(1),
  account: text(),
  privateKey: text(),
  tokenId: text(),
  secret: text(),
})
const demoShape = compile(
  object({
    baseUrl: text(),
    adminToken: text(),
    traders: list(trader),
    hasCompany: optional(boolean()),
  }),
)
const readyShape = compile(openObject({ ready: boolean(), seq: integer(0) }))
const marketShape = compile(
  openObject({
    id: integer(1),
    slug: text(),
    tokens: openObject({ yes: text(), no: text() }),
    venue: openObject({ exchange: text() }),
    metadata: openObject({ fee: boolean() }),
  }),
)

function demoOf(dataDir: string) {
  const path = join(dataDir, 'demo.json')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  return shaped(demoShape, JSON.parse(readFileSync(path, 'utf8')))
}

/** Whether the start has written this many commands; 0 holds once the admin token is known. */
function hasWritten(dataDir: string, seq: number): () => Promise<boolean> {
  return async () => {
    if (seq === 0) return true
    const { baseUrl } = demoOf(dataDir)
    if (baseUrl.endsWith(':0')) {
      // The server listens, but demo.json does not name its port yet.
      await new Promise((resolve) => setImmediate(resolve))
      return false
    }
    return shaped(readyShape, (await send(baseUrl, 'GET', '/ready')).body).seq >= seq
  }
}

/** Expects quoted books, and three traders who have exactly their funds and can trade. */
async function expectWholeDemo(dataDir: string): Promise<void> {
  const server = await ServerProcess.start({ dataDir, demo: true, args: ['--no-rate-limit'] })
  const orderEvents = await SocketClient.open(Number(new URL(server.baseUrl).port))
  try {
    orderEvents.socket.emit('subscribe_market_prices', { marketSlugs: QUOTED })
    await expectWhole(server.baseUrl, dataDir, orderEvents)
  } finally {
    orderEvents.close()
    await server.kill()
  }
}

/** Books of the demo move all the time: each frame of one is a reason to ask again. */
async function nextFrame(orderEvents: SocketClient): Promise<void> {
  const seen = orderEvents.frames.length
  await orderEvents.until(() => orderEvents.frames.length > seen || orderEvents.ends.length > 0)
  assert.deepEqual(orderEvents.ends, [])
}

async function expectQuotes(
  client: ExchangeClient,
  slug: string,
  orderEvents: SocketClient,
): Promise<void> {
  // A demo of an earlier start renews its quotes from an empty book, once.
  const seen = new Set<number>()
  for (;;) {
    const { bids, asks } = shaped(bookShape, await client.get(`/markets/${slug}/orderbook`))
    if (bids.length === 0 || asks.length === 0) {
      assert.equal(seen.size, 0, `${slug}: quotes stand before older ones go`)
    } else seen.add(bids[0].price)
    if (seen.size === QUOTES_SEEN) return
    await nextFrame(orderEvents)
  }
}

async function expectWhole(
  baseUrl: string,
  dataDir: string,
  orderEvents: SocketClient,
): Promise<void> {
  const { adminToken, traders, ...demo } = demoOf(dataDir)
  assert.equal(demo.baseUrl, baseUrl)
  assert.equal(traders.length, TRADERS)
  const client = new ExchangeClient(baseUrl, adminToken)
  const slugs = await client.get('/markets/active/slugs')
  assert.ok(Array.isArray(slugs) && slugs.length >= MARKETS, JSON.stringify(slugs))
  await Promise.all(QUOTED.map((slug) => expectQuotes(client, slug, orderEvents)))
  for (const [index, slug] of QUOTED.entries()) {
    const owner = traders[index % TRADERS]
    const key = Buffer.from(owner.privateKey.slice(2), 'hex')
    if (index < TRADERS) {
      const balances = await client.balances({ ...owner, key })
      // The first trader has pairs of the market that is over.
      const freeRaw = index === 0 ? FUNDS_RAW - PAIRS_RAW : FUNDS_RAW
      assert.deepEqual(balances, { freeRaw, reservedRaw: 0 })
    }
    const { venue, metadata, ...market } = shaped(marketShape, await client.get(`/markets/${slug}`))
    await client.placed(
      { ...owner, key },
      { ...market, exchange: venue.exchange, fee: metadata.fee },
      { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE, type: 'GTC', salt: index + 1 },
    )
  }
  await expectCompany(baseUrl, traders)
  await proveBalances(client, traders[0], orderEvents)
  await redeemPast(client, traders[0], orderEvents)
}

/** The traders follow each other, and the first shows its bookmarks. */
async function expectCompany(
  baseUrl: string,
  traders: readonly { readonly account: string }[],
): Promise<void> {
  const read = async (path: string) => {
    let reply = await send(baseUrl, 'GET', path)
    // A busy machine may answer too late; every client comes again then.
    while (reply.status === 503) reply = await send(baseUrl, 'GET', path)
    return reply.body
  }
  for (const { account } of traders) {
    const shown = await read(`/profiles/public/${account}`)
    assert.equal(at(shown, 'followersCount'), TRADERS - 1, JSON.stringify(shown))
  }
  const bookmarks = await read(`/market-bookmarks/public/${traders[0].account}`)
  assert.equal(at(bookmarks, 'total'), BOOKMARKS, JSON.stringify(bookmarks))
}

/** The balances of a trader are counted, and the program checks that without the exchange. */
async function proveBalances(
  client: ExchangeClient,
  owner: Omit<Trader, 'key'>,
  orderEvents: SocketClient,
): Promise<void> {
  const { seq } = shaped(readyShape, await client.get('/ready'))
  await client.admin('/admin/solvency', {})
  let root = ''
  while (root === '') {
    const { body } = await send(client.baseUrl, 'GET', '/solvency')
    if (Number(at(body, 'snapshot', 'seq')) >= seq) root = String(at(body, 'snapshot', 'root'))
    else await nextFrame(orderEvents)
  }
  const signer = { ...owner, key: new Uint8Array() }
  const reply = await client.call(signer, 'GET', '/solvency/proof')
  const file = join(newFolder(), 'proof.json')
  writeFileSync(file, JSON.stringify(reply.body))
  const program = compiledProgram()
  assert.ok(program !== null)
  const args = [program, 'verify-proof', file, '--root', root]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.match(stdout, /\n {2}9900\.000000 collateral\n {2}100\.000000 YES of market/)
}

/** The market that is over pays its pairs back. */
async function redeemPast(
  client: ExchangeClient,
  owner: Omit<Trader, 'key'>,
  orderEvents: SocketClient,
): Promise<void> {
  const key = new Uint8Array()
  const market = await client.get('/markets/rain-yesterday')
  const body = JSON.stringify({ conditionId: at(market, 'conditionId') })
  for (;;) {
    const reply = await client.call({ ...owner, key }, 'POST', '/portfolio/redeem', body)
    if (at(reply.body, 'code') === 'PAYOUT_NOT_POSTED') {
      await nextFrame(orderEvents)
      continue
    }
    assert.equal(at(reply.body, 'amount'), String(PAIRS_RAW), JSON.stringify(reply.body))
    return
  }
}

describe('a first start that ends early', { concurrency: 2 }, () => {
  for (const seq of KILLED_AT_SEQ) {
    test(`a demo killed at command ${seq} of its first start is whole after the next`, async () => {
      const dataDir = newFolder()
      const there = hasWritten(dataDir, seq)
      const { signal } = await ServerProcess.cutShort({ dataDir, demo: true }, there, 'SIGKILL')
      assert.equal(signal, 'SIGKILL')
      await expectWholeDemo(dataDir)
    })
  }

  test('SIGTERM during the fill stops in good order; the next start ends the fill', async () => {
    for (let attempt = 1; ; attempt++) {
      const dataDir = newFolder()
      const there = hasWritten(dataDir, 4)
      const ended = await ServerProcess.cutShort({ dataDir, demo: true }, there, 'SIGTERM')
      assert.equal(ended.code, 0)
      // On a busy machine the fill may be over when the signal comes.
      if (demoOf(dataDir).traders.length > 0 && attempt < CUTS_MAX) continue
      assert.deepEqual(demoOf(dataDir).traders, [])
      assert.equal(ended.stdout.includes('listening'), false)
      await expectWholeDemo(dataDir)
      return
    }
  })
})

test('a damaged demo.json is reported, and no bots start', async () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'demo.json'), '{"baseUrl":')
  const stated: string[] = []
  const demo = startDemo({
    dataDir,
    baseUrl: 'http://127.0.0.1:1',
    operatorsUrl: 'http://127.0.0.1:1',
    adminToken: null,
    ownCalls: new OwnCalls(),
    visits: () => ({ calls: 0, sockets: 0 }),
    config: { headerPrefixes: ['svc-'], domain: { name: 'none', chainId: 1 } },
    log: { warn: (sentence) => stated.push(sentence), info: () => {} },
  })
  assert.equal(await demo.ready, true)
  assert.match(stated.join(), /^demo\.json is damaged/)
  await demo.stop()
})
