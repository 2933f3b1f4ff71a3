import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEventLogs } from 'viem'
import { SETTLEMENT_STATUSES } from '../../engine/domain/moves/move-command.ts'
import { openReadOnly } from '../../persistence/database.ts'
import { compiledContracts } from '../../server/build/contracts.ts'
import { fundTradersAt } from './chain-trades.ts'
import { newFolder } from './data-folder.ts'
import { EvmStage } from './evm-stage.ts'
import { ExchangeClient, send, type TestMarket, type Trader } from './exchange-client.ts'
import { FaultyRpc } from './faulty-rpc.ts'
import { recoverAll } from './journal-records.ts'
import { at } from './json-path.ts'
import { noteProgress } from './progress.ts'
import type { Random } from './random.ts'
import { ADMIN_TOKEN, ServerProcess } from './server-process.ts'
import { until } from './until.ts'

// Rounds of: trade over HTTP, SIGKILL, restart, on a chain whose node breaks down and whose newest
// blocks are replaced, while an account withdraws and renews its approval. In the end every account
// has in its wallet what the ledger says, to the raw unit.

const FUNDS_RAW = 1_000_000_000_000
const REORG_MAX = 5
const MINE_MS = 20
/** Orders at a time. */
const LINES = 3
const SHOWN_EVERY = 1000
/** Whose events are read at once: a node limits a reply. */
const BLOCKS_READ = 50n
const TRADERS = ['ann', 'ben', 'cid', 'dot']
const MARKETS = ['sun', 'fee']
/** The places where the server kills itself, and the passings at which it does. */
const FAULTS = [
  ['mid-send', 2, 12],
  ['mid-answer', 1, 4],
  ['before-mined', 1, 4],
  ['mid-reversal', 1, 2],
  ['before-commit', 40, 120],
] as const
const FAILED = SETTLEMENT_STATUSES.indexOf('FAILED')

export interface ChainReport {
  readonly trades: number
  readonly failed: number
  readonly forks: number
  readonly kills: number
  readonly faults: Readonly<Record<string, number>>
}

export class ChainRounds {
  readonly #random: Random
  readonly #stage: EvmStage
  readonly #rpc: FaultyRpc
  readonly #dataDir = newFolder()
  readonly #args: readonly string[]
  readonly #traders: Trader[] = []
  readonly #markets: TestMarket[] = []
  #salt = 1
  #forks = 0
  #kills = 0
  #trades = 0
  #isMining = true

  private constructor(random: Random, stage: EvmStage, rpc: FaultyRpc, args: readonly string[]) {
    this.#random = random
    this.#stage = stage
    this.#rpc = rpc
    this.#args = args
  }

  /** Plays rounds of so many orders until there are so many trades. */
  static async play(random: Random, trades: number, orders: number): Promise<ChainReport> {
    const stage = await EvmStage.open()
    const rpc = await FaultyRpc.open(stage.anvil.url, random)
    const flags = {
      'chain-rpc': rpc.url,
      'chain-confirmations': REORG_MAX + 1,
      'chain-retry-ms': 300,
      'chain-repeat-ms': 1000,
      'block-ms': 20,
    }
    const keys = [await stage.operatorKey(), await stage.operatorKey()]
    const args = await stage.servedBy(flags, keys)
    const all = new ChainRounds(random, stage, rpc, args)
    try {
      return await all.#play(trades, orders)
    } finally {
      all.#isMining = false
      await rpc.end()
      await stage.end()
    }
  }

  async #play(trades: number, orders: number): Promise<ChainReport> {
    await this.#open()
    const { client } = this.#stage.anvil
    await client.mine({ blocks: 2 * REORG_MAX })
    await client.setAutomine(false)
    this.#rpc.share = 0.05
    const mining = this.#mine()
    while (this.#trades < trades) await this.#round(orders)
    await this.#settleAll()
    this.#isMining = false
    await mining
    await client.setAutomine(true)
    return this.#check()
  }

  async #open(): Promise<void> {
    const server = await this.#serve()
    const client = new ExchangeClient(server.baseUrl)
    for (const name of TRADERS) this.#traders.push(await client.makeTrader(name, 0))
    for (const slug of MARKETS) this.#markets.push(await client.makeMarket(slug, slug === 'fee'))
    this.#markets.push(...(await client.makeGroup('cup', ['reds', 'blues'])))
    await fundTradersAt(this.#stage, client, this.#traders, FUNDS_RAW)
    await server.stop()
  }

  #serve(fault?: string): Promise<ServerProcess> {
    const options = { dataDir: this.#dataDir, args: this.#args }
    return ServerProcess.start(fault === undefined ? options : { ...options, fault })
  }

  /** Makes blocks, replaces the newest ones, and loses transactions. */
  async #mine(): Promise<void> {
    const { anvil } = this.#stage
    while (this.#isMining) {
      await anvil.client.mine({ blocks: 1 })
      await pause(MINE_MS)
      if (this.#random.chance(0.02)) await anvil.request('anvil_dropAllTransactions')
      if (this.#rpc.share === 0 || !this.#random.chance(0.03)) continue
      await anvil.request('anvil_reorg', this.#random.between(1, REORG_MAX), [])
      this.#forks++
    }
  }

  async #round(orders: number): Promise<void> {
    const random = this.#random
    const [point, least, most] = random.pick(FAULTS)
    const fault = random.chance(0.8) ? `${point}:${random.between(least, most)}` : undefined
    const server = await this.#serve(fault).catch(() => null)
    this.#kills++
    // It may come to its point before it listens.
    if (server === null) return
    const isOver = { value: false }
    void server.ended.then(() => {
      isOver.value = true
    })
    const client = new ExchangeClient(server.baseUrl)
    let left = orders
    const line = async () => {
      while (left-- > 0 && !isOver.value) {
        // The chain refuses a call that it has, and the server may die before it answers.
        if (random.chance(0.03)) await this.#approve(random.chance(0.3)).catch(() => {})
        if (random.chance(0.03)) await this.#pay().catch(() => {})
        await this.#order(client).catch(() => {})
      }
    }
    await Promise.all(Array.from({ length: LINES }, line))
    // Without rounds that wait, the server is never alive for long enough to settle.
    if (random.chance(0.5)) {
      await until(async () => isOver.value || (await isQuiet(server).catch(() => false)), MINE_MS)
    }
    if (!isOver.value) await server.kill()
    noteProgress()
    const { trades } = this.#counted()
    if (Math.floor(trades / SHOWN_EVERY) > Math.floor(this.#trades / SHOWN_EVERY)) {
      console.log(`${trades} trades, ${this.#kills} kills, ${this.#forks} forks`)
    }
    this.#trades = trades
  }

  async #order(client: ExchangeClient): Promise<void> {
    const random = this.#random
    const market = random.pick(this.#markets)
    await client.place(random.pick(this.#traders), market, {
      isBuy: random.chance(0.7),
      type: random.pick(['GTC', 'GTC', 'GTC', 'FAK'] as const),
      outcome: random.pick(['yes', 'no'] as const),
      ticks: random.between(450, 550),
      sizeRaw: random.between(1, 20_000) * 1000,
      salt: this.#salt++,
    })
  }

  /** Whether the exchange may take the collateral of the last trader; lost calls do not matter. */
  async #approve(isAllowed: boolean): Promise<void> {
    const { account } = this.#traders[this.#traders.length - 1]
    await this.#stage.approve(account, isAllowed ? 2n ** 255n : 0n)
  }

  /** A trader sends some collateral to another one. */
  async #pay(): Promise<void> {
    const random = this.#random
    const [from, to] = [random.pick(this.#traders), random.pick(this.#traders)]
    await this.#stage.pay(from.account, to.account, BigInt(random.between(1, 50_000_000_000)))
  }

  async #settleAll(): Promise<void> {
    this.#rpc.share = 0
    const server = await this.#serve()
    const last = await this.#stage.anvil.client.getBlockNumber()
    await until(() => isQuiet(server, last), MINE_MS)
    await server.stop()
  }

  async #check(): Promise<ChainReport> {
    const { clearing } = recoverAll(this.#dataDir)
    const markets = this.#markets.map(({ id, tokens: { yes, no } }) => ({ id, tokens: [yes, no] }))
    await this.#stage.assertReconciled(clearing, this.#traders, markets)
    const { trades, failed } = this.#counted()
    assert.equal(await this.#settledCount(), trades - failed, 'each trade is settled once')
    const faults = Object.fromEntries(this.#rpc.faults)
    return { trades, failed, forks: this.#forks, kills: this.#kills, faults }
  }

  /** Of the read tables. */
  #counted(): { trades: number; failed: number } {
    const connection = openReadOnly(join(this.#dataDir, 'read.db'))
    const countOf = (text: string) =>
      connection.prepare<[], { count: number }>(text).get()?.count ?? 0
    const trades = countOf('SELECT count(*) AS count FROM trades')
    const failed = countOf(`SELECT count(*) AS count FROM settlements WHERE status = ${FAILED}`)
    connection.close()
    return { trades, failed }
  }

  /** Trades of which the chain has an event; one with two would count twice. */
  async #settledCount(): Promise<number> {
    const { client } = this.#stage.anvil
    const address = this.#stage.at.exchange
    const { abi } = compiledContracts().Exchange
    const last = await client.getBlockNumber()
    let count = 0
    for (let fromBlock = 0n; fromBlock <= last; fromBlock += BLOCKS_READ) {
      const logs = await client.getLogs({
        address,
        fromBlock,
        toBlock: fromBlock + BLOCKS_READ - 1n,
      })
      count += parseEventLogs({ abi, logs, eventName: 'TradeSettled' }).length
    }
    return count
  }
}

/** Whether all trades are in blocks, and the exchange has followed the chain up to a block. */
async function isQuiet({ baseUrl }: ServerProcess, followed = 0n): Promise<boolean> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { body } = await send(baseUrl, 'GET', '/admin/settlement?limit=1', { headers })
  const isFollowed = Number(at(body, 'followedBlock')) >= followed
  return isFollowed && at(body, 'waiting') === 0 && at(body, 'transactions') === 0
}
