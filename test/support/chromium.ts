import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import unpacker from '@sparticuz/chromium'

// The browser of the tests: the one that the machine has, or one from a package, which is unpacked
// once into .cache. Two test files may want it at the same moment: each unpacks into a folder of
// its own, and the first to be ready gives its folder the name that all others look for.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OF_MACHINE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

function versionOfPackage(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const folder = entry.slice(0, entry.lastIndexOf('/build/'))
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return version
}

/** The package unpacks into the folder for temporary files, so it is given one. */
async function unpackInto(folder: string): Promise<void> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  const unpacking = unpacker.executablePath()
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await unpacking
}

async function unpacked(): Promise<string> {
  const cache = join(ROOT, '.cache')
  const folder = join(cache, `chromium-${versionOfPackage()}`)
  const program = join(folder, 'chromium')
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  const own = mkdtempSync(`${folder}-`)
  await unpackInto(own)
  try {
    renameSync(own, folder)
  } catch (error) {
    // The folder of another process has the name already.
    rmSync(own, { recursive: true })
    if (!existsSync(program)) throw error
  }
  return program
}

/** Path of the browser: OUTCOMEX_CHROMIUM, one of the machine, or that of the package. */
export async function chromiumPath(): Promise<string> {
  const named = process.env.OUTCOMEX_CHROMIUM
  if (named !== undefined && named !== '') return named
  return OF_MACHINE.find((path) => existsSync(path)) ?? unpacked()
}
