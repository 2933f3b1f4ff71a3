import { assert } from '../../../../engine/domain/assert.ts'
import type { ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { CuratedLeg } from '../../../../engine/domain/packs/pack-command.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Connection } from '../../../database.ts'
import { query } from '../query.ts'
import { Settlements } from '../settlements.ts'
import { ofListIn, packsIn, type ShownPack } from './packs.ts'

// Packs ever on the operators' list, and their purchases by profiles (rules §8.6).

export interface ShownCurated {
  readonly packId: Seq
  readonly name: string
  readonly madeMs: TimeMs
  readonly legs: readonly CuratedLeg[]
}

const BY_ID = `
SELECT pack_id AS packId, name, made_ms AS madeMs, legs FROM curated_packs WHERE pack_id = ?`

function legsOf(text: string): CuratedLeg[] {
  const pairs: unknown = JSON.parse(text)
  assert(Array.isArray(pairs), 'the legs are stored as pairs')
  return pairs.map(([marketId, outcome]: [number, number]) => ({ marketId, outcome }))
}

/** null if no curated pack, present or past, has the id. */
export const curatedById = query({
  name: 'curatedById',
  prepare: (db) => db.prepare<[Seq], Omit<ShownCurated, 'legs'> & { legs: string }>(BY_ID),
  run: (byId, packId: Seq): ShownCurated | null => {
    const row = byId.get(packId)
    return row === undefined ? null : { ...row, legs: legsOf(row.legs) }
  },
})

/** A purchased curated pack. */
export interface PackPosition extends ShownPack {
  readonly curatedId: Seq
  readonly curatedName: string
  /** Whether the purchase is in a block. */
  readonly isMined: boolean
  /** Whether the payment of a won pack is in a block. */
  readonly isPaymentMined: boolean
}

function positionIn(db: Connection): (pack: ShownPack | null) => PackPosition | null {
  const settlements = new Settlements(db)
  const isMined = (seq: Seq | null) => seq !== null && settlements.chainOf(seq) !== null
  return (pack) => {
    if (pack === null || pack.curatedId === null || pack.curatedName === null) return null
    const { packId, endedSeq, status, curatedId, curatedName } = pack
    const isPaymentMined = status === 'WON' && isMined(endedSeq)
    return { ...pack, curatedId, curatedName, isMined: isMined(packId), isPaymentMined }
  }
}

/** null for a pack of another owner, and for a pack that is not curated. */
export const packPosition = query({
  name: 'packPosition',
  prepare: (db) => ({ byId: packsIn(db), position: positionIn(db) }),
  run: ({ byId, position }, { owner, packId }: { owner: ProfileId; packId: Seq }) => {
    const found = position(byId(packId))
    return found?.owner === owner ? found : null
  },
})

/** Newest first, and the total number on all pages. */
export const packPositionsOf = query({
  name: 'packPositionsOf',
  prepare: (db) => ({ ofList: ofListIn(db), position: positionIn(db) }),
  run: ({ ofList, position }, params: { owner: ProfileId; limit: number; offset: number }) => {
    const { rows, total } = ofList(params)
    return { rows: rows.flatMap((pack) => position(pack) ?? []), total }
  },
})
