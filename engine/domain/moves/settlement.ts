/** Settlement states of a trade (rules §5.2). The index is stored in read.db. */
export const SETTLEMENT_STATUSES = ['MATCHED', 'RETRYING', 'MINED', 'FAILED'] as const
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]

/** States of a server wallet's approval (rules §12.1). */
export type ApprovalStatus = 'confirmed' | 'submitted' | 'failed' | 'missing'
