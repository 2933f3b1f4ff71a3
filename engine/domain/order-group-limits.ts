/** Limits of order groups (rules §4.13). */
export const ORDER_GROUP_LIMITS = {
  groupsMax: 1 << 16,
  groupsOfProfileMax: 256,
  /** Live orders of a group, and of a one-cancels-other group; an order that is replaced leaves. */
  ordersMax: 1000,
  oneCancelsOtherMax: 2,
  windowSecMax: 60,
  /** The id of a group, which is a seq, has 48 bits in the record of an order. */
  idMax: 2 ** 48 - 1,
} as const
