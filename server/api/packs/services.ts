import {
  curationIssues,
  decideCuratedRemoval,
  gateCuration,
} from '../../../engine/core/decide/money/curated-packs.ts'
import type { PackReason } from '../../../engine/core/decide/money/pack-price.ts'
import type { CuratedPack } from '../../../engine/core/packs/curated-packs.ts'
import type { PackOffer } from '../../../engine/core/packs/packs.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import { networksOf } from '../../auth/networks.ts'
import type { Buckets } from '../../edge/http/access/rate-limit.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { boolean, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { PrivateReads } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportServices } from '../sports/services.ts'
import { listedLeg, listedLegView, makersOf, offerViews, packIdOf, packUuid } from './pack-views.ts'
import type { Ineligible, PackDesk, RequestedLeg } from './packs.ts'

// The list of curated packs (rules §8.6): its changes, and its published form. The published list
// is built at most once a second, and after each change, so a call costs what it returns. It is
// owned by the main thread.

/** The maximum age of the prices of the list. */
const KEPT_MS = 1000

/** A pack with one of these reasons has ended, and is not listed. */
const ENDS: ReadonlySet<PackReason> = new Set([
  'MARKET_NOT_FOUND',
  'MARKET_NOT_ACTIVE',
  'MARKET_NOT_ELIGIBLE',
])

type CuratedView = ReturnType<typeof curatedView>

interface KeptPacks {
  readonly changes: number
  readonly madeMs: TimeMs
  readonly views: readonly CuratedView[]
  readonly bytes: Buffer
}

interface NewCuration {
  readonly name: string
  readonly legs: readonly RequestedLeg[]
}

export class Curation {
  readonly #pipeline: Pipeline
  readonly #desk: PackDesk
  readonly #closeMs: number
  #kept: KeptPacks | null = null

  constructor(pipeline: Pipeline, desk: PackDesk, closeMs: number) {
    this.#pipeline = pipeline
    this.#desk = desk
    this.#closeMs = closeMs
  }

  /** Adds a pack to the list. */
  async put({ name, legs }: NewCuration, by: string): Promise<CuratedPack | Reject | Ineligible> {
    const { clearing } = this.#pipeline
    const requested = legs.map(({ market, outcome }) => {
      return { marketId: market?.market.marketId, outcome }
    })
    let made: CuratedPack | Ineligible | Reject = { issues: [] }
    const refused = await this.#pipeline.change((nowMs) => {
      const issues = curationIssues(clearing, requested, nowMs + this.#closeMs)
      made = { issues }
      const restricted = gateCuration(clearing, name, issues)
      if (restricted !== null) return restricted
      const known = requested.flatMap(({ marketId, outcome }) => {
        return marketId === undefined ? [] : [{ marketId, outcome }]
      })
      made = { packId: clearing.lastSeq + 1, name, madeMs: nowMs, legs: known }
      return { kind: 'curatePack', name, legs: known }
    }, by)
    if (refused === null || (refused.name === 'PACK_NOT_ELIGIBLE' && 'issues' in made)) return made
    return refused
  }

  remove(packId: Seq, by: string): Promise<Reject | null> {
    return this.#pipeline.change(() => decideCuratedRemoval(this.#pipeline.clearing, packId), by)
  }

  /** The current state of a pack. */
  standing({ packId, legs }: Pick<CuratedPack, 'packId' | 'legs'>): Standing {
    const { clearing, sequencer } = this.#pipeline
    const issues = curationIssues(clearing, legs, sequencer.nowMs() + this.#closeMs)
    const isKept = clearing.packs.curated.byId(packId) !== undefined
    return {
      isListed: isKept && !issues.some(({ code }) => ENDS.has(code)),
      isOpen: issues.length === 0,
    }
  }

  view(pack: CuratedPack) {
    const { published } = this.#pipeline
    return curatedView(pack, this.standing(pack), (id) => published.byId(id), this.#desk)
  }

  /** The packs of the list, newest first, including those with a leg that has just ended. */
  async all(): Promise<CuratedView[]> {
    const packs = [...this.#pipeline.clearing.packs.curated.all()].reverse()
    const views = packs.map((pack) => this.view(pack))
    // The newest of them may not be durable yet (invariant 1).
    await this.#pipeline.durable()
    return views
  }

  /** The packs that can be bought, newest first. */
  async #listed(): Promise<KeptPacks> {
    const { changes } = this.#pipeline.clearing.packs.curated
    const madeMs = this.#pipeline.sequencer.nowMs()
    const kept = this.#kept
    const isFresh = kept !== null && Math.abs(madeMs - kept.madeMs) < KEPT_MS
    if (isFresh && kept.changes === changes) return kept
    const views = (await this.all()).filter(({ status }) => status === 'ACTIVE')
    this.#kept = { changes, madeMs, views, bytes: Buffer.from(JSON.stringify(views)) }
    return this.#kept
  }

  /** The reply with the complete list. */
  async encoded(): Promise<Buffer> {
    return (await this.#listed()).bytes
  }

  /** The listed packs whose name or markets contain every word of a text. */
  async found(text: string): Promise<CuratedView[]> {
    const words = text.toLowerCase().split(/\s+/)
    const { views } = await this.#listed()
    return views.filter(({ name, legs }) => {
      const ofLegs = legs.flatMap(({ title, marketSlug }) => [title, marketSlug])
      const about = [name, ...ofLegs].join('\n').toLowerCase()
      return words.every((word) => about.includes(word))
    })
  }
}

// A curated pack as published (rules §8.6).

/** The only type of curated pack: its legs may be in any markets. */
export const PARLAY_TYPE = 'curated'

export const curatedPack = () =>
  object({
    id: packUuid('Id of the pack, used to quote and buy it.'),
    name: means(text(), 'Name given by operators.'),
    status: means(
      oneOf('ACTIVE', 'ENDED'),
      'ACTIVE while it is on the list; ENDED once a leg ended or operators removed it.',
    ),
    eligible: means(
      boolean(),
      'Whether all its legs are open and have a usable price; a quote checks this for a stake.',
    ),
    parlayType: means(oneOf(PARLAY_TYPE), 'Always curated: operators chose the legs.'),
    createdAt: means(isoTime(), 'When operators added it to the list.'),
    legs: means(list(listedLeg()), 'The outcomes that must all win.'),
  })

/** The current state of a curated pack. */
interface Standing {
  readonly isListed: boolean
  /** Whether its markets may share a pack now. */
  readonly isOpen: boolean
}

/** A leg with an unknown market is omitted. */
export function curatedView(
  { packId, name, madeMs, legs }: CuratedPack,
  { isListed, isOpen }: Standing,
  marketOf: (marketId: MarketId) => PublishedMarket | undefined,
  desk: PackDesk,
) {
  const id = packIdOf('curated', packId)
  const views = legs.flatMap(({ marketId, outcome }, legIndex) => {
    const market = marketOf(marketId)
    if (market === undefined) return []
    return [listedLegView(market, { packId: id, legIndex, outcome }, desk)]
  })
  const arePriced = views.every(({ bookPrice }) => bookPrice !== null)
  return {
    id,
    name,
    status: isListed ? ('ACTIVE' as const) : ('ENDED' as const),
    eligible: isListed && isOpen && arePriced,
    parlayType: PARLAY_TYPE,
    createdAt: isoText(madeMs),
    legs: views,
  } as const
}

// The published list of open pack offers (rules §8.5). The list alternates between makers, so that
// none of them fills its first page. The first page is encoded once per change of the offers. While
// there are many offers, it is encoded at most once per interval, which grows with their number. So
// a call costs what it returns. The list is owned by the main thread.

export const OFFERS_SHOWN_MAX = 100
/** The maximum age of the makers' names in the list. */
const NAMES_MS = 1000
/** While new offers arrive, the list is reused for some milliseconds per this many open offers. */
const BUSY_OFFERS = 512
const BUSY_MS = 8
/** Maximum number of offers with a known network. Ended offers are dropped as new ones arrive. */
const NETWORKS_MAX = 2 * PACK_LIMITS.offersMax

/** The first item of each key in order, then the second of each, and so on. */
function inSlices<T>(items: Iterable<T>, keyOf: (item: T) => number | string): T[][] {
  const rounds: T[][] = []
  const countOf = new Map<number | string, number>()
  for (const item of items) {
    const key = keyOf(item)
    const round = countOf.get(key) ?? 0
    countOf.set(key, round + 1)
    const others = rounds[round]
    if (others === undefined) rounds[round] = [item]
    else others.push(item)
  }
  return rounds
}

interface Keys<T> {
  /** The profile that makes the offer; for a sub-account, its partner. */
  readonly owner: (offer: T) => number
  /** The network of the offer's origin: many profiles of one network share one place per round. */
  readonly network: (offer: T) => number | string
}

/** The first `countMax` of offers that are newest first, alternating fairly between makers. */
export function fairOffers<T>(offers: Iterable<T>, keys: Keys<T>, countMax: number): T[] {
  const first: T[] = []
  for (const round of inSlices(offers, keys.owner)) {
    if (first.length >= countMax) break
    first.push(...inSlices(round, keys.network).flat())
  }
  return first.slice(0, countMax)
}

interface KeptOffers {
  /** The change counter that the list reflects. */
  readonly changes: number
  readonly frozenCount: number
  readonly madeMs: TimeMs
  /** The earliest expiry of its offers. */
  readonly endsMs: TimeMs
  /** While new offers arrive, the list is reused until then. */
  readonly busyUntilMs: TimeMs
  readonly texts: readonly string[]
  /** Keyed by the requested number of offers. */
  readonly bytes: Map<number, Buffer>
}

export class OpenOffers {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #networks = new Map<Seq, string>()
  #kept: KeptOffers | null = null
  #making: Promise<KeptOffers | undefined> | null = null

  constructor(pipeline: Pipeline, reads: PrivateReads) {
    this.#pipeline = pipeline
    this.#reads = reads
  }

  /** Records the origin of an offer. It is not state: after a restart only the maker counts. */
  note(offerId: Seq, address: string): void {
    const network = networksOf(address).at(-1)
    if (network !== undefined) this.#networks.set(offerId, network)
    for (const oldest of this.#networks.keys()) {
      if (this.#networks.size <= NETWORKS_MAX) break
      this.#networks.delete(oldest)
    }
  }

  /** The reply with the first offers; undefined when reading their makers' names times out. */
  async first(limit: number): Promise<Buffer | undefined> {
    const { offerChanges } = this.#pipeline.clearing.packs
    const kept = this.#kept
    if (kept !== null && this.#serves(kept)) return encoded(kept, limit)
    for (;;) {
      this.#making ??= this.#make().finally(() => {
        this.#making = null
      })
      const made = await this.#making
      if (made === undefined) return undefined
      // A list that was started before this call may lack offers that its caller has already seen.
      if (made.changes >= offerChanges) return encoded(made, limit)
    }
  }

  #serves({ changes, frozenCount, madeMs, endsMs, busyUntilMs }: KeptOffers): boolean {
    const { packs, frozen } = this.#pipeline.clearing
    const nowMs = this.#pipeline.sequencer.nowMs()
    if (nowMs >= endsMs || nowMs >= madeMs + NAMES_MS || frozenCount !== frozen.count) return false
    return changes === packs.offerChanges || nowMs < busyUntilMs
  }

  async #make(): Promise<KeptOffers | undefined> {
    const { packs, frozen, accounts } = this.#pipeline.clearing
    const madeMs = this.#pipeline.sequencer.nowMs()
    const [changes, frozenCount] = [packs.offerChanges, frozen.count]
    const open = [...packs.offers()].filter(
      ({ expiresMs, makerId }) => expiresMs > madeMs && !frozen.isFrozen(makerId),
    )
    const owner = ({ makerId }: PackOffer) => accounts.partners.shareOwnerOf(makerId)
    const network = (offer: PackOffer) => this.#networks.get(offer.offerId) ?? owner(offer)
    const shown = fairOffers(open.reverse(), { owner, network }, OFFERS_SHOWN_MAX)
    // The offers may not be durable yet (invariant 1).
    await this.#pipeline.durable()
    const found = await this.#reads.read(profiles, makersOf(shown))
    if (found === undefined) return undefined
    this.#kept = {
      changes,
      frozenCount,
      madeMs,
      endsMs: Math.min(...shown.map(({ expiresMs }) => expiresMs)),
      busyUntilMs: madeMs + Math.floor(open.length / BUSY_OFFERS) * BUSY_MS,
      texts: offerViews(shown, found, this.#pipeline).map((view) => JSON.stringify(view)),
      bytes: new Map(),
    }
    return this.#kept
  }
}

function encoded({ texts, bytes }: KeptOffers, limit: number): Buffer {
  const known = bytes.get(limit)
  if (known !== undefined) return known
  const made = Buffer.from(`{"data":[${texts.slice(0, limit).join(',')}]}`)
  bytes.set(limit, made)
  return made
}

/** What the routes of this folder need. */
export interface PackServices
  extends SharedServices,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'>,
    Pick<SportServices, 'matches'> {
  readonly packs: PackDesk
  readonly curation: Curation
  /** Rate limit of each profile's offers, which all listeners receive. Null for no limit. */
  readonly offerCalls: Buckets<ProfileId> | null
  /** The same per address, and per wider network of IPv6. Null for no limit. */
  readonly offerNetworks: readonly Buckets<string>[] | null
  readonly openOffers: OpenOffers
}
