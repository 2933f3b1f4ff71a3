import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError, speaking, syncFolder } from './folder-error.ts'

// A copy of a data folder is marked from before its first file until it is complete. Without the
// mark, an interrupted copy looks like the folder of a first start: a journal without commands.

export const COPY_MARK = 'copy.unfinished'
const TEXT =
  'This copy by outcomex backup or outcomex restore is unfinished; run the command again.\n'

const markPath = (copyDir: string) => join(copyDir, COPY_MARK)

/** Returns once the mark is on disk. */
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

/** Called when everything else of the copy is on disk. */
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
    `${dataDir}: this copy is unfinished (it contains ${COPY_MARK}); run the same outcomex ` +
      'backup or outcomex restore again, which continues where it stopped.',
  )
}
