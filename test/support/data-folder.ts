import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const made: string[] = []
after(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true })
})

/** An empty folder that is gone when the file's tests are. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'outcomex-test-'))
  made.push(path)
  return path
}

export function copyFolder(from: string): string {
  const path = newFolder()
  cpSync(from, path, { recursive: true })
  return path
}
