import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundleCode } from '../../../server/build/bundle.ts'
import { WHOLE } from '../../../server/build/whole-bundle.ts'
import { newFolder } from '../../support/data-folder.ts'

// What is bundled with its native addons. A package that misses its addon may run on in JavaScript,
// many times slower, and nothing fails: so here each says what it runs on.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

test('curves and tables run on native code in a whole bundle', async () => {
  const folder = newFolder()
  const entry = join(folder, 'entry.ts')
  const curve = JSON.stringify(join(ROOT, 'server/crypto/ecdsa.ts'))
  writeFileSync(
    entry,
    `import Sqlite from 'better-sqlite3'
    import { curve } from ${curve}
    const { sum } = new Sqlite(':memory:').prepare('SELECT 1 + 1 AS sum').get()
    console.log(JSON.stringify([curve.name, sum]))`,
  )
  await bundleCode([entry], join(folder, 'out'), {
    ...WHOLE,
    nodePaths: [join(ROOT, 'node_modules')],
  })
  writeFileSync(join(folder, 'out', 'package.json'), '{ "type": "module" }')
  const stated = execFileSync(process.execPath, [join(folder, 'out', 'entry.js')], {
    cwd: folder,
    env: {},
    encoding: 'utf8',
  })
  assert.deepEqual(JSON.parse(stated), ['secp256k1', 2])
})
