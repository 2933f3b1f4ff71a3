import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { spawn } from '../../../engine/thread/spawn.ts'
import { bundleCode } from '../../../server/build/bundle.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = 'test/support/spawn-echo'

/** Runs the program from a folder that is not the repository, as an installed command would be. */
function runElsewhere(argv: string[]): void {
  const done = spawnSync(process.execPath, argv, { cwd: tmpdir(), encoding: 'utf8' })
  assert.equal(done.status, 0, done.stderr)
  const stated = done.stdout.trim().split('\n').sort()
  assert.deepEqual(stated, ['a word on stdout', 'exit: 0', 'message: hello trader'])
  assert.equal(done.stderr.trim(), 'a word on stderr')
}

test('a thread starts from sources, in any working directory', () => {
  runElsewhere(['--import', import.meta.resolve('tsx'), join(root, `${program}.ts`)])
})

test('a thread starts from a bundle, by plain node', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spawn-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const files = [`${program}.ts`, 'test/support/echo.worker.ts'].map((file) => join(root, file))
    await bundleCode(files, folder)
    runElsewhere([join(folder, 'spawn-echo.js')])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a thread that cannot load its file faults instead of hanging', async () => {
  const worker = spawn(new URL('./absent.worker.ts', import.meta.url), {
    name: 'absent',
    workerData: null,
  })
  const [error] = await once(worker, 'error')
  assert.match(String(error), /absent\.worker/)
})
