import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// `.bin/tsc` is the version that a generator of clients brings.
const TSC = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc')

/** Checks the sources in a folder as those of the repository; gives what the compiler says. */
export function checkTypes(
  folder: string,
  include: readonly string[],
  compilerOptions: object = {},
): { readonly status: number | null; readonly stdout: string } {
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return spawnSync(TSC, ['-p', folder], { cwd: folder, encoding: 'utf8' })
}
