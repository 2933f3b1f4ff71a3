// The latency of orders while old commands leave the journal: the same constant rate while the rows
// of one segment are removed and the next one is sealed, and without. Latency counts from the
// intended start of each command.

import { setTimeout as pause } from 'node:timers/promises'
import { assert } from '../../engine/domain/assert.ts'
import { HOUR_MS } from '../../engine/domain/units.ts'
import { archivedNames, SEGMENT_NAME } from '../../persistence/journal/segments/segment-folder.ts'
import { openToKill } from '../../test/support/bare-exchange.ts'
import { writeSetting } from '../exchange/exchange-folder.ts'
import { alternate, type Row, rowOf } from '../harness/bench.ts'
import { withFolder } from '../harness/folder.ts'
import { besideRows, type Latencies, paced } from '../harness/pacer.ts'
import { START_MS } from '../workload/setting.ts'
import { workloadOf } from '../workload/workload.ts'
import { flood, WorkloadFeed } from '../workload/workload-feed.ts'

const PER_SECOND = 2000
const ACCOUNTS = 64
const MARKETS = 2
const TICK_MS = 20
const READ_TABLES_MS_MAX = 120_000

export interface SealingSize {
  readonly rounds: number
  /** Commands before the measurement, so that there is a journal to seal. */
  readonly before: number
  readonly live: number
  readonly seconds: number
  readonly segmentBytes: number
}

interface Run {
  readonly latencies: Latencies
  /** Segments at the end of the measurement, which begins with one. */
  readonly sealed: number
}

function segmentsIn(dataDir: string): number {
  return archivedNames(dataDir).filter((name) => SEGMENT_NAME.test(name)).length
}

function run(seals: boolean, size: SealingSize): Promise<Run> {
  const { before, live, seconds, segmentBytes } = size
  const count = PER_SECOND * seconds
  return withFolder(async (dataDir) => {
    writeSetting(dataDir, { accounts: ACCOUNTS, markets: MARKETS })
    const exchange = await openToKill(dataDir, { nowMs: START_MS }, 'auto', {
      onWarning: (sentence) => {
        throw new Error(sentence)
      },
      snapshotEveryCommands: Number.MAX_SAFE_INTEGER,
      journalDays: 0,
      segmentBytes,
    })
    const { pipeline, follower, snapshots, segments } = exchange
    const ops = before + count
    const work = workloadOf({ seed: 1, books: MARKETS, accounts: ACCOUNTS, live, ops })
    const feed = new WorkloadFeed(work, pipeline)
    const from = work.count - count
    // Both of the two snapshots that a segment needs cover nearly all.
    await flood(feed, { from: 0, to: from - 2 })
    await follower.whenApplied(pipeline.clearing.lastSeq, READ_TABLES_MS_MAX)
    await snapshots.take()
    await flood(feed, { from: from - 2, to: from })
    await snapshots.take()
    let tickMs = 0
    const timer = setInterval(() => {
      tickMs += HOUR_MS
      if (seals) segments.tick(tickMs)
    }, TICK_MS)
    // The thread of the next segment starts once for many seconds, and is not measured.
    while (seals && !isUnderWay(dataDir)) await pause(TICK_MS)
    const latencies = await paced({ perSecond: PER_SECOND, count }, (index, done) => {
      if (!feed.send(from + index, done)) throw new Error('the rings are full at this rate')
    })
    clearInterval(timer)
    const sealed = segmentsIn(dataDir)
    assert(seals || sealed === 0, 'nothing is sealed without a tick')
    await exchange.stop()
    return { latencies, sealed }
  })
}

/** Whether one segment is complete, and the next one is written, or was too short to be seen. */
function isUnderWay(dataDir: string): boolean {
  return segmentsIn(dataDir) > 0 && archivedNames(dataDir).length > 1
}

export async function sealingRows(size: SealingSize): Promise<Row[]> {
  const about = 'years: p99 while segments are sealed'
  const [plain, sealing] = await alternate({ about, rounds: size.rounds }, () => [
    () => run(false, size),
    () => run(true, size),
  ])
  const rows = besideRows('segments are sealed', sealing, plain)
  const sealed = sealing.map((each) => each.sealed)
  return [...rows, rowOf('segments at the end of a run', 'segments', sealed)]
}
