// Bundles all test files once for a whole test run. On average a file then loads fifty files in
// place of a thousand, without the work that tsx does for each: that saves a second of CPU a file.

import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { BUNDLING, requireFrom } from '../../server/build/bundle.ts'
import { REPORTER, type Start } from './file-run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Packages that are loaded by name, or hold what a bundle cannot. */
const UNBUNDLED = [
  '@limitless-exchange/sdk',
  '@sparticuz/chromium',
  'autocannon',
  'axe-core',
  'fast-check',
  'nodejs-order-book',
  'playwright-core',
  'tsx',
  'typescript',
]
/** Each set of importers gets a chunk of its own, so a file of a smaller bundle loads fewer. */
const FILES_BUNDLED = 120
/** What `import.meta.url` becomes: a source finds the files beside it as if it ran itself. */
const URL_OF_SOURCE = 'urlOfThisSource'

const keepUrls: Plugin = {
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes('import.meta.url')) return undefined
      const url = `const ${URL_OF_SOURCE} = ${JSON.stringify(pathToFileURL(path).href)};`
      return { contents: url + source, loader: 'ts' }
    })
  },
}

/**
 * Gives how a file is started, once it is bundled: the first files run while others are bundled.
 * The folder is removed at exit.
 */
export function bundleTests(files: readonly string[]): (file: string) => Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-tests-'))
  // A test that runs as another user loads parts of the program too.
  chmodSync(folder, 0o755)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const entries = [fileURLToPath(REPORTER), ...files]
  const bundled = new Map<string, Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  for (let from = 0; from < entries.length; from += FILES_BUNDLED) {
    const entryPoints = entries.slice(from, from + FILES_BUNDLED)
    // Each bundle has chunks of its own: a file that runs may be reading those of another.
    const chunkNames = `shared-${from}-[hash]`
    last = last.then(() => bundle(entryPoints, folder, chunkNames))
    for (const entry of entryPoints) bundled.set(entry, last)
  }
  const outputOf = (file: string) => join(folder, file.slice(ROOT.length).replace(/\.ts$/, '.mjs'))
  const reporter = pathToFileURL(outputOf(fileURLToPath(REPORTER))).href
  return async (file) => {
    await bundled.get(file)
    return { words: [outputOf(file)], reporter }
  }
}

async function bundle(entryPoints: string[], folder: string, chunkNames: string): Promise<void> {
  await build({
    ...BUNDLING,
    entryPoints,
    chunkNames,
    outdir: folder,
    outbase: ROOT,
    outExtension: { '.js': '.mjs' },
    external: [...BUNDLING.external, ...UNBUNDLED],
    define: { 'import.meta.url': URL_OF_SOURCE },
    plugins: [keepUrls],
    banner: { js: requireFrom(JSON.stringify(pathToFileURL(`${ROOT}/`).href)) },
  })
}
