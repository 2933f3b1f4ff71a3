import { type ChildProcess, spawn } from 'node:child_process'

// Runs programs of other languages, each in a process group of its own and with a limit of time.
// When the limit passes, the whole group ends.

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The command ends after this time at the latest. */
  readonly limitMs: number
}

export interface Ran {
  /** Null when a signal ended the program. */
  readonly code: number | null
  /** Standard output and standard error, in the order of their arrival. */
  readonly output: string
  readonly isMissing: boolean
  readonly isLate: boolean
}

const running = new Set<ChildProcess>()

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has ended already.
  }
}

process.once('exit', () => {
  for (const child of running) endGroup(child)
})

export function runCommand(command: Command): Promise<Ran> {
  const { program, args, cwd, env = {}, limitMs } = command
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
    })
    running.add(child)
    let output = ''
    let isLate = false
    const take = (bytes: Buffer) => {
      output += bytes.toString()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const limit = setTimeout(() => {
      isLate = true
      endGroup(child)
    }, limitMs)
    const end = (code: number | null, isMissing: boolean) => {
      clearTimeout(limit)
      running.delete(child)
      // What the program left running in the background ends with it.
      endGroup(child)
      resolve({ code, output, isMissing, isLate })
    }
    child.once('error', ({ message }) => {
      output += message
      end(null, true)
    })
    child.once('close', (code) => end(code, false))
  })
}

/** What package managers print when a registry does not answer, or answers with its own fault. */
const UNREACHABLE = [
  /name resolution|could not resolve|no such host|unknown host|getaddrinfo|ENOTFOUND|EAI_AGAIN/i,
  /connection (refused|reset|timed out|aborted|error)|newconnectionerror|ECONNRE/i,
  /timed? ?out|network is unreachable|no route to host|i\/o timeout|failed to connect/i,
  /proxy ?error|tunnel|certificate|tls handshake|ssl ?error/i,
  /(status|error|code|http)\D{0,20}(403|407|429|50[0-4])\b/i,
]

/** Whether a failed download says that the registry was out of reach. */
export function isUnreachable(output: string): boolean {
  return UNREACHABLE.some((pattern) => pattern.test(output))
}

/** The last line with text, cut. */
export function lastLine(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  return (lines.findLast((line) => line !== '') ?? 'no output').slice(0, 200)
}
