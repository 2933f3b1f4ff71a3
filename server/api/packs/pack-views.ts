// The public ids of curated packs and of their purchases. Each is a UUID of version 8 (RFC 9562)
// that contains the seq of a command; callers cannot choose one.
//
//    KKKKKKKK-0000-8000-8000-NNNNNNNNNNNN     K the kind, N the seq, hexadecimal

import { LEG_RESULTS, type LegResult, type PackOffer } from '../../../engine/core/packs/packs.ts'
import type { ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { PRICE_ONE_TICKS, type PriceTicks } from '../../../engine/domain/units.ts'
import type { ShownProfile } from '../../../persistence/query/read/profiles.ts'
import {
  account,
  bytes32,
  isoTime,
  shownUsername,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import {
  integer,
  means,
  named,
  nullable,
  number,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import type { PackDesk } from './packs.ts'

const KINDS = { curated: '63757261', position: '706f7369' } as const
type PackIdKind = keyof typeof KINDS

const FIXED = '0000-8000-8000'
const SEQ_DIGITS = 12
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

export const packUuid = (what: string) => means(pattern(UUID, 'A UUID.'), what)

export function packIdOf(kind: PackIdKind, seq: Seq): string {
  return `${KINDS[kind]}-${FIXED}-${seq.toString(16).padStart(SEQ_DIGITS, '0')}`
}

/** 0, which no command has, for a UUID of another kind. */
export function seqOfPackId(kind: PackIdKind, id: string): Seq {
  const head = `${KINDS[kind]}-${FIXED}-`
  const lower = id.toLowerCase()
  return lower.startsWith(head) ? Number.parseInt(lower.slice(head.length), 16) : 0
}

// The published form of a leg of a pack, of an offer and in the feeds.

export const priceOf = (ticks: number) => ticks / PRICE_ONE_TICKS

export const legFields = () => ({
  marketSlug: slug(),
  title: means(text(), 'Question of the market of the leg.'),
  outcomeIndex: means(integer(0, 1), 'Outcome that must win: 0 for YES, 1 for NO.'),
})

export const propType = () =>
  means(
    nullable(oneOf('map_winner', 'map_handicap', 'total_maps')),
    'Kind of question of an esports market; null for any other market.',
  )

export function legView({ market: { slug: marketSlug, title } }: PublishedMarket, outcome: number) {
  return { marketSlug, title, outcomeIndex: outcome }
}

/** A leg of a curated pack, of its quote and of its purchases. */
export const listedLeg = () =>
  object({
    id: means(text(), 'Id of the leg: the id of its pack, and its index.'),
    legIndex: means(integer(0), 'Index of the leg in its pack, from 0.'),
    ...legFields(),
    outcome: means(oneOf('Yes', 'No'), 'Name of the outcome that must win.'),
    marketId: means(integer(1), 'Id of the market.'),
    conditionId: means(bytes32(), 'Condition of the market.'),
    marketType: means(oneOf('single', 'group'), 'Whether the market belongs to a group.'),
    price: means(
      nullable(number(0, 1)),
      'Effective price: as bought, as quoted, or the bookPrice of the list.',
    ),
    bookPrice: means(nullable(number(0, 1)), 'Best usable ask now; null without one.'),
    livePrice: means(nullable(number(0, 1)), 'Price of the last trade; null before the first.'),
    priceAtCreation: means(
      nullable(text()),
      'Price at which the leg was bought, as decimal text; null before a purchase.',
    ),
    resolutionStatus: means(
      nullable(oneOf(...LEG_RESULTS)),
      'Result of a bought leg; VOID legs do not count. Null before a purchase.',
    ),
    resolvedAt: means(
      nullable(isoTime()),
      'When the market of a bought leg was settled; null before, and before a purchase.',
    ),
    esportsPropType: propType(),
  })

/** The data of a leg apart from its market; absent for a leg that was not bought. */
interface LegMetadata {
  readonly packId: string
  readonly legIndex: number
  readonly outcome: number
  /** Absent: the best usable ask. */
  readonly priceTicks?: PriceTicks
  readonly bought?: { readonly result: LegResult; readonly resolvedAt: string | null }
}

export function listedLegView(
  published: PublishedMarket,
  { packId, legIndex, outcome, priceTicks, bought }: LegMetadata,
  desk: Pick<PackDesk, 'requestsOfMatch' | 'bookTicks'>,
) {
  const { market, lastYesTicks, group } = published
  const bookTicks = desk.bookTicks(published, outcome)
  const bookPrice = bookTicks === null ? null : priceOf(bookTicks)
  const lastTicks = outcome === 0 ? lastYesTicks : PRICE_ONE_TICKS - lastYesTicks
  const price = priceTicks === undefined ? bookPrice : priceOf(priceTicks)
  return {
    id: `${packId}:${legIndex}`,
    legIndex,
    ...legView(published, outcome),
    outcome: outcome === 0 ? ('Yes' as const) : ('No' as const),
    marketId: market.marketId,
    conditionId: market.conditionId,
    marketType: group === null ? ('single' as const) : ('group' as const),
    price,
    bookPrice,
    livePrice: lastYesTicks === 0 ? null : priceOf(lastTicks),
    priceAtCreation: bought === undefined ? null : String(price),
    resolutionStatus: bought?.result ?? null,
    resolvedAt: bought?.resolvedAt ?? null,
    esportsPropType: desk.requestsOfMatch(published)?.propType ?? null,
  }
}

// The published form of pack offers (rules §8.5), over REST and sockets.

const offerFields = () =>
  object({
    id: means(text(), 'Id of the offer, used to accept or withdraw it.'),
    legs: means(
      list(
        object({
          ...legFields(),
          price: means(number(0, 1), 'Price used for the leg when another one is void.'),
        }),
      ),
      'The outcomes that must all win.',
    ),
    stakeMax: means(uint256Text(), 'Maximum stake, raw.'),
    payout: means(uint256Text(), 'Payout for that stake, raw; less stake pays in proportion.'),
    creator: means(
      object({ account: account(), username: shownUsername() }),
      'The maker, who funds the payout.',
    ),
    expiresAt: means(isoTime(), 'When the offer expires.'),
  })

export const offer = () => named('Offer', offerFields())

/** The makers of offers, without repeats. */
export function makersOf(offers: readonly PackOffer[]): ProfileId[] {
  return [...new Set(offers.map(({ makerId }) => makerId))]
}

/** The offers as sent; `found` has the profiles of `makersOf(offers)`. */
export function offerViews(
  offers: readonly PackOffer[],
  found: readonly (Pick<ShownProfile, 'username'> | null)[],
  pipeline: Pipeline,
) {
  const makers = makersOf(offers)
  const nameOf = new Map(found.map((each, at) => [makers[at], each?.username ?? null]))
  return offers.map((each) => offerView(each, pipeline, nameOf.get(each.makerId) ?? null))
}

/** A leg whose market left memory is omitted. */
function offerView(
  { offerId, makerId, stakeMaxRaw, payoutRaw, expiresMs, legs }: PackOffer,
  { published, clearing }: Pipeline,
  username: string | null,
) {
  return {
    id: String(offerId),
    legs: legs.flatMap(({ marketId, outcome, priceTicks }) => {
      const market = published.byId(marketId)
      if (market === undefined) return []
      return [{ ...legView(market, outcome), price: priceTicks / PRICE_ONE_TICKS }]
    }),
    stakeMax: String(stakeMaxRaw),
    payout: String(payoutRaw),
    creator: { account: clearing.accounts.accountOf(makerId) ?? '', username },
    expiresAt: isoText(expiresMs),
  }
}

// Examples of curated packs and their purchases.

export const HASH = `0x${'5e'.repeat(32)}`
const CURATED_ID = '63757261-0000-8000-8000-000000001267'
export const POSITION_ID = '706f7369-0000-8000-8000-00000000126a'

const LEG_EXAMPLE = {
  legIndex: 0,
  marketSlug: MARKET_EXAMPLE.slug,
  title: MARKET_EXAMPLE.title,
  outcomeIndex: 0,
  outcome: 'Yes' as const,
  marketId: 1,
  conditionId: MARKET_EXAMPLE.conditionId,
  marketType: 'single' as const,
  price: 0.5,
  bookPrice: 0.5,
  livePrice: 0.48,
  priceAtCreation: null,
  resolutionStatus: null,
  resolvedAt: null,
  esportsPropType: null,
}

export const LISTED_LEG = { id: `${CURATED_ID}:0`, ...LEG_EXAMPLE }

export const CURATED_EXAMPLE = {
  id: CURATED_ID,
  name: 'A wet weekend',
  status: 'ACTIVE' as const,
  eligible: true,
  parlayType: 'curated' as const,
  createdAt: '2026-01-01T00:00:00.000Z',
  legs: [LISTED_LEG],
}

export const POSITION_EXAMPLE = {
  id: POSITION_ID,
  status: 'ACTIVE' as const,
  stakeAmount: '10000000',
  collateralDeposited: '45000000',
  multiplierOffered: '4.500000',
  vigPercent: '10',
  txHash: HASH,
  claimTxHash: null,
  wallet: ACCOUNT,
  createdAt: '2026-01-01T00:01:00.000Z',
  legs: [
    {
      ...LEG_EXAMPLE,
      id: `${POSITION_ID}:0`,
      priceAtCreation: '0.5',
      resolutionStatus: 'PENDING' as const,
    },
  ],
  sourcePack: { id: CURATED_ID, name: CURATED_EXAMPLE.name },
  payoutAmount: '45000000',
}
