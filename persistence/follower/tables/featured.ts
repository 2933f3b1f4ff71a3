import { MOVE_KINDS } from '../../../engine/domain/moves/move-kind.ts'
import { UNIT_RAW } from '../../../engine/domain/units.ts'

// Which rows a partial index holds. A read that says the same words finds its rows in that index.

/** A trade of so much collateral is shown in the featured feed. */
export const FEATURED_RAW = 100 * UNIT_RAW

const KINDS = `${MOVE_KINDS.indexOf('BUY')}, ${MOVE_KINDS.indexOf('SELL')}`

/** Of `moves`: a trade with a pool. */
export const IS_POOL_TRADE = `kind IN (${KINDS})`

/** Of `trades`. */
export const IS_FEATURED_TRADE = `collateral_raw >= ${FEATURED_RAW}`

/** Of `moves`: what a buyer gave is negative. */
export const IS_FEATURED_POOL_TRADE = `${IS_POOL_TRADE} AND abs(collateral_raw) >= ${FEATURED_RAW}`

/** Of `packs`: one that may pay so much. */
export const IS_FEATURED_PACK = `payout_raw >= ${FEATURED_RAW}`

/** Of `packs`: one that was bought from the list of operators. */
export const IS_OF_LIST = 'curated_id IS NOT NULL'

/** Of `packs`: one that is over. */
export const IS_ENDED_PACK = 'ended_seq IS NOT NULL'
