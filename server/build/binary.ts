// Builds the program as one executable: `node --import tsx server/build/binary.ts FOLDER`. It is a
// copy of this node with all files of the program inside (Node's single executable application).
// The folder also gets compressed copies, checksums, and a list of all packages inside.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import { codeOf } from '../../engine/domain/error-code.ts'
import { VERSION } from '../version.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { bundleScript } from './bundle.ts'
import { ALL_COMMANDS, bundleProgram } from './program.ts'
import { ARCHIVE, packed } from './unpacking/archive.ts'
import { WHOLE } from './whole-bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Runs a tool; on failure, the error contains its output. */
function quietly(tool: string, args: readonly string[]): Buffer {
  return execFileSync(tool, [...args], { cwd: ROOT, stdio: 'pipe' })
}

/** A build outside the repository receives the commit in COMMIT. */
function commitOf(): string {
  const { COMMIT: commit } = process.env
  if (commit !== undefined && commit !== '') return commit
  try {
    const output = quietly('git', ['rev-parse', '--short=12', 'HEAD'])
    const changed = quietly('git', ['status', '--porcelain']).length > 0
    return `${output.toString().trim()}${changed ? ', changed' : ''}`
  } catch {
    return 'unknown'
  }
}

/** All files of the program as one archive. */
async function archive(folder: string): Promise<Buffer> {
  const options = {
    ...WHOLE,
    sourcemap: false,
    minifySyntax: true,
    minifyWhitespace: true,
    define: { OUTCOMEX_COMMIT: JSON.stringify(commitOf()) },
  }
  await bundleProgram(folder, options, ALL_COMMANDS)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'start.cjs'), 'module.exports = (url) => import(url)')
  const files = readdirSync(folder).map((name) => {
    return { name, bytes: readFileSync(join(folder, name)) }
  })
  return packed(files)
}

async function makeBinary(folder: string): Promise<void> {
  const parts = join(folder, 'parts')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(parts, { recursive: true })
  const files = await archive(join(parts, 'program'))
  writeFileSync(join(parts, ARCHIVE), files)
  const start = join(parts, 'start.cjs')
  const { plugins } = WHOLE
  await bundleScript(join(ROOT, 'server/build/unpacking/start.ts'), start, { plugins })
  const config = join(parts, 'sea.json')
  const blob = join(parts, 'sea.blob')
  writeFileSync(
    config,
    JSON.stringify({
      main: start,
      output: blob,
      disableExperimentalSEAWarning: true,
      assets: { [ARCHIVE]: join(parts, ARCHIVE) },
    }),
  )
  quietly(process.execPath, ['--experimental-sea-config', config])
  const binary = join(folder, 'outcomex')
  copyFileSync(process.execPath, binary)
  chmodSync(binary, 0o755)
  // The symbols of node would be a fifth of the file.
  quietly('strip', [binary])
  const postject = join(ROOT, 'node_modules', '.bin', 'postject')
  quietly(postject, [binary, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE])
  rmSync(parts, { recursive: true })
  writeBeside(folder, binary)
}

/** Writes the compressed binary, the list of its contents, and checksums of all of them. */
function writeBeside(folder: string, binary: string): void {
  const level = constants.Z_BEST_COMPRESSION
  writeFileSync(`${binary}.gz`, gzipSync(readFileSync(binary), { level }))
  const names = ['outcomex', 'outcomex.gz', 'sbom.json']
  if (compressedByXz(binary)) names.push('outcomex.xz')
  writeFileSync(join(folder, 'sbom.json'), sbom())
  const lines = names.map((name) => {
    const bytes = readFileSync(join(folder, name))
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
  const megabytes = (readFileSync(binary).length / 1e6).toFixed(1)
  process.stdout.write(`outcomex ${VERSION}: ${binary}, ${megabytes} MB\n`)
}

function sbom(): string {
  const { platform: os, arch: cpu, versions } = process
  const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const bill = billOfMaterials(lock, { os, cpu, libc: 'glibc', node: versions.node })
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** No npm package writes this format without an addon, so the step needs the xz tool. */
function compressedByXz(binary: string): boolean {
  try {
    quietly('xz', ['--keep', '--force', '-6', binary])
    return true
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    process.stdout.write('xz is not installed: outcomex.xz is not built\n')
    return false
  }
}

const [, started, folder] = process.argv
if (started === fileURLToPath(import.meta.url) && folder !== undefined) await makeBinary(folder)
