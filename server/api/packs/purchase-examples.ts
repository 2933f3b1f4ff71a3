// Examples of curated packs and their purchases.

import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'

export const HASH = `0x${'5e'.repeat(32)}`
const CURATED_ID = '63757261-0000-8000-8000-000000001267'
export const POSITION_ID = '706f7369-0000-8000-8000-00000000126a'

const LEG_EXAMPLE = {
  legIndex: 0,
  marketSlug: MARKET_EXAMPLE.slug,
  title: MARKET_EXAMPLE.title,
  outcomeIndex: 0,
  outcome: 'Yes' as const,
  marketId: 1,
  conditionId: MARKET_EXAMPLE.conditionId,
  marketType: 'single' as const,
  price: 0.5,
  bookPrice: 0.5,
  livePrice: 0.48,
  priceAtCreation: null,
  resolutionStatus: null,
  resolvedAt: null,
  esportsPropType: null,
}

export const LISTED_LEG = { id: `${CURATED_ID}:0`, ...LEG_EXAMPLE }

export const CURATED_EXAMPLE = {
  id: CURATED_ID,
  name: 'A wet weekend',
  status: 'ACTIVE' as const,
  eligible: true,
  parlayType: 'curated' as const,
  createdAt: '2026-01-01T00:00:00.000Z',
  legs: [LISTED_LEG],
}

export const POSITION_EXAMPLE = {
  id: POSITION_ID,
  status: 'ACTIVE' as const,
  stakeAmount: '10000000',
  collateralDeposited: '45000000',
  multiplierOffered: '4.500000',
  vigPercent: '10',
  txHash: HASH,
  claimTxHash: null,
  wallet: ACCOUNT,
  createdAt: '2026-01-01T00:01:00.000Z',
  legs: [
    {
      ...LEG_EXAMPLE,
      id: `${POSITION_ID}:0`,
      priceAtCreation: '0.5',
      resolutionStatus: 'PENDING' as const,
    },
  ],
  sourcePack: { id: CURATED_ID, name: CURATED_EXAMPLE.name },
  payoutAmount: '45000000',
}
