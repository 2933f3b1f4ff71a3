// Applies commands that move money outside trading.

import type { CommandOf } from '../../domain/command-kinds.ts'
import type { PositionRow, ProfileId } from '../../domain/ids.ts'
import { applyToPool } from '../amm/pool-commands.ts'
import type { Pools } from '../amm/pools.ts'
import type { Catalogue, Market } from '../markets/catalogue.ts'
import type { Blocks } from '../money/blocks.ts'
import type { ChainFunds } from '../money/chain-funds.ts'
import type { Ledger } from '../money/ledger.ts'
import type { Reversals } from '../money/reversal.ts'
import { applyChainMoves } from './chain-moves.ts'
import { merge, redeem, releaseRemainder, split } from './conditions.ts'
import { convert } from './conversion.ts'
import { dueMoveOf } from './due-moves.ts'
import type { MadeCalls } from './made-calls.ts'

interface MoveState {
  readonly ledger: Ledger
  readonly catalogue: Catalogue
  readonly blocks: Blocks
  readonly calls: MadeCalls
  readonly reversals: Reversals
  readonly pools: Pools
  readonly chainFunds: ChainFunds
}

/** `freeRow` releases a row that neither its shares nor an order needs. */
export function applyMove(
  state: MoveState,
  command: CommandOf<'moves'>,
  freeRow: (row: PositionRow, market: Market) => void,
): void {
  const { ledger, catalogue, blocks, calls, chainFunds } = state
  const { profileId, once, seq } = command
  if (profileId !== undefined && once !== undefined) calls.made({ ...once, profileId, seq })
  const freeRowOf = (owner: ProfileId, market: Market) => {
    const row = ledger.rows.find(owner, market.marketId)
    if (row !== 0) freeRow(row, market)
  }
  if (command.kind === 'followChain') {
    applyChainMoves(state, command, freeRowOf)
    return
  }
  if (chainFunds.place === null) blocks.moved(seq)
  else {
    const due = dueMoveOf(catalogue, command)
    if (due !== null) chainFunds.owes(due)
  }
  switch (command.kind) {
    case 'splitPosition': {
      const market = catalogue.existing(command.marketId)
      split(ledger, market, command.profileId, command.amountRaw)
      return
    }
    case 'mergePositions': {
      const market = catalogue.existing(command.marketId)
      merge(ledger, market, command.profileId, command.amountRaw)
      freeRowOf(command.profileId, market)
      return
    }
    case 'convertPositions': {
      const group = catalogue.existing(command.groupId)
      convert(ledger, group, catalogue.childrenOf(group.marketId), command)
      for (const marketId of command.noMarketIds) {
        freeRowOf(command.profileId, catalogue.existing(marketId))
      }
      return
    }
    case 'redeemPositions':
      redeemAll(state, command, freeRowOf)
      return
    case 'withdraw':
      ledger.withdraw(command.profileId, command.collateralRaw)
      return
    default:
      applyToPool(state, command, freeRow)
  }
}

function redeemAll(
  { ledger, catalogue, reversals, chainFunds }: MoveState,
  { marketId, positions }: Extract<CommandOf<'moves'>, { kind: 'redeemPositions' }>,
  freeRowOf: (owner: ProfileId, market: Market) => void,
): void {
  const market = catalogue.existing(marketId)
  const group = market.groupId === undefined ? null : catalogue.existing(market.groupId)
  for (const position of positions) {
    const owedRaw = redeem(ledger, market, group, position)
    if (owedRaw > 0) reversals.owed(position.accountId, owedRaw)
  }
  const isLast = market.rowCount === positions.length
  if (isLast) releaseRemainder(ledger, market, chainFunds.place !== null)
  for (const { accountId } of positions) freeRowOf(accountId, market)
}
