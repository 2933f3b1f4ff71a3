import { statSync } from 'node:fs'
import { DataFolderError, speaking } from './folder-error.ts'

// Identifies the file that a path had when the process opened it. A file may be deleted or replaced
// while the process runs. It still accepts writes then, but no other process sees them, and a lock
// on it excludes no process.

export interface FileIdentity {
  readonly path: string
  readonly device: number
  readonly inode: number
}

function found(path: string): { dev: number; ino: number } | undefined {
  return speaking(path, () => statSync(path, { throwIfNoEntry: false }))
}

/** Called immediately after the file was opened. */
export function identityOf(path: string): FileIdentity {
  const { dev, ino } = found(path) ?? { dev: 0, ino: 0 }
  return { path, device: dev, inode: ino }
}

/** Throws if a path is another file or missing. Costs about a microsecond per file. */
export function checkIdentities(files: readonly FileIdentity[]): void {
  for (const { path, device, inode } of files) {
    const now = found(path)
    if (now?.ino === inode && now.dev === device) continue
    throw new DataFolderError(
      `${path}: the file was deleted or replaced while this process used it; this process ` +
        'stops before it writes more, so that two processes never write one journal. What it ' +
        'acknowledged is in its open files.',
    )
  }
}
