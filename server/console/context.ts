// What every view gets.

import type { ExchangeInfo } from './exchange/shapes.ts'
import type { Streams } from './exchange/streams.ts'
import type { Trader } from './exchange/trader.ts'
import type { TradingMode } from './exchange/trading-mode.ts'
import type { Notices } from './page/notices.ts'

export interface Context {
  readonly info: ExchangeInfo
  readonly streams: Streams
  readonly trader: Trader
  readonly mode: TradingMode
  readonly notices: Notices
}
