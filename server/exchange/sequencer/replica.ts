// Applies what another node decided: the same ledger, market threads and publisher as for commands
// of this node, without a decision. The main thread owns it. Invariant: a command is applied only
// when what it takes for granted is settled here. The node that decided it had settled the results
// that it rests on, while this one may still wait for them.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import { concernsBook } from '../../../engine/domain/command-kinds.ts'
import type { Book, MarketId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { blankCancel, readCancel } from '../../../engine/wire/cancel-codec.ts'
import { readDecrease } from '../../../engine/wire/decrease-codec.ts'
import { blankPlace, decodePlaceInto, readPlaceHead } from '../../../engine/wire/place-codec.ts'
import { wholeViewOf } from '../../../engine/wire/record-head.ts'
import { beginsOrder, HEAD, KIND } from '../../../engine/wire/record-layout.ts'
import { blankRelease } from '../../../engine/wire/release-codec.ts'
import { decodeKnown } from '../../../persistence/snapshot/recovery.ts'

export interface ReplicaParts {
  readonly clearing: Clearing
  readonly shards: { of(book: Book): ShardHandle; readonly areIdle: boolean }
  /** Called with each applied command, and with the reason of a cancel. */
  readonly onApplied: (seq: Seq, reason: number) => void
  /** Called before and after a control command is applied. */
  readonly onControl: (command: ControlCommand, apply: () => void) => void
}

export class Replica {
  readonly #parts: ReplicaParts
  readonly #order = blankPlace()
  readonly #release = blankRelease()
  readonly #cancel = blankCancel(LIMITS.cancelItemsMax)

  constructor(parts: ReplicaParts) {
    this.#parts = parts
  }

  /** False, without effect, if earlier results or the ring of its market must come first. */
  apply(record: Uint8Array): boolean {
    const kind = wholeViewOf(record).getUint8(record.byteOffset + HEAD.kind)
    if (beginsOrder(kind)) return this.#place(record)
    if (kind === KIND.CANCEL) return this.#cancelOrders(record)
    if (kind === KIND.RELEASE) return this.#releaseOrder(record)
    if (kind === KIND.DECREASE) return this.#decreaseOrder(record)
    return this.#control(record)
  }

  #place(record: Uint8Array): boolean {
    const order = this.#order
    decodePlaceInto(record, order)
    const { clearing, shards } = this.#parts
    const shard = shards.of(order.book)
    if (shard.freeBytes(record.length) < record.length || !this.#isCovered()) return false
    clearing.admitOrder(order)
    shard.place(order.seq, record)
    this.#parts.onApplied(order.seq, 0)
    return true
  }

  /** Whether the slot of the order is free and its reserve is there. */
  #isCovered(): boolean {
    const { orders, ledger, catalogue } = this.#parts.clearing
    const { slot, accountId, side, outcome, reserveRaw, book } = this.#order
    if (orders.stateOf(slot) !== STATE.FREE) return false
    if (side === SIDE.BUY) return (ledger.collateralFreeRaw[accountId] ?? 0) >= reserveRaw
    const row = ledger.rows.find(accountId, catalogue.ofBook(book).marketId)
    // What a replacement of a sale reserves beyond it may be nothing, without any shares left.
    return (row === 0 ? 0 : ledger.sharesFreeRaw[row * 2 + outcome]) >= reserveRaw
  }

  #cancelOrders(record: Uint8Array): boolean {
    const cancel = this.#cancel
    readCancel(wholeViewOf(record), record.byteOffset, record.length, cancel)
    const shard = this.#shardOf(cancel.marketId)
    if (shard !== null && shard.freeBytes(record.length) < record.length) return false
    this.#parts.clearing.admitCancel(cancel)
    shard?.cancel(cancel.seq, record)
    this.#parts.onApplied(cancel.seq, cancel.reason)
    return true
  }

  #decreaseOrder(record: Uint8Array): boolean {
    const decrease = readDecrease(wholeViewOf(record), record.byteOffset)
    const shard = this.#shardOf(decrease.marketId)
    if (shard !== null && shard.freeBytes(record.length) < record.length) return false
    this.#parts.clearing.admitDecrease(decrease)
    shard?.decrease(decrease.seq, record)
    this.#parts.onApplied(decrease.seq, 0)
    return true
  }

  /**
   * Null when the book of the market is closed: the other node did not know yet that its last order
   * had ended, and none is left to change.
   */
  #shardOf(marketId: MarketId): ShardHandle | null {
    const { clearing, shards } = this.#parts
    const { book = 0 } = clearing.catalogue.byId(marketId) ?? {}
    return book === 0 ? null : shards.of(book)
  }

  #releaseOrder(record: Uint8Array): boolean {
    const release = this.#release
    readPlaceHead(wholeViewOf(record), record.byteOffset, release)
    const { clearing, shards } = this.#parts
    const shard = shards.of(release.book)
    // The order must be settled as held.
    if (!shard.isIdle || shard.freeBytes(record.length) < record.length) return false
    clearing.admitRelease(release)
    shard.releaseOrder(release.seq, record)
    this.#parts.onApplied(release.seq, 0)
    return true
  }

  /** Control commands are few, so each waits for everything before it. */
  #control(record: Uint8Array): boolean {
    const { clearing, shards, onControl, onApplied } = this.#parts
    if (!shards.areIdle) return false
    const command = decodeKnown(record, clearing.lastSeq + 1)
    assert(!concernsBook(command), 'a command of a book has a kind of its own')
    onControl(command, () => clearing.admitControl(command))
    onApplied(command.seq, 0)
    return true
  }
}
