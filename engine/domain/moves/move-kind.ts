/** What moved money outside trading. The index is stored in the tables. */
export const MOVE_KINDS = [
  'SPLIT',
  'MERGE',
  'REDEEM',
  'CONVERT',
  'WITHDRAW',
  'BUY',
  'SELL',
  'FUND',
  'DRAIN',
] as const
export type MoveKind = (typeof MOVE_KINDS)[number]
