import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Archive, digestOf } from './archive.ts'

// Where the files of the binary lie while it runs: in a folder of this user alone, named by their
// digest. Each start checks every file; what is not as it should be is unpacked anew.

const OURS_ALONE = 0o700

/** The folder with the files of the archive; throws a sentence when there is no place for it. */
export function unpacked(archive: Archive, env: NodeJS.ProcessEnv = process.env): string {
  const tried: string[] = []
  for (const root of rootsOf(env)) {
    try {
      const folder = join(ownFolder(root), archive.digest.slice(0, 32))
      if (!isWhole(folder, archive)) unpack(folder, archive)
      return folder
    } catch (error) {
      tried.push(`${root}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new Error(
    'there is no folder for the files of the program; name one with XDG_CACHE_HOME. ' +
      tried.join('; '),
  )
}

function rootsOf({ XDG_CACHE_HOME: cache }: NodeJS.ProcessEnv): string[] {
  const { uid } = userInfo()
  const named = cache === undefined || cache === '' ? join(homedir(), '.cache') : cache
  return [join(named, 'outcomex'), join(tmpdir(), `outcomex-${uid}`)]
}

/** Makes the folder, and refuses one in which another user can write. */
function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: OURS_ALONE })
  const { uid, mode } = lstatOf(path)
  if (uid !== userInfo().uid) throw new Error('it belongs to another user')
  if ((mode & 0o777) !== OURS_ALONE) chmodSync(path, OURS_ALONE)
  return path
}

function lstatOf(path: string) {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) throw new Error('it is no folder')
  return stat
}

function isWhole(folder: string, { index }: Archive): boolean {
  try {
    const { uid, mode } = lstatOf(folder)
    if (uid !== userInfo().uid || (mode & 0o777) !== OURS_ALONE) return false
    return index.every(({ name, sha256 }) => digestOf(readFileSync(join(folder, name))) === sha256)
  } catch {
    return false
  }
}

/** The folder gets its name when it is whole: two first starts at once do not meet. */
function unpack(folder: string, archive: Archive): void {
  const beside = mkdtempSync(`${folder}.`)
  try {
    for (const { name, bytes } of archive.files()) {
      const file = openSync(join(beside, name), 'wx', 0o600)
      writeSync(file, bytes)
      fsyncSync(file)
      closeSync(file)
    }
    rmSync(folder, { recursive: true, force: true })
    renameSync(beside, folder)
  } catch (error) {
    rmSync(beside, { recursive: true, force: true })
    // Another start may have put the same folder there meanwhile.
    if (!isWhole(folder, archive)) throw error
  }
}
