// Addresses and amounts of contracts that replies name.

/** The contract of every market's conditional tokens, which upstream's markets share too. */
export const CONDITIONAL_TOKENS = '0xC9c98965297Bc527861c898329Ee280632B76e18'

/** An approval without end, as wallets give it. */
export const ALLOWANCE_MAX = String(2n ** 256n - 1n)
