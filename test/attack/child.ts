import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process that answers one message after the other. */
export class Child {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** Resolves when the process takes messages. `file` stands beside this file. */
  static async start(file: string): Promise<Child> {
    const path = fileURLToPath(new URL(file, import.meta.url))
    const child = fork(path, {
      execArgv: ['--import', 'tsx', '--v8-pool-size=1'],
      // Keys are sent as bytes.
      serialization: 'advanced',
    })
    await once(child, 'message')
    return new Child(child)
  }

  request(message: object): Promise<unknown> {
    const child = this.#process
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) =>
        reject(new Error(`the child process of a test ended with ${code}`))
      child.once('exit', onExit)
      child.once('message', (answer) => {
        child.off('exit', onExit)
        resolve(answer)
      })
      child.send(message)
    })
  }

  end(): void {
    if (this.#process.connected) this.#process.disconnect()
  }
}
