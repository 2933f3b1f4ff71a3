// Folders of exchanges, and whole exchanges on them in this process, without HTTP.

import { Exchange } from '../../engine/core/exchange.ts'
import { assert } from '../../engine/domain/assert.ts'
import { openSeal } from '../../persistence/folder-key.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import type { SavedSnapshot } from '../../persistence/follower/follower-handle.ts'
import type { Seal } from '../../persistence/seal.ts'
import type { ControlBody } from '../../server/exchange/sequencer/sequencer.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { openToKill } from '../../test/support/bare-exchange.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import { fillJournal } from '../../test/support/journal-fill.ts'
import { progress } from '../harness/bench.ts'
import { type Setting, START_MS, setUp } from '../workload/setting.ts'

const BATCH = 512
const CAUGHT_UP_MS = 600_000

/** Journals a setting in an empty folder. */
export function writeSetting(dataDir: string, setting: Setting): void {
  const exchange = new Exchange()
  const records: Uint8Array[] = []
  const apply = (command: Parameters<typeof encodeCommand>[0]) => {
    exchange.apply(command)
    records.push(encodeCommand(command))
  }
  setUp(setting, exchange, apply, openSeal(dataDir))
  fillJournal(dataDir, records)
}

/** A whole server except HTTP. Orders enter the sequencer as from the intake. */
export function openFolder(
  dataDir: string,
  onSnapshot: (saved: SavedSnapshot) => void = () => {},
): Promise<RunningExchange> {
  return openToKill(dataDir, { nowMs: START_MS }, 'auto', {
    onSnapshot,
    onWarning: (sentence) => {
      throw new Error(sentence)
    },
    // Snapshots are taken only when a bench requests one.
    snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
  })
}

/** Stamps a control command; retries until the rings have capacity for it. */
export async function change({ pipeline }: RunningExchange, body: ControlBody): Promise<void> {
  while (pipeline.sequencer.change(() => body).reject !== null) await new Promise(setImmediate)
}

export async function whenCaughtUp({ pipeline, follower }: RunningExchange): Promise<void> {
  await pipeline.whenIdle()
  const applied = await follower.whenApplied(pipeline.clearing.lastSeq, CAUGHT_UP_MS)
  assert(applied, 'the follower catches up')
}

/** Resident memory once every thread is idle. */
export async function residentBytes(exchange: RunningExchange): Promise<number> {
  await whenCaughtUp(exchange)
  globalThis.gc?.()
  return process.memoryUsage().rss
}

/** Writes a history of commands into the journal and, by a follower, into the read tables. */
export function writeHistory(dataDir: string, history: (seal: Seal) => Iterable<Uint8Array>): void {
  const seal = openSeal(dataDir)
  const tail = fillJournal(dataDir, history(seal), BATCH)
  const follower = new Follower(seal.keyed(dataDir))
  while (follower.step(tail.seq)) {
    progress(`${follower.readSeq} of ${tail.seq} commands are in the tables`)
  }
  follower.close()
}
