/** The state of a trade on the chain (rules §5.2). The index is stored in read.db. */
export const SETTLEMENT_STATUSES = ['MATCHED', 'RETRYING', 'MINED', 'FAILED'] as const
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]

/** The state of an approval of a server wallet (rules §12.1). */
export type ApprovalStatus = 'confirmed' | 'submitted' | 'failed' | 'missing'
