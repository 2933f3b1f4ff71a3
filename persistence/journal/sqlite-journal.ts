import type { Hmac } from 'node:crypto'
import { dirname } from 'node:path'
import { codeOf } from '../../engine/domain/error-code.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import { type Connection, type Durability, openCheckpointer, type Statement } from '../database.ts'
import { checkIdentities, type FileIdentity, identityOf } from '../file-identity.ts'
import { DataFolderError, speaking } from '../folder-error.ts'
import { type KeyedFolder, macsOf } from '../keyed-folder.ts'
import type { CheckpointCall, WalState } from './checkpoint-call.ts'
import { nextBatch, same } from './journal-chain.ts'
import { type EndRow, HOLDING, journalPath, openJournal, tailOf } from './journal-end.ts'
import { HeadFile, headPath } from './journal-head.ts'
import type { Batch, JournalTail } from './journal-port.ts'
import { type Segment, segmentPath } from './segments/segment-folder.ts'
import { listSegment, REMOVE_THROUGH, SegmentList } from './segments/segment-list.ts'

// The embedded journal, with one row per group commit. Each row has a MAC over itself and the
// previous MAC, so over all earlier rows. Old rows leave `journal.db` once a segment has them: each
// row is in the journal, in a segment, or in both.

const INSERT = 'INSERT INTO batches (first_seq, last_seq, records, checksum) VALUES (?, ?, ?, ?)'
const REMOVABLE =
  'SELECT first_seq AS firstSeq, length(records) AS bytes FROM batches ' +
  'WHERE first_seq <= ? ORDER BY first_seq LIMIT 16'

// A commit appends to the WAL. The checkpoint thread copies the WAL into the database in parallel.
// But only a fully copied WAL restarts, and a busy writer is always a few commits ahead of that
// thread. So when a long WAL is almost copied, the writer copies the rest between two commits. The
// next commit then starts at the beginning of the file.

/**
 * The writer requests a checkpoint after about this many committed bytes. Both threads write to one
 * disk: after a larger copy, its fsync delays the commits, wherever it runs.
 */
const CHECKPOINT_BYTES = 2 << 20
/** A WAL of this length must restart. A reader in the way ends soon, because reads are short. */
const LONG_BYTES = 4 << 20
/** A remainder of this many frames takes the writer about as long as a commit. */
const SHORT_FRAMES = 64
/** Passes of one checkpoint over a long WAL. The writer's lead shrinks with each pass. */
const PASSES_MAX = 4
/** Above this size the writer waits for readers, so that the WAL stays bounded. */
const WAIT_BYTES = 64 << 20
const PAGE_BYTES = 4096
/** Rows of about this length leave the journal between two commits, and at most sixteen of them. */
const REMOVED_BYTES = 1 << 17
/** Pages that the file gives back between two commits. */
const VACUUMED_PAGES = 16
/** Free pages are used again. Above this part of the file, and this number, it shrinks. */
const FREE_PART = 1 / 4
const FREE_PAGES = 1024

/** The journal's single writer. A failed commit throws and ends the process. */
export class SqliteJournalWriter {
  readonly #path: string
  readonly #newMac: () => Hmac
  readonly #connection: Connection
  readonly #insert: Statement<[number, number, Uint8Array, Uint8Array]>
  readonly #removable: Statement<[number], { firstSeq: Seq; bytes: number }>
  readonly #remove: Statement<[number]>
  readonly #files: readonly FileIdentity[]
  readonly #head: HeadFile
  readonly #durability: Durability
  #tail: JournalTail
  /** Approximate bytes committed since a checkpoint was requested. */
  #freshBytes = 0
  /** Rows up to here are in segments. */
  #sealedSeq: Seq
  /** Whether rows or pages may still have to leave the file. */
  #isClean = false
  /** Length of the WAL when the last checkpoint started; 0 once it restarts. */
  #walBytes = 0

  /**
   * `tail` is the end found by recovery; a different end means a second writer. `lock` is the file
   * that excludes other processes, if there is one.
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
        `${this.#path}: the journal ended at seq ${tail.seq} when it was read, but now ends ` +
          `at seq ${found.seq}; another process writes it; stop that process first.`,
      )
    }
    this.#tail = tail
    this.#durability = durability
    // What a `normal` run left in the WAL must be on disk before the head promises it.
    speaking(this.#path, () => this.#connection.pragma('wal_checkpoint(TRUNCATE)'))
    this.#head = new HeadFile(folder, durability, tail)
    this.#insert = this.#connection.prepare(INSERT)
    this.#removable = this.#connection.prepare(REMOVABLE)
    this.#remove = this.#connection.prepare(REMOVE_THROUGH)
    this.#sealedSeq = new SegmentList(this.#connection).end.seq
    const own = [this.#path, `${this.#path}-wal`, headPath(dataDir)].map(identityOf)
    this.#files = lock === undefined ? own : [lock, ...own]
  }

  get lastSeq(): Seq {
    return this.#tail.seq
  }

  /** Sets a quota: above this many pages a commit fails as on a full disk. */
  limitPages(pages: number): void {
    this.#connection.pragma(`max_page_count = ${pages}`)
  }

  /** Throws if this writer no longer has the folder's files; see file-identity.ts. */
  checkFiles(): void {
    checkIdentities(this.#files)
  }

  /** Commits one batch. On return it is as durable as `durability` guarantees. */
  commit(lastSeq: Seq, records: Uint8Array): void {
    this.#commit(this.next(lastSeq, records))
  }

  /** The batch that these records are, after the last one. */
  next(lastSeq: Seq, records: Uint8Array): Batch {
    return nextBatch(this.#newMac, this.#tail, lastSeq, records)
  }

  /**
   * Commits a batch of a log. Throws if it does not follow this journal, or was changed.
   */
  copy(batch: Batch): void {
    const { checksum } = this.next(batch.lastSeq, batch.records)
    if (batch.firstSeq !== this.#tail.seq + 1 || !same(batch.checksum, checksum)) {
      throw DataFolderError.ofDamage(
        this.#path,
        `records ${batch.firstSeq} to ${batch.lastSeq} of the log do not follow this journal, ` +
          `which ends at seq ${this.#tail.seq}`,
      )
    }
    this.#commit(batch)
  }

  #commit({ firstSeq, lastSeq, records, checksum }: Batch): void {
    this.checkFiles()
    speaking(this.#path, () => {
      this.#add(firstSeq, lastSeq, records, checksum)
      this.#tail = { seq: lastSeq, checksum }
      this.#head.write(this.#tail)
    })
    this.#freshBytes += records.length + 3 * PAGE_BYTES
  }

  /**
   * The first process that commits a seq owns it: a second row cannot have the same `first_seq`.
   */
  #add(firstSeq: Seq, lastSeq: Seq, records: Uint8Array, checksum: Uint8Array): void {
    try {
      this.#insert.run(firstSeq, lastSeq, records, checksum)
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_CONSTRAINT')) throw error
      throw new DataFolderError(
        `${this.#path}: another process has written seq ${firstSeq}; this process stops and has ` +
          'acknowledged nothing from that seq on.',
      )
    }
  }

  /**
   * Keeps the WAL bounded; true if this thread copied. Runs between commits, after their reports.
   * `isTaken` means that the figures in `call` are from a checkpoint that has just ended.
   */
  boundWal(call: CheckpointCall, isTaken: boolean): boolean {
    if (isTaken) this.#walBytes = call.logFrames * PAGE_BYTES
    const restFrames = call.logFrames - call.copiedFrames
    const isAlmostCopied = isTaken && restFrames <= SHORT_FRAMES
    if (isAlmostCopied && this.#walBytes >= LONG_BYTES) return this.#copy('PASSIVE')
    if (this.#freshBytes < CHECKPOINT_BYTES) return false
    if (this.#walBytes + this.#freshBytes >= WAIT_BYTES) return this.#copy('RESTART')
    if (call.request()) this.#freshBytes = 0
    return false
  }

  /**
   * Lists a segment: its rows leave the journal from here on. Throws if the journal has other rows.
   * A segment that is listed already changes nothing. Takes as long as two commits.
   */
  addSegment(segment: Segment): void {
    if (segment.lastSeq <= this.#sealedSeq) return
    this.checkFiles()
    speaking(this.#path, () => {
      const row = this.#connection.prepare<[number], EndRow>(HOLDING).get(segment.lastSeq)
      const isOurs = row?.lastSeq === segment.lastSeq && same(row.checksum, segment.checksum)
      if (!isOurs || segment.firstSeq !== this.#sealedSeq + 1) {
        throw new DataFolderError(
          `${segmentPath(dirname(this.#path), segment)}: it is not a segment of this journal.`,
        )
      }
      // On disk the head must not name a row that leaves. And the file may be moved away, so the
      // list must survive a power failure also under `normal` durability.
      this.#head.sync()
      this.#withSync('FULL', () => listSegment(this.#connection, segment))
    })
    this.#sealedSeq = segment.lastSeq
    this.#isClean = false
    faultPoint('mid-sealing')
  }

  /**
   * Removes a few rows that are in segments, or gives a few free pages back. Returns false when
   * there is nothing left to do. What a power failure undoes is done again. On a full disk it waits
   * for the next segment.
   */
  clean(): boolean {
    if (this.#isClean) return false
    speaking(this.#path, () => {
      try {
        this.#withSync('NORMAL', () => {
          if (!this.#removeRows()) this.#isClean = !this.#shrink()
        })
      } catch (error) {
        if (codeOf(error) !== 'SQLITE_FULL') throw error
        this.#isClean = true
      }
    })
    this.#freshBytes += VACUUMED_PAGES * PAGE_BYTES
    faultPoint('mid-sealing')
    return !this.#isClean
  }

  #withSync(mode: 'FULL' | 'NORMAL', work: () => void): void {
    this.#connection.pragma(`synchronous = ${mode}`)
    try {
      work()
    } finally {
      this.#connection.pragma(`synchronous = ${this.#durability}`)
    }
  }

  /** False when no row is left that a segment has. */
  #removeRows(): boolean {
    let bytes = 0
    let lastSeq: Seq = 0
    for (const row of this.#removable.all(this.#sealedSeq)) {
      if (bytes > REMOVED_BYTES) break
      bytes += row.bytes
      lastSeq = row.firstSeq
    }
    if (lastSeq > 0) this.#remove.run(lastSeq)
    return lastSeq > 0
  }

  /** False when the file has the size that it should have. */
  #shrink(): boolean {
    const number = (name: string) => Number(this.#connection.pragma(name, { simple: true }))
    const free = number('freelist_count')
    if (free < FREE_PAGES || free < number('page_count') * FREE_PART) return false
    this.#connection.pragma(`incremental_vacuum(${VACUUMED_PAGES})`)
    return number('freelist_count') < free
  }

  /** A passive copy does not wait; a restart waits for readers and for the checkpoint thread. */
  #copy(mode: 'PASSIVE' | 'RESTART'): true {
    speaking(this.#path, () => {
      if (mode === 'RESTART') this.#connection.pragma('busy_timeout = 1000')
      const { logFrames, copiedFrames } = copyWal(this.#connection, mode)
      if (mode === 'RESTART') this.#connection.pragma('busy_timeout = 0')
      this.#walBytes = copiedFrames === logFrames ? 0 : logFrames * PAGE_BYTES
      if (mode === 'RESTART') this.#freshBytes = 0
    })
    return true
  }

  close(): void {
    this.#head.close()
    this.#connection.close()
  }
}

/** The checkpoint thread's side of a journal. */
export class JournalCheckpointer {
  readonly #file: FileIdentity
  readonly #connection: Connection

  /** Opens the file that the writer has open. Throws if its path is another file or missing. */
  constructor(file: FileIdentity, durability: Durability) {
    this.#file = file
    try {
      this.#connection = openCheckpointer(file.path, durability)
    } finally {
      // If it cannot be opened, a missing file is the better reason.
      checkIdentities([file])
    }
  }

  /** Copies the WAL; for a long WAL, also almost everything committed meanwhile. */
  copy(): WalState {
    checkIdentities([this.#file])
    return speaking(this.#file.path, () => {
      let before = 0
      let state = copyWal(this.#connection, 'PASSIVE')
      for (let pass = 1; pass < PASSES_MAX; pass++) {
        const isLong = state.logFrames * PAGE_BYTES >= LONG_BYTES
        if (!isLong || state.copiedFrames - before <= SHORT_FRAMES) break
        before = state.copiedFrames
        state = copyWal(this.#connection, 'PASSIVE')
      }
      return state
    })
  }

  close(): void {
    this.#connection.close()
  }
}

/** SQLite returns -1 for both while another connection copies. */
function copyWal(connection: Connection, mode: 'PASSIVE' | 'RESTART'): WalState {
  const sql = `PRAGMA wal_checkpoint(${mode})`
  const [state] = connection.prepare<[], { log: number; checkpointed: number }>(sql).all()
  return { logFrames: Math.max(0, state.log), copiedFrames: Math.max(0, state.checkpointed) }
}
