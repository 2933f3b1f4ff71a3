// Packs in replies (rules §8.5).

import { LEG_RESULTS } from '../../../engine/core/packs/packs.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { PACK_STATUSES } from '../../../persistence/follower/packs/packs.ts'
import { paysRaw, type ShownPack } from '../../../persistence/query/read/packs/packs.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import { account, isoTime, shownUsername, uint256Text } from '../../edge/http/schema/fields.ts'
import { means, named, nullable, number, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import type { Requester } from '../reads/private-reads.ts'
import { legFields, legView, packIdOf, packUuid, priceOf, propType } from './pack-views.ts'
import type { PackServices } from './services.ts'

export const pack = () =>
  named(
    'Pack',
    object({
      id: means(text(), 'Id of the pack.'),
      status: means(oneOf(...PACK_STATUSES), 'ACTIVE until a leg lost or all legs are decided.'),
      stake: means(uint256Text(), 'Raw collateral staked.'),
      payout: means(uint256Text(), 'Raw collateral that it pays or paid if it wins.'),
      multiplier: means(number(0), 'Payout per stake, four decimals, rounded down.'),
      createdAt: means(isoTime(), 'When the stake was placed.'),
      resolvedAt: means(nullable(isoTime()), 'When the pack ended; null before.'),
      funding: means(oneOf('house', 'maker'), 'Who pays the winnings.'),
      sourcePack: means(
        anyOf(
          object({
            id: packUuid('Id of the curated pack.'),
            name: means(text(), 'Name of the curated pack.'),
          }),
          schemaOf<null>({ type: 'null' }),
        ),
        'The curated pack that was bought; null if the profile chose the legs.',
      ),
      creator: means(
        object({ account: account(), username: shownUsername() }),
        'The profile that staked.',
      ),
      legs: means(
        list(
          object({
            ...legFields(),
            price: means(number(0, 1), 'Effective price for the payout.'),
            bookPrice: means(nullable(number(0, 1)), 'Best usable ask now; null without one.'),
            result: means(
              oneOf(...LEG_RESULTS),
              'Result of the leg; VOID legs do not count. Legs of a lost pack may stay PENDING.',
            ),
            esportsPropType: propType(),
          }),
        ),
        'The outcomes that must all win.',
      ),
    }),
  )

export const PACK_EXAMPLE = {
  id: '4711',
  status: 'ACTIVE' as const,
  stake: '10000000',
  payout: '45000000',
  multiplier: 4.5,
  createdAt: '2026-01-01T00:00:00.000Z',
  resolvedAt: null,
  funding: 'house' as const,
  sourcePack: null,
  creator: { account: ACCOUNT, username: null },
  legs: [
    {
      marketSlug: MARKET_EXAMPLE.slug,
      title: MARKET_EXAMPLE.title,
      outcomeIndex: 0,
      price: 0.5,
      bookPrice: 0.55,
      result: 'PENDING' as const,
      esportsPropType: null,
    },
  ],
}

const MULTIPLIER_PARTS = 10_000

/** Payout per stake, four decimals, rounded down. */
function multiplierOf(payoutRaw: number, stakeRaw: number): number {
  const parts = (BigInt(payoutRaw) * BigInt(MULTIPLIER_PARTS)) / BigInt(stakeRaw)
  return Number(parts) / MULTIPLIER_PARTS
}

/** The packs as sent, in order; a refusal on a read timeout. */
export async function packViews(
  rows: readonly ShownPack[],
  services: PackServices,
  requester: Requester,
) {
  const { archive, reads, packs: desk } = services
  const ids = new Set<MarketId>(rows.flatMap(({ legs }) => legs.map(({ marketId }) => marketId)))
  const owners = [...new Set(rows.map(({ owner }) => owner))]
  const markets = await archive.byIds(ids, requester)
  const creators = await reads.read(profiles, owners, requester)
  if (markets === undefined || creators === undefined) return refuse('READ_TIMEOUT')
  const creatorOf = new Map(creators.map((each, at) => [owners[at], each]))
  return rows.map((row) => {
    const creator = creatorOf.get(row.owner)
    const payoutRaw = paysRaw(row)
    return {
      id: String(row.packId),
      status: row.status,
      stake: String(row.stakeRaw),
      payout: String(payoutRaw),
      multiplier: multiplierOf(payoutRaw, row.stakeRaw),
      createdAt: isoText(row.madeMs),
      resolvedAt: row.endedMs === null ? null : isoText(row.endedMs),
      funding: row.maker === null ? ('house' as const) : ('maker' as const),
      sourcePack:
        row.curatedId === null
          ? null
          : { id: packIdOf('curated', row.curatedId), name: row.curatedName ?? '' },
      creator: { account: creator?.account ?? '', username: creator?.username ?? null },
      legs: row.legs.flatMap(({ marketId, outcome, priceTicks, result }) => {
        const market = markets.get(marketId)
        if (market === undefined) return []
        const bookTicks = desk.bookTicks(market, outcome)
        return [
          {
            ...legView(market, outcome),
            price: priceOf(priceTicks),
            bookPrice: bookTicks === null ? null : priceOf(bookTicks),
            result,
            esportsPropType: desk.requestsOfMatch(market)?.propType ?? null,
          },
        ]
      }),
    }
  })
}
