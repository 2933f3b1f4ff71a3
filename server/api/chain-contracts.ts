// Contract addresses and amounts that appear in replies.

/** The contract of the conditional tokens of every market; upstream's markets use it too. */
export const CONDITIONAL_TOKENS = '0xC9c98965297Bc527861c898329Ee280632B76e18'

/** An unlimited approval, as wallets grant it. */
export const ALLOWANCE_MAX = String(2n ** 256n - 1n)
