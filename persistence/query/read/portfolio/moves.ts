import type { ConvertedShares, MoveEvent } from '../../../../engine/core/moves/move-events.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { MOVE_KINDS } from '../../../../engine/domain/moves/move-kind.ts'
import { query } from '../query.ts'

// Commands that moved a profile's money outside trading.

const BY_SEQ = `
SELECT kind, owner, market_id AS marketId, yes_raw AS yesRaw, no_raw AS noRaw,
  collateral_raw AS collateralRaw, detail
FROM moves WHERE seq = ? AND owner = ? ORDER BY leg LIMIT 1`

/** A row of the table without its position. */
export interface MoveRow {
  readonly kind: number
  readonly owner: ProfileId
  readonly marketId: MarketId
  readonly yesRaw: number
  readonly noRaw: number
  readonly collateralRaw: number
  readonly detail: string | null
}

export function moveOfRow({ kind, detail, ...amounts }: MoveRow): MoveEvent {
  const event = { ...amounts, kind: MOVE_KINDS[kind] }
  if (detail === null) return event
  if (event.kind === 'WITHDRAW') return { ...event, destination: JSON.parse(detail) }
  const converted: readonly ConvertedShares[] = JSON.parse(detail)
  return { ...event, converted }
}

/** null if it is not in the tables. */
export const moveBySeq = query({
  name: 'moveBySeq',
  prepare: (db) => db.prepare<[number, number], MoveRow>(BY_SEQ),
  run: (bySeq, { seq, owner }: { seq: Seq; owner: ProfileId }): MoveEvent | null => {
    const row = bySeq.get(seq, owner)
    return row === undefined ? null : moveOfRow(row)
  },
})
