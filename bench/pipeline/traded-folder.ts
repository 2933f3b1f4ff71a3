// Folders as a trading exchange leaves them: a setting, then a workload.

import { Exchange } from '../../engine/core/exchange.ts'
import type { Command } from '../../engine/domain/command.ts'
import { openSeal } from '../../persistence/folder-key.ts'
import type { SavedSnapshot } from '../../persistence/follower/follower-handle.ts'
import { type Seal, tokenSecretOf } from '../../persistence/seal.ts'
import { reportedClock } from '../../server/exchange/sequencer/clock.ts'
import { openExchange, type RunningExchange } from '../../server/start/open.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import { fillJournal } from '../../test/support/journal-fill.ts'
import { type Setting, START_MS, setUp } from '../report/setting.ts'

/** A start unseals the secret of every token, so the folder's own key must seal it. */
function withSecret(command: Command, seal: Seal): Command {
  if (command.kind !== 'createProfile' || command.token === null) return command
  const owner = tokenSecretOf(command.token.tokenId, command.profileId)
  const sealedSecret = seal.seal(new Uint8Array(32), owner)
  return { ...command, token: { ...command.token, sealedSecret } }
}

/** Journals a setting in an empty folder. */
export function writeSetting(dataDir: string, setting: Setting): void {
  const seal = openSeal(dataDir)
  const exchange = new Exchange()
  const records: Uint8Array[] = []
  setUp(setting, exchange, (command) => {
    exchange.apply(command)
    records.push(encodeCommand(withSecret(command, seal)))
  })
  fillJournal(dataDir, records)
}

/** A whole server except HTTP. Orders come to the sequencer as the intake would give them. */
export function openFolder(
  dataDir: string,
  onSnapshot: (saved: SavedSnapshot) => void = () => {},
): Promise<RunningExchange> {
  return openExchange({
    dataDir,
    onSnapshot,
    keyFile: undefined,
    durability: 'full',
    marketThreads: 'auto',
    intakeThreads: 1,
    domain: { name: 'Limitless CTF Exchange', chainId: 8453 },
    clock: reportedClock(() => START_MS),
    profileWaitSec: () => 0,
    onFault: (sentence) => {
      throw new Error(sentence)
    },
    onWarning: (sentence) => {
      throw new Error(sentence)
    },
    onProgress: () => {},
    // Snapshots are taken only when a bench asks for one.
    snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
  })
}
