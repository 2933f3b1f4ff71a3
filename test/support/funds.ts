import type { LiveExchange, Trader } from './live-exchange.ts'

// Where the funds of traders come from: the operator of an exchange gives them, or wallets on a
// local chain hold them, in a test that calls onAnvil.

export const isOnAnvil = process.env.TEST_FUNDS === 'anvil'

/** Gives a profile collateral. */
export type Deposit = (
  live: LiveExchange,
  profile: Pick<Trader, 'profileId'>,
  collateralRaw: number,
) => Promise<void>

/** Why an exchange on a chain leaves out some tests; false for one with a ledger of its own. */
export const LEFT_OUT = {
  pools: isOnAnvil && 'pools and packs do not settle on a chain',
}
