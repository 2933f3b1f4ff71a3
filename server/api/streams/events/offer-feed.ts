// The channel `subscribe_live_offers` (rules §8.5): offers of packs once they are durable, oldest
// first. The makers' names are in the tables, so a frame waits for a read. When the tables lag too
// far behind, the readers are notified and their subscriptions end.

import type { PackOffer } from '../../../../engine/core/packs/packs.ts'
import { PACK_LIMITS } from '../../../../engine/domain/packs/pack-limits.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import { patiently } from '../../../../persistence/query/patient-read.ts'
import { profiles } from '../../../../persistence/query/read/profiles.ts'
import { packetOf } from '../../../edge/sockets/packets.ts'
import type { BroadcastParts } from '../../../edge/sockets/shared/broadcast-group.ts'
import { EventGroup } from '../../../edge/sockets/shared/event-group.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import { refuse } from '../../../messages/refusal.ts'
import { makersOf, offerViews } from '../../packs/offer-views.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'

export interface OfferParts extends BroadcastParts {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
}

const CHANNEL = 'subscribe_live_offers'
const READ_OFFERS_MAX = 64

export class OfferFeed {
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
