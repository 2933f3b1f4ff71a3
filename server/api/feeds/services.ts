import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import { type TimeMs, UNIT_RAW } from '../../../engine/domain/units.ts'
import {
  type Audience,
  type FeedEntry,
  type FeedPlace,
  feed,
} from '../../../persistence/query/read/feeds/feed.ts'
import type { TakerRow } from '../../../persistence/query/read/history/mined-trades.ts'
import { paysRaw } from '../../../persistence/query/read/packs/packs.ts'
import { shownName } from '../../../persistence/query/read/profiles.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import { legView } from '../packs/pack-views.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'

// Pages of the feeds: events of everyone or of the profiles that a caller follows, newest first.

interface FeedRequest {
  readonly audience: Audience
  /** Whose follows apply; unused for the other audiences. */
  readonly follower: ProfileId
  readonly before: FeedPlace
  readonly limit: number
  /** Only entries from this time on. */
  readonly fromMs: TimeMs
}

type PackEntry = Extract<FeedEntry, { pack: unknown }>
type Markets = ReadonlyMap<MarketId, PublishedMarket>

type EntryView = ReturnType<typeof viewOf> | ReturnType<typeof packEntryView>

const PRICE_DIGITS = 6

export class Feeds {
  readonly #archive: ArchivedMarkets
  readonly #reads: PrivateReads

  constructor(archive: ArchivedMarkets, reads: PrivateReads) {
    this.#archive = archive
    this.#reads = reads
  }

  /** Undefined on a read timeout. */
  async page(wanted: FeedRequest, requester: Requester) {
    const page = await this.#reads.read(feed, wanted, requester)
    if (page === undefined) return undefined
    const markets = await this.#archive.byIds(new Set(page.entries.flatMap(marketsOf)), requester)
    if (markets === undefined) return undefined
    const groupIds = [...markets.values()].flatMap(({ market }) => market.groupId ?? [])
    const groups = await this.#archive.byIds(groupIds, requester)
    if (groups === undefined) return undefined
    const data = page.entries.flatMap((entry): EntryView[] => {
      if (isOfPack(entry)) return [packEntryView(entry, markets)]
      const shown = markets.get(entry.marketId)
      if (shown === undefined || shown.status === 'DRAFT') return []
      return [viewOf(entry, shown, groups)]
    })
    return { data, next: page.next }
  }
}

function isOfPack(entry: FeedEntry): entry is PackEntry {
  return entry.what === 'PACK_MADE' || entry.what === 'PACK_ENDED'
}

function marketsOf(entry: FeedEntry): MarketId[] {
  return isOfPack(entry) ? entry.pack.legs.map(({ marketId }) => marketId) : [entry.marketId]
}

function packEntryView({ seq, leg, atMs, what, trader, pack }: PackEntry, markets: Markets) {
  const isMade = what === 'PACK_MADE'
  return {
    id: isMade ? String(seq) : `${seq}-${leg}`,
    type: isMade ? ('PARLAY_PLACED' as const) : ('PARLAY_RESOLVED' as const),
    timestamp: isoText(atMs),
    user: trader === null ? null : userView(trader),
    market: null,
    pack: {
      id: String(pack.packId),
      status: pack.status,
      stake: String(pack.stakeRaw),
      payout: String(paysRaw(pack)),
      legs: pack.legs.flatMap(({ marketId, outcome, result }) => {
        const market = markets.get(marketId)
        return market === undefined ? [] : [{ ...legView(market, outcome), result }]
      }),
    },
  }
}

function viewOf(entry: Exclude<FeedEntry, PackEntry>, shown: PublishedMarket, groups: Markets) {
  const { seq, leg, atMs } = entry
  const timestamp = isoText(atMs)
  const market = marketView(shown, groups)
  if (entry.what === 'RESOLVED') {
    const id = `${seq}-${leg}`
    const winningOutcome = winnerOf(shown)
    return { id, type: 'RESOLVED' as const, timestamp, user: null, market, winningOutcome }
  }
  const { side, outcome, sharesRaw, collateralRaw, trader } = entry
  const buys = side === SIDE.BUY
  return {
    id: String(seq),
    type: buys ? ('BOUGHT' as const) : ('SOLD' as const),
    timestamp,
    user: trader === null ? null : userView(trader),
    market,
    side: buys ? ('BUY' as const) : ('SELL' as const),
    outcome: outcome === OUTCOME.YES ? ('YES' as const) : ('NO' as const),
    price: Number((collateralRaw / sharesRaw).toFixed(PRICE_DIGITS)),
    contracts: String(sharesRaw),
    amountUsd: collateralRaw / UNIT_RAW,
  }
}

function userView(trader: TakerRow) {
  const { profileId, account, username, pfpUrl, rankName } = trader
  return { profileId, account, username, displayName: shownName(trader), pfpUrl, rankName }
}

function marketView({ market }: PublishedMarket, groups: Markets) {
  const group = market.groupId === undefined ? undefined : groups.get(market.groupId)?.market
  const ofGroup = group === undefined ? null : { slug: group.slug, title: group.title }
  return { id: market.marketId, slug: market.slug, title: market.title, group: ofGroup }
}

/** Null when the payout is split. */
function winnerOf({ payoutNumerators }: PublishedMarket): 'YES' | 'NO' | null {
  const [yes, no] = payoutNumerators ?? [0, 0]
  if (yes > 0 && no > 0) return null
  return yes > 0 ? 'YES' : 'NO'
}

/** What the routes of this folder need. */
export interface FeedServices extends SharedServices {
  readonly feeds: Feeds
}
