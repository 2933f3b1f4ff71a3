import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FloodRequest, FloodSetting } from './flood-process.ts'
import type { LoopPlan, LoopResult } from './open-loop.ts'
import type { PoolSalts } from './order-pool.ts'

function isResult(message: unknown): message is LoopResult {
  return typeof message === 'object' && message !== null && 'statuses' in message
}

function isSalts(message: unknown): message is PoolSalts {
  return typeof message === 'object' && message !== null && 'accepted' in message
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
      // Salts and keys are sent as bytes.
      serialization: 'advanced',
    })
    await once(child, 'message')
    const flood = new Flood(child)
    await flood.#request({ kind: 'setting', setting })
    return flood
  }

  #request(request: FloodRequest): Promise<unknown> {
    const child = this.#child
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`the sender ended with ${code}`))
      child.once('exit', onExit)
      child.once('message', (answer) => {
        child.off('exit', onExit)
        resolve(answer)
      })
      child.send(request)
    })
  }

  async sign(count: number): Promise<void> {
    await this.#request({ kind: 'sign', count })
  }

  async run(plan: LoopPlan): Promise<LoopResult> {
    const result = await this.#request({ kind: 'run', plan })
    assert.ok(isResult(result), 'the sender answers a run with its result')
    return result
  }

  async salts(): Promise<PoolSalts> {
    const salts = await this.#request({ kind: 'salts' })
    assert.ok(isSalts(salts), 'the sender answers with its salts')
    return salts
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect()
  }
}
