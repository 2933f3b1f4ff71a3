import { createHash, randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { codeOf } from '../../../engine/domain/error-code.ts'
import type { Archive, IndexEntry } from './archive.ts'

// The location of the binary's files while it runs: a private folder of this user, named by their
// digest. Each start checks every file and restores any that was modified. A file gets its name
// only when it is complete, and no file of the folder ever goes missing again. So concurrent first
// starts do not conflict, and a running exchange finds what it loads later.

const OURS_ALONE = 0o700
const FOR_CODE = 0o700
const FOR_DATA = 0o600
const ADDON = '.node'
/** A program uses its folder only at the start, so a long-running one must mark it as in use. */
const TOUCH_EVERY_MS = 24 * 3600e3
const UNUSED_MS = 7 * TOUCH_EVERY_MS
/** A folder of a version, including leftovers of an interrupted start of an older version. */
const OF_A_VERSION = /^[0-9a-f]{32}(\.\w+)?$/
const UNFINISHED = '.unfinished'
const piece = Buffer.alloc(1 << 18)

/** The folder with the files of the archive; throws a sentence when no location works. */
export function unpacked(archive: Archive, env: NodeJS.ProcessEnv = process.env): string {
  const steps = unpacking(archive, env)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The same, pausing after each checked file. */
export function* unpacking(
  archive: Archive,
  env: NodeJS.ProcessEnv = process.env,
): Generator<undefined, string> {
  const tried: string[] = []
  for (const root of rootsOf(env)) {
    try {
      const folder = join(ownFolder(root), archive.digest.slice(0, 32))
      if (yield* bringing(ownFolder(folder), archive)) forgetUnused(root)
      return folder
    } catch (error) {
      tried.push(`${root}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new Error(
    'there is no usable folder for the files of the program; choose one with XDG_CACHE_HOME. ' +
      tried.join('; '),
  )
}

/** Marks the folder as in use once a day, for as long as the process runs. */
export function keepInUse(folder: string): void {
  const say = () => {
    try {
      touch(folder)
    } catch {
      // The folder was removed. The program continues with what it has loaded.
    }
  }
  setInterval(say, TOUCH_EVERY_MS).unref()
}

/** A relative path would depend on the working directory of the caller. */
function absolute(path: string | undefined): string[] {
  return path !== undefined && isAbsolute(path) ? [path] : []
}

/** A user of a container may have no passwd entry, and therefore no home. */
function homeOfUser(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}

function rootsOf({ XDG_CACHE_HOME: cache, HOME: home }: NodeJS.ProcessEnv): string[] {
  const homes = [...absolute(home), ...absolute(homeOfUser())]
  const caches = [...absolute(cache), ...homes.map((each) => join(each, '.cache'))]
  const [temporary] = [...absolute(tmpdir()), '/tmp']
  const user = process.getuid?.() ?? 'user'
  return [
    ...caches.slice(0, 1).map((each) => join(each, 'outcomex')),
    join(temporary, `outcomex-${user}`),
  ]
}

/** One level at a time: in /proc, Node's recursive mkdir never returns. */
function makeFolders(path: string): void {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  try {
    mkdirSync(path, { mode: OURS_ALONE })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Creates the folder, and refuses one that belongs to another user. */
function ownFolder(path: string): string {
  makeFolders(path)
  const stat = lstatSync(path)
  if (!stat.isDirectory()) throw new Error('it is not a folder')
  if (!isOurs(stat.uid)) throw new Error('it belongs to another user')
  if ((stat.mode & 0o777) !== OURS_ALONE) chmodSync(path, OURS_ALONE)
  return path
}

const isOurs = (uid: number): boolean => uid === (process.getuid?.() ?? uid)
const modeOf = (name: string): number => (name.endsWith(ADDON) ? FOR_CODE : FOR_DATA)

/** Restores wrong files; returns whether there were any. */
function* bringing(folder: string, archive: Archive): Generator<undefined, boolean> {
  touch(folder)
  const wrong = new Set<string>()
  for (const entry of archive.index) {
    if (!isRight(folder, entry)) wrong.add(entry.name)
    yield
  }
  if (wrong.size > 0) {
    for (const { name, bytes } of archive.files()) {
      if (wrong.has(name)) put(folder, name, bytes)
    }
  }
  for (const { name } of archive.index) {
    if (name.endsWith(ADDON)) checkRuns(join(folder, name))
  }
  return wrong.size > 0
}

function isRight(folder: string, { name, length, sha256 }: IndexEntry): boolean {
  const path = join(folder, name)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || !stat.isFile() || !isOurs(stat.uid)) return false
  if ((stat.mode & 0o777) !== modeOf(name) || stat.size !== length) return false
  return digestOfFile(path) === sha256
}

/** One buffer serves all files: fresh memory for each costs more than its digest. */
function digestOfFile(path: string): string {
  const hash = createHash('sha256')
  const file = openSync(path, 'r')
  try {
    for (;;) {
      const count = readSync(file, piece)
      if (count === 0) return hash.digest('hex')
      hash.update(piece.subarray(0, count))
    }
  } finally {
    closeSync(file)
  }
}

function put(folder: string, name: string, bytes: Uint8Array): void {
  const path = join(folder, name)
  const beside = `${path}.${randomBytes(6).toString('hex')}${UNFINISHED}`
  try {
    const file = openSync(beside, 'wx', modeOf(name))
    try {
      writeFileSync(file, bytes)
    } finally {
      closeSync(file)
    }
    // Only a folder blocks the rename.
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      rmSync(path, { recursive: true })
    }
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

/** On a file system that forbids programs, an addon cannot be loaded either. */
function checkRuns(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    throw new Error('programs cannot run there (noexec)')
  }
}

function touch(path: string): void {
  const now = new Date()
  utimesSync(path, now, now)
}

/** Removes folders of versions unused for a week; a running program marks its own as in use. */
function forgetUnused(root: string): void {
  const usedMs = Date.now() - UNUSED_MS
  for (const name of readdirSync(root)) {
    const path = join(root, name)
    const isUsed = (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > usedMs
    if (OF_A_VERSION.test(name) && !isUsed) rmSync(path, { recursive: true, force: true })
  }
}
