import { makerLegRaw, takerLegRaw } from '../../../engine/core/money/fill-money.ts'
import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../../engine/core/money/taker-fee.ts'
import type { OrderTable } from '../../../engine/core/orders/order-table.ts'
import type { Arrival } from '../../../engine/domain/command.ts'
import type { MarketId, ProfileId, Seq, Slot } from '../../../engine/domain/ids.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import type { PositionCosts } from './accounts/average-cost.ts'
import type { Links } from './accounts/links.ts'
import type { CandlesTable } from './candles.ts'
import { epochOf } from './epochs.ts'
import { LATE, type Row as LateRow } from './orders/late-rows.ts'
import { eachPaced, type Pace } from './pace.ts'

// One row per arrival that traded, and one row for each maker it met (rules §2.3). A fee is in
// shares if the taker bought, and in collateral if it sold.

const INSERT_TRADE = `
INSERT INTO trades (seq, market_id, taker_slot, taker_generation, taker_owner, side, outcome,
  shares_raw, collateral_raw, fee_raw, yes_ticks, traded_ms, taker_placed_seq, fills)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_FILL = `
INSERT INTO maker_fills (trade_seq, position, maker_placed_seq, maker_owner, size_raw, yes_ticks)
VALUES (?, ?, ?, ?, ?, ?)`

const NEWEST_EPOCH = `
SELECT first_seq AS firstSeq FROM trade_epochs WHERE market_id = ?
ORDER BY first_ms DESC, first_seq DESC LIMIT 1`
const INSERT_EPOCH = 'INSERT INTO trade_epochs (market_id, first_ms, first_seq) VALUES (?, ?, ?)'
const INSERT_TRADER = 'INSERT OR IGNORE INTO traders (owner) VALUES (?)'

type TradeRow = [
  ...who: [number, number, number, number, number, number, number],
  ...what: [number, number, number, number, number],
  takerPlacedSeq: Seq,
  fills: string,
]
type FirstRow = [marketId: MarketId, firstMs: TimeMs, firstSeq: Seq]
type FillRow = [number, number, number, number, number, number]

interface Fill {
  readonly maker: Slot
  readonly sizeRaw: number
  readonly yesTicks: number
  readonly isLate: boolean
}

/** Sums up the volumes of profiles. */
interface Volumes {
  traded(profileId: ProfileId, collateralRaw: number): void
}

/** Tables derived from fills. */
export interface FillListeners {
  readonly positions: PositionCosts
  readonly candles: CandlesTable
  readonly standings: Volumes
  readonly links: Pick<Links, 'partyOf'>
}

export class TradesTable {
  readonly #insertTrade: Statement<TradeRow>
  readonly #insertFill: Statement<FillRow>
  readonly #insertTrader: Statement<[number]>
  readonly #newestEpoch: Statement<[MarketId], { firstSeq: Seq }>
  readonly #insertEpoch: Statement<FirstRow>
  readonly #orders: OrderTable
  readonly #positions: PositionCosts
  readonly #candles: CandlesTable
  readonly #standings: Volumes
  readonly #links: FillListeners['links']
  #trades: TradeRow[] = []
  #fills: FillRow[] = []
  /** The first trades of markets in an epoch, as seen by this process. */
  #firsts: FirstRow[] = []
  #epoch = Number.NEGATIVE_INFINITY
  /** The markets that traded in that epoch. */
  readonly #inEpoch = new Set<MarketId>()
  /** Takers and makers since the last flush. */
  readonly #traders = new Set<number>()
  /** The sums of the current arrival. */
  #position = 0
  #sharesRaw = 0
  #collateralRaw = 0
  #lastTicks = 0
  /** The maker of the last consecutive fills, and their sums. */
  #maker: ProfileId = 0
  #makerSharesRaw = 0
  #makerRiskRaw = 0
  /** Shares by YES ticks, best price first. */
  readonly #sizes = new Map<number, number>()

  constructor(connection: Connection, orders: OrderTable, listeners: FillListeners) {
    this.#insertTrade = connection.prepare(INSERT_TRADE)
    this.#insertFill = connection.prepare(INSERT_FILL)
    this.#insertTrader = connection.prepare(INSERT_TRADER)
    this.#newestEpoch = connection.prepare(NEWEST_EPOCH)
    this.#insertEpoch = connection.prepare(INSERT_EPOCH)
    this.#orders = orders
    this.#positions = listeners.positions
    this.#candles = listeners.candles
    this.#standings = listeners.standings
    this.#links = listeners.links
  }

  /**
   * The arrival `order` met one maker at `yesTicks`; the row of a late fill is written later.
   * Returns the collateral of the maker's leg.
   */
  filled(order: Arrival, fill: Fill): number {
    const { maker, sizeRaw, yesTicks, isLate } = fill
    const valueRaw = takerLegRaw(order.side === SIDE.BUY, order.outcome, yesTicks, sizeRaw)
    this.#collateralRaw += valueRaw
    this.#sharesRaw += sizeRaw
    this.#lastTicks = yesTicks
    this.#sizes.set(yesTicks, (this.#sizes.get(yesTicks) ?? 0) + sizeRaw)
    const makerSeq = this.#orders.seqOf(maker)
    const makerId = this.#orders.accountOf(maker)
    if (!isLate) this.#fills.push([order.seq, this.#position, makerSeq, makerId, sizeRaw, yesTicks])
    this.#position++
    this.#traders.add(makerId)
    this.#candles.filled({ marketId: order.marketId, yesTicks, valueRaw, nowMs: order.nowMs })
    if (makerId !== this.#maker) this.#met(order)
    this.#maker = makerId
    this.#makerSharesRaw += sizeRaw
    // Fees are based on the smaller side of a trade, so boards count that side (rules §9.5).
    this.#makerRiskRaw += Math.min(valueRaw, sizeRaw - valueRaw)
    const outcome = this.#orders.outcomeOf(maker)
    const collateralRaw = makerLegRaw(valueRaw, sizeRaw, outcome === order.outcome)
    this.#standings.traded(makerId, collateralRaw)
    this.#positions.traded({
      tradeSeq: order.seq,
      owner: makerId,
      marketId: order.marketId,
      outcome,
      side: this.#orders.sideOf(maker),
      sharesRaw: sizeRaw,
      collateralRaw,
    })
    return collateralRaw
  }

  /** Consecutive fills with one maker count as one, which does not change what boards count. */
  #met({ accountId: taker, marketId, feeBps }: Arrival): void {
    const maker = this.#maker
    const [sharesRaw, riskRaw] = [this.#makerSharesRaw, this.#makerRiskRaw]
    this.#maker = 0
    this.#makerSharesRaw = 0
    this.#makerRiskRaw = 0
    if (sharesRaw === 0) return
    const isPaid = feeBps > 0
    const [ofTaker, ofMaker] = [
      this.#links.partyOf(taker, maker),
      this.#links.partyOf(maker, taker),
    ]
    this.#positions.met({ marketId, owner: taker, party: ofTaker, sharesRaw, riskRaw, isPaid })
    this.#positions.met({ marketId, owner: maker, party: ofMaker, sharesRaw, riskRaw, isPaid })
  }

  /** Writes a late fill of the trade. */
  writeLate({ kind, owner, placedSeq, sizeRaw, place, ticks }: LateRow, tradeSeq: Seq): void {
    if (kind !== LATE.FILLED) return
    this.#insertFill.run(tradeSeq, place, placedSeq, owner, sizeRaw, ticks)
  }

  /** The arrival is complete, and its fills become one row. Returns their totals. */
  done(order: Arrival): { readonly collateralRaw: number; readonly feeRaw: number } {
    if (this.#position === 0) return { collateralRaw: 0, feeRaw: 0 }
    this.#met(order)
    const sharesRaw = this.#sharesRaw
    const collateralRaw = this.#collateralRaw
    const isBuy = order.side === SIDE.BUY
    const feeRaw = isBuy
      ? buyFeeSharesRaw(order.feeBps, collateralRaw, sharesRaw)
      : sellFeeCollateralRaw(order.feeBps, collateralRaw, sharesRaw)
    this.#trades.push([
      order.seq,
      order.marketId,
      order.slot,
      order.generation,
      order.accountId,
      order.side,
      order.outcome,
      sharesRaw,
      collateralRaw,
      feeRaw,
      this.#lastTicks,
      order.nowMs,
      order.kind === 'placeOrder' ? order.seq : this.#orders.seqOf(order.slot),
      Array.from(this.#sizes, ([ticks, sizeRaw]) => `${ticks}:${sizeRaw}`).join(),
    ])
    this.#sizes.clear()
    this.#noteEpoch(order)
    this.#traders.add(order.accountId)
    this.#standings.traded(order.accountId, collateralRaw)
    this.#positions.traded({
      tradeSeq: order.seq,
      owner: order.accountId,
      marketId: order.marketId,
      outcome: order.outcome,
      side: order.side,
      sharesRaw: sharesRaw - (isBuy ? feeRaw : 0),
      collateralRaw: collateralRaw - (isBuy ? 0 : feeRaw),
      feeRaw: isBuy ? 0 : feeRaw,
    })
    this.#position = 0
    this.#sharesRaw = 0
    this.#collateralRaw = 0
    return { collateralRaw, feeRaw }
  }

  #noteEpoch({ seq, marketId, nowMs }: Arrival): void {
    const epoch = epochOf(seq)
    if (epoch !== this.#epoch) this.#inEpoch.clear()
    this.#epoch = epoch
    if (this.#inEpoch.has(marketId)) return
    this.#inEpoch.add(marketId)
    this.#firsts.push([marketId, nowMs, seq])
  }

  /** A process that starts in the middle of an epoch has not seen its first trades. */
  #writeFirst(row: FirstRow): void {
    const known = this.#newestEpoch.get(row[0])?.firstSeq
    if (known === undefined || epochOf(known) !== epochOf(row[2])) this.#insertEpoch.run(...row)
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#trades, pace, (trade) => this.#insertTrade.run(...trade))
    eachPaced(this.#fills, pace, (fill) => this.#insertFill.run(...fill))
    eachPaced(this.#firsts, pace, (first) => this.#writeFirst(first))
    eachPaced(this.#traders, pace, (owner) => this.#insertTrader.run(owner))
    this.#trades = []
    this.#fills = []
    this.#firsts = []
    this.#traders.clear()
  }
}
