import { MOVE_KINDS } from '../../../engine/domain/moves/move-command.ts'
import { UNIT_RAW } from '../../../engine/domain/units.ts'

// The conditions of partial indexes. A read with the same text uses the index.

/** A trade of at least this much collateral is shown in the featured feed. */
export const FEATURED_RAW = 100 * UNIT_RAW

const KINDS = `${MOVE_KINDS.indexOf('BUY')}, ${MOVE_KINDS.indexOf('SELL')}`

/** In `moves`: a pool trade. */
export const IS_POOL_TRADE = `kind IN (${KINDS})`

/** In `trades`. */
export const IS_FEATURED_TRADE = `collateral_raw >= ${FEATURED_RAW}`

/** In `moves`: a buyer's amount is negative. */
export const IS_FEATURED_POOL_TRADE = `${IS_POOL_TRADE} AND abs(collateral_raw) >= ${FEATURED_RAW}`

/** In `packs`: a pack with at least this payout. */
export const IS_FEATURED_PACK = `payout_raw >= ${FEATURED_RAW}`

/** In `packs`: a purchased curated pack. */
export const IS_OF_LIST = 'curated_id IS NOT NULL'

/** In `packs`: an ended pack. */
export const IS_ENDED_PACK = 'ended_seq IS NOT NULL'
