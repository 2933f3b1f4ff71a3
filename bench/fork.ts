import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs `entry` in a fresh process with the plan as its argument; its message is the result. */
export function forkFor<T>(
  entry: URL,
  plan: unknown,
  isResult: (message: unknown) => message is T,
): Promise<T> {
  const nodeArgs = process.env.BENCH_NODE_ARGS?.split(' ') ?? []
  const child = fork(fileURLToPath(entry), [JSON.stringify(plan)], {
    execArgv: ['--import', 'tsx', ...nodeArgs],
  })
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (isResult(message)) resolve(message)
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`${entry.pathname} ended with code ${code}`)))
  })
}
