// Runs a call that moves money once: the call is decided and stamped in one synchronous step, and
// answered once it is durable. The reply to a repeated call is read from the tables, so it is the
// first reply, whatever changed since.

import { createHash } from 'node:crypto'
import { decideOnce } from '../../../engine/core/decide/money/moves.ts'
import { decideFunds } from '../../../engine/core/decide/partners.ts'
import { eventsOfMove, type MoveEvent } from '../../../engine/core/moves/move-events.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { CallOnce, MoveBody } from '../../../engine/domain/moves/move-command.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { moveBySeq } from '../../../persistence/query/read/portfolio/history.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { PrivateReads } from '../reads/private-reads.ts'

/** The requester of a move, and the call. */
export interface MoveRequest {
  /** The owner of the money. */
  readonly owner: ProfileId
  readonly callerId: ProfileId
  readonly idempotencyKey: string | undefined
  /** The signature of the call; '' for an unsigned call. */
  readonly signature: string
}

/** A durable move. */
export interface Moved {
  /** Identifies its transaction on the chain. */
  readonly seq: Seq
  readonly event: MoveEvent
}

/** The result of a call's first run; null if not found, undefined on a read timeout. */
export type FirstMove = (request: MoveRequest, seq: Seq) => Promise<MoveEvent | null | undefined>

/** Queries the tables. */
export function firstMoveIn(reads: PrivateReads): FirstMove {
  return ({ callerId, owner }, seq) =>
    reads.read(moveBySeq, { seq, owner }, { profileId: callerId })
}

export type DecideMove = (nowMs: TimeMs, once: CallOnce | undefined) => MoveBody | Reject

export class MovesOnce {
  readonly #pipeline: Pipeline
  readonly #firstMove: FirstMove

  constructor(pipeline: Pipeline, firstMove: FirstMove) {
    this.#pipeline = pipeline
    this.#firstMove = firstMove
  }

  /** `requested` is the content that a repeat under the same key must match. */
  async make(
    request: MoveRequest,
    requested: readonly unknown[],
    decide: DecideMove,
  ): Promise<Moved | Reject> {
    const { clearing } = this.#pipeline
    const childrenOf = (groupId: MarketId) =>
      clearing.catalogue.childrenOf(groupId).map(({ marketId }) => marketId)
    let seq: Seq = 0
    let events: readonly MoveEvent[] = []
    const refused = await this.#pipeline.change((nowMs) => {
      const once = onceOf(request, requested, nowMs)
      const before = decideOnce(clearing, once, nowMs)
      if (before instanceof Reject) return before
      seq = before?.seq ?? clearing.lastSeq + 1
      if (before !== undefined) return null
      // The sub-account may have left since the call arrived.
      const restricted = decideFunds(clearing, request.callerId, request.owner)
      if (restricted !== null) return restricted
      const decided = decide(nowMs, once)
      if (!(decided instanceof Reject)) events = eventsOfMove(decided, childrenOf)
      return decided
    })
    if (refused !== null) return refused
    const event = events.at(0) ?? (await this.#firstMove(request, seq)) ?? null
    return event === null ? REJECT.READ_TIMEOUT : { seq, event }
  }
}

/** The record that prevents the call from being run twice; undefined for none. */
export function onceOf(
  { callerId, owner, idempotencyKey, signature }: MoveRequest,
  requested: readonly unknown[],
  nowMs: TimeMs,
): CallOnce | undefined {
  if (idempotencyKey !== undefined) {
    const digest = digestOf(`key\n${callerId}\n${idempotencyKey}`)
    const untilMs = nowMs + MOVE_LIMITS.idempotencyKeyMs
    return {
      by: 'keyed',
      digest,
      bodyDigest: digestOf(JSON.stringify([owner, requested])),
      untilMs,
    }
  }
  if (signature === '') return undefined
  const untilMs = nowMs + MOVE_LIMITS.signedCallMs
  return { by: 'signed', digest: digestOf(`signed\n${signature}`), bodyDigest: '', untilMs }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
