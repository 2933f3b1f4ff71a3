// What every view gets.

import type { ExchangeInfo } from './exchange/shapes.ts'
import type { Streams } from './exchange/streams.ts'
import type { Trader } from './exchange/trader.ts'
import type { TradingMode } from './page/mode-banner.tsx'
import type { Notices } from './page/notices.tsx'

export interface Context {
  readonly info: ExchangeInfo
  readonly streams: Streams
  readonly trader: Trader
  readonly mode: TradingMode
  readonly notices: Notices
}
