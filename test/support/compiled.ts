// Compiles the sources once for a whole test run: a program then starts in half the time, and a
// thread in a fifth. Without a compiled copy everything runs from the sources.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILED_VARIABLE } from '../../engine/thread/spawn.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles into a folder that is removed at exit; child processes find it by the environment. */
export async function compileSources(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-compiled-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  const config = join(ROOT, 'tsconfig.build.json')
  const compiler = spawn(tsc, ['-p', config, '--outDir', folder], { stdio: 'inherit' })
  const [code] = await once(compiler, 'close')
  assert.equal(code, 0, 'the sources compile')
  const isData = (path: string) => !path.endsWith('.ts')
  for (const data of [join('server', 'docs'), join('persistence', 'search')]) {
    cpSync(join(ROOT, data), join(folder, data), { recursive: true, filter: isData })
  }
  process.env[COMPILED_VARIABLE] = folder
}

/** The compiled program, or null without a compiled copy. */
export function compiledProgram(): string | null {
  const folder = process.env[COMPILED_VARIABLE]
  return folder === undefined ? null : join(folder, 'server', 'main.js')
}
