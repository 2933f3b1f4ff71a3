// The channel `subscribe_live_offers` (rules §8.5): offers of packs once they are durable, oldest
// first. The makers' names are in the tables, so a frame waits for a read. When the tables lag too
// far behind, the readers are notified and their subscriptions end.

import type { PackOffer } from '../../../engine/core/packs/packs.ts'
import type { Matches, PlacedMatch } from '../../../engine/core/sports/matches.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { phaseOf } from '../../../engine/domain/sports/match.ts'
import { SPORT_LIMITS } from '../../../engine/domain/sports/sport-limits.ts'
import { edgePoint } from '../../../engine/thread/fault-point.ts'
import { patiently } from '../../../persistence/query/patient-read.ts'
import { profiles } from '../../../persistence/query/read/profiles.ts'
import type { Channel } from '../../edge/sockets/channels.ts'
import { packetOf, packetOfText } from '../../edge/sockets/packets.ts'
import type { BroadcastParts } from '../../edge/sockets/shared/broadcast-group.ts'
import { EventGroup } from '../../edge/sockets/shared/event-group.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { refuse } from '../../messages/refusal.ts'
import { makersOf, offerViews } from '../packs/pack-views.ts'
import type { PrivateReads } from '../reads/private-reads.ts'
import { scoreView } from '../sports/sports.ts'

interface OfferParts extends BroadcastParts {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
}

const CHANNEL = 'subscribe_live_offers'
const READ_OFFERS_MAX = 64

class OfferFeed {
  readonly group: EventGroup
  readonly #parts: OfferParts
  /** Unpublished offers, oldest first. */
  #unreported: PackOffer[] = []
  #isReading = false

  constructor(parts: OfferParts) {
    this.#parts = parts
    this.group = new EventGroup('offers', parts)
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  offered(offer: PackOffer): void {
    if (this.group.isEmpty) return
    this.#unreported.push(offer)
    if (this.#unreported.length > PACK_LIMITS.offersMax) this.#unreported.shift()
    if (!this.#isReading) void this.#publishAll()
  }

  async #publishAll(): Promise<void> {
    this.#isReading = true
    try {
      while (this.#unreported.length > 0) await this.#reportSome()
    } catch (error) {
      this.#unreported = []
      this.#parts.fail(error, this.group.members)
    }
    this.#isReading = false
  }

  async #reportSome(): Promise<void> {
    const offers = this.#unreported.splice(0, READ_OFFERS_MAX)
    const { reads, pipeline } = this.#parts
    const makers = makersOf(offers)
    const read = async () => (this.group.isEmpty ? [] : reads.readForFrame(profiles, makers))
    const found = await patiently(read, { ref: false })
    edgePoint('at-socket-read')
    if (found === undefined) this.#giveUp()
    else for (const view of offerViews(offers, found, pipeline)) this.#publish(view)
  }

  /** No offer is dropped silently. */
  #giveUp(): void {
    this.#unreported = []
    for (const member of this.group.members) {
      this.group.left(member)
      member.except(refuse('READ_TIMEOUT'), CHANNEL)
    }
  }

  #publish(view: object): void {
    if (this.group.isEmpty) return
    edgePoint('at-socket-frame')
    this.group.say(packetOf('liveOffer', view))
  }
}

// The channels `subscribe_live_sports` and `subscribe_live_esports` (rules §12.8): scores by the
// slug of their match. A reader first gets the scores of the matches in play, then each change. If
// there are too many matches for the first frame, it has only the most recently changed ones; the
// others follow with their next change. A reader that missed too many frames is disconnected with
// the reason.

interface ScoreParts extends BroadcastParts {
  readonly matches: Matches
  /** The event of its frames; it determines the published matches. */
  readonly event: 'live_sports_update' | 'live_esports_update'
}

/** A slug contains no character that JSON escapes. */
function textOf(match: PlacedMatch): string[] {
  const { slug, score } = match
  return score === null ? [] : [`"${slug}":${JSON.stringify(scoreView(match, score))}`]
}

class ScoreFeed {
  readonly group: EventGroup
  readonly #parts: ScoreParts
  #first: { readonly version: number; readonly packet: Uint8Array } | null = null

  constructor(parts: ScoreParts) {
    this.#parts = parts
    // The missed frames are first: they also include matches that ended.
    this.group = new EventGroup(parts.event, parts, {
      packet: () => this.#firstFrame(),
      bytesMax: SPORT_LIMITS.firstFrameBytesMax,
    })
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  scored(matches: readonly PlacedMatch[]): void {
    if (this.group.isEmpty) return
    try {
      edgePoint('at-socket-frame')
      const texts = matches.filter((each) => this.#reports(each)).flatMap(textOf)
      const most = SPORT_LIMITS.scoresPerFrameMax
      for (let at = 0; at < texts.length; at += most) {
        this.group.say(this.#packetOf(texts.slice(at, at + most)))
      }
    } catch (error) {
      this.#parts.fail(error, this.group.members)
    }
  }

  #reports({ sportType }: PlacedMatch): boolean {
    return (sportType === 'esports') === (this.#parts.event === 'live_esports_update')
  }

  #packetOf(texts: readonly string[]): Uint8Array {
    return packetOfText(this.#parts.event, `{${texts.join(',')}}`)
  }

  /** The scores of matches in play, most recently changed first, up to the size limit. */
  #firstFrame(): Uint8Array {
    const { version } = this.#parts.matches
    if (this.#first?.version === version) return this.#first.packet
    const live = [...this.#parts.matches.all()].filter((match) => {
      return this.#reports(match) && phaseOf(match.score) === 'live'
    })
    live.sort((one, other) => (other.score?.scoredMs ?? 0) - (one.score?.scoredMs ?? 0))
    const texts: string[] = []
    let leftBytes: number = SPORT_LIMITS.firstFrameBytesMax
    for (const match of live) {
      const [text = ''] = textOf(match)
      leftBytes -= Buffer.byteLength(text) + 1
      if (leftBytes < 0) break
      texts.push(text)
    }
    const packet = this.#packetOf(texts)
    this.#first = { version, packet }
    return packet
  }
}

// The public channels of matches and of offers, and their feeds.

export interface EventFeeds {
  /** By the event that subscribes. */
  readonly channels: ReadonlyMap<string, Channel>
  scored(matches: readonly PlacedMatch[]): void
  offered(offer: PackOffer): void
}

export function eventFeeds(parts: OfferParts): EventFeeds {
  const { matches } = parts.pipeline.published
  const sports = new ScoreFeed({ ...parts, matches, event: 'live_sports_update' })
  const esports = new ScoreFeed({ ...parts, matches, event: 'live_esports_update' })
  const offers = new OfferFeed(parts)
  return {
    channels: new Map<string, Channel>([
      ['subscribe_live_sports', sports.group],
      ['subscribe_live_esports', esports.group],
      ['subscribe_live_offers', offers.group],
    ]),
    scored: (changed) => {
      for (const feed of [sports, esports]) feed.scored(changed)
    },
    offered: (offer) => offers.offered(offer),
  }
}
