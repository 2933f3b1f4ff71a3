// Trades that settle on a local EVM chain: how many a second, all of them to their blocks, and the
// latencies of orders meanwhile, against an exchange with its own chain.

import { anvilSkip } from '../test/support/anvil.ts'
import { fundTradersAt } from '../test/support/chain-trades.ts'
import { EvmStage } from '../test/support/evm-stage.ts'
import { ExchangeClient, send } from '../test/support/exchange-client.ts'
import { at } from '../test/support/json-path.ts'
import { ADMIN_TOKEN } from '../test/support/server-process.ts'
import { until } from '../test/support/until.ts'
import { alternate, benchOf, progress, type Row, repeat, rowOf } from './harness/bench.ts'
import { hasCores } from './harness/cores.ts'
import { besideRows, type Latencies } from './harness/pacer.ts'
import { latenciesOf } from './http/load-client.ts'
import { pairedOrders, requestsOf } from './http/orders.ts'
import { type Target, withExchange } from './http/servers.ts'

/** `warming`: trades before the latencies, while the compiler still optimises. */
const FULL = { rounds: 5, warmUps: 1, trades: 1000, warming: 8000, seconds: 8 }
type Size = typeof FULL
const SMOKE: Size = { rounds: 1, warmUps: 0, trades: 20, warming: 20, seconds: 0.2 }
/** Each second order trades. */
const ORDERS_PER_SECOND = 400
const CONNECTIONS = 8
/** Faster than trades settle. */
const BURST_PER_SECOND = 2000
const FUNDS_RAW = 10 ** 14
/** With fewer, the chain and the client delay the orders. */
const CORES_MIN = 4
const LOOK_MS = 20
const MS_PER_SEC = 1000

async function whenSettled({ port }: Target): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  await until(async () => {
    const path = '/admin/settlement?limit=1'
    const { body } = await send(`http://127.0.0.1:${port}`, 'GET', path, { headers })
    return at(body, 'waiting') === 0
  }, LOOK_MS)
}

function ordersAt({ port, setting }: Target, pairs: number, perSecond: number) {
  const requests = requestsOf(pairedOrders(setting, pairs))
  return latenciesOf({ port, requests, connections: CONNECTIONS, perSecond })
}

/** Trades a second from the first order to the block of the last trade. */
async function settledPerSecond(target: Target, trades: number): Promise<number> {
  const startMs = performance.now()
  await ordersAt(target, trades, BURST_PER_SECOND)
  await whenSettled(target)
  return (trades * MS_PER_SEC) / (performance.now() - startMs)
}

async function latencies(target: Target, seconds: number): Promise<{ latencies: Latencies }> {
  const found = await ordersAt(target, (ORDERS_PER_SECOND * seconds) / 2, ORDERS_PER_SECOND)
  await whenSettled(target)
  return { latencies: found }
}

async function rows({ rounds, warmUps, trades, warming, seconds }: Size): Promise<Row[]> {
  if (anvilSkip !== false) {
    progress(`chain: is left out; it ${anvilSkip}`)
    return []
  }
  const stage = await EvmStage.open()
  try {
    const args = await stage.servedBy({ 'block-ms': 250, 'chain-poll-ms': 1000 })
    return await withExchange({ markets: 1, args }, async (onChain) => {
      const client = new ExchangeClient(`http://127.0.0.1:${onChain.port}`)
      await fundTradersAt(stage, client, onChain.setting.traders, FUNDS_RAW)
      const settled = await repeat({ about: 'chain: settled', rounds, warmUps }, () => {
        return settledPerSecond(onChain, trades)
      })
      const row = rowOf('settled on a local chain', 'trades/s', settled)
      if (!hasCores(CORES_MIN)) {
        progress(`chain: not measured below ${CORES_MIN} cores: orders while trades settle`)
        return [row]
      }
      return withExchange({ markets: 1 }, async (plain) => {
        for (const target of [onChain, plain]) {
          progress('chain: warms up')
          await settledPerSecond(target, warming)
        }
        const [ours, theirs] = await alternate({ about: 'chain: beside', rounds, warmUps }, () => [
          () => latencies(onChain, seconds),
          () => latencies(plain, seconds),
        ])
        return [row, ...besideRows('trades settle on a chain', ours, theirs)]
      })
    })
  } finally {
    await stage.end()
  }
}

const AIMS = `
≥ 200 trades/s  ^settled on a local chain  trades that settle on a local chain
`
const WITH_CORES = `
≤ 1.2×          ^p99 while                 p99 of orders while trades settle on a chain against none
`

export const bench = benchOf({
  name: 'chain',
  aims: hasCores(CORES_MIN) ? AIMS + WITH_CORES : AIMS,
  full: FULL,
  smoke: SMOKE,
  rows,
})
