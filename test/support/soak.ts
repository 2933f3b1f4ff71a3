import assert from 'node:assert/strict'
import type { Exchange } from '../../engine/core/exchange.ts'
import { ExchangeClient, type TestMarket, type Trader } from './exchange-client.ts'
import { Flood } from './flood.ts'
import { checkNothingLost } from './journal-salts.ts'
import { Random } from './random.ts'
import { ServerProcess, verify } from './server-process.ts'
import { compileProbe, type SoakProbe } from './soak-memory.ts'
import { type Scene, SoakPhase, type WindowFigures } from './soak-phase.ts'

// Lives of one data folder, ended by SIGTERM and SIGKILL alternately, with the same rate of orders
// in each. After each life the invariants hold offline and no acknowledged order is missing. The
// next life has the money that one thread finds in the journal.

export interface SoakPlan {
  readonly dataDir: string
  readonly seed: number
  /** Bytes that each signed call leaves in memory on purpose. */
  readonly leakBytes?: number
  /** Called before each life but the first. */
  readonly goesOn: () => boolean
  /** Called before each window of a life but the first. */
  readonly livesOn: (life: number, windows: number) => boolean
  readonly windowSeconds: (life: number) => number
  readonly onWindow: (life: number, figures: WindowFigures) => void
  readonly onRestart: (life: number, sentence: string) => void
}

const MARKET_THREADS = ['4', '2', 'each', '0'] as const
const TRADERS = 6
const MARKETS = 3
const FUNDS_RAW = 200_000_000_000_000
const NO_OTHER_SALTS = 2 ** 47

export async function soak(plan: SoakPlan): Promise<void> {
  const { dataDir, seed } = plan
  const probe = await compileProbe(plan.leakBytes ?? 0)
  let server = await serve({ dataDir, probe }, 0)
  const client = new ExchangeClient(server.baseUrl)
  const traders: Trader[] = []
  for (let index = 0; index < TRADERS; index++) {
    traders.push(await client.makeTrader(`soak ${index}`, FUNDS_RAW))
  }
  const markets: TestMarket[] = []
  for (let index = 0; index < MARKETS; index++) {
    markets.push(await client.makeMarket(`soak-${index}`, true))
  }
  const flood = await Flood.start({ traders, markets, seed })
  const scene: Scene = { flood, traders, markets, dataDir, random: new Random(seed) }
  try {
    for (let life = 0; life === 0 || plan.goesOn(); life++) {
      const phase = new SoakPhase(server, scene)
      const seconds = plan.windowSeconds(life)
      for (let count = 0; count === 0 || plan.livesOn(life, count); count++) {
        plan.onWindow(life, await phase.window(seconds))
      }
      const signal = life % 2 === 0 ? 'SIGKILL' : 'SIGTERM'
      await phase.end(signal)
      const found = await verify(dataDir)
      const exchange = checkNothingLost(dataDir, await flood.salts(), NO_OTHER_SALTS)
      server = await serve({ dataDir, probe }, life + 1)
      assert.deepEqual(server.recovered, found, 'a start finds what verify found')
      const cashRaw = await checkMoney(server, traders, exchange)
      plan.onRestart(life, `${signal} at seq ${found.seq}, nothing lost, cash ${cashRaw}`)
    }
    await server.stop()
  } finally {
    flood.end()
    server.signal('SIGKILL')
  }
}

/**
 * The money that the server reports to each trader must be what one thread makes of the journal.
 */
async function checkMoney(
  server: ServerProcess,
  traders: readonly Trader[],
  { clearing }: Exchange,
): Promise<number> {
  const client = new ExchangeClient(server.baseUrl)
  const { collateralFreeRaw, collateralReservedRaw } = clearing.ledger
  let cashRaw = 0
  for (const trader of traders) {
    const { profileId } = trader
    const { freeRaw, reservedRaw } = await client.balances(trader)
    const expected = [collateralFreeRaw[profileId], collateralReservedRaw[profileId]]
    assert.deepEqual([freeRaw, reservedRaw], expected, 'a restart changes no balance')
    cashRaw += freeRaw + reservedRaw
  }
  assert.ok(cashRaw <= traders.length * FUNDS_RAW, 'traders have no more than was credited')
  return cashRaw
}

function serve(at: { dataDir: string; probe: SoakProbe }, life: number): Promise<ServerProcess> {
  const marketThreads = MARKET_THREADS[life % MARKET_THREADS.length]
  const args = ['--no-rate-limit', '--market-threads', marketThreads]
  return ServerProcess.start({ ...at, args })
}
