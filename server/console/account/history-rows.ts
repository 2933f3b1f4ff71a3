// What the visitor did, as rows of a table.

import { OUTCOMES } from '../exchange/positions.ts'
import type { Act } from './account-replies.ts'

export interface HistoryRow {
  readonly atMs: number
  readonly what: string
  readonly slug: string
  readonly title: string
  readonly groupTitle: string | null
  /** Like `12.5 YES`, or `5 YES, 5 NO` of a pair. */
  readonly shares: string
  readonly price: number | null
  /** Collateral with its sign: what the act paid in is below zero. */
  readonly collateral: string
  readonly isMined: boolean
  /** The transaction that settled a trade; null until it is in a block. */
  readonly txHash: string | null
}

const PAYS: ReadonlySet<string> = new Set(['Split', 'Withdraw', 'Add Liquidity'])
const MS_PER_SEC = 1000

function sharesOf({ outcomeIndex, outcomeTokenAmount, outcomeTokenAmounts }: Act): string {
  if (outcomeIndex !== undefined && outcomeTokenAmount !== undefined) {
    return `${outcomeTokenAmount} ${OUTCOMES[outcomeIndex === 0 ? 0 : 1]}`
  }
  const moved = outcomeTokenAmounts.map((amount, index) => {
    return amount === '0' ? '' : `${amount} ${OUTCOMES[index] ?? 'shares'}`
  })
  // The children of a conversion have no outcome of their own here.
  if (outcomeTokenAmounts.length > OUTCOMES.length) return ''
  return moved.filter((text) => text !== '').join(', ')
}

function collateralOf({ strategy, collateralAmount }: Act): string {
  const amount = collateralAmount.replace('-', '')
  if (amount === '0') return '0'
  const isPaid = PAYS.has(strategy) || strategy.endsWith('Buy')
  return `${isPaid ? '−' : '+'}${amount}`
}

export function historyRow(act: Act): HistoryRow {
  const { market, strategy, blockTimestamp, outcomeTokenPrice, transactionHash } = act
  return {
    atMs: blockTimestamp * MS_PER_SEC,
    what: strategy,
    slug: market.slug,
    title: market.title,
    groupTitle: market.group?.title ?? null,
    shares: sharesOf(act),
    price: outcomeTokenPrice ?? null,
    collateral: collateralOf(act),
    isMined: transactionHash !== null,
    txHash: transactionHash,
  }
}
