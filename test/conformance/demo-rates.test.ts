import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { RATE_CLASSES } from '../../server/edge/http/access/rate-limit.ts'
import { newFolder } from '../support/data-folder.ts'
import { at } from '../support/json-path.ts'
import { compileProgram, ServerProcess } from '../support/server-process.ts'

// The demo is lively under every rate that can be set, and leaves these rates to the callers.

await compileProgram()

const SMALLEST = [
  ...RATE_CLASSES.map((rateClass) => [`--address-rate-${rateClass}`, '1:1']),
  ...RATE_CLASSES.filter((rateClass) => rateClass !== 'public').map((rateClass) => [
    `--rate-${rateClass}`,
    '1:1',
  ]),
  ['--registrations-per-day', '1'],
].flat()

test('a demo is lively under the smallest rates, and takes nothing from callers', async () => {
  const dataDir = newFolder()
  const demo = (): unknown => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  const server = await ServerProcess.start({ dataDir, demo: true, args: SMALLEST })
  after(() => server.signal('SIGKILL'))
  // Its people come last: they log in, are funded, and trade from then on.
  const isWhole = () => at(demo(), 'hasCompany') === true
  const changes = watch(dataDir)
  if (!isWhole()) for await (const _change of changes) if (isWhole()) break
  // A bot of the demo reports prices each second, with the token of this very operator.
  const headers = { authorization: `Bearer ${at(demo(), 'adminToken')}` }
  const calls = Array.from({ length: 4 }, () =>
    fetch(`${server.baseUrl}/admin/audit`, { headers }).then(({ status }) => status),
  )
  assert.deepEqual((await Promise.all(calls)).sort(), [200, 429, 429, 429])
  const active = await fetch(`${server.baseUrl}/markets/active/slugs`)
  assert.equal(active.status, 200, await active.text())
  await server.stop()
  assert.doesNotMatch(server.stderr, /"level":"(warn|error|fatal)"/, 'no bot had trouble')
})
