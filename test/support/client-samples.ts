import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newFolder } from './data-folder.ts'

// The samples that come with the public client: those of its README.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = join(ROOT, 'node_modules', '@limitless-exchange', 'sdk', 'README.md')
const SAMPLE_MS = 60_000

/** The samples with this call, in the order of the page. */
export function samplesWith(call: string): string[] {
  return [...readFileSync(README, 'utf8').matchAll(/^```typescript\n(.*?)^```/gms)]
    .map(([, code]) => code)
    .filter((code) => code.includes(`.${call}(`))
}

/** Runs a sample to its end; gives what it printed. */
export async function runSample(
  code: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = newFolder()
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'sample.ts'), code)
  const child = spawn(process.execPath, ['--import', 'tsx', 'sample.ts'], {
    cwd: folder,
    timeout: SAMPLE_MS,
    env: { ...process.env, ...env },
  })
  let stated = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      stated += text
    })
  }
  const [status] = await once(child, 'close')
  assert.equal(status, 0, stated)
  return stated
}
