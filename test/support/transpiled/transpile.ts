// Strips the types of all sources and tests once for a whole test run. A test file then loads in
// half the time that tsx takes, which looks at each module again for each file.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stop, transform } from 'esbuild'

const ROOT = new URL('../../..', import.meta.url)
const FOLDERS = ['engine', 'persistence', 'server', 'bench', 'test']

function sourcesIn(folder: string): string[] {
  const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
  const paths = names.filter((name) => name.endsWith('.ts'))
  return paths.map((name) => fileURLToPath(new URL(`${folder}/${name}`, ROOT)))
}

async function transpile(path: string, folder: string): Promise<void> {
  const { href } = pathToFileURL(path)
  const { code } = await transform(await readFile(path, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: href,
  })
  const copy = join(folder, `${href.slice(ROOT.href.length, -'.ts'.length)}.mjs`)
  await mkdir(dirname(copy), { recursive: true })
  await writeFile(copy, code)
}

/** Gives the module that a test process imports first. The folder is removed at exit. */
export async function transpileAll(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-transpiled-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await Promise.all(FOLDERS.flatMap(sourcesIn).map((path) => transpile(path, folder)))
  await stop()
  const known = { root: ROOT.href, esbuild: import.meta.resolve('esbuild') }
  process.env.TEST_TRANSPILED = JSON.stringify(known)
  return pathToFileURL(join(folder, 'test', 'support', 'transpiled', 'entry.mjs')).href
}
