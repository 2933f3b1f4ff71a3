import { LEG_RESULTS, type LegResult } from '../../../../engine/core/packs/packs.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../../database.ts'
import { PACK_STATUSES, type PackStatus } from '../../../follower/packs/packs.ts'
import { IS_OF_LIST } from '../../../follower/tables/featured.ts'
import { query } from '../query.ts'

// Packs as published, newest first (rules §8.5).

export interface ShownLeg {
  readonly marketId: MarketId
  readonly outcome: number
  readonly priceTicks: PriceTicks
  readonly result: LegResult
  /** When its market counted; null before, and for a leg that no longer mattered. */
  readonly countedMs: TimeMs | null
}

export interface ShownPack {
  readonly packId: Seq
  readonly owner: ProfileId
  /** null = the house. */
  readonly maker: ProfileId | null
  readonly stakeRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
  readonly madeMs: TimeMs
  readonly status: PackStatus
  /** null while the pack is open. */
  readonly paidRaw: CollateralRaw | null
  readonly endedMs: TimeMs | null
  /** Seq of the command that ended it. */
  readonly endedSeq: Seq | null
  /** The purchased curated pack and its name; null if the owner chose the legs. */
  readonly curatedId: Seq | null
  readonly curatedName: string | null
  readonly legs: readonly ShownLeg[]
}

/** The amount a pack pays if it wins, or paid when it won. */
export function paysRaw({ status, paidRaw, payoutRaw }: ShownPack): CollateralRaw {
  return status === 'WON' ? (paidRaw ?? payoutRaw) : payoutRaw
}

const FIELDS = `
SELECT pack_id AS packId, owner, maker, stake_raw AS stakeRaw, payout_raw AS payoutRaw,
  made_ms AS madeMs, status, paid_raw AS paidRaw, ended_ms AS endedMs,
  ended_seq AS endedSeq, curated_id AS curatedId,
  (SELECT name FROM curated_packs WHERE curated_packs.pack_id = curated_id) AS curatedName
FROM packs`
const LEGS = `
SELECT market_id AS marketId, outcome, price_ticks AS priceTicks, result,
  counted_ms AS countedMs
FROM pack_legs WHERE pack_id = ? ORDER BY position`
const BY_ID = `${FIELDS} WHERE pack_id = ?`
const NEWEST = `${FIELDS} WHERE pack_id < ? ORDER BY pack_id DESC LIMIT ?`
const OF_OWNER = `${FIELDS} WHERE owner = ? ORDER BY pack_id DESC LIMIT ? OFFSET ?`
const OF_STATUS = `${FIELDS} WHERE owner = ? AND status = ? ORDER BY pack_id DESC LIMIT ? OFFSET ?`
const OF_LIST = `
${FIELDS} WHERE owner = ? AND ${IS_OF_LIST} ORDER BY pack_id DESC LIMIT ? OFFSET ?`
const COUNT_OF_LIST = 'SELECT count FROM curated_counts WHERE owner = ?'
const OF_MARKET = `
SELECT pack_id AS packId FROM pack_legs WHERE market_id = ? AND pack_id < ?
ORDER BY pack_id DESC LIMIT ?`
const COUNTS = 'SELECT status, count FROM pack_counts WHERE owner = ?'

interface PackRow extends Omit<ShownPack, 'status' | 'legs'> {
  readonly status: number
}

interface LegRow extends Omit<ShownLeg, 'result'> {
  readonly result: number
}

function withLegs(row: PackRow, legs: Statement<[Seq], LegRow>): ShownPack {
  return {
    ...row,
    status: PACK_STATUSES[row.status],
    legs: legs.all(row.packId).map((leg) => ({ ...leg, result: LEG_RESULTS[leg.result] })),
  }
}

const legsIn = (db: Connection) => db.prepare<[Seq], LegRow>(LEGS)

/** A pack by id; null if there is none. */
export function packsIn(db: Connection): (packId: Seq) => ShownPack | null {
  const byId = db.prepare<[Seq], PackRow>(BY_ID)
  const legs = legsIn(db)
  return (packId) => {
    const row = byId.get(packId)
    return row === undefined ? null : withLegs(row, legs)
  }
}

/** A profile's purchases of curated packs, newest first. */
export function ofListIn(
  db: Connection,
): (params: { owner: ProfileId; limit: number; offset: number }) => PackPage {
  const rows = db.prepare<[ProfileId, number, number], PackRow>(OF_LIST)
  const counted = db.prepare<[ProfileId], { count: number }>(COUNT_OF_LIST)
  const legs = legsIn(db)
  return ({ owner, limit, offset }) => ({
    rows: rows.all(owner, limit, offset).map((row) => withLegs(row, legs)),
    total: counted.get(owner)?.count ?? 0,
  })
}

/** null if no pack has the id. */
export const packById = query({
  name: 'packById',
  prepare: packsIn,
  run: (byId, packId: Seq): ShownPack | null => byId(packId),
})

export interface PackPage {
  readonly rows: readonly ShownPack[]
  /** Total number on all pages. */
  readonly total: number
}

export const packsOf = query({
  name: 'packsOf',
  prepare: (db) => ({
    ofOwner: db.prepare<[ProfileId, number, number], PackRow>(OF_OWNER),
    ofStatus: db.prepare<[ProfileId, number, number, number], PackRow>(OF_STATUS),
    counts: db.prepare<[ProfileId], { status: number; count: number }>(COUNTS),
    legs: legsIn(db),
  }),
  run: (
    { ofOwner, ofStatus, counts, legs },
    params: { owner: ProfileId; status: PackStatus | null; limit: number; offset: number },
  ): PackPage => {
    const { owner, status, limit, offset } = params
    const wanted = status === null ? null : PACK_STATUSES.indexOf(status)
    const rows =
      wanted === null
        ? ofOwner.all(owner, limit, offset)
        : ofStatus.all(owner, wanted, limit, offset)
    const counted = counts.all(owner).filter((each) => wanted === null || each.status === wanted)
    const total = counted.reduce((sum, { count }) => sum + count, 0)
    return { rows: rows.map((row) => withLegs(row, legs)), total }
  },
})

/** Packs older than `before`, of one market; null = of all. */
export const newestPacks = query({
  name: 'newestPacks',
  prepare: (db) => ({
    newest: db.prepare<[Seq, number], PackRow>(NEWEST),
    ofMarket: db.prepare<[MarketId, Seq, number], { packId: Seq }>(OF_MARKET),
    byId: packsIn(db),
    legs: legsIn(db),
  }),
  run: (
    { newest, ofMarket, byId, legs },
    params: { marketIds: readonly MarketId[] | null; before: Seq; limit: number },
  ): ShownPack[] => {
    const { marketIds, before, limit } = params
    if (marketIds === null) return newest.all(before, limit).map((row) => withLegs(row, legs))
    const found = marketIds.flatMap((id) => ofMarket.all(id, before, limit))
    const ids = [...new Set(found.map(({ packId }) => packId))].sort((a, b) => b - a)
    return ids.slice(0, limit).flatMap((packId) => byId(packId) ?? [])
  },
})
