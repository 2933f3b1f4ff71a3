// The reads of a portfolio in `make bench-reads`: those of an account with many positions and fills
// beside those of one with ten. Both are in one exchange, whose every row comes from commands that
// the core applied and the follower wrote.

import { assert } from '../../engine/domain/assert.ts'
import type { Seal } from '../../persistence/seal.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import {
  ExchangeClient,
  headersFor,
  send,
  type Trader,
} from '../../test/support/exchange-client.ts'
import { ExchangeDriver } from '../../test/support/exchange-driver.ts'
import { ServerProcess } from '../../test/support/server-process.ts'
import { profileFields } from '../../test/support/specs.ts'
import { Caller, getting } from '../http/calls.ts'
import { withFolder } from '../passes/folder.ts'
import { progress } from '../report/progress.ts'
import type { Row } from '../report/report.ts'
import { alternating, type Pace, Rounds, type Side } from './alternating.ts'
import { sealedToken, writeStory } from './written-folder.ts'

export interface PortfolioPlan extends Pace {
  /** Positions of the large account, and its fills, a whole number for each position. */
  readonly positions: number
  readonly fills: number
}

const FEW = 10
const SHARE = 1_000_000
/** A call waits a second for the tables before it is refused. */
const MINED_TRIES_MAX = 120
const DEPOSIT_RAW = 10 ** 14
const HISTORY_MS = 30 * 24 * 3_600_000
const MAKER = 1
const LARGE = 2
const SMALL = 3
const SELL_TICKS = 480
const BUY_TICKS = 500
const SERVER_ARGS = ['--accept-clock', '--no-rate-limit', '--stop-deadline', '120']

interface PortfolioRead {
  readonly name: string
  readonly path: string
  /** The reply has every position, so it grows with them and has no aim. */
  readonly isWhole?: boolean
  /** Asked without a proof: an owner sees more of its own account. */
  readonly isOpen?: boolean
}

const READS: readonly PortfolioRead[] = [
  // The small account has ten fills, one in each of its markets: both replies have as many rows.
  { name: 'history', path: '/portfolio/history?limit=10' },
  { name: 'history of a market', path: '/portfolio/history?limit=1&market=market-1' },
  { name: 'fills', path: '/portfolio/fills?limit=10' },
  { name: 'fills as the taker', path: '/portfolio/fills?limit=10&role=TAKER' },
  { name: 'fills of a time', path: '/portfolio/fills?limit=10&from=1' },
  { name: 'trades with pools', path: '/portfolio/trades' },
  { name: 'balance', path: '/portfolio/balance' },
  { name: 'realised profit', path: '/portfolio/ACCOUNT/realized-pnl?timeframe=all' },
  {
    name: 'chart of another account',
    path: '/portfolio/ACCOUNT/pnl-chart?timeframe=30d',
    isOpen: true,
  },
  { name: 'own chart', path: '/portfolio/pnl-chart?timeframe=30d', isWhole: true },
  { name: 'positions', path: '/portfolio/positions', isWhole: true },
]

/** The commands of an exchange in which these accounts trade with one maker. */
class Story {
  readonly #driver = new ExchangeDriver(1 << 14)
  #records: Uint8Array[] = []

  readonly #seal: Seal

  constructor(seal: Seal) {
    this.#seal = seal
    this.#driver.onCommand = (command) => this.#records.push(encodeCommand(command))
  }

  *#taken(): Iterable<Uint8Array> {
    const records = this.#records
    this.#records = []
    yield* records
  }

  *report({ positions, fills }: PortfolioPlan, nowMs: number): Iterable<Uint8Array> {
    const driver = this.#driver
    driver.nowMs = nowMs - HISTORY_MS
    driver.control({ kind: 'rules', version: 1 })
    for (const profileId of [MAKER, LARGE, SMALL]) {
      const profile = profileFields(profileId)
      const token = sealedToken(this.#seal, profileId)
      driver.control({ kind: 'createProfile', profileId, profile, token })
      driver.deposit(profileId, DEPOSIT_RAW)
    }
    const each = Math.max(1, fills / positions)
    for (let at = 0; at < positions; at++) {
      this.#quote(driver.addMarket(), (each + 1) * 4)
      yield* this.#taken()
    }
    for (let marketId = 1; marketId <= FEW; marketId++) this.#take(SMALL, marketId, 0)
    yield* this.#taken()
    for (let round = 0; round < each; round++) {
      driver.nowMs = nowMs - HISTORY_MS + Math.floor((round / each) * HISTORY_MS)
      for (let marketId = 1; marketId <= positions; marketId++) this.#take(LARGE, marketId, round)
      yield* this.#taken()
      progress(`reads: ${round * positions} of ${fills} fills`)
    }
  }

  #quote(marketId: number, shares: number): void {
    const wanted = {
      account: MAKER,
      marketId,
      side: 0,
      type: 'GTC',
      sizeRaw: shares * SHARE,
    } as const
    this.#driver.place({ ...wanted, outcome: 1, priceTicks: 1000 - BUY_TICKS })
    this.#driver.place({ ...wanted, outcome: 0, priceTicks: SELL_TICKS })
  }

  /** Buys two shares, then sells one, by turns: what is realised changes, and shares stay. */
  #take(account: number, marketId: number, round: number): void {
    const buys = round % 2 === 0
    const priceTicks = buys ? BUY_TICKS : SELL_TICKS
    const wanted = { account, marketId, outcome: 0, type: 'FAK', priceTicks } as const
    const placed = this.#driver.place({
      ...wanted,
      side: buys ? 0 : 1,
      sizeRaw: (buys ? 2 : 1) * SHARE,
    })
    assert(placed.result === 'FILLED', `a fill is made: ${placed.refused ?? placed.result}`)
  }
}

type Owner = Pick<Trader, 'tokenId' | 'secret'> & { readonly account: string }

async function ownerOf(client: ExchangeClient, profileId: number): Promise<Owner> {
  const { account } = profileFields(profileId)
  const body = { account, apiToken: { scopes: ['trading'] } }
  const { tokenId, secret } = Object(await client.admin('/admin/profiles', body))
  return { account, tokenId, secret }
}

/** The chain holds the trades first: they came without a block, which no running exchange sees. */
async function whenMined(client: ExchangeClient, owner: Owner): Promise<void> {
  for (let left = MINED_TRIES_MAX; left > 0; left--) {
    progress('reads: the chain takes all fills')
    const { path } = READS[0]
    const headers = headersFor(owner, { method: 'GET', path, body: '' })
    const { status } = await send(client.baseUrl, 'GET', path, { headers })
    if (status === 200) return
  }
  throw new Error('The read tables do not catch up.')
}

function sideOf(baseUrl: string, owner: Owner, name: string, calls: number): Side<PortfolioRead> {
  const round = async (read: PortfolioRead) => {
    const path = read.path.replace('ACCOUNT', owner.account)
    const signed = () => headersFor(owner, { method: 'GET', path, body: '' })
    const headersOf = read.isOpen === true ? () => ({}) : signed
    const caller = new Caller(baseUrl, [200], headersOf)
    const ms = await caller.round(() => getting(path), calls)
    caller.close()
    return ms
  }
  return { name, rounds: new Rounds(), round }
}

export function portfolioRows(plan: PortfolioPlan): Promise<Row[]> {
  const { positions, fills, calls } = plan
  return withFolder(async (dataDir) => {
    writeStory(dataDir, (seal) => new Story(seal).report(plan, Date.now()))
    const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
    try {
      const client = new ExchangeClient(server.baseUrl)
      const small = await ownerOf(client, SMALL)
      const large = await ownerOf(client, LARGE)
      await whenMined(client, large)
      const few = sideOf(server.baseUrl, small, `${FEW} positions`, calls)
      const name = `${positions} positions, ${fills} fills`
      const many = sideOf(server.baseUrl, large, name, calls)
      const kindOf = ({ isWhole }: PortfolioRead) => (isWhole ? 'whole portfolio' : 'portfolio')
      return await alternating(few, many, { ...plan, reads: READS, kindOf })
    } finally {
      await server.stop()
    }
  })
}
