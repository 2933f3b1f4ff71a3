// The published list of open pack offers (rules §8.5). The list alternates between makers, so that
// none of them fills its first page. The first page is encoded once per change of the offers. While
// there are many offers, it is encoded at most once per interval, which grows with their number. So
// a call costs what it returns. The list is owned by the main thread.

import type { PackOffer } from '../../../engine/core/packs/packs.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import { networksOf } from '../../auth/networks.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PrivateReads } from '../reads/private-reads.ts'
import { makersOf, offerViews } from './pack-views.ts'

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

interface Kept {
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
  #kept: Kept | null = null
  #making: Promise<Kept | undefined> | null = null

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

  #serves({ changes, frozenCount, madeMs, endsMs, busyUntilMs }: Kept): boolean {
    const { packs, frozen } = this.#pipeline.clearing
    const nowMs = this.#pipeline.sequencer.nowMs()
    if (nowMs >= endsMs || nowMs >= madeMs + NAMES_MS || frozenCount !== frozen.count) return false
    return changes === packs.offerChanges || nowMs < busyUntilMs
  }

  async #make(): Promise<Kept | undefined> {
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

function encoded({ texts, bytes }: Kept, limit: number): Buffer {
  const known = bytes.get(limit)
  if (known !== undefined) return known
  const made = Buffer.from(`{"data":[${texts.slice(0, limit).join(',')}]}`)
  bytes.set(limit, made)
  return made
}
