// What happened to wallets on an EVM chain outside the exchange, in the ledger (design §12). The
// chain has decided already, so a free balance may become negative: then the account owes it, as
// after a reversal. A command says so itself, and only free balances move, so results that markets
// still owe do not change its effect (invariant 2 of design §1).
// Invariant: in each market, the shares of all accounts and of everybody outside are pairs that the
// market's collateral backs. The account of all outside holds one outcome at most: its pairs are
// collateral outside.

import { OUTSIDE_ACCOUNT, type ProfileId, type Seq } from '../../domain/ids.ts'
import type { ChainMove, FollowChain } from '../../domain/moves/move-command.ts'
import { OUTCOME } from '../../domain/order.ts'
import type { Catalogue, Market } from '../markets/catalogue.ts'
import type { ChainFunds } from '../money/chain-funds.ts'
import type { Ledger } from '../money/ledger.ts'
import type { Reversals } from '../money/reversal.ts'
import { redemptionRaw, releaseRemainder } from './conditions.ts'

interface ChainState {
  readonly ledger: Ledger
  readonly catalogue: Catalogue
  readonly reversals: Reversals
  readonly chainFunds: ChainFunds
}

/** `freeRowOf` releases a row that neither its shares nor an order needs. */
export function applyChainMoves(
  state: ChainState,
  command: FollowChain & { readonly seq: Seq },
  freeRowOf: (owner: ProfileId, market: Market) => void,
): void {
  const { ledger, catalogue, reversals, chainFunds } = state
  for (const move of command.moves ?? []) {
    const { owner, marketId, collateralRaw, isOwed } = move
    ledger.moveFromOutside(owner, collateralRaw)
    if (isOwed && collateralRaw < 0) reversals.owed(owner, -collateralRaw)
    if (marketId === 0) continue
    const market = catalogue.existing(marketId)
    moveShares(state, market, move)
    for (const holder of [owner, OUTSIDE_ACCOUNT]) freeRowOf(holder, market)
    if (market.isPaidOut && market.rowCount === 0) releaseRemainder(ledger, market, true)
  }
  chainFunds.followed(command, command.seq)
}

function moveShares({ ledger, reversals }: ChainState, market: Market, move: ChainMove): void {
  const { owner, yesRaw, noRaw, isOwed } = move
  const row = ledger.rowFor(owner, market) * 2
  const outside = ledger.rowFor(OUTSIDE_ACCOUNT, market) * 2
  const { sharesFreeRaw: free } = ledger
  const { payoutNumerators, isPaidOut } = market
  for (const [outcome, raw] of [yesRaw, noRaw].entries()) {
    free[row + outcome] += raw
    if (isOwed && raw < 0) reversals.owedShares(market, owner, outcome, -raw)
  }
  if (isPaidOut && payoutNumerators !== null) {
    ledger.backFromOutside(market, -redemptionRaw(payoutNumerators, -yesRaw, -noRaw))
    return
  }
  const pairsRaw = Math.min(free[outside] - yesRaw, free[outside + 1] - noRaw)
  free[outside + OUTCOME.YES] -= yesRaw + pairsRaw
  free[outside + OUTCOME.NO] -= noRaw + pairsRaw
  ledger.backFromOutside(market, -pairsRaw)
}
