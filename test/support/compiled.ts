// Bundles the program once for a whole test run: it then starts in a quarter of the time, and a
// thread in a fifth. Without a bundle everything runs from the sources.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { COMPILED_VARIABLE } from '../../engine/thread/spawn.ts'
import { bundleProgram } from '../../server/build/program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles into a folder that is removed at exit; gives that folder. */
async function compileAside(options: BuildOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-compiled-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 'dist')
  await bundleProgram(program, options)
  // Packages with a binary are found beside the program, as in the repository.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  return program
}

/** Compiles once; child processes find the program by the environment. */
export async function compileSources(): Promise<void> {
  process.env[COMPILED_VARIABLE] = await compileAside({})
}

const RULES = /(?<=^export const RULES_VERSION = )\d+$/m

/** The path of a program whose newest rules have another number, and which is the same otherwise. */
export async function compileWithRules(version: number): Promise<string> {
  const raise: Plugin = {
    name: 'rules',
    setup: (build) => {
      build.onLoad({ filter: /engine\/core\/clearing\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8')
        assert.match(source, RULES)
        return { contents: source.replace(RULES, String(version)), loader: 'ts' }
      })
    },
  }
  return join(await compileAside({ plugins: [raise] }), 'main.js')
}

/** The compiled program, or null without a compiled copy. */
export function compiledProgram(): string | null {
  const folder = process.env[COMPILED_VARIABLE]
  return folder === undefined ? null : join(folder, 'main.js')
}
