import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { verifyFolder } from '../../../persistence/verify-folder.ts'
import { markTime } from '../../../server/start/time-mark.ts'
import { newFolder } from '../../support/data-folder.ts'
import { at } from '../../support/json-path.ts'
import { fill, openForTest } from '../../support/open-pipeline.ts'
import { compileProgram, metricsOf, ServerProcess } from '../../support/server-process.ts'

// Starts of an exchange whose last command is far from what the wall clock shows.

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const args = ['--market-threads', '0']
await compileProgram()

/** An exchange with a market, whose last command has this time. */
async function folderAt(nowMs: number): Promise<string> {
  const dataDir = newFolder()
  const exchange = await openForTest(dataDir, { nowMs })
  await fill(exchange, 1e9)
  await exchange.stop()
  return dataDir
}

async function start(dataDir: string, ...more: string[]): Promise<ServerProcess> {
  const server = await ServerProcess.start({ dataDir, args: [...args, ...more] })
  after(() => server.signal('SIGKILL'))
  return server
}

test('a start ten days past the last command needs --accept-clock', async () => {
  const lastMs = Date.now() - 10 * DAY_MS
  const dataDir = await folderAt(lastMs)
  const before = verifyFolder(dataDir).stateHash
  await assert.rejects(start(dataDir), (error: Error) => {
    assert.match(error.message, /"code":1,.*outcomex: The wall clock reads .*Z, 10 days after/)
    assert.ok(error.message.includes(new Date(lastMs).toISOString()), error.message)
    assert.match(error.message, /start it once with --accept-clock\./)
    return true
  })
  assert.equal(verifyFolder(dataDir).stateHash, before, 'a refused start changes nothing')

  const accepted = await start(dataDir, '--accept-clock')
  assert.match(accepted.stderr, /--accept-clock: the server's time leaps 10 days/)
  assert.equal((await fetch(`${accepted.baseUrl}/ready`)).status, 200)
  await accepted.stop()
  // The leap is in the journal, although nobody called.
  const next = await start(dataDir)
  await next.stop()
})

test('an exchange whose time is ten days ahead starts, and is not ready', async () => {
  const server = await start(await folderAt(Date.now() + 10 * DAY_MS))
  const reply = await fetch(`${server.baseUrl}/ready`)
  const body: unknown = await reply.json()
  assert.equal(reply.status, 503, JSON.stringify(body))
  const checks = at(body, 'checks')
  assert.ok(Array.isArray(checks))
  const [clock] = checks.filter((each) => at(each, 'name') === 'clock')
  const detail = "the wall clock is 10 days behind the server's time"
  assert.deepEqual(clock, { name: 'clock', ok: false, detail })
  const metrics = await metricsOf(server.baseUrl)
  assert.match(metrics, /^outcomex_clock_near 0$/m)
  await server.stop()
  assert.match(server.stderr, /the wall clock is 10 days behind: .* the exchange is not ready/)
})

test('an exchange in which nothing happens records its time once an hour', async () => {
  const clock = { nowMs: Date.now() }
  const exchange = await openForTest(newFolder(), clock)
  await fill(exchange, 1e9)
  const { pipeline } = exchange
  const { clearing } = pipeline
  const [seq, lastMs, version] = [clearing.lastSeq, clearing.lastNowMs, clearing.rulesVersion]
  clock.nowMs = lastMs + HOUR_MS - 1
  markTime(pipeline)
  assert.equal(clearing.lastSeq, seq)
  clock.nowMs = lastMs + HOUR_MS
  markTime(pipeline)
  markTime(pipeline)
  assert.equal(clearing.lastSeq, seq + 1)
  assert.deepEqual([clearing.lastNowMs, clearing.rulesVersion], [lastMs + HOUR_MS, version])
})
