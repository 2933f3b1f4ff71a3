import type { FileChanges } from './mutation.ts'

// Which folders are read, and where nothing can be written.

const UNWRITABLE = ['test/server/cli/folder/unwritable.test.ts']
const UNFINISHED = ['test/crash/unfinished-copies.test.ts']

export const FOLDER_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/journal/journal-end.ts',
    tests: UNFINISHED,
    changes: [['a copy that was not finished is read', 'refuseUnfinishedCopy(dataDir)\n', '\n']],
  },
  {
    file: 'persistence/snapshot/emptied-folder.ts',
    tests: UNFINISHED,
    changes: [
      [
        'a new exchange begins beside the snapshots of another',
        'const isSaved = snapshotSeqs(dataDir).length > 0',
        'const isSaved = false',
      ],
      [
        'a new exchange begins beside the read tables of another',
        '!isSaved && !hasAppliedRows(tables)',
        '!isSaved',
      ],
    ],
  },
  {
    file: 'persistence/database.ts',
    tests: UNWRITABLE,
    changes: [
      [
        'a database is read only where a file can be made beside it',
        'return readerOf(readableCopy(path))',
        'throw error',
      ],
    ],
  },
  {
    file: 'persistence/backup/copied-journal.ts',
    tests: UNWRITABLE,
    changes: [['a finished copy stays in WAL mode', "'journal_mode = DELETE'", "'journal_mode'"]],
  },
]
