import { statSync } from 'node:fs'
import { DataFolderError, speaking } from './folder-error.ts'

// Which file a name stood for when it was opened. A file that was deleted or replaced under a
// running process still takes its writes, and nobody else sees them; a lock on it keeps nobody out.

export interface FileIdentity {
  readonly path: string
  readonly device: number
  readonly inode: number
}

function found(path: string): { dev: number; ino: number } | undefined {
  return speaking(path, () => statSync(path, { throwIfNoEntry: false }))
}

/** Call it when the file has just been opened. */
export function identityOf(path: string): FileIdentity {
  const { dev, ino } = found(path) ?? { dev: 0, ino: 0 }
  return { path, device: dev, inode: ino }
}

/** Throws when a name stands for another file, or none. About a microsecond a file. */
export function checkIdentities(files: readonly FileIdentity[]): void {
  for (const { path, device, inode } of files) {
    const now = found(path)
    if (now?.ino === inode && now.dev === device) continue
    throw new DataFolderError(
      `${path}: the file was deleted or replaced while this process used it; it stops before it ` +
        'writes anything more, so that two processes never write one journal. What it ' +
        'acknowledged is in the files it had open.',
    )
  }
}
