// The `tx` frames of money that moved outside trading (rules §12.8): CONFIRMED when a block
// contains the command. A trade with a pool has the fields of a trade.
// Invariants: `#waiting` has the listeners' moves that are in no published block, oldest first.

import { moveHashOf } from '../../../../engine/core/money/tx-hash.ts'
import type { MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { UNIT_RAW } from '../../../../engine/domain/units.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Streams } from '../../../edge/sockets/account-stream.ts'
import type { PublishedMarkets } from '../../../exchange/read-model/published.ts'
import type { BlockEvent, SettlementListener } from '../../../exchange/settlement/mining.ts'
import { isoText } from '../../../messages/iso-text.ts'
import { refuse } from '../../../messages/refusal.ts'
import type { Audience } from './audience.ts'

const CHANNEL = 'subscribe_transactions'

export interface MoveTransactionParts {
  /** The listeners to `tx` frames. */
  readonly audience: Audience
  readonly streams: Streams
  readonly published: PublishedMarkets
  readonly chainId: number
}

interface Waiting {
  readonly seq: Seq
  readonly event: MoveEvent
  /** The market may have left memory when its block is published. */
  readonly market: MarketNames | null
}

interface MarketNames {
  readonly marketSlug: string
  readonly conditionId: string
  readonly tokens: readonly [yes: string, no: string]
  readonly marketAddress: string | null
}

export class MoveTransactions implements SettlementListener {
  readonly #parts: MoveTransactionParts
  #waiting: Waiting[] = []

  constructor(parts: MoveTransactionParts) {
    this.#parts = parts
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  moved(events: readonly MoveEvent[], seq: Seq): void {
    const { audience } = this.#parts
    for (const event of events) {
      if (!audience.isReceivedBy(event.owner)) continue
      if (this.#waiting.length >= LIMITS.settledDueMax) this.#giveUp()
      this.#waiting.push({ seq, event, market: this.#namesOf(event.marketId) })
    }
  }

  onBlock(block: BlockEvent): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter(({ seq }) => seq <= block.throughSeq)
    this.#waiting = this.#waiting.filter(({ seq }) => seq > block.throughSeq)
    try {
      edgePoint('at-socket-settled')
      for (const each of due) this.#post(each, block)
    } catch (error) {
      this.#waiting = []
      this.#parts.streams.fail(error, this.#parts.audience.all())
    }
  }

  onSetback(): void {
    // The chain accepts every move.
  }

  #post({ seq, event, market }: Waiting, { ms }: BlockEvent): void {
    const { audience, streams, chainId } = this.#parts
    if (!audience.isReceivedBy(event.owner)) return
    const payload = () => ({
      userId: event.owner,
      txHash: moveHashOf(chainId, seq),
      status: 'CONFIRMED',
      source: market?.marketAddress ? 'AMM' : 'CTF',
      timestamp: isoText(ms),
      ...(market === null ? {} : partOf(event, market)),
      amountCollateral: String(Math.abs(event.collateralRaw)),
    })
    streams.of(event.owner)?.post({ to: audience, seq, event: 'tx', payload })
  }

  /** No frame is dropped silently: its listeners are notified, and their subscriptions end. */
  #giveUp(): void {
    this.#waiting = []
    const { audience } = this.#parts
    for (const member of audience.all()) {
      audience.left(member)
      member.except(refuse('READ_TIMEOUT'), CHANNEL)
    }
  }

  #namesOf(marketId: MarketId): MarketNames | null {
    const market = this.#parts.published.byId(marketId)?.market
    if (market === undefined) return null
    const { slug, conditionId, yesTokenId, noTokenId, poolAddress } = market
    return {
      marketSlug: slug,
      conditionId,
      tokens: [yesTokenId, noTokenId],
      marketAddress: poolAddress ?? null,
    }
  }
}

function partOf(
  { kind, yesRaw, noRaw, collateralRaw }: MoveEvent,
  { marketSlug, conditionId, tokens, marketAddress }: MarketNames,
) {
  const named = {
    marketSlug,
    ...(conditionId === '' ? {} : { conditionId }),
    ...(marketAddress === null ? {} : { marketAddress }),
  }
  if (kind !== 'BUY' && kind !== 'SELL') return named
  const sharesRaw = Math.abs(yesRaw + noRaw)
  return {
    ...named,
    tokenId: tokens[yesRaw === 0 ? 1 : 0],
    amountContracts: String(sharesRaw),
    price: String(Math.round((Math.abs(collateralRaw) / sharesRaw) * UNIT_RAW) / UNIT_RAW),
    side: kind,
  }
}
