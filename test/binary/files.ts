import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import { BUILT, binary, cache, end, run, serve, step } from './stranger.ts'

const BYTES_MAX = 125_000_000
const named = () => openObject({ name: text(), version: text() })
const billOfMaterials = compile(
  openObject({
    metadata: openObject({ component: named() }),
    components: list(named()),
  }),
)

/** What lies in dist-binary; the binary goes to the folder of the stranger. */
export function checkFiles(): void {
  step('files: sizes, checksums and what is inside')
  for (const line of readFileSync(join(BUILT, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
    const [digest, name] = line.split('  ')
    const bytes = readFileSync(join(BUILT, name))
    assert.equal(createHash('sha256').update(bytes).digest('hex'), digest, name)
  }
  assert.ok(statSync(join(BUILT, 'outcomex')).size <= BYTES_MAX)
  const bill: unknown = JSON.parse(readFileSync(join(BUILT, 'sbom.json'), 'utf8'))
  assert.ok(billOfMaterials.holds(bill))
  assert.equal(bill.metadata.component.name, 'outcomex')
  const versions = new Map(bill.components.map(({ name, version }) => [name, version]))
  for (const name of ['better-sqlite3', 'typebox', 'pino']) assert.ok(versions.has(name), name)
  assert.equal(versions.get('node'), process.versions.node)
  const foreign = [...versions.keys()].filter((name) => /darwin|win32|linux-arm/.test(name))
  assert.deepEqual(foreign, [], 'packages of other platforms are not inside')
  copyFileSync(join(BUILT, 'outcomex'), binary)
}

export function checkCache(): void {
  step('its files: for this user alone, and checked')
  assert.match(
    run('--version'),
    /^\d+\.\d+\.\d+ \(commit [0-9a-f]{12}.*, \w+-\w+, node v\d+\.\S+\)\n$/,
  )
  const root = join(cache, 'outcomex')
  const [name] = readdirSync(root)
  for (const path of [root, join(root, name)]) assert.equal(statSync(path).mode & 0o777, 0o700)
  // A changed file is not run: it is unpacked again.
  const changed = join(root, name, 'all-commands.js')
  const before = readFileSync(changed)
  appendFileSync(changed, '\nthrow new Error("changed")\n')
  run('--version')
  assert.deepEqual(readFileSync(changed), before)
  assert.deepEqual(readdirSync(root), [name])
}

/** Without any variable the files lie in the home of this user, or in the temporary folder. */
export async function checkBareStart(): Promise<void> {
  step('a start with an empty environment')
  const before = Date.now()
  const served = await serve({})
  const maps = readFileSync(`/proc/${served.child.pid}/maps`, 'utf8')
  const addon = /\S*\/better_sqlite3\.node$/m.exec(maps)
  assert.ok(addon !== null)
  const place = dirname(addon[0])
  assert.match(place, /\/(\.cache\/outcomex|outcomex-\d+)\/[0-9a-f]{32}$/)
  for (const path of [dirname(place), place]) assert.equal(statSync(path).mode & 0o777, 0o700)
  await end(served, 'SIGTERM')
  // The test takes away what it made, and nothing else.
  if (existsSync(place) && statSync(place).birthtimeMs >= before) rmSync(place, { recursive: true })
}
