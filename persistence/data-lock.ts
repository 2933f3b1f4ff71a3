import { join } from 'node:path'
import { type Connection, openLockFile } from './database.ts'
import { type FileIdentity, identityOf } from './file-identity.ts'
import { speaking, UnreadFolder } from './folder-error.ts'

/**
 * Keeps a second process out of a data folder. Node has no flock; an open exclusive transaction
 * does the same and ends with its owner, however that one dies.
 */
export class DataLock {
  /** A lock on a file that was deleted keeps nobody out: the writer checks that it is there. */
  readonly file: FileIdentity
  readonly #connection: Connection

  constructor(connection: Connection, file: FileIdentity) {
    this.#connection = connection
    this.file = file
  }

  /** Takes the folder, creating it when there is none, or says who is in the way. */
  static take(dataDir: string): DataLock {
    const path = join(dataDir, 'lock.db')
    try {
      const connection = openLockFile(path)
      speaking(path, () => connection.exec('BEGIN EXCLUSIVE'))
      return new DataLock(connection, identityOf(path))
    } catch (error) {
      if (error instanceof Error && /SQLITE_(BUSY|LOCKED)/.test(error.message)) {
        throw new UnreadFolder(
          `${dataDir}: another outcomex process uses this data folder; stop it first, or choose ` +
            'another folder with --data.',
        )
      }
      throw error
    }
  }

  release(): void {
    this.#connection.close()
  }
}
