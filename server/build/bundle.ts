// The bundling options. This file alone imports esbuild.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = ['engine', 'persistence', 'server']
const UNBUNDLED = [
  'uWebSockets.js',
  'better-sqlite3',
  'secp256k1',
  'bufferutil',
  'utf-8-validate',
  'pino',
  'pino-pretty',
  'esbuild',
]
/** CommonJS packages call `require`, which modules do not have; `url` is code. */
export function requireFrom(url: string): string {
  const from = "import { createRequire as requireOfBundle } from 'node:module';"
  return `${from}const require = requireOfBundle(${url});`
}

/** The common options. */
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

/** The entry files of all threads. */
export function threadFiles(): string[] {
  return SOURCES.flatMap((folder) => {
    const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    const threads = names.filter((name) => name.endsWith('.worker.ts'))
    return threads.map((name) => join(ROOT, folder, name))
  })
}

/** Bundles only the code: each entry becomes a file of its name with the extension `.js`. */
export async function bundleCode(
  entryPoints: string[],
  outdir: string,
  more: BuildOptions = {},
): Promise<void> {
  const banner = { js: requireFrom('import.meta.url') }
  await build({ ...BUNDLING, entryPoints, outdir, entryNames: '[name]', banner, ...more })
}

/** Bundles the browser code; nothing is written, and the names contain digests of the content. */
export function bundleWeb(entryPoints: string[]) {
  return build({
    entryPoints,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
    metafile: true,
  })
}

/** Bundles one script for environments that cannot load modules. */
export async function bundleScript(
  entry: string,
  outfile: string,
  more: BuildOptions = {},
): Promise<void> {
  const { platform, target } = BUNDLING
  const script = { bundle: true, format: 'cjs', platform, target } as const
  await build({ entryPoints: [entry], outfile, ...script, ...more })
}
