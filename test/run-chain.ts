// `make run CHAIN=1`: a local EVM chain with a test dollar and the contracts, an exchange that
// settles there, and traders whose wallets hold dollars, until Ctrl-C. The folder keeps nothing
// from run to run, as the chain does not.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { keccakReady } from '../server/crypto/keccak.ts'
import { adminCall, DemoClient, type DemoMarket } from '../server/demo/demo-client.ts'
import { type Filling, signIn } from '../server/demo/demo-profiles.ts'
import { writeDemo } from '../server/demo/demo-store.ts'
import { OwnServer } from '../server/demo/own-server.ts'
import { anvilSkip } from './support/anvil.ts'
import { EvmStage, PUBLIC_PLACES } from './support/evm-stage.ts'
import { at } from './support/json-path.ts'
import { LAUNCHER_ENV } from './support/launcher-env.ts'
import { CHAIN_ID, DOMAIN_NAME, termsOf } from './support/live-orders.ts'
import { emptiedFolder } from './support/own-folder.ts'
import { programWords } from './support/server-process.ts'
import { until } from './support/until.ts'

const [, , folder = 'data-chain', ...more] = process.argv
const MARK = 'made-by-run-chain'
const FUNDS_RAW = 10_000_000_000
const BLOCK_SEC = 1
const PAUSE_MS = 1500
const LOOK_MS = 300
/** Ticks: of the middle, from there to trades, and from there to resting orders. */
const [MIDDLE, NEAR, FAR] = [500, 20, 30]
const [SHARES, RESTING_SHARES] = [10, 500]
const QUESTIONS = [
  ['rain-tomorrow', 'Will it rain in Lisbon tomorrow?'],
  ['rates-cut-in-march', 'Will rates be cut in March?'],
  ['eth-above-5k', 'Will ETH close above $5,000 this month?'],
] as const

const adminToken = randomBytes(18).toString('base64url')
let chain: EvmStage | null = null
let server: ChildProcess | null = null
let isStopping = false

function fail(sentence: string): never {
  process.stderr.write(`make run CHAIN=1: ${sentence}\n`)
  process.exit(1)
}

/** In a group of its own: a terminal signals that of this process, and a second signal ends it. */
async function serve(flags: readonly string[]): Promise<string> {
  const [node, ...words] = programWords()
  const env = { ...process.env, ...LAUNCHER_ENV, OUTCOMEX_ADMIN_TOKEN: adminToken }
  const child = spawn(node, [...words, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env,
  })
  server = child
  child.once('exit', () => void stop(1))
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, url] = /^listening (\S+)/.exec(line) ?? []
      if (url !== undefined) resolve(url)
    })
  })
}

async function stop(code: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  if (server !== null && server.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
  await chain?.end()
  process.exit(code)
}

async function fundedTraders(stage: EvmStage, filling: Filling): Promise<DemoClient[]> {
  const clients: DemoClient[] = []
  for (const name of ['visitor', 'ann', 'ben']) {
    const trader = await signIn(filling, name)
    await stage.fund(trader.account, FUNDS_RAW)
    await stage.giveCoin(trader.account)
    clients.push(new DemoClient(trader, filling.venue))
  }
  return clients
}

/** Until the exchange has seen the deposit and the approval. */
function whenFunded(client: DemoClient): Promise<void> {
  return until(async () => {
    const allowance = await client.call('GET', '/portfolio/trading/allowance')
    return Number(at(allowance, 'allowance')) > 0
  }, LOOK_MS)
}

async function openMarkets(operators: OwnServer): Promise<DemoMarket[]> {
  const markets: DemoMarket[] = []
  for (const [slug, title] of QUESTIONS) {
    const body = { kind: 'clob', slug, title }
    const view = await adminCall(operators, adminToken, '/admin/markets', body)
    const { tokens, exchange } = termsOf(slug, view)
    markets.push({ slug, tokens, exchange, hasFee: false, isSlot: false })
  }
  return markets
}

/** Orders on both sides, for whoever wants to trade with them. */
async function quote(maker: DemoClient, market: DemoMarket): Promise<void> {
  const priceTicks = MIDDLE - NEAR - FAR
  const order = { isBuy: true, priceTicks, shares: RESTING_SHARES, type: 'GTC' } as const
  for (const outcome of [0, 1] as const) await maker.place(market, { ...order, outcome })
}

/** Mints shares for two traders, and merges them again: neither runs out of money. */
async function trade(ann: DemoClient, ben: DemoClient, market: DemoMarket): Promise<void> {
  const ticks = randomInt(MIDDLE - NEAR, MIDDLE + NEAR)
  for (const isBuy of [true, false]) {
    const order = { isBuy, shares: SHARES }
    await ann.place(market, { ...order, outcome: 1, priceTicks: 1000 - ticks, type: 'GTC' })
    await ben.place(market, { ...order, outcome: 0, priceTicks: ticks, type: 'FAK' })
    await pause(PAUSE_MS)
  }
}

async function tradeOn([, ann, ben]: readonly DemoClient[], markets: readonly DemoMarket[]) {
  while (!isStopping) {
    try {
      await trade(ann, ben, markets[randomInt(markets.length)])
    } catch (error) {
      if (isStopping) return
      process.stderr.write(`the traders go on after: ${error}\n`)
      await pause(PAUSE_MS)
    }
  }
}

/** Prints the first trade in a block. */
async function showMined(client: DemoClient): Promise<void> {
  let hash: unknown = null
  await until(async () => {
    const fills = await client.call('GET', '/portfolio/fills?limit=100')
    const all = at(fills, 'data')
    const mined = Array.isArray(all) ? all.map((each) => at(each, 'transactionHash')) : []
    hash = mined.find((each) => each !== null) ?? null
    return hash !== null
  }, LOOK_MS)
  process.stdout.write(`  the first trade is in a block, by transaction ${hash}\n\n`)
}

function showPlaces({ at: place, anvil }: EvmStage, url: string, dataDir: string): void {
  process.stdout.write(
    [
      '',
      `  console      ${url}`,
      `  RPC          ${anvil.url}   chain ${CHAIN_ID}, a block each ${BLOCK_SEC} s`,
      `  exchange     ${place.exchange}`,
      `  collateral   ${place.collateral}   anyone can mint it`,
      `  shares       ${place.tokens}   conditional tokens`,
      `  data folder  ${dataDir}   demo.json has the traders and their keys`,
      '',
      '  try next, in another terminal:',
      `    ./outcomex order --data ${folder} --as 0 --market rain-tomorrow --buy yes 10@0.55`,
      `    curl -s '${url}/markets/rain-tomorrow/events?limit=1'   # in a block`,
      `    ./outcomex chain reconcile --data ${folder} --chain-rpc ${anvil.url} \\`,
      `      --exchange-address ${place.exchange}`,
      '  stop with Ctrl-C',
      '',
      '',
    ].join('\n'),
  )
}

async function run(stage: EvmStage, dataDir: string): Promise<void> {
  await keccakReady
  const flags = await stage.servedBy({
    'chain-confirmations': 2,
    'chain-poll-ms': 200,
    data: dataDir,
  })
  if (isStopping) return
  const baseUrl = await serve([...flags, ...more])
  const own = new OwnServer(baseUrl, { certFile: undefined, marks: {} })
  const domain = { name: DOMAIN_NAME, chainId: CHAIN_ID }
  const venue = { server: own, headerPrefix: 'svc-', domain }
  const filling = { venue, operators: own, adminToken, isStopped: () => isStopping }
  const clients = await fundedTraders(stage, filling)
  await stage.anvil.client.setIntervalMining({ interval: BLOCK_SEC })
  for (const client of clients) await whenFunded(client)
  writeDemo(dataDir, { baseUrl, adminToken, traders: clients.map(({ trader }) => trader) })
  const markets = await openMarkets(own)
  for (const market of markets) await quote(clients[1], market)
  showPlaces(stage, baseUrl, dataDir)
  await Promise.all([tradeOn(clients, markets), showMined(clients[1])])
}

if (anvilSkip !== false) fail(anvilSkip)
const dataDir =
  emptiedFolder(folder, MARK) ?? fail(`${folder} is not empty; move what it holds elsewhere`)
// However this process ends, it leaves no other one behind.
process.on('exit', () => {
  server?.kill('SIGKILL')
  void chain?.end()
})
process.stdout.write('starting a local chain, and creating the contracts ...\n')
chain = await EvmStage.open(PUBLIC_PLACES)
process.once('SIGINT', () => {
  process.on('SIGINT', () => process.exit(1))
  void stop(0)
})
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
await run(chain, dataDir).catch((error: unknown) => {
  if (!isStopping) process.stderr.write(`make run CHAIN=1: ${error}\n`)
  return stop(1)
})
