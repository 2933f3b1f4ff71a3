// Folders as a trading exchange leaves them: a setting, then a workload.

import { Exchange } from '../engine/core/exchange.ts'
import { openExchange, type RunningExchange } from '../server/pipeline/open.ts'
import { fillJournal } from '../test/support/journal-fill.ts'
import { type Setting, START_MS, setUp } from './setting.ts'
import { encodeCommand } from './threaded-exchange.ts'

/** Journals a setting in an empty folder. */
export function writeSetting(dataDir: string, setting: Setting): void {
  const exchange = new Exchange()
  const records: Uint8Array[] = []
  setUp(setting, exchange, (command) => {
    exchange.apply(command)
    records.push(encodeCommand(command))
  })
  fillJournal(dataDir, records)
}

/** All of a server but HTTP: orders come to the sequencer as the intake would give them. */
export function openFolder(dataDir: string): Promise<RunningExchange> {
  return openExchange({
    dataDir,
    keyFile: undefined,
    durability: 'full',
    marketThreads: 'auto',
    intakeThreads: 1,
    domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
    clock: () => START_MS,
    profileWaitSec: () => 0,
    onTokenUsed: () => {},
    onFault: (sentence) => {
      throw new Error(sentence)
    },
    onWarning: (sentence) => {
      throw new Error(sentence)
    },
    onProgress: () => {},
    // Snapshots are taken when a bench says so.
    snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
  })
}
