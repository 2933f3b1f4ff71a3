import { reportedClock } from '../../server/exchange/sequencer/clock.ts'
import type { MarketThreads } from '../../server/exchange/sequencer/shard-map.ts'
import { type OpenOptions, openExchange, type RunningExchange } from '../../server/start/open.ts'

export interface TestClock {
  nowMs: number
}

/** Opens an exchange that its caller stops, or whose parts it stops as if the process died. */
export function openToKill(
  dataDir: string,
  clock: TestClock,
  marketThreads: MarketThreads = 0,
  changes: Partial<OpenOptions> = {},
): Promise<RunningExchange> {
  return openExchange({
    dataDir,
    keyFile: undefined,
    durability: 'full',
    marketThreads,
    domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
    clock: reportedClock(() => clock.nowMs),
    profileWaitSec: () => 0,
    onFault: (sentence) => {
      throw new Error(sentence)
    },
    onWarning: () => {},
    onProgress: () => {},
    ...changes,
  })
}
