import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeActors, openProvider } from '../fuzz/actors.ts'
import { actorOf, type Setting, settingOf } from '../fuzz/setting.ts'
import { ExchangeClient, type TestMarket, type Trader } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN, ServerProcess } from '../support/server-process.ts'
import { Activity, CATEGORY, ESPORTS_MATCH, POOL, SERIES } from './activity.ts'
import { signedOrders } from './signed-orders.ts'
import type { Venue } from './suite.ts'

// An exchange in its own process for the drivers of one suite: the setting of the fuzz (markets of
// each kind and state, a group, a pool, a series, matches, packs, a partner with a server wallet),
// and trades of the user. Drivers read names, keys and addresses from the variables `INTEROP_…`.

const SHARE = 1_000_000
const CHAIN_ID = '8453'
const FEE_BPS = '300'
const GROUP = 'fuzz-group'
const SPORTS_MATCH = 'match-0'
const ENDED = 'fuzz-over'

export class ServedVenue implements Venue {
  readonly env: Readonly<Record<string, string>>
  readonly #server: ServerProcess
  readonly #activity: Activity

  private constructor(server: ServerProcess, activity: Activity, values: Record<string, string>) {
    this.#server = server
    this.#activity = activity
    this.env = values
  }

  static async open(folder: string): Promise<ServedVenue> {
    const dataDir = join(folder, 'data')
    mkdirSync(dataDir)
    const provider = openProvider(dataDir)
    const limits = ['--no-rate-limit', '--market-threads', '1']
    const rules = ['--block-ms', '50', '--pack-rest', '0', '--social-provider', 'demo']
    const args = [...limits, ...rules, ...provider.flags]
    const server = await ServerProcess.start({ dataDir, args })
    try {
      return await ServedVenue.#filled(server, provider.privateKey)
    } catch (error) {
      server.signal('SIGKILL')
      throw error
    }
  }

  static async #filled(server: ServerProcess, identityKey: KeyObject): Promise<ServedVenue> {
    const client = new ExchangeClient(server.baseUrl)
    const port = Number(new URL(server.baseUrl).port)
    const actors = await makeActors(client, port, identityKey)
    const setting = await settingOf(client, actors)
    const [, market] = setting.markets
    assert.ok(market.fee, 'the second market takes fees')
    await tradeOnce(client, setting, market)
    const activity = new Activity(client, setting)
    await activity.prepare()
    return new ServedVenue(server, activity, await envOf(client, setting, market))
  }

  get baseUrl(): string {
    return this.#server.baseUrl
  }

  async document(): Promise<string> {
    return await (await fetch(`${this.baseUrl}/openapi.json`)).text()
  }

  async whileLive<T>(work: () => Promise<T>): Promise<T> {
    const activity = this.#activity.run()
    try {
      return await work()
    } finally {
      this.#activity.end()
      await activity
    }
  }

  async stop(): Promise<string> {
    await this.#server.stop()
    const lines = this.#server.stderr.split('\n')
    return lines.filter((line) => /"level":(50|60)/.test(line)).join('\n')
  }

  kill(): void {
    this.#server.signal('SIGKILL')
  }
}

/** The user buys from the stranger: both then have a position and a history. */
async function tradeOnce(client: ExchangeClient, setting: Setting, market: TestMarket) {
  const own = { sizeRaw: 10 * SHARE, ticks: 400, type: 'GTC' } as const
  const [user, other] = (['owner', 'stranger'] as const).map(
    (role) => actorOf(setting.actors, role).trader,
  )
  const bid = { isBuy: true, outcome: 'yes', salt: 2 ** 42, ...own } as const
  await client.placed(user, market, bid)
  const { execution } = await client.placed(other, market, {
    ...own,
    isBuy: true,
    outcome: 'no',
    salt: 2 ** 42,
    ticks: 600,
  })
  assert.notEqual(execution.totalsRaw.contractsGross, '0', 'the user has a trade')
}

async function envOf(client: ExchangeClient, setting: Setting, market: TestMarket) {
  const { actors, pools, packs } = setting
  const user = actorOf(actors, 'owner')
  const partner = actorOf(actors, 'partner').trader
  const child = at(await client.get(`/markets/${GROUP}`), 'markets', 0)
  const ended = await client.get(`/markets/${ENDED}`)
  const slot = await client.get(`/markets/stable/${SERIES}`)
  const children = await client.call(partner, 'GET', '/profiles/partner-accounts')
  const values: Record<string, string> = {
    URL: client.baseUrl,
    ADMIN_TOKEN,
    CHAIN_ID,
    MARKET: market.slug,
    MARKET_ID: `${market.id}`,
    EXCHANGE: market.exchange,
    FEE_BPS,
    TOKEN_YES: market.tokens.yes,
    TOKEN_NO: market.tokens.no,
    // Nobody but the user trades here; its own orders rest.
    QUIET: setting.quiet.slug,
    GROUP,
    GROUP_CHILD: String(at(child, 'slug')),
    GROUP_CHILD_TOKEN: String(at(child, 'tokens', 'yes')),
    POOL,
    ENDED,
    ENDED_CONDITION: String(at(ended, 'conditionId')),
    PAGE: pools.madepages[0],
    PAGE_PATH: pools.paths[1],
    SLOT: String(at(slot, 'slug')),
    ...traderValues('USER', user.trader),
    ...traderValues('PARTNER', partner),
    IDENTITY: user.identity,
    ORDERS: signedOrders(user.trader, market),
    CHILD_PROFILE: pools.children[0],
    CHILD_ACCOUNT: String(at(children.body, 'data', 0, 'account')),
    POOL_ADDRESS: String(at(await client.get(`/markets/${POOL}`), 'address')),
    PACK: packs.curated[0],
    SPORTS_MATCH,
    ESPORTS_MATCH,
    CATEGORY,
  }
  const named = Object.entries(values).map(([name, value]) => [`INTEROP_${name}`, value])
  // Requests to this machine never go through a proxy.
  const direct = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' }
  return { ...Object.fromEntries(named), ...direct }
}

function traderValues(prefix: string, trader: Trader): Record<string, string> {
  const { profileId, account, key, tokenId, secret } = trader
  return {
    [`${prefix}_PROFILE`]: `${profileId}`,
    [`${prefix}_ACCOUNT`]: account,
    [`${prefix}_KEY`]: `0x${Buffer.from(key).toString('hex')}`,
    [`${prefix}_TOKEN_ID`]: tokenId,
    [`${prefix}_SECRET`]: secret,
  }
}
