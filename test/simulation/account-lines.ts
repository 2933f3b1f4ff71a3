// Keeps the decisions on orders by their client ids, and what each account did right before. So the
// journal alone shows that no command of an account comes between a cancel and its replacement
// (rules §4.8).

import type { decidePlace } from '../../engine/core/decide/decide.ts'
import type { Command, PlaceOrder } from '../../engine/domain/command.ts'
import { CANCEL_REASONS } from '../../engine/domain/event.ts'
import type { OrderName } from '../../server/exchange/sequencer/sequencer.ts'

/** The newest command that an account sent itself. */
export interface OwnCommand {
  readonly seq: number
  /** The one order it cancels; null for any other command. */
  readonly target: OrderName | null
}

export interface Decision {
  readonly refusal: ReturnType<typeof decidePlace>
  /** The seq of the newest command at the decision. */
  readonly at: number
  readonly before: OwnCommand | undefined
  readonly order: PlaceOrder
}

const USER = CANCEL_REASONS.indexOf('USER')

export class AccountLines {
  readonly #newest = new Map<number, OwnCommand>()
  readonly #decisions = new Map<string, Decision[]>()

  newestOf(accountId: number): OwnCommand | undefined {
    return this.#newest.get(accountId)
  }

  journaled(command: Command, ownerOf: (slot: number, generation: number) => number): void {
    if (command.kind === 'placeOrder') {
      this.#newest.set(command.accountId, { seq: command.seq, target: null })
    }
    if (command.kind !== 'cancelOrders' || command.reason !== USER) return
    const first = { slot: command.slots[0], generation: command.generations[0] }
    const target = command.count === 1 ? first : null
    this.#newest.set(ownerOf(first.slot, first.generation), { seq: command.seq, target })
  }

  /** `before` is the account's newest command at the decision of the order. */
  decided(order: PlaceOrder, decision: Omit<Decision, 'order'>): void {
    if (order.clientOrderId === '') return
    const key = `${order.accountId}:${order.clientOrderId}`
    const known = this.#decisions.get(key)
    const made = { ...decision, order: { ...order } }
    if (known === undefined) this.#decisions.set(key, [made])
    else known.push(made)
  }

  decisionsOf(accountId: number, clientOrderId: string): readonly Decision[] {
    return this.#decisions.get(`${accountId}:${clientOrderId}`) ?? []
  }
}
