import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError, speaking, syncFolder } from './folder-error.ts'

// A copy of a data folder is marked from before its first file until it is whole. Without the mark
// a copy that was cut off early looks like the folder of a first start: a journal without commands.

export const COPY_MARK = 'copy.unfinished'
const TEXT = 'outcomex backup or outcomex restore has not finished this copy; run it again.\n'

const markPath = (copyDir: string) => join(copyDir, COPY_MARK)

/** The mark is on the disk when this returns. */
export function markCopy(copyDir: string): void {
  const path = markPath(copyDir)
  speaking(path, () => {
    const file = openSync(path, 'w', 0o600)
    writeSync(file, TEXT)
    fsyncSync(file)
    closeSync(file)
    syncFolder(copyDir)
  })
}

/** Call it when everything else of the copy is on the disk. */
export function unmarkCopy(copyDir: string): void {
  const path = markPath(copyDir)
  speaking(path, () => {
    rmSync(path, { force: true })
    syncFolder(copyDir)
  })
}

export function refuseUnfinishedCopy(dataDir: string): void {
  if (!existsSync(markPath(dataDir))) return
  throw new DataFolderError(
    `${dataDir}: this is a copy that was not finished (it holds ${COPY_MARK}); run the outcomex ` +
      'backup or outcomex restore that makes it once more, which goes on where it stopped.',
  )
}
