import { assert } from '../../domain/assert.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import type { DueMove } from '../../domain/moves/move-command.ts'
import type { Catalogue, Market } from '../markets/catalogue.ts'

/** What a server wallet must do on its chain for a move in the ledger; null for nothing. */
export function dueMoveOf(catalogue: Catalogue, command: CommandOf<'moves'>): DueMove | null {
  const { profileId: owner, seq } = command
  if (owner === undefined) return null
  const nowhere = { marketId: 0, conditionId: '', negRiskId: '', indices: [], destination: '' }
  const of = { ...nowhere, yesRaw: 0, noRaw: 0, seq, owner }
  switch (command.kind) {
    case 'splitPosition':
    case 'mergePositions': {
      const kind = command.kind === 'splitPosition' ? 'SPLIT' : 'MERGE'
      const place = placeOf(catalogue, catalogue.existing(command.marketId))
      const marketId = kind === 'SPLIT' ? command.marketId : 0
      return { ...of, ...place, marketId, kind, amountRaw: command.amountRaw }
    }
    case 'redeemPositions': {
      const place = placeOf(catalogue, catalogue.existing(command.marketId))
      const [{ yesRaw, noRaw }] = command.positions
      return { ...of, ...place, kind: 'REDEEM', amountRaw: 0, yesRaw, noRaw }
    }
    case 'convertPositions': {
      const { negRiskId = '' } = catalogue.existing(command.groupId)
      const children = catalogue.childrenOf(command.groupId)
      const indices = command.noMarketIds.map((marketId) => {
        return children.findIndex((child) => child.marketId === marketId)
      })
      assert(!indices.includes(-1), 'a conversion is of children of its group')
      const [marketId] = command.noMarketIds
      const { amountRaw } = command
      return { ...of, marketId, negRiskId, indices, kind: 'CONVERT', amountRaw }
    }
    case 'withdraw': {
      const { destination, collateralRaw: amountRaw } = command
      return { ...of, destination, kind: 'WITHDRAW', amountRaw }
    }
    default:
      return null
  }
}

function placeOf(catalogue: Catalogue, { conditionId, groupId }: Market) {
  const group = groupId === undefined ? undefined : catalogue.existing(groupId)
  return { conditionId, negRiskId: group?.negRiskId ?? '' }
}
