import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ForkOptions {
  readonly nodeArgs?: readonly string[]
  /** Gets what the process prints, instead of the terminal. */
  readonly onOutput?: (text: string) => void
}

/** Runs `entry` in a new process with the plan as its argument. Its message is the result. */
export function forkFor<T>(
  entry: URL,
  plan: unknown,
  isResult: (message: unknown) => message is T,
  { nodeArgs = [], onOutput }: ForkOptions = {},
): Promise<T> {
  const child = fork(fileURLToPath(entry), [JSON.stringify(plan)], {
    execArgv: ['--import', 'tsx', ...nodeArgs],
    silent: onOutput !== undefined,
  })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text))
  child.stderr?.pipe(process.stderr)
  return new Promise((resolve, reject) => {
    let result: T | undefined
    child.on('message', (message) => {
      if (isResult(message)) result = message
    })
    child.on('error', reject)
    // On `close` the process has written all its output.
    child.on('close', (code) => {
      if (result !== undefined && code === 0) resolve(result)
      else reject(new Error(`${entry.pathname} ended with code ${code}`))
    })
  })
}
