import type { Hmac } from 'node:crypto'
import { codeOf } from '../../engine/domain/error-code.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { eachRecord, recordSeq } from '../../engine/wire/codec.ts'
import { type Connection, type Durability, openReadOnly, type Statement } from '../database.ts'
import { checkIdentities, type FileIdentity, identityOf } from '../file-identity.ts'
import { DataFolderError, speaking } from '../folder-error.ts'
import { type KeyedFolder, macsOf } from '../keyed-folder.ts'
import { chain, EMPTY_TAIL, same } from './journal-chain.ts'
import {
  checkEnd,
  type EndRow,
  HOLDING,
  type JournalEnd,
  journalPath,
  openJournal,
  tailOf,
} from './journal-end.ts'
import { HeadFile, headPath } from './journal-head.ts'
import type { Batch, JournalReader, JournalTail } from './journal-port.ts'

// The embedded journal: one row per group commit. Each row has a MAC over itself and over the MAC
// before it, and so over all earlier rows. `journal.db` only grows.

const INSERT = 'INSERT INTO batches (first_seq, last_seq, records, checksum) VALUES (?, ?, ?, ?)'
const PAGE =
  'SELECT first_seq AS firstSeq, last_seq AS lastSeq, records, checksum FROM batches ' +
  'WHERE first_seq >= ? ORDER BY first_seq LIMIT 16'

/**
 * A commit appends to the WAL. Past this many bytes the writer copies the WAL into the database,
 * after it has reported the commit. Readers are short, so a reader that is in the way ends soon.
 */
const CHECKPOINT_BYTES = 8 << 20
/** Past this many bytes the writer waits for readers, so that the WAL stays bounded. */
const CHECKPOINT_WAIT_BYTES = 64 << 20
const PAGE_BYTES = 4096

export class SqliteJournalReader implements JournalReader {
  readonly #path: string
  readonly #folder: KeyedFolder
  readonly #newMac: () => Hmac
  readonly #connection: Connection
  readonly #page: Statement<[number], Batch>
  readonly #holding: Statement<[number], EndRow>

  constructor(folder: KeyedFolder) {
    this.#folder = folder
    this.#newMac = macsOf(folder, 'journal')
    this.#path = journalPath(folder.dataDir)
    this.#connection = openReadOnly(this.#path)
    const prepare = () => ({
      page: this.#connection.prepare<[number], Batch>(PAGE),
      holding: this.#connection.prepare<[number], EndRow>(HOLDING),
    })
    const statements = speaking(this.#path, prepare)
    this.#page = statements.page
    this.#holding = statements.holding
  }

  get lastSeq(): Seq {
    return speaking(this.#path, () => tailOf(this.#connection).seq)
  }

  /** Compares the end with journal.head. Call it only while no process writes the journal. */
  checkEnd(): JournalEnd {
    return speaking(this.#path, () => checkEnd(this.#folder, this.#connection))
  }

  /** Gives the checksum of the batch that ends at `seq`; null when no batch ends there. */
  checksumAt(seq: Seq): Uint8Array | null {
    if (seq === 0) return EMPTY_TAIL.checksum
    const row = speaking(this.#path, () => this.#holding.get(seq))
    return row !== undefined && row.lastSeq === seq ? row.checksum : null
  }

  *batches(fromSeq: Seq): Generator<Batch, void> {
    let previous = this.#before(fromSeq)
    for (;;) {
      // Read a page at a time: an open cursor would hold the WAL, and the WAL would grow.
      const rows = speaking(this.#path, () => this.#page.all(previous.seq + 1))
      for (const batch of rows) {
        this.#check(previous, batch)
        previous = { seq: batch.lastSeq, checksum: batch.checksum }
        yield batch
      }
      if (rows.length === 0) return
    }
  }

  #before(fromSeq: Seq): JournalTail {
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
    if (!same(chain(this.#newMac(), previous.checksum, batch), batch.checksum)) {
      this.#refuse(
        `the checksum of records ${batch.firstSeq} to ${batch.lastSeq} does not match: ` +
          'these records or earlier ones were changed, or written without the key',
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
  readonly #newMac: () => Hmac
  readonly #connection: Connection
  readonly #insert: Statement<[number, number, Uint8Array, Uint8Array]>
  readonly #files: readonly FileIdentity[]
  readonly #head: HeadFile
  #tail: JournalTail
  /** About the bytes committed since the last checkpoint, and the WAL's length at that time. */
  #freshBytes = 0
  #walBytes = 0

  /**
   * `tail` is the end that recovery found; another end now means a second writer. `lock` is the
   * file that keeps a second process out, if there is one.
   */
  constructor(folder: KeyedFolder, durability: Durability, tail: JournalTail, lock?: FileIdentity) {
    const { dataDir } = folder
    this.#path = journalPath(dataDir)
    this.#newMac = macsOf(folder, 'journal')
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
    // What a `normal` run left in the WAL must be on the disk before the head promises it.
    speaking(this.#path, () => this.#connection.pragma('wal_checkpoint(TRUNCATE)'))
    this.#head = new HeadFile(folder, durability, tail)
    this.#insert = this.#connection.prepare(INSERT)
    const own = [this.#path, `${this.#path}-wal`, headPath(dataDir)].map(identityOf)
    this.#files = lock === undefined ? own : [lock, ...own]
  }

  get lastSeq(): Seq {
    return this.#tail.seq
  }

  /** Sets a quota: past this many pages a commit fails as on a full disk. */
  limitPages(pages: number): void {
    this.#connection.pragma(`max_page_count = ${pages}`)
  }

  /** Throws when this writer no longer has the files of the folder; see file-identity.ts. */
  checkFiles(): void {
    checkIdentities(this.#files)
  }

  /** Commits one batch. When it returns the batch is as durable as `durability` promises. */
  commit(lastSeq: Seq, records: Uint8Array): void {
    this.checkFiles()
    const firstSeq = this.#tail.seq + 1
    const checksum = chain(this.#newMac(), this.#tail.checksum, { firstSeq, lastSeq, records })
    speaking(this.#path, () => {
      this.#add(firstSeq, lastSeq, records, checksum)
      this.#tail = { seq: lastSeq, checksum }
      this.#head.write(this.#tail)
    })
    this.#freshBytes += records.length + 3 * PAGE_BYTES
  }

  /** The first process that commits a seq has it: a second row cannot have the same `first_seq`. */
  #add(firstSeq: Seq, lastSeq: Seq, records: Uint8Array, checksum: Uint8Array): void {
    try {
      this.#insert.run(firstSeq, lastSeq, records, checksum)
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_CONSTRAINT')) throw error
      throw new DataFolderError(
        `${this.#path}: another process has written seq ${firstSeq}; this one stops, and has ` +
          'acknowledged nothing from that seq on.',
      )
    }
  }

  /** Keeps the WAL bounded; true if there was work. Runs between commits, after their reports. */
  checkpoint(): boolean {
    if (this.#freshBytes < CHECKPOINT_BYTES) return false
    speaking(this.#path, () => {
      // A passive checkpoint does not wait for readers. The WAL restarts when no reader is in it.
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
