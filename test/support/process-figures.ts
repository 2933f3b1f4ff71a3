import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'

// Figures of another process, as the operating system gives them.

const STEAL_COLUMN = 8
const USER_TIME_FIELD = 11
/** The system counts such times in hundredths of a second. */
const TICK_MS = 10

export interface ProcessFigures {
  readonly residentBytes: number
  readonly threads: number
  readonly openFiles: number
}

function field(status: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)
  return found === null ? Number.NaN : Number(found[1])
}

export function figuresOf(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    residentBytes: field(status, 'VmRSS') * 1024,
    threads: field(status, 'Threads'),
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** CPU time of a process since its start, of all its threads and of the kernel for them. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, which may hold spaces, ends with the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, kernel] = fields.slice(USER_TIME_FIELD)
  return (Number(user) + Number(kernel)) * TICK_MS
}

/** CPU time of the main thread of a process since its start. */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

/** Time since the boot that the host gave to other machines while this one wanted its cores. */
export function stolenMs(): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  return Number(all.split(/\s+/)[STEAL_COLUMN] ?? 0) * TICK_MS
}

/** One value of the Prometheus text. */
export function gaugeIn(text: string, name: string): number {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)
  assert.ok(found !== null, `the metrics have ${name}`)
  return Number(found[1])
}
