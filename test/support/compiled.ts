// Bundles the program once for a whole test run: it then starts in a quarter of the time, and a
// thread in a fifth. Without a bundle everything runs from the sources.

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILED_VARIABLE } from '../../engine/thread/spawn.ts'
import { bundleProgram } from '../../server/build/program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles into a folder that is removed at exit; child processes find it by the environment. */
export async function compileSources(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-compiled-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 'dist')
  await bundleProgram(program)
  // Packages with a binary are found beside the program, as in the repository.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  process.env[COMPILED_VARIABLE] = program
}

/** The compiled program, or null without a compiled copy. */
export function compiledProgram(): string | null {
  const folder = process.env[COMPILED_VARIABLE]
  return folder === undefined ? null : join(folder, 'main.js')
}
