import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eachRecord, recordSeq } from '../engine/wire/codec.ts'
import {
  type Connection,
  DataFolderError,
  type Durability,
  openReadOnly,
  openWritable,
  type Statement,
  schemaVersion,
  speaking,
} from './database.ts'
import { HeadFile, headPath, readHead } from './journal-head.ts'
import type { Batch, JournalReader, JournalTail } from './journal-port.ts'
import { JOURNAL_MIGRATIONS } from './migrations/journal.ts'

// The embedded journal: one row per group commit, each with a checksum over itself and, through the
// checksum before it, over all that came earlier. `journal.db` only grows.

const INSERT = 'INSERT INTO batches (first_seq, last_seq, records, checksum) VALUES (?, ?, ?, ?)'
const LAST =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, checksum FROM batches ' +
  'ORDER BY first_seq DESC LIMIT 1'
const HOLDING =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, checksum FROM batches ' +
  'WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1'
const PAGE =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, records, checksum FROM batches ' +
  'WHERE first_seq >= ? ORDER BY first_seq LIMIT 16'

/**
 * A commit appends to the WAL; past this many bytes the writer copies it into the database, after
 * it told everyone of the commit. Readers are short, so one that is in the way now is gone soon.
 */
const CHECKPOINT_BYTES = 8 << 20
/** Past this the writer waits for readers, so that the WAL stays bounded. */
const CHECKPOINT_WAIT_BYTES = 64 << 20
const PAGE_BYTES = 4096

const NO_CHECKSUM = new Uint8Array(32)
export const EMPTY_TAIL: JournalTail = { seq: 0, checksum: NO_CHECKSUM }

interface EndRow {
  firstSeq: number
  lastSeq: number
  checksum: Uint8Array
}

export function journalPath(dataDir: string): string {
  return join(dataDir, 'journal.db')
}

function chain(before: Uint8Array, batch: Omit<Batch, 'checksum'>): Uint8Array {
  const seqs = Buffer.alloc(16)
  seqs.writeDoubleLE(batch.firstSeq, 0)
  seqs.writeDoubleLE(batch.lastSeq, 8)
  return createHash('sha256').update(before).update(seqs).update(batch.records).digest()
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function tailOf(connection: Connection): JournalTail {
  const row = connection.prepare<[], EndRow>(LAST).get()
  return row === undefined ? EMPTY_TAIL : { seq: row.lastSeq, checksum: row.checksum }
}

/** Where the journal of a folder ends, and what a power cut took under `normal` durability. */
export interface JournalEnd {
  readonly tail: JournalTail
  readonly lostRecords: number
}

/**
 * Creates the journal of a new folder, and refuses one whose end is gone. The end is read before
 * anything is written: a checkpoint of a damaged WAL would throw away what could still be saved.
 */
export function prepareJournal(dataDir: string): void {
  const path = journalPath(dataDir)
  if (existsSync(path)) checkUntouched(dataDir)
  else refuseLostFile(dataDir)
  const connection = openJournal(dataDir, 'full')
  // The schema leaves the WAL at once: a lost WAL then never looks like a new folder.
  speaking(path, () => connection.pragma('wal_checkpoint(TRUNCATE)'))
  connection.close()
}

function checkUntouched(dataDir: string): void {
  const path = journalPath(dataDir)
  const connection = openReadOnly(path)
  try {
    speaking(path, () => {
      if (schemaVersion(connection) > 0) checkEnd(dataDir, connection)
      else refuseLostFile(dataDir)
    })
  } finally {
    connection.close()
  }
}

function refuseLostFile(dataDir: string): void {
  const head = readHead(dataDir)
  if (head === null || head.seq === 0) return
  throw new DataFolderError(
    `${journalPath(dataDir)}: the file is missing or empty, and journal.head says that it ended ` +
      `at seq ${head.seq}; restore the data folder from a backup.`,
  )
}

/** For its one writer; checkpoints are the caller's. */
export function openJournal(dataDir: string, durability: Durability): Connection {
  return openWritable(journalPath(dataDir), {
    durability,
    migrations: JOURNAL_MIGRATIONS,
    autocheckpointPages: 0,
  })
}

/** Compares the end of the journal with journal.head; throws when acknowledged records are gone. */
function checkEnd(dataDir: string, connection: Connection): JournalEnd {
  const path = journalPath(dataDir)
  const tail = tailOf(connection)
  const head = readHead(dataDir)
  if (head === null) {
    if (tail.seq === 0) return { tail, lostRecords: 0 }
    throw new DataFolderError(
      `${headPath(dataDir)}: the file is missing, so the end of the journal (seq ${tail.seq}) ` +
        'cannot be checked; restore the data folder from a backup.',
    )
  }
  if (head.seq > tail.seq) {
    if (head.durability === 'normal') return { tail, lostRecords: head.seq - tail.seq }
    throw new DataFolderError(
      `${path}: the journal ends at seq ${tail.seq}, but seq ${head.seq} was acknowledged: ` +
        `${head.seq - tail.seq} records are lost, its -wal file is missing or damaged; ` +
        'put the file back or restore the data folder from a backup.',
    )
  }
  if (head.seq === 0) return { tail, lostRecords: 0 }
  const row = connection.prepare<[number], EndRow>(HOLDING).get(head.seq)
  if (row === undefined || row.lastSeq !== head.seq || !same(row.checksum, head.checksum)) {
    throw new DataFolderError(
      `${path}: the journal at seq ${head.seq} is not the one that journal.head was written for; ` +
        'the files come from different times, restore the whole data folder from one backup.',
    )
  }
  return { tail, lostRecords: 0 }
}

export class SqliteJournalReader implements JournalReader {
  readonly #path: string
  readonly #dataDir: string
  readonly #connection: Connection
  readonly #page: Statement<[number], Batch>
  readonly #last: Statement<[], EndRow>
  readonly #holding: Statement<[number], EndRow>

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#path = journalPath(dataDir)
    this.#connection = openReadOnly(this.#path)
    const prepare = () => ({
      page: this.#connection.prepare<[number], Batch>(PAGE),
      last: this.#connection.prepare<[], EndRow>(LAST),
      holding: this.#connection.prepare<[number], EndRow>(HOLDING),
    })
    const statements = speaking(this.#path, prepare)
    this.#page = statements.page
    this.#last = statements.last
    this.#holding = statements.holding
  }

  get lastSeq(): number {
    return speaking(this.#path, () => this.#last.get()?.lastSeq ?? 0)
  }

  /** Only for a journal that nobody writes: its end against journal.head. */
  checkEnd(): JournalEnd {
    return speaking(this.#path, () => checkEnd(this.#dataDir, this.#connection))
  }

  /** The checksum of the batch that ends at `seq`; null when none does. */
  checksumAt(seq: number): Uint8Array | null {
    if (seq === 0) return NO_CHECKSUM
    const row = speaking(this.#path, () => this.#holding.get(seq))
    return row !== undefined && row.lastSeq === seq ? row.checksum : null
  }

  *batches(fromSeq: number): Generator<Batch, void> {
    let previous = this.#before(fromSeq)
    for (;;) {
      // A page at a time: an open cursor would hold the WAL and keep it growing.
      const rows = speaking(this.#path, () => this.#page.all(previous.seq + 1))
      for (const batch of rows) {
        this.#check(previous, batch)
        previous = { seq: batch.lastSeq, checksum: batch.checksum }
        yield batch
      }
      if (rows.length === 0) return
    }
  }

  #before(fromSeq: number): JournalTail {
    const holding = speaking(this.#path, () => this.#holding.get(fromSeq))
    if (holding === undefined) return EMPTY_TAIL
    if (holding.lastSeq < fromSeq) return { seq: holding.lastSeq, checksum: holding.checksum }
    const before = speaking(this.#path, () => this.#holding.get(holding.firstSeq - 1))
    return before === undefined ? EMPTY_TAIL : { seq: before.lastSeq, checksum: before.checksum }
  }

  #check(previous: JournalTail, batch: Batch): void {
    const expected = previous.seq + 1
    if (batch.firstSeq !== expected) {
      this.#refuse(`records ${expected} to ${batch.firstSeq - 1} are missing`)
    }
    if (!same(chain(previous.checksum, batch), batch.checksum)) {
      this.#refuse(
        `the checksum of records ${batch.firstSeq} to ${batch.lastSeq} does not match: ` +
          'they, or something before them, were changed',
      )
    }
    let seq = expected
    eachRecord(batch.records, (record) => {
      if (recordSeq(record) !== seq) this.#refuse(`record ${seq} carries seq ${recordSeq(record)}`)
      seq++
    })
    if (seq !== batch.lastSeq + 1) {
      this.#refuse(`the batch from seq ${expected} ends at ${seq - 1}, not at ${batch.lastSeq}`)
    }
  }

  #refuse(what: string): never {
    throw new DataFolderError(
      `${this.#path}: the journal is damaged, ${what}; restore the data folder from a backup.`,
    )
  }

  close(): void {
    this.#connection.close()
  }
}

/** The one writer of a journal. A failure to commit is thrown and ends the process. */
export class SqliteJournalWriter {
  readonly #path: string
  readonly #connection: Connection
  readonly #insert: Statement<[number, number, Uint8Array, Uint8Array]>
  readonly #head: HeadFile
  #tail: JournalTail
  /** Committed since the last checkpoint, about; and the length of the WAL at that one. */
  #freshBytes = 0
  #walBytes = 0

  /** `tail` is where recovery found the end; another end now means a second writer. */
  constructor(dataDir: string, durability: Durability, tail: JournalTail) {
    this.#path = journalPath(dataDir)
    this.#connection = openJournal(dataDir, durability)
    const found = speaking(this.#path, () => tailOf(this.#connection))
    if (found.seq !== tail.seq || !same(found.checksum, tail.checksum)) {
      this.#connection.close()
      throw new DataFolderError(
        `${this.#path}: the journal ended at seq ${tail.seq} when it was read and ends at seq ` +
          `${found.seq} now; another process writes it, stop that process first.`,
      )
    }
    this.#tail = tail
    // What a `normal` run left in the WAL reaches the disk before the head may promise it.
    speaking(this.#path, () => this.#connection.pragma('wal_checkpoint(TRUNCATE)'))
    this.#head = new HeadFile(dataDir, durability, tail)
    this.#insert = this.#connection.prepare(INSERT)
  }

  get lastSeq(): number {
    return this.#tail.seq
  }

  /** A quota: past this many pages a commit fails as on a full disk. */
  limitPages(pages: number): void {
    this.#connection.pragma(`max_page_count = ${pages}`)
  }

  /** Commits one batch; when it returns the batch is as durable as was asked for. */
  commit(lastSeq: number, records: Uint8Array): void {
    const firstSeq = this.#tail.seq + 1
    const checksum = chain(this.#tail.checksum, { firstSeq, lastSeq, records })
    speaking(this.#path, () => {
      this.#insert.run(firstSeq, lastSeq, records, checksum)
      this.#tail = { seq: lastSeq, checksum }
      this.#head.write(this.#tail)
    })
    this.#freshBytes += records.length + 3 * PAGE_BYTES
  }

  /** Keeps the WAL bounded; true if there was work. Between commits, after the last was told. */
  checkpoint(): boolean {
    if (this.#freshBytes < CHECKPOINT_BYTES) return false
    speaking(this.#path, () => {
      // A passive checkpoint gives way to readers; the WAL starts anew once none is in it.
      const mustWait = this.#walBytes >= CHECKPOINT_WAIT_BYTES
      if (mustWait) this.#connection.pragma('busy_timeout = 1000')
      const [state] = this.#checkpointRows(mustWait ? 'RESTART' : 'PASSIVE')
      if (mustWait) this.#connection.pragma('busy_timeout = 0')
      this.#walBytes = state.log * PAGE_BYTES
      this.#freshBytes = 0
    })
    return true
  }

  #checkpointRows(mode: 'PASSIVE' | 'RESTART'): { log: number; checkpointed: number }[] {
    const sql = `PRAGMA wal_checkpoint(${mode})`
    return this.#connection.prepare<[], { log: number; checkpointed: number }>(sql).all()
  }

  close(): void {
    this.#head.close()
    this.#connection.close()
  }
}
