import { speaking } from '../folder-error.ts'
import { EMPTY_TAIL } from './journal-chain.ts'
import { journalPath, openJournal, readUntouched, tailOf } from './journal-end.ts'
import { claimedSeq } from './journal-head.ts'

// Small values of a journal that are not commands, such as the sealed folder key.

const READ = 'SELECT value FROM marks WHERE name = ?'
const WRITE =
  'INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'

export interface FoundMark {
  readonly value: Uint8Array | undefined
  /** Whether no command was ever acknowledged in this folder. */
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

/** Returns once the mark is on disk outside the WAL, so that a lost WAL does not lose it. */
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
