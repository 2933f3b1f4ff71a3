import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'

// Histories of clients: what each client called, when, and what it received. `make linearizable`
// checks them in full (test/linearizable/model.go); `checkHistory` checks the orders, fast.
//
// A history is a file of JSON Lines, one operation a line, in any order:
//
//   { "client": 3, "call": 12.5, "return": 14.2, "op": { "kind": … }, "reply": { "kind": … } }
//
// `call` and `return` are milliseconds of one monotonic clock. `return` and `reply` are null when
// the outcome is unknown: the connection broke, the reply was a 504, or the run ended before. The
// operation may then have happened at any time after its call, or never.
//
// A client does one operation at a time; concurrent calls have different clients. An account begins
// without orders and money, so its first deposit is an operation too. No order trades.
//
// A run should end with a read of every order at the newest seq: where many outcomes are unknown,
// the full check needs it to be fast.

interface OfOrder {
  readonly account: string
  readonly clientOrderId: string
}

interface OfRead {
  /** The X-Min-Seq of the call: the greatest X-Seq that the client has seen. */
  readonly minSeq: number
}

/** What each kind of operation calls. */
export interface Operations {
  readonly place: OfOrder & {
    readonly market: string
    readonly side: 'buy'
    readonly ticks: number
    readonly sizeRaw: number
    /** Whether the call repeats the first reply for a used client id (?replay=true). */
    readonly replay?: boolean
  }
  readonly cancel: OfOrder
  /** Null disarms. The deadline is not before the call and these milliseconds. */
  readonly heartbeat: { readonly account: string; readonly cancelAfterMs: number | null }
  readonly split: { readonly account: string; readonly market: string; readonly amountRaw: number }
  readonly deposit: { readonly account: string; readonly amountRaw: number }
  readonly balance: OfRead & { readonly account: string }
  readonly order: OfRead & OfOrder
}

export type OperationKind = keyof Operations

interface Answer {
  /** The X-Seq of the reply. With it, reads of other clients are checked against this one. */
  readonly seq?: number
}

/**
 * The operation had no effect. DUPLICATE_ORDER, DUPLICATE_CLIENT_ORDER_ID and
 * INSUFFICIENT_COLLATERAL are checked against the account; other codes are not.
 */
type Refused = Answer & {
  readonly kind: 'refused'
  readonly code: string
  readonly orderId?: string
}

type Ok = Answer & { readonly kind: 'ok' }

/** What each kind of operation may receive. */
export interface Replies {
  readonly place: (Answer & { readonly kind: 'accepted'; readonly orderId: string }) | Refused
  readonly cancel: (Answer & { readonly kind: 'canceled' | 'not_open' | 'not_found' }) | Refused
  readonly heartbeat: Ok | Refused
  readonly split: Ok | Refused
  readonly deposit: Ok | Refused
  readonly balance:
    | (Answer & {
        readonly kind: 'balance'
        readonly freeRaw: number
        readonly reservedRaw: number
        /** Shares of each outcome by market, where the test reads them. */
        readonly sharesRaw?: Readonly<Record<string, number>>
      })
    | Refused
  readonly order:
    | (Answer & {
        readonly kind: 'order'
        readonly status: 'LIVE' | 'CANCELED' | 'absent'
        readonly orderId?: string
      })
    | Refused
}

type Call = { [K in OperationKind]: { readonly kind: K } & Operations[K] }[OperationKind]
type Reply = Replies[OperationKind]

export interface HistoryOperation {
  readonly client: number
  /** Milliseconds. */
  readonly call: number
  /** Milliseconds; null when the outcome is unknown. */
  readonly return: number | null
  readonly op: Call
  readonly reply: Reply | null
}

/** An operation under way. It ends once. */
export interface Pending<K extends OperationKind> {
  /** Call it when the whole reply is there. A LEADER_SILENT is `lost`. */
  end(reply: Replies[K]): void
  /** The outcome is unknown, and the client goes on. */
  lost(): void
}

/** Records what clients do. An operation that has not ended has an unknown outcome. */
export class ClientHistory {
  readonly #nowMs: () => number
  readonly #operations: HistoryOperation[] = []
  readonly #busy = new Set<number>()
  readonly #seenSeqs = new Map<number, number>()

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  get operations(): readonly HistoryOperation[] {
    return this.#operations
  }

  /** The greatest X-Seq that a client has seen, for the X-Min-Seq of its next read; 0 at first. */
  seenSeq(client: number): number {
    return this.#seenSeqs.get(client) ?? 0
  }

  /** Call it before the request is sent. */
  begin<K extends OperationKind>(client: number, op: Call & { readonly kind: K }): Pending<K> {
    assert.ok(!this.#busy.has(client), 'a client does one operation at a time')
    const call: Call = op
    if (call.kind === 'balance' || call.kind === 'order') {
      assert.ok(call.minSeq >= this.seenSeq(client), 'a read requires all that its client has seen')
    }
    this.#busy.add(client)
    const index = this.#operations.length
    const called = { client, call: this.#nowMs(), return: null, op: call, reply: null }
    this.#operations.push(called)
    let hasEnded = false
    const end = (reply: Reply | null): void => {
      assert.ok(!hasEnded, 'an operation ends once')
      hasEnded = true
      this.#busy.delete(client)
      if (reply === null) return
      const isOpen = reply.kind === 'refused' && reply.code === 'LEADER_SILENT'
      assert.ok(!isOpen, 'the outcome of LEADER_SILENT is unknown')
      this.#operations[index] = { ...called, return: this.#nowMs(), reply }
      this.#seenSeqs.set(client, Math.max(this.seenSeq(client), reply.seq ?? 0))
    }
    return { end, lost: () => end(null) }
  }

  write(path: string): void {
    writeFileSync(path, this.#operations.map((each) => `${JSON.stringify(each)}\n`).join(''))
  }
}

export function readHistory(path: string): HistoryOperation[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): HistoryOperation => JSON.parse(line))
}

// The states of an order have an order in time: it is absent, live, canceled, and never goes back.
const ABSENT = 0
const LIVE = 1
const CANCELED = 2

/** An answered operation on an order. */
interface Sight {
  readonly operation: HistoryOperation
  readonly endMs: number
  /** The latest state of the order that agrees with the reply, just before the operation. */
  readonly before: number
  /** The earliest state of the order just after it. */
  readonly after: number
}

const isUsed = ({ code }: Refused): boolean =>
  code === 'DUPLICATE_ORDER' || code === 'DUPLICATE_CLIENT_ORDER_ID'

const isShort = ({ code }: Refused): boolean => code === 'INSUFFICIENT_COLLATERAL'

/** Whether the reply depends on the state of the account. */
function isDecided({ reply }: HistoryOperation): boolean {
  if (reply === null) return false
  return reply.kind !== 'refused' || isUsed(reply) || isShort(reply)
}

/** Null when the reply says nothing about the order, or is not there. */
function statesOf({ op, reply }: HistoryOperation): { before: number; after: number } | null {
  switch (reply?.kind) {
    case 'accepted': {
      const isReplay = op.kind === 'place' && op.replay === true
      return { before: isReplay ? CANCELED : ABSENT, after: LIVE }
    }
    case 'canceled':
      return { before: LIVE, after: CANCELED }
    case 'not_open':
      return { before: CANCELED, after: CANCELED }
    case 'not_found':
      return { before: ABSENT, after: ABSENT }
    case 'order': {
      const state = { absent: ABSENT, LIVE, CANCELED }[reply.status]
      return { before: state, after: state }
    }
    case 'refused':
      if (isUsed(reply)) return { before: CANCELED, after: LIVE }
      // A used client id is refused first.
      return isShort(reply) && op.kind === 'place' ? { before: ABSENT, after: ABSENT } : null
  }
  return null
}

/**
 * Checks every order of a history, in linear time for orders of few operations; money and the
 * order of concurrent changes are left to `make linearizable`. Returns a sentence for each fault:
 *
 * - No client sees an order go back: an acknowledged order is there, a canceled one stays canceled.
 *   This holds between operations of one client, between changes of all clients, and for reads with
 *   respect to what their X-Min-Seq covers.
 * - An order appears only if one of its calls was accepted or has an unknown outcome.
 * - A client id has one order id, and an order id one client id.
 */
export function checkHistory(operations: readonly HistoryOperation[]): string[] {
  const byOrder = new Map<string, HistoryOperation[]>()
  const floors = floorsOf(operations)
  for (const operation of [...operations].sort((a, b) => a.call - b.call)) {
    const { op } = operation
    if (op.kind !== 'place' && op.kind !== 'cancel' && op.kind !== 'order') continue
    const key = JSON.stringify([op.account, op.clientOrderId])
    const group = byOrder.get(key)
    if (group === undefined) byOrder.set(key, [operation])
    else group.push(operation)
  }
  const faults = idFaults(operations)
  for (const [key, group] of byOrder) {
    const sights = group.flatMap(sightOf)
    const canAppear = group.some(({ op, reply }) => {
      return op.kind === 'place' && (reply === null || reply.kind === 'accepted')
    })
    if (!canAppear && sights.some(({ after }) => after > ABSENT)) {
      faults.push(`order ${key} was never accepted and appears`)
    }
    for (const [at, later] of sights.entries()) {
      const seen = sights.slice(0, at).find((earlier) => {
        return earlier.after > later.before && mustShow(later, earlier, floors)
      })
      if (seen === undefined) continue
      const words = `order ${key} goes back: ${JSON.stringify(seen.operation)}`
      faults.push(`${words}, then ${JSON.stringify(later.operation)}`)
    }
  }
  return faults
}

function sightOf(operation: HistoryOperation): Sight[] {
  const states = statesOf(operation)
  if (states === null || operation.return === null) return []
  return [{ operation, endMs: operation.return, ...states }]
}

const isRead = ({ op }: HistoryOperation): boolean => op.kind === 'balance' || op.kind === 'order'

/** The earliest instant whose state a read may return: the call of its client's last change. */
function floorsOf(operations: readonly HistoryOperation[]): ReadonlyMap<HistoryOperation, number> {
  const floors = new Map<HistoryOperation, number>()
  const changedMs = new Map<number, number>()
  for (const operation of [...operations].sort((a, b) => a.call - b.call)) {
    const { client, call } = operation
    if (isRead(operation)) floors.set(operation, changedMs.get(client) ?? Number.NEGATIVE_INFINITY)
    else if (isDecided(operation)) changedMs.set(client, call)
  }
  return floors
}

function mustShow(
  later: Sight,
  earlier: Sight,
  floors: ReadonlyMap<HistoryOperation, number>,
): boolean {
  const { client, call, op } = later.operation
  const { client: other, reply } = earlier.operation
  if (client === other && earlier.endMs <= call) return true
  if (op.kind !== 'order') return earlier.endMs < call
  const { seq = 0 } = reply ?? {}
  if (seq > 0 && seq <= op.minSeq) return true
  return earlier.endMs < (floors.get(later.operation) ?? Number.NEGATIVE_INFINITY)
}

function idFaults(operations: readonly HistoryOperation[]): string[] {
  const orderIds = new Map<string, string>()
  const keys = new Map<string, string>()
  const faults: string[] = []
  for (const { op, reply } of operations) {
    if (reply === null || !('orderId' in reply) || reply.orderId === undefined) continue
    if (!('clientOrderId' in op)) continue
    const { orderId } = reply
    const key = JSON.stringify([op.account, op.clientOrderId])
    const firstId = orderIds.get(key) ?? orderId
    const firstKey = keys.get(orderId) ?? key
    if (firstId !== orderId)
      faults.push(`order ${key} has two order ids, ${firstId} and ${orderId}`)
    else if (firstKey !== key) faults.push(`order id ${orderId} is ${firstKey} and ${key}`)
    orderIds.set(key, firstId)
    keys.set(orderId, firstKey)
  }
  return faults
}
