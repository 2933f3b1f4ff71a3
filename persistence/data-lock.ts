import { join } from 'node:path'
import { type Connection, openLockFile } from './database.ts'
import { type FileIdentity, identityOf } from './file-identity.ts'
import { speaking, UnreadFolder } from './folder-error.ts'

/**
 * Keeps a second process out of a data folder. Node has no flock. An open exclusive transaction
 * does the same, and it ends with its process, however the process dies.
 */
export class DataLock {
  /** A lock on a deleted file keeps no process out, so the journal writer checks this file. */
  readonly file: FileIdentity
  readonly #connection: Connection

  constructor(connection: Connection, file: FileIdentity) {
    this.#connection = connection
    this.file = file
  }

  /**
   * Locks the folder, and creates it when it does not exist. Throws when another process has it.
   */
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
