// Snapshots of a large state, as a task of a process of its own. The keys of remembered orders are
// not part of it: their files are written once.

import { balanceDigest } from '../../engine/core/state/balance-digest.ts'
import { assert } from '../../engine/domain/assert.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import type { SavedSnapshot } from '../../persistence/follower/follower-handle.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { marketSpec, profileFields } from '../../test/support/specs.ts'
import { change, openFolder, whenCaughtUp, writeSetting } from '../exchange/exchange-folder.ts'
import { progress } from '../harness/bench.ts'
import { taskOf } from '../lifetime/lifetime-tasks.ts'
import { tokenNoOf, tokenOf } from '../workload/setting.ts'
import { hashLowOf, placeNew, requestOf } from '../workload/workload-order.ts'

export const savedLarge = taskOf(import.meta.url, saveLarge)

export interface LargePlan {
  readonly dataDir: string
  readonly accounts: number
  readonly orders: number
  readonly snapshots: number
}

const MARKETS = 64
const SHARE_RAW = 1_000_000
const MONEY_RAW = 1_000_000_000
const BATCH = 1000
/** Accounts that the setting of a new folder has. */
const FIRST = 2
const PROGRESS_EVERY = 200_000

async function openAccounts(exchange: RunningExchange, count: number): Promise<void> {
  for (let profileId = FIRST + 1; profileId <= count; profileId++) {
    const [profile, token] = [profileFields(profileId), tokenOf(profileId)]
    await change(exchange, { kind: 'createProfile', profileId, profile, token })
    await change(exchange, { kind: 'adjustBalance', profileId, collateralRaw: MONEY_RAW })
    if (profileId % PROGRESS_EVERY === 0) progress(`years: account ${profileId}`)
  }
}

async function openMarkets(exchange: RunningExchange): Promise<void> {
  for (let marketId = 1; marketId <= MARKETS; marketId++) {
    exchange.shards.of(marketId)
    const market = marketSpec(marketId)
    await change(exchange, { kind: 'createMarket', marketId, book: marketId, market })
  }
}

async function placeOrders(
  { pipeline }: RunningExchange,
  { accounts, orders }: LargePlan,
): Promise<void> {
  const order = blankPlace()
  const request = requestOf(order)
  order.outcome = OUTCOME.YES
  order.side = SIDE.BUY
  order.sizeRaw = SHARE_RAW
  for (let number = 1; number <= orders; number++) {
    const marketId = 1 + (number % MARKETS)
    Object.assign(order, { marketId, book: marketId, priceTicks: 1 + (number % 400) })
    order.accountId = 1 + (number % accounts)
    order.hashHigh = hashLowOf(number)
    order.hashLow = number
    request.tokenNo = tokenNoOf(order.accountId)
    request.ownerId = order.accountId
    const refusal = placeNew(pipeline.sequencer, request, encodePlace(order))
    assert(refusal === null, 'an order of this bench passes every gate')
    if (number % BATCH === 0) await pipeline.whenIdle()
    if (number % PROGRESS_EVERY === 0) progress(`years: order ${number}`)
  }
}

export interface LargeState {
  readonly saved: readonly SavedSnapshot[]
  /** How long a digest of all balances takes: no order is decided meanwhile. */
  readonly pausesMs: readonly number[]
}

/** Saves the state so many times, each with one change more. */
export async function saveLarge(plan: LargePlan): Promise<LargeState> {
  const saved: SavedSnapshot[] = []
  writeSetting(plan.dataDir, { accounts: FIRST, markets: 0 })
  const exchange = await openFolder(plan.dataDir, (each) => saved.push(each))
  await openAccounts(exchange, plan.accounts)
  await openMarkets(exchange)
  await placeOrders(exchange, plan)
  await whenCaughtUp(exchange)
  for (let each = 0; each < plan.snapshots; each++) {
    await change(exchange, { kind: 'adjustBalance', profileId: 1, collateralRaw: 1 })
    await whenCaughtUp(exchange)
    await exchange.snapshots.take()
  }
  const pausesMs = Array.from({ length: plan.snapshots }, () => {
    const startedMs = performance.now()
    balanceDigest(exchange.pipeline.clearing)
    return performance.now() - startedMs
  })
  const taken = saved.slice(0, plan.snapshots)
  assert(taken.length === plan.snapshots, 'each snapshot was saved')
  await exchange.stop()
  return { saved: taken, pausesMs }
}
