import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Canceled, FailedCancel } from './cancels.ts'

const { cancelRowsMax } = LIMITS

function addSome<T>(rows: T[], more: readonly T[]): void {
  for (const each of more.slice(0, cancelRowsMax - rows.length)) rows.push(each)
}

/**
 * The result of canceling all orders. It has the id of each canceled order, but rows of only some:
 * a profile may have 262,144 orders, and a reply with a row for each is too long to hold for a slow
 * reader.
 */
export class AllCanceled {
  readonly orderIds: string[] = []
  /** Orders that are still open, at most LIMITS.cancelRowsMax. */
  readonly failed: FailedCancel[] = []
  readonly #traded: Canceled[] = []
  readonly #untraded: Canceled[] = []

  get isEmpty(): boolean {
    return this.orderIds.length + this.failed.length === 0
  }

  /** Rows of the canceled orders, at most LIMITS.cancelRowsMax; those that traded come first. */
  get orders(): readonly Canceled[] {
    return [...this.#traded, ...this.#untraded].slice(0, cancelRowsMax)
  }

  addCanceled(canceled: readonly Canceled[]): void {
    for (const { orderId } of canceled) this.orderIds.push(orderId)
    addSome(
      this.#traded,
      canceled.filter(({ filledSharesRaw }) => filledSharesRaw > 0),
    )
    addSome(
      this.#untraded,
      canceled.filter(({ filledSharesRaw }) => filledSharesRaw === 0),
    )
  }

  addFailed(failed: readonly FailedCancel[]): void {
    addSome(this.failed, failed)
  }
}
