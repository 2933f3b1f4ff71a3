import { randomInt } from 'node:crypto'
import { CheckpointCall } from '../../journal/checkpoint-call.ts'
import { SqliteJournalWriter } from '../../journal/sqlite-journal.ts'
import { PostgresLog } from '../postgres-log.ts'
import type { LocalCopy, LogWorld } from './log-member.ts'
import { type LogThreadData, processMs } from './log-thread.ts'

/** The copy in the data folder. Its commits do not wait for the disk: the log has every record. */
function localCopy({ folder, tail, lock, call: shared }: LogThreadData): LocalCopy {
  const journal = new SqliteJournalWriter(folder, 'normal', tail, lock)
  const call = new CheckpointCall(shared)
  call.open()
  return {
    copy(batch) {
      journal.copy(batch)
      journal.boundWal(call, call.take())
    },
    close: () => journal.close(),
  }
}

/** PostgreSQL, the data folder and the clock of the process. */
export function logWorld(data: LogThreadData): LogWorld {
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
