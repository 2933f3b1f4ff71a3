import { join } from 'node:path'
import { type Connection, DataFolderError, openLockFile, speaking } from './database.ts'

/**
 * Keeps a second process out of a data folder. Node has no flock; an open exclusive transaction
 * does the same and ends with its owner, however that one dies.
 */
export class DataLock {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Takes the folder, creating it when there is none, or says who is in the way. */
  static take(dataDir: string): DataLock {
    const path = join(dataDir, 'lock.db')
    try {
      const connection = openLockFile(path)
      speaking(path, () => connection.exec('BEGIN EXCLUSIVE'))
      return new DataLock(connection)
    } catch (error) {
      if (error instanceof Error && /SQLITE_(BUSY|LOCKED)/.test(error.message)) {
        throw new DataFolderError(
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
