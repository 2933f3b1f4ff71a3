// What each profile received and paid by a command that moved money outside trading. Replies,
// histories and positions are all derived from it.

import { isSystemAccount, type MarketId, type ProfileId } from '../../domain/ids.ts'
import type { MoveBody, MoveKind } from '../../domain/moves/move-command.ts'
import type { CollateralRaw, SizeRaw } from '../../domain/units.ts'

/** Shares of one market in a conversion. */
export interface ConvertedShares {
  readonly marketId: MarketId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
}

/** Received amounts are positive, paid amounts negative. */
export interface MoveEvent {
  readonly kind: MoveKind
  readonly owner: ProfileId
  /** 0 for a withdrawal. The group for a conversion. */
  readonly marketId: MarketId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
  readonly collateralRaw: CollateralRaw
  /** The shares of a conversion, paid ones before received ones; absent for other moves. */
  readonly converted?: readonly ConvertedShares[]
  /** For a withdrawal by the exchange: EIP-55 text. */
  readonly destination?: string
  /** For a move of its owner on an EVM chain. */
  readonly txHash?: string
}

/** One entry per profile. `childrenOf` returns the children of a group in order. */
export function eventsOfMove(
  move: MoveBody,
  childrenOf: (groupId: MarketId) => readonly MarketId[],
): readonly MoveEvent[] {
  switch (move.kind) {
    case 'splitPosition': {
      const { profileId: owner, marketId, amountRaw } = move
      const pairs = { yesRaw: amountRaw, noRaw: amountRaw, collateralRaw: -amountRaw }
      return [{ kind: 'SPLIT', owner, marketId, ...pairs }]
    }
    case 'mergePositions': {
      const { profileId: owner, marketId, amountRaw } = move
      const pairs = { yesRaw: -amountRaw, noRaw: -amountRaw, collateralRaw: amountRaw }
      return [{ kind: 'MERGE', owner, marketId, ...pairs }]
    }
    case 'redeemPositions': {
      const { marketId } = move
      const persons = move.positions.filter(({ accountId }) => !isSystemAccount(accountId))
      return persons.map(({ accountId: owner, yesRaw, noRaw, paidRaw }) => {
        const given = { yesRaw: -yesRaw, noRaw: -noRaw, collateralRaw: paidRaw }
        return { kind: 'REDEEM', owner, marketId, ...given }
      })
    }
    case 'convertPositions':
      return [conversionEvent(move, childrenOf(move.groupId))]
    case 'withdraw': {
      const { profileId: owner, destination } = move
      const none = { marketId: 0, yesRaw: 0, noRaw: 0 }
      return [{ kind: 'WITHDRAW', owner, ...none, collateralRaw: -move.collateralRaw, destination }]
    }
    case 'fundPool': {
      const { profileId: owner, marketId, collateralRaw, keptRaw } = move
      const [yesRaw, noRaw] = keptRaw.map((raw) => collateralRaw - raw)
      return [{ kind: 'FUND', owner, marketId, yesRaw, noRaw, collateralRaw: -collateralRaw }]
    }
    case 'drainPool': {
      const { profileId: owner, marketId, sharesRaw, feesRaw } = move
      const [yesRaw, noRaw] = sharesRaw
      return [{ kind: 'DRAIN', owner, marketId, yesRaw, noRaw, collateralRaw: feesRaw }]
    }
    case 'buyFromPool':
      return [poolTradeEvent('BUY', move, move.sharesRaw, -move.collateralRaw)]
    case 'sellToPool':
      return [poolTradeEvent('SELL', move, -move.sharesRaw, move.collateralRaw)]
    case 'followChain':
      return move.moves ?? []
    case 'approvePool':
      return []
  }
}

function poolTradeEvent(
  kind: 'BUY' | 'SELL',
  { profileId: owner, marketId, outcome }: Extract<MoveBody, { outcome: number }>,
  sharesRaw: SizeRaw,
  collateralRaw: CollateralRaw,
): MoveEvent {
  const yesRaw = outcome === 0 ? sharesRaw : 0
  const noRaw = outcome === 0 ? 0 : sharesRaw
  return { kind, owner, marketId, yesRaw, noRaw, collateralRaw }
}

function conversionEvent(
  move: Extract<MoveBody, { kind: 'convertPositions' }>,
  children: readonly MarketId[],
): MoveEvent {
  const { profileId: owner, groupId, noMarketIds, amountRaw, feeRaw } = move
  const chosen = new Set(noMarketIds)
  const others = children.filter((child) => !chosen.has(child))
  const gotRaw = amountRaw - feeRaw
  const converted = [
    ...noMarketIds.map((marketId) => ({ marketId, yesRaw: 0, noRaw: -amountRaw })),
    ...others.map((marketId) => ({ marketId, yesRaw: gotRaw, noRaw: 0 })),
  ]
  const collateralRaw = (noMarketIds.length - 1) * gotRaw
  const none = { yesRaw: 0, noRaw: 0 }
  return { kind: 'CONVERT', owner, marketId: groupId, ...none, collateralRaw, converted }
}
