import { type Connection, type Statement, speaking } from './database.ts'
import { journalPath, openJournal, prepareJournal, SqliteJournalReader } from './sqlite-journal.ts'

const READ = 'SELECT value FROM marks WHERE name = ?'
const WRITE =
  'INSERT INTO marks (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'

/** Small facts about a journal that are no commands: what it was written with. */
export class JournalMarks {
  readonly #path: string
  readonly #connection: Connection
  readonly #read: Statement<[string], { value: Uint8Array }>
  /** No command was ever acknowledged in this folder. */
  readonly journalIsEmpty: boolean

  /** Only while nobody writes the journal. Creates an empty one in a new folder. */
  constructor(dataDir: string) {
    this.#path = journalPath(dataDir)
    prepareJournal(dataDir)
    const reader = new SqliteJournalReader(dataDir)
    try {
      const end = reader.checkEnd()
      this.journalIsEmpty = end.tail.seq === 0 && end.lostRecords === 0
    } finally {
      reader.close()
    }
    this.#connection = openJournal(dataDir, 'full')
    this.#read = speaking(this.#path, () => this.#connection.prepare(READ))
  }

  read(name: string): Uint8Array | undefined {
    return speaking(this.#path, () => this.#read.get(name)?.value)
  }

  write(name: string, value: Uint8Array): void {
    speaking(this.#path, () => this.#connection.prepare(WRITE).run(name, value))
  }

  close(): void {
    this.#connection.close()
  }
}
