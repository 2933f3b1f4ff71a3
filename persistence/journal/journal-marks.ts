import { speaking } from '../folder-error.ts'
import { EMPTY_TAIL } from './journal-chain.ts'
import { journalPath, openJournal, readUntouched, tailOf } from './journal-end.ts'
import { claimedSeq } from './journal-head.ts'

// Small facts about a journal that are no commands: what it was written with.

const READ = 'SELECT value FROM marks WHERE name = ?'
const WRITE =
  'INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'

export interface FoundMark {
  readonly value: Uint8Array | undefined
  /** No command was ever acknowledged in this folder. */
  readonly isEmpty: boolean
}

export function findMark(dataDir: string, name: string): FoundMark {
  const found = readUntouched(dataDir, (connection) => ({
    value: connection.prepare<[string], { value: Uint8Array }>(READ).get(name)?.value,
    tail: tailOf(connection),
  }))
  const { value, tail } = found ?? { value: undefined, tail: EMPTY_TAIL }
  return { value, isEmpty: tail.seq === 0 && claimedSeq(dataDir) === 0 }
}

/** On the disk when it returns, and no longer in the WAL: a lost WAL must not take it along. */
export function writeMark(dataDir: string, name: string, value: Uint8Array): void {
  const path = journalPath(dataDir)
  const connection = openJournal(dataDir, 'full')
  try {
    speaking(path, () => {
      connection.prepare<[string, Uint8Array]>(WRITE).run(name, value)
      connection.pragma('wal_checkpoint(TRUNCATE)')
    })
  } finally {
    connection.close()
  }
}
