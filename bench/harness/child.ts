// Child processes of benches. Each runs an exported function of a module, with a plan as its
// argument. A contender in a process of its own is not shaped by the machine code of another.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assert } from '../../engine/domain/assert.ts'
import { LAUNCHER_ENV } from '../../test/support/launcher-env.ts'

const ENTRY = fileURLToPath(new URL('./child-entry.ts', import.meta.url))

/** A function that a module exports. */
export interface Task {
  readonly module: URL
  readonly name: string
}

export interface ChildOptions {
  readonly nodeArgs?: readonly string[]
  /** Receives the output of the process in place of the terminal. */
  readonly onOutput?: (text: string) => void
}

export class Child {
  readonly process: ChildProcess
  readonly #name: string

  constructor({ module, name }: Task, plan: unknown, options: ChildOptions = {}) {
    const { nodeArgs = [], onOutput } = options
    this.#name = name
    this.process = fork(ENTRY, [module.href, name, JSON.stringify(plan)], {
      execArgv: ['--import', 'tsx', ...nodeArgs],
      env: { ...process.env, ...LAUNCHER_ENV },
      silent: onOutput !== undefined,
    })
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text))
    this.process.stderr?.pipe(process.stderr)
  }

  get pid(): number {
    const { pid } = this.process
    assert(pid !== undefined, 'a child that answers has a process')
    return pid
  }

  /** The next message; fails when the process ends before. */
  async next<T>(): Promise<T> {
    const failed = new AbortController()
    const onExit = (code: number | null) => {
      failed.abort(new Error(`${this.#name} ended with code ${code}`))
    }
    this.process.once('exit', onExit)
    const [message] = await once(this.process, 'message', { signal: failed.signal })
    this.process.off('exit', onExit)
    return message
  }

  /** Sends a request and returns its reply. One request at a time. */
  request<T>(question: number | string | object): Promise<T> {
    const answer = this.next<T>()
    this.process.send(question)
    return answer
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return
    const ended = once(this.process, 'exit')
    if (this.process.connected) this.process.disconnect()
    await ended
  }
}

/** Runs a task in a process of its own; returns its result after all of its output. */
export async function runInChild<T>(task: Task, plan: unknown, options?: ChildOptions): Promise<T> {
  const child = new Child(task, plan, options)
  const closed = once(child.process, 'close')
  const result = await child.next<T>()
  const [code] = await closed
  if (code !== 0) throw new Error(`${task.name} ended with code ${code}`)
  return result
}

/** Calls `work` with the first message of a service (see `serve`) and with the service. */
export async function withService<Ready, T>(
  task: Task,
  plan: unknown,
  work: (ready: Ready, service: Child) => Promise<T>,
): Promise<T> {
  const service = new Child(task, plan)
  try {
    return await work(await service.next<Ready>(), service)
  } finally {
    await service.stop()
  }
}

/**
 * Called by a task: sends `ready`, then replies to each message until the parent disconnects. Then
 * `end` is called before the process ends.
 */
export function serve<Question>(
  ready: unknown,
  answer: (question: Question) => unknown,
  end: () => unknown = () => {},
): void {
  process.on('message', async (question: Question) => process.send?.(await answer(question)))
  process.on('disconnect', async () => {
    await end()
    process.exit(0)
  })
  process.send?.(ready)
}
