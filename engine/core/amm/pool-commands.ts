// Applies commands on pools (rules §7). A pool creates and burns pairs of shares like an account
// that splits and merges. Only free balances move (invariant 2 of design §1).

import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import { type AccountId, type MarketId, POOL_ACCOUNT, type PositionRow } from '../../domain/ids.ts'
import type { BothRaw, PoolBody } from '../../domain/moves/move-command.ts'
import { OUTCOME } from '../../domain/order.ts'
import { addTo } from '../../domain/units.ts'
import type { Catalogue, Market } from '../markets/catalogue.ts'
import type { Ledger } from '../money/ledger.ts'
import { yesTicksOf } from './pool-price.ts'
import type { Pools } from './pools.ts'

const { NO, YES } = OUTCOME

export type PoolCommand = Extract<CommandOf<'moves'>, { kind: PoolBody['kind'] }>

interface PoolState {
  readonly ledger: Ledger
  readonly catalogue: Catalogue
  readonly pools: Pools
}

/** The shares that the pool of a market holds. */
export function reservesRaw(ledger: Ledger, marketId: MarketId): BothRaw {
  const of = (outcome: number) => ledger.freeSharesRaw(POOL_ACCOUNT, marketId, outcome)
  return [of(YES), of(NO)]
}

/** `freeRow` releases a row that neither its shares nor an order needs. */
export function applyToPool(
  state: PoolState,
  command: PoolCommand,
  freeRow: (row: PositionRow, market: Market) => void,
): void {
  const { ledger, catalogue, pools } = state
  const { marketId, profileId, seq, nowMs } = command
  const market = catalogue.existing(marketId)
  switch (command.kind) {
    case 'fundPool': {
      const { collateralRaw, keptRaw, liquidityRaw } = command
      ledger.takeCollateral(profileId, collateralRaw)
      ledger.moveCondition(market, collateralRaw)
      for (const outcome of [YES, NO]) {
        credit(ledger, market, POOL_ACCOUNT, outcome, keptRaw[outcome])
        credit(ledger, market, profileId, outcome, collateralRaw - keptRaw[outcome])
      }
      pools.funded(marketId, profileId, liquidityRaw)
      if (market.status === 'DRAFT') catalogue.change(marketId, 'FUNDED', nowMs)
      return
    }
    case 'drainPool': {
      const { sharesRaw, liquidityRaw, feesRaw } = command
      for (const outcome of [YES, NO]) {
        take(ledger, market, POOL_ACCOUNT, outcome, sharesRaw[outcome])
        credit(ledger, market, profileId, outcome, sharesRaw[outcome])
      }
      ledger.takeSystem(POOL_ACCOUNT, feesRaw)
      ledger.creditCollateral(profileId, feesRaw)
      pools.drained(marketId, profileId, liquidityRaw, feesRaw)
      break
    }
    case 'approvePool':
      pools.approved(marketId, profileId, command.side, seq)
      return
    case 'buyFromPool':
      buy(state, market, command)
      break
    case 'sellToPool':
      sell(state, market, command)
      break
    default:
      command satisfies never
  }
  for (const accountId of [POOL_ACCOUNT, profileId]) {
    const row = ledger.rows.find(accountId, marketId)
    if (row !== 0) freeRow(row, market)
  }
}

function buy(
  { ledger, pools }: PoolState,
  market: Market,
  command: Extract<PoolCommand, { kind: 'buyFromPool' }>,
): void {
  const { profileId, outcome, collateralRaw, feeRaw, sharesRaw, seq } = command
  const pairsRaw = collateralRaw - feeRaw
  ledger.takeCollateral(profileId, collateralRaw)
  ledger.creditSystem(POOL_ACCOUNT, feeRaw)
  ledger.moveCondition(market, pairsRaw)
  credit(ledger, market, POOL_ACCOUNT, YES, pairsRaw)
  credit(ledger, market, POOL_ACCOUNT, NO, pairsRaw)
  take(ledger, market, POOL_ACCOUNT, outcome, sharesRaw)
  credit(ledger, market, profileId, outcome, sharesRaw)
  pools.traded(pools.existing(market.marketId), profileId, feeRaw, seq)
  traded(ledger, market, command)
}

function sell(
  { ledger, pools }: PoolState,
  market: Market,
  command: Extract<PoolCommand, { kind: 'sellToPool' }>,
): void {
  const { profileId, outcome, collateralRaw, feeRaw, sharesRaw, seq } = command
  const pairsRaw = collateralRaw + feeRaw
  take(ledger, market, profileId, outcome, sharesRaw)
  credit(ledger, market, POOL_ACCOUNT, outcome, sharesRaw)
  take(ledger, market, POOL_ACCOUNT, YES, pairsRaw)
  take(ledger, market, POOL_ACCOUNT, NO, pairsRaw)
  ledger.moveCondition(market, -pairsRaw)
  ledger.creditSystem(POOL_ACCOUNT, feeRaw)
  ledger.creditCollateral(profileId, collateralRaw)
  pools.traded(pools.existing(market.marketId), profileId, feeRaw, seq)
  traded(ledger, market, command)
}

function traded(
  ledger: Ledger,
  market: Market,
  { collateralRaw, seq }: Extract<PoolCommand, { kind: 'buyFromPool' | 'sellToPool' }>,
): void {
  addTo(market.volume, collateralRaw)
  market.lastTradeSeq = seq
  market.lastYesTicks = yesTicksOf(reservesRaw(ledger, market.marketId))
}

function credit(
  ledger: Ledger,
  market: Market,
  accountId: AccountId,
  outcome: number,
  raw: number,
): void {
  if (raw > 0) ledger.creditShares(ledger.rowFor(accountId, market), outcome, raw)
}

function take(
  ledger: Ledger,
  market: Market,
  accountId: AccountId,
  outcome: number,
  raw: number,
): void {
  if (raw === 0) return
  const row = ledger.rows.find(accountId, market.marketId)
  assert(row !== 0, 'shares that are taken exist')
  ledger.takeShares(row, outcome, raw)
}
