import type { DemoTrader } from '../../demo/demo-client.ts'
import type { Pages } from '../../docs/pages.ts'
import type { Readiness } from '../../ops/readiness.ts'
import type { WebFiles } from '../../web/web-files.ts'
import type { SharedServices } from '../shared-services.ts'
import type { TradingModeChanges } from './trading-modes.ts'

/** What the routes of this folder need. */
export interface SystemServices extends SharedServices {
  readonly modes: TradingModeChanges
  readonly readiness: () => Readiness
  readonly metricsText: () => Promise<string>
  /** The OpenAPI document, encoded once. */
  readonly openApi: () => Uint8Array
  /** The AsyncAPI document of the sockets, for a caller that named this host. */
  readonly asyncApi: (host: string) => Uint8Array
  /** The same as a page. */
  readonly asyncApiPage: () => Uint8Array
  readonly pages: () => Pages
  /** The traders of the demo; null when the exchange is none. */
  readonly demoTraders: () => readonly DemoTrader[] | null
  /** The console's pages and files. */
  readonly web: () => WebFiles | Promise<WebFiles>
}
