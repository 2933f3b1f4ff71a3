/** What has become of a trade on the chain (domain §5.2); the number is stored in read.db. */
export const SETTLEMENT_STATUSES = ['MATCHED', 'RETRYING', 'MINED', 'FAILED'] as const
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]
