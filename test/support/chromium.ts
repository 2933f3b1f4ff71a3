import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import unpacker from '@sparticuz/chromium'

// The browser of the tests: the one that the machine has, or one from a package, which is unpacked
// once into .cache. Two test files may want it at the same moment: each unpacks into a folder of
// its own, and the first to be ready gives its folder the name that all others look for.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OF_MACHINE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser to launch; without `env` it takes the environment of this process. */
interface BrowserProgram {
  readonly executablePath: string
  readonly env?: NodeJS.ProcessEnv
}

function packageFolder(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  return entry.slice(0, entry.lastIndexOf('/build/'))
}

function versionOfPackage(): string {
  const text = readFileSync(join(packageFolder(), 'package.json'), 'utf8')
  const { version }: { version: string } = JSON.parse(text)
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
  // The package has the libraries too that a machine without a desktop lacks (libnss3, libexpat);
  // by itself it unpacks them only in the cloud that it is made for.
  const libraries = readFileSync(join(packageFolder(), 'bin', 'al2023.tar.br'))
  execFileSync('tar', ['-x', '-C', folder], { input: brotliDecompressSync(libraries) })
}

function programIn(folder: string): BrowserProgram {
  const { LD_LIBRARY_PATH: before = '' } = process.env
  const libraries = [join(folder, 'lib'), before].filter((path) => path !== '').join(':')
  const env = { ...process.env, LD_LIBRARY_PATH: libraries }
  return { executablePath: join(folder, 'chromium'), env }
}

async function unpacked(): Promise<BrowserProgram> {
  const cache = join(ROOT, '.cache')
  const folder = join(cache, `chromium-${versionOfPackage()}`)
  const program = programIn(folder)
  if (existsSync(folder)) return program
  mkdirSync(cache, { recursive: true })
  const own = mkdtempSync(`${folder}-`)
  await unpackInto(own)
  try {
    renameSync(own, folder)
  } catch (error) {
    // The folder of another process has the name already.
    rmSync(own, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return program
}

/** The browser that OUTCOMEX_CHROMIUM names, one of the machine, or that of the package. */
export async function browserProgram(): Promise<BrowserProgram> {
  const named = process.env.OUTCOMEX_CHROMIUM
  const path = named === '' ? undefined : named
  const executablePath = path ?? OF_MACHINE.find((place) => existsSync(place))
  return executablePath === undefined ? unpacked() : { executablePath }
}
