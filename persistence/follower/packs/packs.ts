import {
  LEG_RESULTS,
  type LegResult,
  type Packs,
  resultOf,
} from '../../../engine/core/packs/packs.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { CommandOf } from '../../../engine/domain/command-kinds.ts'
import type { MarketId, ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { eachPaced, type Pace } from '../tables/pace.ts'
import { CuratedPacksTable } from './curated-packs.ts'

// One row for every pack ever created, one for each of its legs, and the number of packs of each
// status per profile.

/** The index is stored in the tables. */
export const PACK_STATUSES = ['ACTIVE', 'WON', 'LOST'] as const
export type PackStatus = (typeof PACK_STATUSES)[number]

const PUT = `
INSERT INTO packs (pack_id, owner, maker, stake_raw, payout_raw, made_ms, curated_id, status)
VALUES (?, ?, ?, ?, ?, ?, ?, ${PACK_STATUSES.indexOf('ACTIVE')})`
const PUT_LEG = `
INSERT INTO pack_legs (pack_id, position, market_id, outcome, price_ticks, result)
VALUES (?, ?, ?, ?, ?, ${LEG_RESULTS.indexOf('PENDING')})`
const COUNT_LEG = `
UPDATE pack_legs SET result = CASE outcome WHEN 0 THEN ? ELSE ? END, counted_ms = ?
WHERE pack_id = ? AND market_id = ?`
const END = `
UPDATE packs SET status = ?, paid_raw = ?, ended_ms = ?, ended_seq = ?
WHERE pack_id = ? RETURNING owner`
const ADD_COUNT = `
INSERT INTO pack_counts (owner, status, count) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET count = count + excluded.count`
const ADD_OF_LIST = `
INSERT INTO curated_counts (owner, count) VALUES (?, 1)
ON CONFLICT DO UPDATE SET count = count + 1`

type PackRow = [
  ...[Seq, ProfileId, ProfileId | null, stake: number, payout: number, TimeMs],
  curated: Seq | null,
]
type LegRow = [Seq, position: number, MarketId, outcome: number, ticks: number]
type CountedRow = [ofYes: number, ofNo: number, TimeMs, Seq, MarketId]
type EndRow = [status: number, paidRaw: number, TimeMs, ended: Seq, pack: Seq]

/** The state that the table reads. */
export interface PackWorld {
  readonly packs: Packs
  readonly catalogue: { existing(marketId: MarketId): Parameters<typeof resultOf>[0] }
}

export class PacksTable {
  readonly #put: Statement<PackRow>
  readonly #putLeg: Statement<LegRow>
  readonly #countLeg: Statement<CountedRow>
  readonly #end: Statement<EndRow, { owner: ProfileId }>
  readonly #addCount: Statement<[ProfileId, status: number, count: number]>
  readonly #addOfList: Statement<[ProfileId]>
  readonly #curated: CuratedPacksTable
  /** Since the last flush. A pack is created before it is counted. */
  #made: PackRow[] = []
  #legs: LegRow[] = []
  #counted: CountedRow[] = []
  #ended: EndRow[] = []

  constructor(connection: Connection) {
    this.#put = connection.prepare(PUT)
    this.#putLeg = connection.prepare(PUT_LEG)
    this.#countLeg = connection.prepare(COUNT_LEG)
    this.#end = connection.prepare(END)
    this.#addCount = connection.prepare(ADD_COUNT)
    this.#addOfList = connection.prepare(ADD_OF_LIST)
    this.#curated = new CuratedPacksTable(connection)
  }

  /** Called after the command was applied to the state. */
  applied(command: CommandOf<'packs'>, { packs, catalogue }: PackWorld): void {
    if (command.kind === 'createPack' || command.kind === 'acceptPackOffer') {
      this.#noteMade(packs, command.seq, command.nowMs)
    }
    if (command.kind === 'curatePack' || command.kind === 'removeCuratedPack') {
      this.#curated.applied(command)
    }
    if (command.kind !== 'countPacks') return
    const market = catalogue.existing(command.marketId)
    const numberOf = (result: LegResult) => LEG_RESULTS.indexOf(result)
    const ofYes = numberOf(resultOf(market, 0))
    const ofNo = numberOf(resultOf(market, 1))
    for (const { packId, paidRaw } of command.packs) {
      this.#counted.push([ofYes, ofNo, command.nowMs, packId, command.marketId])
      if (paidRaw === null) continue
      const status = PACK_STATUSES.indexOf(paidRaw > 0 ? 'WON' : 'LOST')
      this.#ended.push([status, paidRaw, command.nowMs, command.seq, packId])
    }
  }

  #noteMade(packs: Packs, packId: Seq, madeMs: TimeMs): void {
    const pack = packs.byId(packId)
    assert(pack !== undefined, 'a new pack is in the state')
    const { ownerId, makerId, stakeRaw, payoutRaw, legs, curatedId = null } = pack
    this.#made.push([packId, ownerId, makerId, stakeRaw, payoutRaw, madeMs, curatedId])
    for (const [position, { marketId, outcome, priceTicks }] of legs.entries()) {
      this.#legs.push([packId, position, marketId, outcome, priceTicks])
    }
  }

  /** Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    this.#curated.flush(pace)
    eachPaced(this.#made, pace, (row) => {
      this.#put.run(...row)
      this.#addCount.run(row[1], PACK_STATUSES.indexOf('ACTIVE'), 1)
      if (row[6] !== null) this.#addOfList.run(row[1])
    })
    eachPaced(this.#legs, pace, (row) => this.#putLeg.run(...row))
    eachPaced(this.#counted, pace, (row) => this.#countLeg.run(...row))
    eachPaced(this.#ended, pace, (row) => {
      const ended = this.#end.get(...row)
      assert(ended !== undefined, 'a pack that ends has a row')
      this.#addCount.run(ended.owner, PACK_STATUSES.indexOf('ACTIVE'), -1)
      this.#addCount.run(ended.owner, row[0], 1)
    })
    this.#made = []
    this.#legs = []
    this.#counted = []
    this.#ended = []
  }
}
