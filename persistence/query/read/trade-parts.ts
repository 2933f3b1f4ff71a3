import { makerLegRaw, takerLegRaw } from '../../../engine/core/money/fill-money.ts'
import type { AccountId, Generation, MarketId, Seq, Slot } from '../../../engine/domain/ids.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import type { Connection, Statement } from '../../database.ts'
import { query } from './query.ts'

// Trades as seen by their owners (rules §5.3): each owner's part, before fees.

const OWNERS = `
SELECT taker_owner AS owner FROM trades WHERE seq = ?
UNION ALL SELECT maker_owner FROM maker_fills WHERE trade_seq = ?`
const TAKER = `
SELECT t.seq, t.traded_ms AS nowMs, t.market_id AS marketId, t.taker_slot AS takerSlot,
  t.taker_generation AS takerGeneration, t.taker_owner AS accountId, o.slot, o.generation,
  coalesce(o.client_order_id, '') AS clientOrderId, o.side, o.outcome, o.order_type AS orderType,
  o.price_ticks AS priceTicks, t.shares_raw AS sharesRaw, t.collateral_raw AS collateralRaw,
  o.fee_bps AS feeBps, t.fee_raw AS feeRaw
FROM trades t JOIN orders o ON o.placed_seq = t.taker_placed_seq
WHERE t.seq = ?`
const MAKERS = `
SELECT f.maker_owner AS accountId, o.slot, o.generation,
  coalesce(o.client_order_id, '') AS clientOrderId, o.side, o.outcome, o.order_type AS orderType,
  o.price_ticks AS priceTicks, f.size_raw AS sharesRaw, f.yes_ticks AS yesTicks
FROM maker_fills f JOIN orders o ON o.placed_seq = f.maker_placed_seq
WHERE f.trade_seq = ? AND f.position >= ? AND f.position < ? ORDER BY f.position`

/** One owner's part in one trade. A maker pays no fee. */
export interface TradePart {
  /** This field and the next four belong to the trade. */
  readonly seq: Seq
  readonly nowMs: number
  readonly marketId: MarketId
  readonly takerSlot: Slot
  readonly takerGeneration: Generation
  readonly isTaker: boolean
  readonly accountId: AccountId
  readonly slot: Slot
  readonly generation: Generation
  /** '' = none. */
  readonly clientOrderId: string
  readonly side: number
  readonly outcome: number
  readonly orderType: number
  /** The price of the order's own token; 0 for the market form. */
  readonly priceTicks: number
  readonly sharesRaw: number
  readonly collateralRaw: number
  readonly feeBps: number
  readonly feeRaw: number
}

export interface TradeParts {
  readonly seq: Seq
  readonly marketId: MarketId
  /** The taker's part, followed by the makers' parts in the order of their fills. */
  readonly parts: readonly [TradePart, ...TradePart[]]
}

export interface TradePartsParams {
  readonly tradeSeqs: readonly Seq[]
  /** Excludes trades without a part of these accounts. */
  readonly accountIds: readonly AccountId[]
}

type TakerRow = Omit<TradePart, 'isTaker'>
type MakerRow = Omit<TakerRow, keyof OfTrade | 'collateralRaw' | 'feeBps' | 'feeRaw'> & {
  readonly yesTicks: number
}
type OfTrade = Pick<TradePart, 'seq' | 'nowMs' | 'marketId' | 'takerSlot' | 'takerGeneration'>

/** All makers of a trade. */
const ALL = { from: 0, until: Number.MAX_SAFE_INTEGER }

export class TradePartsTable {
  readonly #owners: Statement<[number, number], { owner: number }>
  readonly #taker: Statement<[number], TakerRow>
  readonly #makers: Statement<[number, number, number], MakerRow>

  constructor(connection: Connection) {
    this.#owners = connection.prepare(OWNERS)
    this.#taker = connection.prepare(TAKER)
    this.#makers = connection.prepare(MAKERS)
  }

  find({ tradeSeqs, accountIds }: TradePartsParams): TradeParts[] {
    const wanted = new Set(accountIds)
    return tradeSeqs.flatMap((seq) => {
      const isWanted = this.#owners.all(seq, seq).some(({ owner }) => wanted.has(owner))
      const taker = isWanted ? this.taker(seq) : undefined
      if (taker === undefined) return []
      return [{ seq, marketId: taker.marketId, parts: [taker, ...this.makers(taker)] }]
    })
  }

  /** The taker's part; undefined for a seq without a trade. */
  taker(seq: Seq): TradePart | undefined {
    const taker = this.#taker.get(seq)
    return taker === undefined ? undefined : { ...taker, isTaker: true }
  }

  /** The parts of the makers from one position to another. */
  makers(taker: TradePart, { from, until } = ALL): TradePart[] {
    const { seq, nowMs, marketId, takerSlot, takerGeneration } = taker
    const ofTrade = { seq, nowMs, marketId, takerSlot, takerGeneration }
    return this.#makers.all(seq, from, until).map(({ yesTicks, ...maker }): TradePart => {
      const buys = taker.side === SIDE.BUY
      const takerRaw = takerLegRaw(buys, taker.outcome, yesTicks, maker.sharesRaw)
      const sameToken = maker.outcome === taker.outcome
      const collateralRaw = makerLegRaw(takerRaw, maker.sharesRaw, sameToken)
      return { ...ofTrade, ...maker, isTaker: false, collateralRaw, feeBps: 0, feeRaw: 0 }
    })
  }
}

/** Trades in the order of the seqs, without seqs that are not trades of these accounts. */
export const tradeParts = query({
  name: 'tradeParts',
  prepare: (db) => new TradePartsTable(db),
  run: (table, params: TradePartsParams) => table.find(params),
  rests: ({ tradeSeqs }) => ({ tradeSeqs }),
})
