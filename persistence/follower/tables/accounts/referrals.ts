import type { ControlCommand } from '../../../../engine/domain/command.ts'
import type { CommandOf } from '../../../../engine/domain/command-kinds.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import type { CollateralRaw } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import { type PaidMarket, worthRaw } from './paid-market.ts'

// Referrals, and the mined fees and volume of referred profiles as takers. A fee in shares counts
// from its market's payout, at its value then. A mined trade is never reversed, so sums only grow;
// they are capped at the largest safe integer. The referrers' earnings are written with the rewards
// (rewards.ts). Without a referral nothing here has a cost.

const REFER = `
INSERT INTO referrals (referred, referrer, referred_ms, fees_raw, volume_raw, earned_raw)
VALUES (?, ?, ?, 0, 0, 0)`
/** Of equal sums the older profile comes first: `elder` falls with the number of the profile. */
const COUNT = `
INSERT INTO referrers (referrer, fees_raw, referred_count, earning_count, elder, earned_raw)
VALUES (?, 0, 1, 0, -?, 0) ON CONFLICT DO UPDATE SET referred_count = referred_count + 1
RETURNING referred_count AS referredCount`
const COUNT_REFERRER = `
INSERT INTO referrer_counts (id, referrers) VALUES (1, 1)
ON CONFLICT DO UPDATE SET referrers = referrers + 1`
const ANY = 'SELECT referrers FROM referrer_counts WHERE id = 1'
const REFERRAL =
  'SELECT referrer, fees_raw AS feesRaw, volume_raw AS volumeRaw FROM referrals WHERE referred = ?'
const PUT_SUMS = 'UPDATE referrals SET fees_raw = ?, volume_raw = ? WHERE referred = ?'
const ADD_FEES = `
UPDATE referrers SET fees_raw = min(fees_raw + ?, ${Number.MAX_SAFE_INTEGER}),
  earning_count = earning_count + ? WHERE referrer = ?`
const BLOCK_BEFORE = 'SELECT through_seq AS throughSeq FROM blocks WHERE height = ?'
const COLUMNS = `
market_id AS marketId, taker_owner AS owner, side, outcome,
  collateral_raw AS collateralRaw, fee_raw AS feeRaw`
const OF_BLOCK = `
SELECT ${COLUMNS} FROM trades WHERE seq > ? AND seq <= ?
  AND NOT EXISTS (SELECT 1 FROM settlements WHERE trade_seq = seq)`
const OF_TRADE = `SELECT ${COLUMNS} FROM trades WHERE seq = ?`
const ADD_SHARES = `
INSERT INTO referred_fees (market_id, referred, outcome, shares_raw) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
  shares_raw = min(shares_raw + excluded.shares_raw, ${Number.MAX_SAFE_INTEGER})`
const SHARES = `
SELECT referred, outcome, shares_raw AS sharesRaw FROM referred_fees WHERE market_id = ?`
const DROP_SHARES = 'DELETE FROM referred_fees WHERE market_id = ?'
/** Takers with a cached referrer. At the limit all of them are dropped and read again. */
const KEPT_MAX = 1 << 14

type CreateProfile = Extract<ControlCommand, { kind: 'createProfile' }>
type Mined = Extract<CommandOf<'settlement'>, { kind: 'mineBlock' | 'settleTrade' }>
type Referral = [referred: ProfileId, referrer: ProfileId, referredMs: number]

type FeeShares = [MarketId, referred: ProfileId, outcome: number, sharesRaw: number]

interface ShareRow {
  readonly referred: ProfileId
  readonly outcome: number
  readonly sharesRaw: number
}

interface TradeRow {
  readonly marketId: MarketId
  readonly owner: ProfileId
  readonly side: number
  readonly outcome: number
  readonly collateralRaw: number
  readonly feeRaw: number
}

interface Sums {
  readonly referrer: ProfileId
  feesRaw: CollateralRaw
  volumeRaw: CollateralRaw
}

function sumOf(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER)
}

export class ReferralsTable {
  readonly #refer: Statement<Referral>
  readonly #count: Statement<[ProfileId, ProfileId], { referredCount: number }>
  readonly #countReferrer: Statement<[]>
  readonly #any: Statement<[], { referrers: number }>
  readonly #referral: Statement<[ProfileId], Sums>
  readonly #putSums: Statement<[fees: number, volume: number, ProfileId]>
  readonly #addFees: Statement<[fees: number, earning: number, ProfileId]>
  readonly #blockBefore: Statement<[height: number], { throughSeq: Seq }>
  readonly #ofBlock: Statement<[afterSeq: Seq, throughSeq: Seq], TradeRow>
  readonly #ofTrade: Statement<[Seq], TradeRow>
  /** null for a taker without a referrer: a profile is referred at its creation or never. */
  readonly #known = new Map<ProfileId, Sums | null>()
  readonly #changed = new Map<ProfileId, Sums>()
  #referrals: Referral[] = []
  #mined: Mined[] = []
  /** Of the trades of this flush. */
  #feeShares: FeeShares[] = []
  #paid: PaidMarket[] = []
  readonly #addShares: Statement<FeeShares>
  readonly #sharesOf: Statement<[MarketId], ShareRow>
  readonly #dropShares: Statement<[MarketId]>
  #hasAny: boolean

  constructor(connection: Connection) {
    this.#refer = connection.prepare(REFER)
    this.#count = connection.prepare(COUNT)
    this.#countReferrer = connection.prepare(COUNT_REFERRER)
    this.#any = connection.prepare(ANY)
    this.#referral = connection.prepare(REFERRAL)
    this.#putSums = connection.prepare(PUT_SUMS)
    this.#addFees = connection.prepare(ADD_FEES)
    this.#blockBefore = connection.prepare(BLOCK_BEFORE)
    this.#ofBlock = connection.prepare(OF_BLOCK)
    this.#ofTrade = connection.prepare(OF_TRADE)
    this.#addShares = connection.prepare(ADD_SHARES)
    this.#sharesOf = connection.prepare(SHARES)
    this.#dropShares = connection.prepare(DROP_SHARES)
    this.#hasAny = this.#any.get() !== undefined
  }

  created({ profileId, referredBy, nowMs }: CreateProfile): void {
    if (referredBy === undefined) return
    this.#referrals.push([profileId, referredBy, nowMs])
    this.#hasAny = true
  }

  settled(command: CommandOf<'settlement'>): void {
    const { kind } = command
    if (this.#hasAny && (kind === 'mineBlock' || kind === 'settleTrade')) this.#mined.push(command)
  }

  /** The market's payout is posted: all its trades are in blocks. */
  paidOut(market: PaidMarket): void {
    if (this.#hasAny) this.#paid.push(market)
  }

  /** Runs inside the chunk's transaction, after its trades and settlements. */
  flush(pace: Pace): void {
    eachPaced(this.#referrals, pace, (referral) => {
      this.#refer.run(...referral)
      const [, referrer] = referral
      if (this.#count.get(referrer, referrer)?.referredCount === 1) this.#countReferrer.run()
    })
    for (const command of this.#mined) this.#take(command, pace)
    eachPaced(this.#feeShares, pace, (row) => this.#addShares.run(...row))
    for (const market of this.#paid) this.#redeem(market, pace)
    eachPaced(this.#changed, pace, ([referred, sums]) => this.#write(referred, sums))
    this.#referrals = []
    this.#mined = []
    this.#feeShares = []
    this.#paid = []
    this.#changed.clear()
  }

  #take(command: Mined, pace: Pace): void {
    if (command.kind === 'settleTrade') {
      const found = this.#ofTrade.get(command.tradeSeq)
      if (found !== undefined) this.#add(found)
      return
    }
    const afterSeq = this.#blockBefore.get(command.height - 1)?.throughSeq ?? 0
    const rows = this.#ofBlock.all(afterSeq, command.throughSeq)
    eachPaced(rows, pace, (row) => this.#add(row))
  }

  #add(trade: TradeRow): void {
    const sums = this.#sumsOf(trade.owner)
    if (sums === null) return
    const { marketId, owner, side, outcome, feeRaw } = trade
    if (side !== SIDE.BUY) sums.feesRaw = sumOf(sums.feesRaw, feeRaw)
    else if (feeRaw > 0) this.#feeShares.push([marketId, owner, outcome, feeRaw])
    sums.volumeRaw = sumOf(sums.volumeRaw, trade.collateralRaw)
    this.#changed.set(trade.owner, sums)
  }

  #redeem(market: PaidMarket, pace: Pace): void {
    const { marketId } = market
    eachPaced(this.#sharesOf.all(marketId), pace, ({ referred, outcome, sharesRaw }) => {
      const sums = this.#sumsOf(referred)
      if (sums === null) return
      const isYes = outcome === OUTCOME.YES
      const raw = worthRaw(market, isYes ? sharesRaw : 0, isYes ? 0 : sharesRaw)
      sums.feesRaw = sumOf(sums.feesRaw, raw)
      this.#changed.set(referred, sums)
    })
    this.#dropShares.run(marketId)
  }

  #sumsOf(taker: ProfileId): Sums | null {
    const known = this.#changed.get(taker) ?? this.#known.get(taker)
    if (known !== undefined) return known
    const found = this.#referral.get(taker) ?? null
    if (this.#known.size >= KEPT_MAX) this.#known.clear()
    this.#known.set(taker, found)
    return found
  }

  /** The sums in the table are those before this chunk. */
  #write(referred: ProfileId, { referrer, feesRaw, volumeRaw }: Sums): void {
    const beforeRaw = this.#referral.get(referred)?.feesRaw ?? 0
    this.#putSums.run(feesRaw, volumeRaw, referred)
    const isFirst = beforeRaw === 0 && feesRaw > 0
    this.#addFees.run(feesRaw - beforeRaw, isFirst ? 1 : 0, referrer)
  }
}
