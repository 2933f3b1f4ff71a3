// How the market is decided, and how it was.

import type { Context } from '../../context.ts'
import { deadlineOf, statusWords } from '../../exchange/market-format.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { Metadata, Region } from '../../page/blocks.tsx'
import { bpsPercent, dayTime } from '../../page/format.ts'

const DECIDERS: Readonly<Record<string, string>> = {
  lumy: 'By the price of its oracle at the end of the slot',
  sports: 'By the operator of this exchange, by the score of its match',
}

/** `ownBps` is the rate of the visitor; null while it is not known. */
function feeOf({ metadata, feeBps }: MarketView, ownBps: number | null): string {
  if (feeBps !== undefined) return `${bpsPercent(feeBps)} of each trade, for the pool`
  if (!metadata.fee) return 'None'
  const own = ownBps === null ? '' : ` (your rate: ${bpsPercent(ownBps)})`
  return `Taker fee depends on your rank${own}; makers pay nothing`
}

type Item = readonly [name: string, value: string]

function metadataOf(market: MarketView, ownBps: number | null): readonly Item[] {
  const deadlineMs = deadlineOf(market)
  const { openPrice, closePrice } = market.metadata
  const metadata: Item[] = [
    ['Status', statusWords(market)],
    ['Trading ends', deadlineMs === null ? 'when resolved' : dayTime(deadlineMs)],
    ['Decided', DECIDERS[market.automationType] ?? 'By the operator of this exchange'],
    ['Fee', feeOf(market, ownBps)],
  ]
  if (market.tradeType !== 'group') {
    metadata.push(['One share pays', '$1 if its outcome wins, else $0'])
  }
  if (openPrice !== undefined && openPrice !== null)
    metadata.push(['Open price', String(openPrice)])
  if (closePrice !== undefined && closePrice !== null) metadata.push(['Close price', closePrice])
  return metadata
}

interface RulesPanelProps {
  readonly context: Context
  readonly market: MarketView
}

export function RulesPanel({ context: { trader }, market }: RulesPanelProps) {
  const text = market.description?.trim() ?? ''
  const ownBps = trader.profile.value?.effectiveFeeRateBps ?? null
  return (
    <Region label="Rules" name="rules">
      <p class={text === '' ? 'soft' : 'description'}>{text || 'No additional rules.'}</p>
      <Metadata look="metadata-list" metadata={metadataOf(market, ownBps)} />
    </Region>
  )
}
