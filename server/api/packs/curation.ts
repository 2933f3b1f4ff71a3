// The list of curated packs (rules §8.6): its changes, and its published form. The published list
// is built at most once a second, and after each change, so a call costs what it returns. It is
// owned by the main thread.

import {
  curationIssues,
  decideCuratedRemoval,
  gateCuration,
} from '../../../engine/core/decide/money/curated-packs.ts'
import type { PackReason } from '../../../engine/core/decide/money/pack-price.ts'
import type { CuratedPack } from '../../../engine/core/packs/curated-packs.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import type { Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { boolean, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import { listedLeg, listedLegView, packIdOf, packUuid } from './pack-views.ts'
import type { Ineligible, PackDesk, RequestedLeg } from './packs.ts'

/** The maximum age of the prices of the list. */
const KEPT_MS = 1000

/** A pack with one of these reasons has ended, and is not listed. */
const ENDS: ReadonlySet<PackReason> = new Set([
  'MARKET_NOT_FOUND',
  'MARKET_NOT_ACTIVE',
  'MARKET_NOT_ELIGIBLE',
])

type CuratedView = ReturnType<typeof curatedView>

interface Kept {
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
  #kept: Kept | null = null

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
  async #listed(): Promise<Kept> {
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
