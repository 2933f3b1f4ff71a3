// A process of this bench, asked and answered by messages, one at a time.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export class Child {
  readonly #child: ChildProcess
  readonly #answers: unknown[] = []
  #take: ((answer: unknown) => void) | null = null
  #fail: (error: Error) => void = () => {}

  constructor(name: string, plan: unknown) {
    const path = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
    const text = typeof plan === 'string' ? plan : JSON.stringify(plan)
    this.#child = fork(path, [text], { execArgv: ['--import', 'tsx'] })
    this.#child.on('message', (message) => {
      if (this.#take === null) this.#answers.push(message)
      else this.#take(message)
      this.#take = null
    })
    this.#child.on('exit', (code) => this.#fail(new Error(`${name} ended with code ${code}`)))
  }

  /** The next message of the process. */
  next(): Promise<unknown> {
    if (this.#answers.length > 0) return Promise.resolve(this.#answers.shift())
    return new Promise((resolve, reject) => {
      this.#take = resolve
      this.#fail = reject
    })
  }

  request(question: number | string | object): Promise<unknown> {
    this.#child.send(question)
    return this.next()
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.#fail = () => {}
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}
