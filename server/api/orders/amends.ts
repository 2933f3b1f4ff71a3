// Amends of resting orders (rules §4.10): decreases, and replacements by a new signed order. Each
// operation of a request is decided on its own, in the order of the request.

import type { Amended } from '../../../engine/core/decide/amend.ts'
import type { AccountId, ProfileId } from '../../../engine/domain/ids.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import {
  ABANDONED,
  brokenBy,
  type OrderAnswer,
  type OrderCall,
  type OrderRefusal,
} from '../../exchange/order-entry/order-answer.ts'
import type { OnPart } from '../../exchange/order-entry/order-batches.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { OrderTrades } from '../../exchange/publisher/durable-publisher.ts'
import type { AmendTask, PartResult } from '../../messages/intake-result.ts'
import type { Canceled, Cancels, OrderText } from './cancels.ts'

/** What became of an amended order. */
export interface AmendDone {
  /** CANCELED: its fills left nothing to trade. */
  readonly outcome: 'DECREASED' | 'REPLACED' | 'CANCELED'
  /** What it traded, and what it has open, or had open until it was replaced or canceled. */
  readonly amended: Canceled
  /** The reply to the order in its place as JSON text; '' without one. */
  readonly text: string
}

export type AmendAnswer = AmendDone | OrderRefusal
/** An answer for each operation, or the refusal of the whole request. */
export type AmendsAnswer = { readonly answers: readonly AmendAnswer[] } | OrderRefusal

/** One operation of a request. */
interface Operation extends Omit<AmendTask, 'amend'> {
  readonly name: OrderText
  readonly profileId: ProfileId
}

export class Amends {
  readonly #pipeline: Pipeline
  readonly #cancels: Cancels

  constructor(pipeline: Pipeline, cancels: Cancels) {
    this.#pipeline = pipeline
    this.#cancels = cancels
  }

  /**
   * Runs the operations of a request; `reply` is called once. `named` is the order that the path
   * names; null when each operation names its own.
   */
  run(
    call: OrderCall,
    { form, named }: { readonly form: number; readonly named: OrderText | null },
    reply: (answer: AmendsAnswer) => void,
  ): void {
    const { batches } = this.#pipeline
    const answers: Promise<AmendAnswer>[] = []
    let isAbandoned = false
    const onPart: OnPart = (result, { index, count, task }) => {
      // Decided once for all operations, at the first result.
      if (index === 0) isAbandoned = call.sender?.isGone === true
      if (count === 0) {
        batches.refuse(result, reply)
        return
      }
      if (!isAbandoned) answers.push(this.#one(result, task, named))
      if (index < count - 1) return
      if (isAbandoned) reply(ABANDONED)
      else {
        Promise.all(answers).then(
          (all) => reply({ answers: all }),
          (error: unknown) => reply(brokenBy(error)),
        )
      }
    }
    if (!batches.submit(call, form, onPart)) reply({ reject: REJECT.OVERLOADED })
  }

  /** Without a task, the result is a fault of this part. */
  async #one(
    result: PartResult,
    task: Parameters<OnPart>[1]['task'],
    named: OrderText | null,
  ): Promise<AmendAnswer> {
    const own = task !== null && 'amend' in task ? task : null
    const name = own?.amend ?? named
    if (own === null || name === null || result.kind === 'refused') {
      return this.#refused(result)
    }
    const operation = { ...own, name, profileId: result.actorId }
    if (result.kind === 'caller') {
      return this.#pipeline.orders.admission(result) ?? this.#decrease(operation)
    }
    const answer = new Promise<OrderAnswer>((answered) => {
      const amended = (accountId: AccountId) => this.#amendedBy(accountId, operation)
      this.#pipeline.orders.enter(result, { timesRow: 0, reply: answered, amended })
    })
    return this.#replaced(await answer, operation)
  }

  /** The refusal of one operation, as order entry answers it. */
  #refused(result: PartResult): Promise<OrderRefusal> {
    return new Promise((reply) => this.#pipeline.batches.refuse(result, reply))
  }

  #amendedBy(accountId: AccountId, { name, filledRaw }: Operation): Amended {
    return { ...this.#cancels.nameNow(accountId, name), seenFilledRaw: filledRaw }
  }

  async #replaced(answer: OrderAnswer, operation: Operation): Promise<AmendAnswer> {
    if ('reject' in answer) return this.#explained(answer, operation)
    const { text, replaced } = answer
    if (replaced === undefined) return { reject: REJECT.ORDER_NOT_OPEN }
    const outcome = text === '' ? 'CANCELED' : 'REPLACED'
    return { outcome, amended: this.#traded(replaced, operation), text }
  }

  /** A refusal with the reason why the order that it names is not open. */
  async #explained(refusal: OrderRefusal, { profileId, name }: Operation): Promise<OrderRefusal> {
    const isGone = refusal.reject === REJECT.ORDER_NOT_OPEN
    return isGone ? { reject: await this.#cancels.whyNotOpen(profileId, name) } : refusal
  }

  async #decrease(operation: Operation): Promise<AmendAnswer> {
    const { profileId, remainingRaw } = operation
    const { cancels, queues } = this.#pipeline
    // Without a wait it is decided at once, before the next operation of the request.
    if (queues.count > 0) {
      const restricted = await this.#cancels.restricted(profileId)
      if (restricted !== null) return { reject: restricted }
    }
    const amended = (accountId: AccountId) => this.#amendedBy(accountId, operation)
    const receipt = await cancels.decrease(profileId, amended, remainingRaw ?? 0)
    if (receipt instanceof Reject) return this.#explained({ reject: receipt }, operation)
    const [decreased] = receipt.decreased
    const [canceled] = receipt.canceled
    const traded = decreased ?? canceled
    if (traded === undefined) return this.#explained({ reject: REJECT.ORDER_NOT_OPEN }, operation)
    const outcome = decreased === undefined ? 'CANCELED' : 'DECREASED'
    return { outcome, amended: this.#traded(traded, operation), text: '' }
  }

  #traded(order: OrderTrades, { name }: Operation): Canceled {
    const orderId = this.#pipeline.ids.text(order.slot, order.generation)
    const { filledSharesRaw, filledCollateralRaw, leftRaw } = order
    const byClient = 'clientOrderId' in name ? { clientOrderId: name.clientOrderId.trim() } : {}
    return { orderId, ...byClient, filledSharesRaw, filledCollateralRaw, leftRaw }
  }
}
