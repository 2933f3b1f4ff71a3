import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

// What another user can do with files that it may read and not write. Root may write everything,
// so a test that runs as root works as `nobody` meanwhile.

const NOBODY = 65_534

/** Lets everybody read a tree, and nobody but root write it. */
function openToReaders(path: string): void {
  const isFolder = lstatSync(path).isDirectory()
  if (isFolder) for (const name of readdirSync(path)) openToReaders(join(path, name))
  chmodSync(path, isFolder ? 0o555 : 0o444)
}

function giveBack(path: string): void {
  const isFolder = lstatSync(path).isDirectory()
  chmodSync(path, isFolder ? 0o700 : 0o600)
  if (isFolder) for (const name of readdirSync(path)) giveBack(join(path, name))
}

/** Runs the work while this process can read the folder, but not `hidden`, and write nothing. */
export async function asReader<T>(
  folder: string,
  work: () => Promise<T>,
  hidden: readonly string[] = [],
): Promise<T> {
  openToReaders(folder)
  for (const name of hidden) chmodSync(join(folder, name), 0)
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
    giveBack(folder)
  }
}
