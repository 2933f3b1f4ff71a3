// Slow checks of the whole state (invariant 5 of design §1, rules §2.7). Tests, verify and
// snapshots call them. No free balance is further below zero than reversals took from it (design
// §5).

import {
  BURN_ACCOUNT,
  type MarketId,
  PACK_ACCOUNT,
  POOL_ACCOUNT,
  systemAccountAt,
} from '../../domain/ids.ts'
import { kindOf } from '../../domain/markets/market.ts'
import { SIDE } from '../../domain/order.ts'
import { costFloorRaw } from '../../domain/units.ts'
import { reservesRaw } from '../amm/pool-commands.ts'
import type { Clearing } from '../clearing.ts'
import type { Market } from '../markets/catalogue.ts'
import { redemptionRaw } from '../moves/conditions.ts'
import { STATE } from '../orders/order-table.ts'
import { brokenShareCounts } from './share-counts.ts'

function brokenMoney(clearing: Clearing): string | null {
  const { ledger } = clearing
  let heldRaw = 0n
  for (const [index, raw] of ledger.systemRaw.entries()) {
    const account = systemAccountAt(index)
    const owedRaw = clearing.reversals.collateralTakenRaw(account)
    if (raw < -owedRaw) return `system account ${index} has a negative balance`
    heldRaw += BigInt(raw)
  }
  for (let account = 1; account <= clearing.accounts.count; account++) {
    const freeRaw = ledger.collateralFreeRaw[account]
    const reservedRaw = ledger.collateralReservedRaw[account]
    const owedRaw = clearing.reversals.collateralTakenRaw(account)
    if (freeRaw < -owedRaw || reservedRaw < 0) return `account ${account} has a negative balance`
    heldRaw += BigInt(freeRaw) + BigInt(reservedRaw)
  }
  for (const { conditionRaw } of clearing.catalogue.all()) heldRaw += BigInt(conditionRaw)
  if (heldRaw === BigInt(ledger.fundedRaw)) return null
  return `collateral is not conserved: held ${heldRaw}, funded ${ledger.fundedRaw}`
}

function brokenShares(clearing: Clearing): string | null {
  const { ledger } = clearing
  const held = new Map<MarketId, Held>()
  for (let row = 1; row < ledger.rows.end; row++) {
    if (!ledger.rows.isLive(row)) continue
    const marketId = ledger.rows.marketOf(row)
    const { payoutNumerators } = clearing.catalogue.existing(marketId)
    const of = held.get(marketId) ?? { yesRaw: 0n, noRaw: 0n, paysRaw: 0n, burntRaw: 0 }
    const raws = [0, 0]
    for (const outcome of [0, 1] as const) {
      const freeRaw = ledger.sharesFreeRaw[row * 2 + outcome]
      const reservedRaw = ledger.sharesReservedRaw[row * 2 + outcome]
      const accountId = ledger.rows.accountOf(row)
      const owedRaw = clearing.reversals.sharesTakenRaw(accountId, marketId, outcome)
      if (freeRaw < -owedRaw || reservedRaw < 0) return `row ${row} holds negative shares`
      raws[outcome] = freeRaw + reservedRaw
    }
    of.yesRaw += BigInt(raws[0])
    of.noRaw += BigInt(raws[1])
    if (payoutNumerators !== null) {
      of.paysRaw += BigInt(redemptionRaw(payoutNumerators, raws[0], raws[1]))
    }
    if (ledger.rows.accountOf(row) === BURN_ACCOUNT) of.burntRaw = raws[1]
    held.set(marketId, of)
  }
  for (const market of clearing.catalogue.all()) {
    const broken = brokenMarket(clearing, market, held)
    if (broken !== null) return broken
  }
  return null
}

/** Holdings of all accounts in a market, and the burn account's NO. */
interface Held {
  yesRaw: bigint
  noRaw: bigint
  /** The payout of all positions, once the market is resolved. */
  paysRaw: bigint
  burntRaw: number
}

/**
 * Until the payout, a pair is backed by one unit of collateral. Afterwards the collateral covers
 * what is not redeemed yet. A group owes what its burnt shares will pay.
 */
function brokenMarket(
  clearing: Clearing,
  market: Market,
  held: ReadonlyMap<MarketId, Held>,
): string | null {
  const { marketId, conditionRaw, isPaidOut } = market
  const insideRaw = BigInt(conditionRaw)
  if (kindOf(market) === 'group') return brokenGroup(clearing, market, held)
  const of = held.get(marketId)
  if (of === undefined) {
    return insideRaw === 0n ? null : `market ${marketId} holds ${insideRaw} but has no positions`
  }
  const { yesRaw, noRaw, paysRaw } = of
  const isWhole = isPaidOut ? insideRaw >= paysRaw : yesRaw === insideRaw && noRaw === insideRaw
  if (isWhole) return null
  return `market ${marketId} holds ${insideRaw} behind ${yesRaw} YES and ${noRaw} NO`
}

function brokenGroup(
  { catalogue }: Clearing,
  { marketId, conditionRaw }: Market,
  held: ReadonlyMap<MarketId, Held>,
): string | null {
  const children = catalogue.childrenOf(marketId)
  const isResolved = children.every(({ status }) => status === 'RESOLVED')
  let dueRaw = 0n
  const burnt = new Set<number>()
  for (const child of children) {
    const burntRaw = held.get(child.marketId)?.burntRaw ?? 0
    burnt.add(burntRaw)
    const { payoutNumerators } = child
    if (payoutNumerators !== null) dueRaw += BigInt(redemptionRaw(payoutNumerators, 0, burntRaw))
  }
  if (!isResolved) {
    if (burnt.size > 1) return `the children of group ${marketId} burnt different amounts`
    for (const raw of burnt) dueRaw = BigInt(raw) * BigInt(children.length - 1)
  }
  if (BigInt(conditionRaw) + dueRaw === 0n) return null
  return `group ${marketId} has a balance of ${conditionRaw} and receives ${dueRaw}`
}

function brokenReserves(clearing: Clearing): string | null {
  const { orders, ledger } = clearing
  const collateralRaw = new Map<number, number>()
  const sharesRaw = new Map<number, number>()
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) === STATE.FREE) continue
    const reservedRaw = orders.reservedRawOf(slot)
    const buys = orders.sideOf(slot) === SIDE.BUY
    const leftRaw = orders.leftRawOf(slot)
    const dueRaw = buys ? costFloorRaw(orders.priceTicksOf(slot), leftRaw) : leftRaw
    const isWhole = orders.stateOf(slot) === STATE.HELD && orders.marketFormOf(slot) === 0
    if ((orders.stateOf(slot) === STATE.OPEN || isWhole) && reservedRaw !== dueRaw) {
      return `the order of seq ${orders.seqOf(slot)} reserves ${reservedRaw}, not ${dueRaw}`
    }
    const sums = buys ? collateralRaw : sharesRaw
    const key = buys ? orders.accountOf(slot) : orders.rowOf(slot) * 2 + orders.outcomeOf(slot)
    sums.set(key, (sums.get(key) ?? 0) + reservedRaw)
  }
  for (let account = 1; account <= clearing.accounts.count; account++) {
    if (ledger.collateralReservedRaw[account] === (collateralRaw.get(account) ?? 0)) continue
    return `account ${account} reserves collateral that no order reserves`
  }
  for (let index = 2; index < ledger.rows.end * 2; index++) {
    if (ledger.sharesReservedRaw[index] === (sharesRaw.get(index) ?? 0)) continue
    return `row ${index >> 1} reserves shares that no order reserves`
  }
  return null
}

/** A row is live if and only if it has shares or a live order needs it (design §10). */
function brokenRows({ ledger, orders }: Clearing): string | null {
  for (let row = 1; row < ledger.rows.end; row++) {
    const isNeeded = !ledger.isRowEmpty(row) || orders.firstOfRow(row) !== 0
    if (isNeeded !== ledger.rows.isLive(row))
      return `row ${row} is live without use, or free while in use`
  }
  return null
}

/**
 * The pool account holds exactly the fees of the pools, and a pool has both shares and providers.
 */
function brokenPools({ ledger, pools }: Clearing): string | null {
  let feesRaw = 0n
  for (const pool of pools.all()) {
    const { marketId, liquidityRaw, providers } = pool
    feesRaw += pools.heldFeesRaw(pool)
    let sumRaw = 0
    for (const provider of providers.values()) sumRaw += provider.liquidityRaw
    if (sumRaw !== liquidityRaw) return `the providers of pool ${marketId} hold ${sumRaw}`
    const isEmpty = reservesRaw(ledger, marketId).every((raw) => raw === 0)
    if (isEmpty !== (liquidityRaw === 0)) return `pool ${marketId} has shares without providers`
  }
  const heldRaw = ledger.freeRaw(POOL_ACCOUNT)
  if (feesRaw === BigInt(heldRaw)) return null
  return `the pool account holds ${heldRaw}, the pools ${feesRaw}`
}

/** A listed account is owed something, and the sums match the accounts. */
function brokenRewards({ rewards, catalogue }: Clearing): string | null {
  for (const table of [rewards.today, rewards.due]) {
    const sums = { rewardsRaw: 0n, rebatesRaw: 0n }
    for (const [account, rewardRaw, rebateRaw] of table.capture()) {
      const isOwed = rewardRaw >= 0 && rebateRaw >= 0 && rewardRaw + rebateRaw > 0
      if (!isOwed)
        return `account ${account} is owed rewards of ${rewardRaw} and rebates of ${rebateRaw}`
      sums.rewardsRaw += BigInt(rewardRaw)
      sums.rebatesRaw += BigInt(rebateRaw)
    }
    const { rewardsRaw, rebatesRaw } = table.totals
    if (sums.rewardsRaw !== rewardsRaw || sums.rebatesRaw !== rebatesRaw) {
      return `the accounts are owed rewards of ${sums.rewardsRaw}, but the total is ${rewardsRaw}`
    }
  }
  // Parts in shares wait for a payout.
  for (const [marketId, account, yesRaw, noRaw] of rewards.shareParts.capture()) {
    const isWaiting = catalogue.byId(marketId)?.isPaidOut === false && yesRaw + noRaw > 0
    if (!isWaiting)
      return `account ${account} has share parts of market ${marketId}, which needs no payout`
  }
  return null
}

/** The pack account holds exactly the possible payouts of packs and the reserves of offers. */
function brokenPacks({ ledger, packs }: Clearing): string | null {
  let owedRaw = 0n
  for (const { packId, stakeRaw, payoutRaw, results } of packs.all()) {
    if (payoutRaw < stakeRaw) return `pack ${packId} pays less than its stake`
    if (!results.includes('PENDING')) return `pack ${packId} waits for nothing`
    owedRaw += BigInt(payoutRaw)
  }
  for (const { stakeMaxRaw, payoutRaw } of packs.offers()) {
    owedRaw += BigInt(payoutRaw - stakeMaxRaw)
  }
  const heldRaw = ledger.freeRaw(PACK_ACCOUNT)
  if (owedRaw === BigInt(heldRaw)) return null
  return `the pack account holds ${heldRaw}, but packs can pay ${owedRaw}`
}

/** null if all invariants hold; otherwise a sentence that names the violated one. */
export function brokenInvariant(clearing: Clearing): string | null {
  return (
    brokenMoney(clearing) ??
    brokenShares(clearing) ??
    brokenReserves(clearing) ??
    brokenPools(clearing) ??
    brokenRewards(clearing) ??
    brokenPacks(clearing) ??
    brokenRows(clearing) ??
    brokenShareCounts(clearing)
  )
}
