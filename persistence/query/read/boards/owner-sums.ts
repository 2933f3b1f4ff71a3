import type { ProfileId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'

// One owner's accuracy and total traded volume (rules §9.4, §9.5).

const ACCURACY = `
SELECT won_count AS wonCount, lost_count AS lostCount, since_ms AS sinceMs FROM accuracy
WHERE owner = ?`
const VOLUME = `
SELECT volume_raw AS volumeRaw FROM pnl_hours WHERE owner = ? ORDER BY hour DESC LIMIT 1`

export interface Accuracy {
  readonly wonCount: number
  readonly lostCount: number
  /** When the first counted market was paid out. */
  readonly sinceMs: TimeMs
}

/** null for an owner without counted markets. */
export const accuracy = query({
  name: 'accuracy',
  prepare: (db) => db.prepare<[ProfileId], Accuracy>(ACCURACY),
  run: (ofOwner, owner: ProfileId): Accuracy | null => ofOwner.get(owner) ?? null,
})

/** Raw collateral of all the owner's trades, as taker or maker, before fees. */
export const tradedVolume = query({
  name: 'tradedVolume',
  prepare: (db) => db.prepare<[ProfileId], { readonly volumeRaw: number }>(VOLUME),
  run: (newest, owner: ProfileId): number => newest.get(owner)?.volumeRaw ?? 0,
})
