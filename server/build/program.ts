// Bundles the program: `node --import tsx server/build/program.ts FOLDER`. The folder is flat: the
// program, its chunks, its threads, and next to them the data that they read. So a file named
// relative to a source is found there.
//
// A bundle starts in half the time of 600 compiled modules. It includes npm packages, except those
// with a binary and those loaded by name.

import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'
import { ADMIN_ROUTES_FILE, describedRoutes } from '../cli/admin/admin-routes.ts'
import { PAGES_FILE, renderedPages } from '../docs/pages.ts'
import { CONTRACTS_FILE } from '../settlement/evm/load-contracts.ts'
import { DOCUMENTS_FILE, markedDocuments } from '../start/api-documents.ts'
import { BROTLI_ENDING, type MadeFiles, WEB_INDEX, type WebIndex } from '../web/web-files.ts'
import { bundleCode, threadFiles } from './bundle.ts'
import { contractsElsewhere } from './contracts.ts'
import { makeWeb } from './web.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PROGRAM = join(ROOT, 'server', 'main.ts')
/** The program for a caller that opens the early listener itself. */
export const ALL_COMMANDS = join(ROOT, 'server', 'all-commands.ts')
/** The data of the search. */
const DATA = join(ROOT, 'persistence', 'search')

function writeWeb(folder: string, { pages, files }: MadeFiles): void {
  for (const { name, bytes, brotli } of files) {
    writeFileSync(join(folder, name), bytes)
    writeFileSync(join(folder, name + BROTLI_ENDING), brotli)
  }
  const index: WebIndex = { pages, files: files.map(({ name, type }) => ({ name, type })) }
  writeFileSync(join(folder, WEB_INDEX), JSON.stringify(index))
}

/** Empties the folder, bundles the whole program into it, and returns the program's path. */
export async function bundleProgram(
  folder: string,
  more: BuildOptions = {},
  entry = PROGRAM,
): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  const compiling = contractsElsewhere()
  await bundleCode([entry], folder, more)
  // A thread loads its own copy of all code, so shared chunks save nothing: one file loads in three
  // quarters of their time.
  await bundleCode(threadFiles(), folder, { ...more, splitting: false })
  for (const name of readdirSync(DATA)) {
    if (!name.endsWith('.ts')) copyFileSync(join(DATA, name), join(folder, name))
  }
  writeFileSync(join(folder, PAGES_FILE), JSON.stringify(renderedPages()))
  writeFileSync(join(folder, DOCUMENTS_FILE), JSON.stringify(markedDocuments()))
  writeFileSync(join(folder, ADMIN_ROUTES_FILE), await describedRoutes())
  writeFileSync(join(folder, CONTRACTS_FILE), JSON.stringify(await compiling))
  writeWeb(folder, await makeWeb('small'))
  const program = join(folder, `${basename(entry, '.ts')}.js`)
  chmodSync(program, 0o755)
  return program
}

const [, started, folder] = process.argv
if (started === fileURLToPath(import.meta.url) && folder !== undefined) await bundleProgram(folder)
