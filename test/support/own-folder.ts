import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Empties the folder of a program that keeps nothing from run to run, and gives its whole path;
 * null when it holds what that program did not make.
 */
export function emptiedFolder(folder: string, mark: string): string | null {
  const path = resolve(folder)
  const isOurs = existsSync(join(path, mark))
  if (!isOurs && existsSync(path) && readdirSync(path).length > 0) return null
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  writeFileSync(join(path, mark), '')
  return path
}
