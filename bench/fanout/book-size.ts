// A book whose frame has some 2 KB.

/** Price levels of the book. */
export const LEVELS = 34
/** Raw shares of one share. */
export const SHARE = 1_000_000
