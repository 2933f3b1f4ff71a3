// The reads of a portfolio: those of an account with many positions and fills beside those of one
// with ten. Both are in one exchange, whose every row comes from commands that the core applied and
// the follower wrote.

import type { Seal } from '../../persistence/seal.ts'
import { ExchangeClient } from '../../test/support/exchange-client.ts'
import { profileFields } from '../../test/support/specs.ts'
import { writeHistory } from '../exchange/exchange-folder.ts'
import { progress, type Row } from '../harness/bench.ts'
import { withFolder } from '../harness/folder.ts'
import { type OpenCaller, withServer } from '../http/servers.ts'
import { History, SHARE } from './history.ts'
import { type Pace, readRows, readsOf, type Side } from './read-rows.ts'

export interface PortfolioPlan extends Pace {
  /** Positions of the large account, and its fills, a whole number for each position. */
  readonly positions: number
  readonly fills: number
}

const FEW = 10
/** A call waits a second for the tables before it is refused. */
const MINED_TRIES_MAX = 120
const DEPOSIT_RAW = 10 ** 14
const HISTORY_MS = 30 * 24 * 3_600_000
const [MAKER, LARGE, SMALL] = [1, 2, 3]
const BOUGHT_SHARES = 2

// The small account has ten fills, one in each of its markets: both replies have as many rows. A
// whole portfolio grows with the positions and has no aim. An owner sees more of its own account,
// so the chart of another account is read without a proof.
const READS = readsOf(`
portfolio        signed  history                   /portfolio/history?limit=10
portfolio        signed  history of a market       /portfolio/history?limit=1&market=market-1
portfolio        signed  fills                     /portfolio/fills?limit=10
portfolio        signed  fills as the taker        /portfolio/fills?limit=10&role=TAKER
portfolio        signed  fills of a time           /portfolio/fills?limit=10&from=1
portfolio        signed  trades with pools         /portfolio/trades
portfolio        signed  balance                   /portfolio/balance
portfolio        signed  realised profit           /portfolio/{account}/realized-pnl?timeframe=all
portfolio        open    chart of another account  /portfolio/{account}/pnl-chart?timeframe=30d
whole portfolio  signed  own chart                 /portfolio/pnl-chart?timeframe=30d
whole portfolio  signed  positions                 /portfolio/positions
`)

/** The commands of an exchange in which two accounts trade with a maker. */
function* historyOf(positions: number, fills: number, seal: Seal): Iterable<Uint8Array> {
  const nowMs = Date.now()
  const history = new History(seal, nowMs - HISTORY_MS)
  const { driver } = history
  for (const profileId of [MAKER, LARGE, SMALL]) history.addProfile(profileId, DEPOSIT_RAW)
  const rounds = Math.max(1, fills / positions)
  for (let at = 0; at < positions; at++) {
    history.quote(MAKER, driver.addMarket(), (rounds + 1) * 4 * SHARE)
    yield* history.taken()
  }
  for (let marketId = 1; marketId <= FEW; marketId++) {
    history.trade(SMALL, marketId, 0, BOUGHT_SHARES)
  }
  for (let round = 0; round < rounds; round++) {
    driver.nowMs = nowMs - HISTORY_MS + Math.floor((round / rounds) * HISTORY_MS)
    for (let marketId = 1; marketId <= positions; marketId++) {
      history.trade(LARGE, marketId, round, BOUGHT_SHARES)
    }
    yield* history.taken()
    progress(`reads: ${round * positions} of ${fills} fills`)
  }
}

async function sideOf(
  openCaller: OpenCaller,
  baseUrl: string,
  profileId: number,
  name: string,
): Promise<Side> {
  const { account } = profileFields(profileId)
  const body = { account, apiToken: { scopes: ['trading'] } }
  const token = Object(await new ExchangeClient(baseUrl).admin('/admin/profiles', body))
  return { name, values: { account: () => account }, caller: openCaller({ token }) }
}

/** The server first mines all trades in blocks, because the history has none. */
async function whenMined({ caller }: Side): Promise<void> {
  const call = { method: 'GET', path: '/portfolio/history', body: '' } as const
  for (let left = MINED_TRIES_MAX; left > 0; left--) {
    progress('reads: waiting until all fills are mined')
    const isMined = await caller.round(() => call, 1, true).catch(() => null)
    if (isMined !== null) return
  }
  throw new Error('The read tables do not catch up.')
}

export function portfolioRows({ positions, fills, ...pace }: PortfolioPlan): Promise<Row[]> {
  return withFolder((dataDir) => {
    writeHistory(dataDir, (seal) => historyOf(positions, fills, seal))
    return withServer(dataDir, async (openCaller, baseUrl) => {
      const few = await sideOf(openCaller, baseUrl, SMALL, `${FEW} positions`)
      const many = await sideOf(
        openCaller,
        baseUrl,
        LARGE,
        `${positions} positions, ${fills} fills`,
      )
      await whenMined(many)
      return await readRows(few, many, READS, pace)
    })
  })
}
