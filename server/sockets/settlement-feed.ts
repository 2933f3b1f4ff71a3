// What became of trades on the chain: MINED and FAILED for whoever was told MATCHED, and the
// channel `subscribe_transactions` with its `tx` frames (domain §5.3, §12.8). A retry is no frame.
// Invariant: `#matched` holds the parts of trades that are neither mined nor failed.

import { assert } from '../../engine/domain/assert.ts'
import { ladderTicks } from '../../engine/domain/order.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import type { TradeParties } from '../../persistence/read/settlements.ts'
import type { BlockFact, SettlementFact, SettlementListener } from '../pipeline/mining.ts'
import type { OrderFact } from '../pipeline/order-news.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { PrivateReads } from '../pipeline/private-reads.ts'
import { Audience } from './audience.ts'
import type { Channel } from './channels.ts'
import type { Member } from './member.ts'
import type { OrderEvents } from './order-events.ts'
import { type Matched, type Settled, settledFrame, txFrame } from './order-frames.ts'
import type { PositionsFeed } from './positions-feed.ts'

const TICKS_ONE = 1000

export interface SettlementFeedParts {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly clock: () => TimeMs
  readonly orderEvents: OrderEvents
  readonly positions: PositionsFeed
}

export class SettlementFeed implements Channel, SettlementListener {
  readonly isPrivate = true
  readonly #parts: SettlementFeedParts
  readonly #audience: Audience
  readonly #matched = new Map<number, Matched[]>()

  constructor(parts: SettlementFeedParts) {
    this.#parts = parts
    const { news } = parts.pipeline.publisher
    this.#audience = new Audience(
      (profileId) => news.watch(profileId),
      (profileId) => news.unwatch(profileId),
    )
  }

  subscribe(member: Member): null {
    this.#audience.add(member)
    return null
  }

  unsubscribe(member: Member): void {
    this.#audience.remove(member)
  }

  left(member: Member): void {
    this.#audience.remove(member)
  }

  tell(facts: readonly OrderFact[]): void {
    for (const fact of facts) {
      if (fact.type !== 'MATCHED') continue
      const parts = this.#matched.get(fact.seq)
      if (parts === undefined) this.#matched.set(fact.seq, [fact])
      else parts.push(fact)
    }
  }

  onBlock(_block: BlockFact): void {}

  onSettlement({ tradeSeq, status, txHash }: SettlementFact): void {
    if (status !== 'MINED' && status !== 'FAILED') return
    const parts = this.#matched.get(tradeSeq) ?? []
    this.#matched.delete(tradeSeq)
    // What a failure takes back concerns also those who came after the trade.
    if (parts.length === 0 && status === 'MINED') return
    void this.#show(tradeSeq, parts, { type: status, txHash, settledMs: this.#parts.clock() })
  }

  async #show(
    tradeSeq: number,
    parts: readonly Matched[],
    what: Pick<Settled, 'type' | 'txHash' | 'settledMs'>,
  ): Promise<void> {
    const { reads, pipeline, orderEvents, positions } = this.#parts
    // Late tables cost the frame its makers, not its owner the frame.
    const parties = (await reads.parties(tradeSeq)) ?? null
    const settled = { ...what, ...this.#namesOf(parties) }
    for (const part of parts) {
      const matched = orderEvents.matchedFrame(part)
      orderEvents.send(part.accountId, settledFrame(matched, settled))
      const shown = pipeline.published.byId(part.marketId)
      assert(shown !== undefined, 'a trade has a published market')
      const frame = txFrame(matched, settled, shown.market.conditionId)
      for (const member of this.#audience.of(part.accountId)) member.sendPrivate('tx', frame)
    }
    if (what.type === 'MINED' || parties === null) return
    for (const profileId of [parties.takerId, ...parties.makers.map((each) => each.accountId)]) {
      positions.changed(profileId, parties.marketId)
    }
  }

  #namesOf(parties: TradeParties | null): Pick<Settled, 'takerAccount' | 'makerMatches'> {
    const { clearing, ids } = this.#parts.pipeline
    const accountOf = (profileId: number) => clearing.accounts.byId(profileId)?.account ?? ''
    const makerMatches = (parties?.makers ?? []).map((maker) => ({
      account: accountOf(maker.accountId),
      orderId: ids.text(maker.slot, maker.generation),
      matchedSize: String(maker.sharesRaw),
      price: String(ladderTicks(maker.outcome, maker.yesTicks) / TICKS_ONE),
    }))
    return { takerAccount: parties === null ? '' : accountOf(parties.takerId), makerMatches }
  }
}
