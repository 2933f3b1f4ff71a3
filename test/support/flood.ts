import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FloodAsk, FloodSetting } from './flood-process.ts'
import type { LoopPlan, LoopResult } from './open-loop.ts'

function isResult(message: unknown): message is LoopResult {
  return typeof message === 'object' && message !== null && 'statuses' in message
}

/** The parent's side of the sending process. */
export class Flood {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(setting: FloodSetting): Promise<Flood> {
    const child = fork(fileURLToPath(new URL('./flood-process.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
      // Salts and keys go over as bytes.
      serialization: 'advanced',
    })
    await once(child, 'message')
    const flood = new Flood(child)
    await flood.#ask({ kind: 'setting', setting })
    return flood
  }

  async #ask(ask: FloodAsk): Promise<unknown> {
    this.#child.send(ask)
    const answer = await Promise.race([once(this.#child, 'message'), once(this.#child, 'exit')])
    assert.equal(this.#child.exitCode, null, 'the sender lives')
    return answer[0]
  }

  async sign(count: number): Promise<void> {
    await this.#ask({ kind: 'sign', count })
  }

  async run(plan: LoopPlan): Promise<LoopResult> {
    const result = await this.#ask({ kind: 'run', plan })
    assert.ok(isResult(result), 'a run gives its result')
    return result
  }

  /** Salts of all orders that were answered with 201. */
  async accepted(): Promise<Float64Array> {
    const salts = await this.#ask({ kind: 'accepted' })
    assert.ok(salts instanceof Float64Array, 'salts are numbers')
    return salts
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect()
  }
}
