import { randomInt } from 'node:crypto'
import { CheckpointCall } from '../../journal/checkpoint-call.ts'
import type { Segment } from '../../journal/segments/segment-folder.ts'
import { SqliteJournalWriter } from '../../journal/sqlite-journal.ts'
import { CLEAN_EACH_MS } from '../../journal/thread/cleaner.ts'
import { PostgresLog } from '../postgres-log.ts'
import type { LocalCopy, LogWorld } from './log-member.ts'
import { type LogThreadData, processMs } from './log-thread.ts'

/** A copy whose old rows leave it for segments. */
interface SealedCopy extends LocalCopy {
  addSegment(segment: Segment): void
}

/** The copy in the data folder. Its commits do not wait for the disk: the log has every record. */
function localCopy({ folder, tail, lock, call: shared }: LogThreadData): SealedCopy {
  const journal = new SqliteJournalWriter(folder, 'normal', tail, lock)
  const call = new CheckpointCall(shared)
  call.open()
  let timer: NodeJS.Timeout | undefined
  const clean = () => {
    const isMore = journal.clean()
    journal.boundWal(call, call.take())
    timer = isMore ? setTimeout(clean, CLEAN_EACH_MS) : undefined
  }
  clean()
  return {
    copy(batch) {
      journal.copy(batch)
      journal.boundWal(call, call.take())
    },
    addSegment(segment) {
      journal.addSegment(segment)
      if (timer === undefined) clean()
    },
    close() {
      clearTimeout(timer)
      journal.close()
    },
  }
}

/** PostgreSQL, the data folder and the clock of the process. */
export function logWorld(data: LogThreadData): LogWorld & { readonly copy: SealedCopy } {
  const { address, node } = data
  return {
    connect: () => PostgresLog.connect(address, node.name),
    copy: localCopy(data),
    nowMs: processMs,
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    random: (below) => randomInt(below),
  }
}
