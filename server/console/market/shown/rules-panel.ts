// How the market is decided, and how it was.

import { deadlineOf, statusWords } from '../../exchange/market-words.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { h } from '../../page/dom.ts'
import { bpsPercent, dayTime } from '../../page/words.ts'
import { type Panel, panel } from './panel.ts'

const DECIDERS: Readonly<Record<string, string>> = {
  lumy: 'By the price of its oracle at the end of the slot',
  sports: 'By the operator of this exchange, by the score of its match',
}

function feeOf({ metadata, feeBps }: MarketView): string {
  if (feeBps !== undefined) return `${bpsPercent(feeBps)} of each trade, for the pool`
  return metadata.fee ? 'Takers pay by their rank; makers pay nothing' : 'None'
}

function metadataOf(market: MarketView): readonly (readonly [string, string])[] {
  const deadlineMs = deadlineOf(market)
  const { openPrice, closePrice } = market.metadata
  const decided = DECIDERS[market.automationType] ?? 'By the operator of this exchange'
  const metadata: (readonly [string, string])[] = [
    ['Status', statusWords(market)],
    ['Trades until', deadlineMs === null ? 'It is resolved' : dayTime(deadlineMs)],
    ['Decided', decided],
    ['Fee', feeOf(market)],
  ]
  if (market.tradeType !== 'group')
    metadata.push(['One share pays', '$1 if its outcome wins, else $0'])
  if (openPrice !== undefined && openPrice !== null)
    metadata.push(['Open price', String(openPrice)])
  if (closePrice !== undefined && closePrice !== null) metadata.push(['Close price', closePrice])
  return metadata
}

export function rulesPanel(market: MarketView): Panel {
  const metadata = metadataOf(market).map(([name, value]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value)),
  )
  const text = market.description?.trim() ?? ''
  const words = text === '' ? 'The operator gave no further rules.' : text
  const about = h('p', { class: text === '' ? 'soft' : 'description' }, words)
  return {
    element: panel('Rules', 'rules', about, h('dl', { class: 'facts-list' }, ...metadata)),
    stop() {},
  }
}
