// Bundles the program once for a whole test run: it then starts in a quarter of the time, and a
// thread in a fifth. Without a bundle everything runs from the sources.

import assert from 'node:assert/strict'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILED_VARIABLE } from '../../engine/thread/spawn.ts'
import { bundleProgram } from '../../server/build/program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Makes a folder for a program, which is removed at exit; gives the path of the program in it. */
async function withProgram(make: (dist: string) => unknown): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-compiled-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const dist = join(folder, 'dist')
  await make(dist)
  // Packages with a binary are found beside the program, as in the repository.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  return dist
}

/** Compiles once; child processes find the program by the environment. */
export async function compileSources(): Promise<void> {
  process.env[COMPILED_VARIABLE] = await withProgram((dist) => bundleProgram(dist))
}

const RULES = /(?<=\bRULES_VERSION = )\d+/g

/** The compiled program with another number for its newest rules, and the same otherwise. */
export async function programWithRules(version: number): Promise<string> {
  const program = compiledProgram()
  assert.ok(program !== null, 'the program is compiled')
  let found = 0
  const dist = await withProgram((folder) => {
    cpSync(dirname(program), folder, { recursive: true })
    for (const name of readdirSync(folder)) {
      if (!name.endsWith('.js')) continue
      const path = join(folder, name)
      const source = readFileSync(path, 'utf8')
      found += source.match(RULES)?.length ?? 0
      writeFileSync(path, source.replace(RULES, String(version)))
    }
  })
  assert.ok(found > 0, 'the program names its rules')
  return join(dist, 'main.js')
}

/** The compiled program, or null without a compiled copy. */
export function compiledProgram(): string | null {
  const folder = process.env[COMPILED_VARIABLE]
  return folder === undefined ? null : join(folder, 'main.js')
}
