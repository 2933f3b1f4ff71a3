// Purchases of curated packs, as returned to their owner (rules §8.6).

import { moveHashOf } from '../../../engine/core/money/tx-hash.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import type { PackPosition } from '../../../persistence/query/read/packs/curated-packs.ts'
import { paysRaw } from '../../../persistence/query/read/packs/packs.ts'
import { account, bytes32, isoTime, uint256Text } from '../../edge/http/schema/fields.ts'
import {
  decimalText,
  means,
  named,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import type { Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import { listedLeg, listedLegView, packIdOf, packUuid } from './pack-views.ts'
import type { PackServices } from './services.ts'

export const POSITION_STATUSES = ['PENDING', 'ACTIVE', 'WON', 'LOST'] as const
type PositionStatus = (typeof POSITION_STATUSES)[number]

export const positionStatus = () =>
  means(
    oneOf(...POSITION_STATUSES),
    'PENDING until the purchase is in a block, then ACTIVE, finally WON or LOST.',
  )

export const packPositionFields = () =>
  named(
    'PackPosition',
    object({
      id: packUuid('Id of the position.'),
      status: positionStatus(),
      stakeAmount: means(uint256Text(), 'Raw collateral staked.'),
      collateralDeposited: means(
        uint256Text(),
        'Raw collateral reserved for it: stake and winnings.',
      ),
      multiplierOffered: means(
        pattern('^[0-9]+[.][0-9]{6}$', 'A number with six decimals.'),
        'Payout per stake at the purchase, rounded down.',
      ),
      vigPercent: means(decimalText(), 'Part of the fair payout that is kept, in percent.'),
      txHash: means(
        bytes32(),
        'Hash of the purchase; it is in a block once status is not PENDING.',
      ),
      claimTxHash: means(
        nullable(bytes32()),
        'Hash of the payment of a pack that won; otherwise null.',
      ),
      wallet: account(),
      createdAt: means(isoTime(), 'When it was bought.'),
      legs: means(list(listedLeg()), 'The outcomes that must all win.'),
      sourcePack: means(
        object({
          id: packUuid('Id of the curated pack.'),
          name: means(text(), 'Name of the curated pack.'),
        }),
        'The curated pack that was bought.',
      ),
      payoutAmount: means(
        uint256Text(),
        'Raw collateral that it pays if it wins; after its end the amount paid, 0 if it lost.',
      ),
    }),
  )

const DECIMALS = 6

/** Payout per stake with six decimals, rounded down. */
function multiplierText(payoutRaw: number, stakeRaw: number): string {
  const parts = (BigInt(payoutRaw) * BigInt(10 ** DECIMALS)) / BigInt(stakeRaw)
  const digits = String(parts).padStart(DECIMALS + 1, '0')
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

export function statusOf({ status, isMined }: PackPosition): PositionStatus {
  return status === 'ACTIVE' && !isMined ? 'PENDING' : status
}

/** The transaction that paid a pack; null if it has not won. */
export function claimOf({ status, endedSeq }: PackPosition, { settings }: SharedServices) {
  if (status !== 'WON' || endedSeq === null) return null
  return { seq: endedSeq, txHash: moveHashOf(settings.chainId, endedSeq) }
}

/** The positions in order; a refusal on a read timeout. */
export async function positionViews(
  rows: readonly PackPosition[],
  services: PackServices,
  requester: Requester,
) {
  const { archive, packs, settings, pipeline } = services
  const ids = new Set<MarketId>(rows.flatMap(({ legs }) => legs.map(({ marketId }) => marketId)))
  const markets = await archive.byIds(ids, requester)
  if (markets === undefined) return refuse('READ_TIMEOUT')
  return rows.map((row) => {
    const { packId, owner, stakeRaw, payoutRaw, curatedId, curatedName: name } = row
    const id = packIdOf('position', packId)
    return {
      id,
      status: statusOf(row),
      stakeAmount: String(stakeRaw),
      collateralDeposited: String(payoutRaw),
      multiplierOffered: multiplierText(payoutRaw, stakeRaw),
      vigPercent: String(PACK_LIMITS.vigPercent),
      txHash: moveHashOf(settings.chainId, packId),
      claimTxHash: claimOf(row, services)?.txHash ?? null,
      wallet: pipeline.clearing.accounts.accountOf(owner) ?? '',
      createdAt: isoText(row.madeMs),
      legs: row.legs.flatMap(({ marketId, outcome, priceTicks, result, countedMs }, legIndex) => {
        const market = markets.get(marketId)
        if (market === undefined) return []
        const bought = { result, resolvedAt: countedMs === null ? null : isoText(countedMs) }
        const events = { packId: id, legIndex, outcome, priceTicks, bought }
        return [listedLegView(market, events, packs)]
      }),
      sourcePack: { id: packIdOf('curated', curatedId), name },
      payoutAmount: row.status === 'LOST' ? '0' : String(paysRaw(row)),
    }
  })
}
