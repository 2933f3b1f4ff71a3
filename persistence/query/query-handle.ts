import type { HeldInTables } from '../../engine/core/decide/decide.ts'
import type { SettledTrade } from '../../engine/core/money/reversal.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { QueryDesk, type QueryOptions } from './query-desk.ts'
import type { Turn } from './query-queue.ts'
import type { QueryAnswer, SettlementAnswer, SettlementAsk } from './query-thread.ts'
import type { AuditAsk, AuditRow } from './read/audit.ts'
import type { HeldAsk } from './read/held-orders.ts'
import type { OrderStatus, OrderStatusAsk } from './read/order-status.ts'
import type { PositionRow, PositionsAsk } from './read/positions.ts'
import type { ShownProfile } from './read/profiles.ts'
import type { NewestTrade, Settlement } from './read/settlements.ts'
import type { TradeParts, TradePartsAsk } from './read/trade-parts.ts'
import type { OrderRow, UserOrdersAsk } from './read/user-orders.ts'

// Main's side of the query thread: what can be asked. Every question has a deadline and waits its
// turn; `undefined` means not answered: past its deadline or without room, the caller says 503. One
// that broke the thread throws.

type Rows = readonly OrderRow[]

/** A turn of the exchange itself. */
function own(): Turn {
  return { owner: 0, untilMs: performance.now() + LIMITS.privateReadDeadlineMs }
}

export class QueryHandle {
  readonly #desk: QueryDesk

  constructor(desk: QueryDesk) {
    this.#desk = desk
  }

  /** The read tables must be there: start the follower first. */
  static async start(options: QueryOptions): Promise<QueryHandle> {
    const desk = new QueryDesk(options)
    await desk.start()
    return new QueryHandle(desk)
  }

  /** Questions not answered yet, for metrics. */
  get waiting(): number {
    return this.#desk.waiting
  }

  /** Newest first. */
  async userOrders(ask: UserOrdersAsk, turn = own()): Promise<Rows | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'userOrders', id, ask }), turn))?.rows
  }

  async orderBySlot(
    slot: number,
    generation: number,
    turn = own(),
  ): Promise<OrderRow | null | undefined> {
    const ask = (id: number) => ({ kind: 'orderBySlot', id, slot, generation }) as const
    return first(await this.#desk.ask(ask, turn))
  }

  async orderByClientId(
    accountId: number,
    clientOrderId: string,
    turn = own(),
  ): Promise<OrderRow | null | undefined> {
    const ask = (id: number) => ({ kind: 'orderByClientId', id, accountId, clientOrderId }) as const
    return first(await this.#desk.ask(ask, turn))
  }

  /** In the order of the names; null for each that names no order of the account. */
  async orderStatuses(
    ask: OrderStatusAsk,
    turn = own(),
  ): Promise<readonly (OrderStatus | null)[] | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'orderStatus', id, ask }), turn))?.statuses
  }

  /** In the order of the ids; null for each that the tables do not show. */
  async profiles(
    profileIds: readonly number[],
    turn = own(),
  ): Promise<readonly (ShownProfile | null)[] | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'profiles', id, profileIds }), turn))?.profiles
  }

  /** In the order of the markets, YES before NO. */
  async positions(ask: PositionsAsk, turn = own()): Promise<readonly PositionRow[] | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'positions', id, ask }), turn))?.positions
  }

  /** What the tables hold of an order, and the seq they show everything up to. */
  async held(ask: HeldAsk): Promise<HeldInTables | undefined> {
    const row = (await this.#desk.askFirst((id) => ({ kind: 'held', id, ask }), own()))?.held
    if (row === undefined) return undefined
    return { seq: row.seq ?? 0, hash: row.hash === 1, clientId: row.clientId === 1 }
  }

  /** What became of a trade on the chain, as far as the tables show. */
  async settlementOf(tradeSeq: number): Promise<Settlement | undefined> {
    return (await this.#settlement({ what: 'of', tradeSeq }))?.of
  }

  /** The trade as it was settled; null when the tables do not show it. */
  async trade(tradeSeq: number): Promise<SettledTrade | null | undefined> {
    return (await this.#settlement({ what: 'trade', tradeSeq }))?.trade
  }

  /** Seqs of the newest trades after `seq`, newest first. */
  async tradesAfter(seq: number, limit: number): Promise<readonly number[] | undefined> {
    return (await this.#settlement({ what: 'tradesAfter', seq, limit }))?.tradesAfter
  }

  /** Newest first. */
  async audit(ask: AuditAsk): Promise<readonly AuditRow[] | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'audit', id, ask }), own()))?.audit
  }

  /** In the order of the seqs; none for what is no trade of these accounts. */
  async tradeParts(ask: TradePartsAsk): Promise<readonly TradeParts[] | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'tradeParts', id, ask }), own()))?.tradeParts
  }

  /** Newest first. */
  async newestTrades(limit: number): Promise<readonly NewestTrade[] | undefined> {
    return (await this.#settlement({ what: 'newest', limit }))?.newest
  }

  async #settlement(ask: SettlementAsk): Promise<SettlementAnswer | undefined> {
    return (await this.#desk.ask((id) => ({ kind: 'settlement', id, ask }), own()))?.settlement
  }

  stop(): Promise<void> {
    return this.#desk.stop()
  }

  /** Ends the thread as a crash would: another takes its place. */
  crash(): Promise<void> {
    return this.#desk.crash()
  }

  /** Ends the thread for good: nothing is answered any more. */
  kill(): Promise<void> {
    return this.#desk.kill()
  }
}

function first(answer: QueryAnswer | undefined): OrderRow | null | undefined {
  return answer?.rows === undefined ? undefined : (answer.rows[0] ?? null)
}
