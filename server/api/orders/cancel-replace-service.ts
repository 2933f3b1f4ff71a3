// Cancels an order and places a replacement (rules §4.8). The two legs are not atomic: the cancel
// is first. The funds that it frees are meant for the replacement, so the account's other orders
// and cancels wait until the replacement is decided. A replacement that would be refused whatever
// funds are freed is refused before the cancel, so the old order stays. The operations of one
// request run one after another.

import { assert } from '../../../engine/domain/assert.ts'
import type { ProfileId, TokenNo } from '../../../engine/domain/ids.ts'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import {
  ABANDONED,
  type OrderAnswer,
  type OrderCall,
  type OrderRefusal,
} from '../../exchange/order-entry/order-answer.ts'
import { type KeptOrder, PASSES } from '../../exchange/order-entry/order-entry.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { FORM } from '../../messages/intake-layout.ts'
import type { GroupPart, IntakeResult, ReplaceTask } from '../../messages/intake-result.ts'
import type { Canceled, Cancels } from './cancels.ts'

/** The results of both legs of an operation. */
export interface ReplaceLegs {
  /** Null when the cancel was not attempted, because the replacement was refused first. */
  readonly cancel: Canceled | Reject | null
  /** Null when the replacement was not attempted. */
  readonly replacement: OrderAnswer | null
}

/** The legs of each operation, or the refusal of the whole request. */
export type ReplaceAnswer = { readonly legs: readonly ReplaceLegs[] } | OrderRefusal

interface Operation extends ReplaceTask {
  /** The profile whose order is canceled and replaced. */
  readonly profileId: ProfileId
  /** The profile whose token signed the request; its rate limit applies. */
  readonly callerId: ProfileId
  readonly tokenNo: TokenNo
  /** Why the caller may not act for the profile that it named; null when it may. */
  readonly forbidden: Reject | null
  /** The replacement. */
  readonly kept: KeptOrder
}

export class CancelReplace {
  readonly #pipeline: Pipeline
  readonly #cancels: Cancels

  constructor(pipeline: Pipeline, cancels: Cancels) {
    this.#pipeline = pipeline
    this.#cancels = cancels
  }

  /** Runs the operations of a request; `reply` is called once. */
  run(call: OrderCall, form: number, reply: (answer: ReplaceAnswer) => void): void {
    const operations: Operation[] = []
    let broken: OrderRefusal | null = null
    const onPart = (result: IntakeResult, { index, count, task }: GroupPart) => {
      if (count === 0) {
        this.#pipeline.groups.refuse(result, reply)
        return
      }
      if (result.kind === 'refused' && result.broke !== undefined) {
        broken ??= { reject: result.reject, broke: result.broke }
      } else if (task !== null) operations.push(this.#operationOf(result, task))
      if (index < count - 1) return
      // No operation was run.
      if (broken !== null) return reply(broken)
      if (call.sender?.isGone === true) return reply(ABANDONED)
      assert(operations.length === count, 'each operation has a task')
      const [{ forbidden }] = operations
      // A single operation is refused as a whole. In a group, each operation has its own result.
      if (form === FORM.REPLACE && forbidden !== null) reply({ reject: forbidden })
      else this.#all(operations).then(reply, (error) => reply(brokenBy(error)))
    }
    const taken = this.#pipeline.groups.submit(call, form, onPart)
    if (!taken) reply({ reject: REJECT.OVERLOADED })
  }

  #operationOf(result: IntakeResult, task: ReplaceTask): Operation {
    return {
      ...task,
      profileId: result.actorId,
      callerId: result.profileId,
      tokenNo: result.tokenNo,
      forbidden: forbiddenBy(result),
      kept: this.#pipeline.orders.keep(result),
    }
  }

  async #all(operations: readonly Operation[]): Promise<ReplaceAnswer> {
    const { orders } = this.#pipeline
    orders.reserve(operations.length)
    const legs: ReplaceLegs[] = []
    try {
      for (const operation of operations) {
        const { callerId: profileId, tokenNo } = operation
        const refusal = await orders.admission({ profileId, tokenNo })
        if (refusal === null) legs.push(await this.#one(operation))
        else if (legs.length > 0) legs.push({ cancel: refusal.reject, replacement: null })
        else return refusal
      }
    } finally {
      orders.reserve(-operations.length)
    }
    return { legs }
  }

  async #one(operation: Operation): Promise<ReplaceLegs> {
    const { profileId, cancel, mode, forbidden } = operation
    if (forbidden !== null) return { cancel: forbidden, replacement: null }
    const { queues } = this.#pipeline
    // The queue of the account is full, so neither leg is attempted.
    if (!(await queues.begin(profileId))) return { cancel: REJECT.OVERLOADED, replacement: null }
    const foreseen = await operation.kept.refusal()
    if (foreseen !== PASSES) {
      queues.end(profileId)
      return { cancel: null, replacement: foreseen }
    }
    let replacement: Promise<OrderAnswer | null> | null = null
    const go = (isCanceled: boolean) => {
      if (isCanceled || mode === 'ALLOW_FAILURE') replacement = this.#replace(operation)
      else {
        replacement = Promise.resolve(null)
        queues.end(profileId)
      }
    }
    const canceled = await this.#cancels
      .one(profileId, cancel, (receipt) => go(receipt.canceled.length === 1))
      .catch((error: unknown) => {
        // The query for the reason failed. The account's other orders continue.
        if (replacement === null) queues.end(profileId)
        throw error
      })
    // A cancel that was refused before it was sent has freed no funds, so there is nothing to wait
    // for.
    if (replacement === null) go(false)
    return { cancel: canceled, replacement: await replacement }
  }

  #replace({ profileId, kept }: Operation): Promise<OrderAnswer> {
    const { queues } = this.#pipeline
    return new Promise((resolve) => {
      kept.decide({ timesRow: 0, reply: resolve, decided: () => queues.end(profileId) })
    })
  }
}

const OF_CALLER: readonly Reject[] = [
  REJECT.SCOPE_MISSING_TRADING,
  REJECT.SCOPE_MISSING_DELEGATED_SIGNING,
  REJECT.NOT_SUB_ACCOUNT,
  REJECT.NO_SERVER_WALLET,
]

/**
 * The refusal if no order of this caller for this account could be placed. Then nothing is
 * canceled.
 */
function forbiddenBy(result: IntakeResult): Reject | null {
  if (result.kind !== 'refused') return null
  const { reject } = result
  return OF_CALLER.includes(reject) ? reject : null
}

/** A fault ends this call only, and its reply reports it. */
function brokenBy(error: unknown): OrderRefusal {
  return { reject: REJECT.INTERNAL, broke: { error } }
}
