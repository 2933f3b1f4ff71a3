import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Copies of the sources, one per worker. A change breaks a copy, which is then restored.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = ['engine', 'persistence', 'server', 'test', 'bench', 'package.json', 'tsconfig.json']
/** With one seed, seeded tests find the same on each run. */
const SEED = '1'
/** How long a file may go on to say why a test failed. */
const REST_MS = 200

export interface Verdict {
  readonly passed: boolean
  /** The test did not end in time. */
  readonly stuck: boolean
  readonly output: string
}

export class Tree {
  #endTest: () => void = () => {}
  readonly #path = mkdtempSync(join(tmpdir(), 'outcomex-mutation-'))

  constructor() {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.#path, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(this.#path, 'node_modules'))
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#path, file), text)
  }

  /** Runs one test file; a file that does not end in time has not passed. */
  run(testFile: string, deadlineMs: number): Promise<Verdict> {
    const { NODE_TEST_CONTEXT: _outer, ...env } = process.env
    // A failing test leaves its threads running; the flag ends the file all the same.
    const words = ['--test-reporter=tap', '--import', 'tsx', '--test-force-exit', testFile]
    const child = spawn(process.execPath, words, {
      cwd: this.#path,
      env: { ...env, SEED },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what the test started ends with it.
      detached: true,
    })
    const parts: Buffer[] = []
    let failed = false
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part)
      // One test that fails is enough.
      if (!/^ *not ok /m.test(part.toString('utf8'))) return
      failed = true
      setTimeout(endGroup, REST_MS)
    })
    child.stderr.on('data', (part: Buffer) => parts.push(part))
    const endGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // No process of the group is left.
      }
    }
    this.#endTest = endGroup
    let stuck = false
    const deadline = setTimeout(() => {
      stuck = true
      endGroup()
    }, deadlineMs)
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', endGroup)
      child.on('close', (code, signal) => {
        clearTimeout(deadline)
        if (signal !== null && !failed) parts.push(Buffer.from(`It was ended by ${signal}.`))
        resolve({
          passed: code === 0 && !failed,
          stuck,
          output: Buffer.concat(parts).toString('utf8'),
        })
      })
    })
  }

  remove(): void {
    this.#endTest()
    rmSync(this.#path, { recursive: true, force: true })
  }
}
