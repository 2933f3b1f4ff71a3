// Bundles the program: `node --import tsx server/build/bundle.ts FOLDER`. The folder is flat: the
// program, its threads, what they share, and beside them the data that they read. So a file that a
// source names beside itself is found there.
//
// A bundle starts in half the time of 600 compiled modules. Packages of npm are in it, except those
// with a binary and those that are loaded by name.

import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { PAGES_FILE, renderedPages } from '../docs/pages.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAM = join(ROOT, 'server', 'main.ts')
const SOURCES = ['engine', 'persistence', 'server']
/** What the search reads. */
const DATA = join(ROOT, 'persistence', 'search')
const UNBUNDLED = [
  ...['uWebSockets.js', 'better-sqlite3', 'secp256k1', 'msgpackr-extract'],
  ...['bufferutil', 'utf-8-validate', 'pino', 'pino-pretty', 'esbuild'],
]
/** CommonJS packages call `require`, which a module does not have; `url` is code. */
export function requireFrom(url: string): string {
  const from = "import { createRequire as requireOfBundle } from 'node:module';"
  return `${from}const require = requireOfBundle(${url});`
}

/** How everything is bundled. */
export const BUNDLING = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  chunkNames: 'shared-[hash]',
  logLevel: 'warning',
  external: UNBUNDLED,
} satisfies BuildOptions

/** The files that threads begin with. */
export function threadFiles(): string[] {
  return SOURCES.flatMap((folder) => {
    const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    const threads = names.filter((name) => name.endsWith('.worker.ts'))
    return threads.map((name) => join(ROOT, folder, name))
  })
}

/** Bundles the code alone: each entry becomes a file of its name with the ending `.js`. */
export async function bundleCode(
  entryPoints: string[],
  outdir: string,
  more: BuildOptions = {},
): Promise<void> {
  const banner = { js: requireFrom('import.meta.url') }
  await build({ ...BUNDLING, entryPoints, outdir, entryNames: '[name]', banner, ...more })
}

/** One script for what cannot load modules. */
export async function bundleScript(entry: string, outfile: string): Promise<void> {
  const { platform, target } = BUNDLING
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'cjs', platform, target })
}

/** Empties the folder, bundles the whole program into it, and gives the program's path. */
export async function bundle(folder: string, more: BuildOptions = {}): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  await bundleCode([PROGRAM, ...threadFiles()], folder, more)
  for (const name of readdirSync(DATA)) {
    if (!name.endsWith('.ts')) copyFileSync(join(DATA, name), join(folder, name))
  }
  writeFileSync(join(folder, PAGES_FILE), JSON.stringify(renderedPages()))
  const program = join(folder, 'main.js')
  chmodSync(program, 0o755)
  return program
}

const [, started, folder] = process.argv
if (started === fileURLToPath(import.meta.url) && folder !== undefined) await bundle(folder)
