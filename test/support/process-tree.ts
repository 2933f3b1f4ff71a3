import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { until } from './until.ts'

// Suspends a process and its children. A signal to a process group does not reach children that
// lead sessions of their own, as those of PostgreSQL do.

/** One process of the machine. */
interface ProcessRow {
  readonly parentPid: number
  /** `T` is suspended, `Z` has ended; the manual of ps lists the other letters. */
  readonly state: string
}

const PROC = '/proc'
const STAT = /\) (\S) (\d+) /
const PS_ROW = /^\s*(\d+)\s+(\d+)\s+(\S)/

/** All processes by pid. Slim images of Linux have no `ps`, and macOS has no /proc. */
function processes(): Map<number, ProcessRow> {
  return existsSync(`${PROC}/self/stat`) ? processesOfProc() : processesOfPs()
}

function processesOfProc(): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>()
  for (const name of readdirSync(PROC)) {
    if (!/^\d+$/.test(name)) continue
    try {
      // The command stands in brackets, and may contain some itself.
      const text = readFileSync(`${PROC}/${name}/stat`, 'utf8')
      const found = STAT.exec(text.slice(text.lastIndexOf(')')))
      if (found !== null) rows.set(Number(name), { state: found[1], parentPid: Number(found[2]) })
    } catch {
      // The process has ended since the folder was read.
    }
  }
  return rows
}

function processesOfPs(): Map<number, ProcessRow> {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,state='], { encoding: 'utf8' })
  const rows = new Map<number, ProcessRow>()
  for (const line of stdout.split('\n')) {
    const found = PS_ROW.exec(line)
    if (found === null) continue
    rows.set(Number(found[1]), { parentPid: Number(found[2]), state: found[3] })
  }
  return rows
}

const runsOn = (row: ProcessRow | undefined): boolean =>
  row !== undefined && !/[TZ]/.test(row.state)

/** Sends a signal to each process that still exists. */
export function signalEach(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended.
    }
  }
}

/**
 * Suspends a process and its children; resolves with their pids when none of them runs. The parent
 * comes first: once it is suspended, it starts no further child.
 */
export async function suspendTree(pid: number): Promise<readonly number[]> {
  await until(() => {
    // Again each time: the system continues stopped processes whose group loses its parent.
    signalEach([pid], 'SIGSTOP')
    return !runsOn(processes().get(pid))
  })
  let children: number[] = []
  await until(() => {
    const rows = [...processes()].filter(([, { parentPid }]) => parentPid === pid)
    children = rows.map(([child]) => child)
    const running = rows.filter(([, row]) => runsOn(row)).map(([child]) => child)
    signalEach(running, 'SIGSTOP')
    return running.length === 0
  })
  return [pid, ...children]
}
