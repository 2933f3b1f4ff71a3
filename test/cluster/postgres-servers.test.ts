import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { longSkip as skip } from '../support/cluster-tests.ts'
import { isFree } from '../support/free-port.ts'
import { databaseUrl, type PostgresServer, startPostgres } from '../support/postgres-servers.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SERVERS = new URL('../support/postgres-servers.ts', import.meta.url).href
const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`

async function servers(t: TestContext, standbys: number) {
  const group = await startPostgres({ standbys })
  t.after(() => group.stopAll())
  await group.primary.query('CREATE TABLE line (number int PRIMARY KEY)')
  return group
}

function insert(server: PostgresServer, number: number) {
  return server.query('INSERT INTO line VALUES ($1)', [number])
}

async function numbers(server: PostgresServer): Promise<unknown[]> {
  const rows = await server.query('SELECT number FROM line ORDER BY number')
  return rows.map(({ number }) => number)
}

/** Resolves when a commit of the server waits for a standby. */
function commitWaits(server: PostgresServer): Promise<void> {
  return until(async () => (await server.query(WAITING)).length === 1)
}

test('a primary alone commits, and keeps its data over a stop and a kill', { skip }, async (t) => {
  const { primary } = await servers(t, 0)
  await insert(primary, 1)
  await primary.stop()
  assert.ok(await isFree(primary.port), 'a stop frees the port')
  await primary.start()
  await insert(primary, 2)
  await primary.kill()
  await primary.start()
  assert.deepEqual(await numbers(primary), [1, 2])
  assert.equal(await primary.isStandby(), false)
})

test('a commit waits until one standby has it', { skip }, async (t) => {
  const { primary, standbys } = await servers(t, 2)
  const [s1, s2] = standbys
  await s1.suspend()
  await insert(primary, 1)
  await s2.suspend()
  const second = insert(primary, 2)
  await commitWaits(primary)
  s1.resume()
  await second
  await primary.setSynchronousNames('')
  await s1.suspend()
  await insert(primary, 3)
  assert.deepEqual(await numbers(primary), [1, 2, 3])
})

test('a suspended server that is killed frees its port, and starts again', { skip }, async (t) => {
  const { primary, standbys } = await servers(t, 1)
  const [standby] = standbys
  await insert(primary, 1)
  await primary.suspend()
  assert.equal(await isFree(primary.port), false)
  await primary.kill()
  assert.ok(await isFree(primary.port))
  await primary.start()
  await standby.streamsFrom(primary)
  await insert(primary, 2)
  assert.deepEqual(await numbers(primary), [1, 2])
})

test('a failover keeps what was committed, and the old primary rejoins', { skip }, async (t) => {
  const group = await servers(t, 2)
  const { primary: old } = group
  const committed: number[] = []
  const writing = (async () => {
    for (let number = 0; ; number++) {
      await insert(old, number)
      committed.push(number)
    }
  })()
  await until(() => committed.length > 50)
  await Promise.all([old.kill(), assert.rejects(writing)])

  const primary = await group.failOver()
  const kept = new Set(await numbers(primary))
  assert.deepEqual(
    committed.filter((number) => !kept.has(number)),
    [],
  )
  const follower = group.standbys.find((server) => server !== primary)
  assert.ok(follower !== undefined, 'one standby follows the other')
  await insert(primary, -1)

  await old.rejoin(primary)
  await follower.kill()
  await insert(primary, -2)
  assert.equal(await old.isStandby(), true)
  await until(async () => (await numbers(old)).includes(-2))
})

test('a standby with other WAL cannot follow, and rejoins', { skip }, async (t) => {
  const { primary, standbys } = await servers(t, 2)
  const [s1, s2] = standbys
  await s2.detach()
  await primary.query('INSERT INTO line SELECT generate_series(1, 10000)')
  assert.ok((await s1.receivedBytes()) > (await s2.receivedBytes()))
  await primary.kill()
  await s2.promote()
  await assert.rejects(s1.follow(s2), /s1 has other WAL than s2/)
  // PostgreSQL compares positions and not timelines: s1 confirms what it does not have.
  await insert(s2, -1)
  assert.deepEqual(await numbers(s2), [-1])
  assert.equal((await numbers(s1)).length, 10_000)
  await s1.rejoin(s2)
  await until(async () => (await numbers(s1)).join() === '-1')
})

test('a standby that follows through a proxy is cut off by it', { skip }, async (t) => {
  const { primary, standbys } = await servers(t, 1)
  const [standby] = standbys
  const proxy = await TcpProxy.open({ host: '127.0.0.1', port: primary.port })
  t.after(() => proxy.close())
  assert.equal(databaseUrl({ port: primary.port }), primary.url)
  await standby.follow(primary, proxy.port)
  for (const direction of ['up', 'down'] as const) {
    proxy.blackhole(direction)
    const commit = insert(primary, direction === 'up' ? 1 : 2)
    await commitWaits(primary)
    await proxy.restore()
    await commit
  }
  proxy.cut()
  const third = insert(primary, 3)
  await commitWaits(primary)
  await proxy.restore()
  await third
})

const ABANDON = `
  import { startPostgres } from '${SERVERS}'
  const { primary, standbys } = await startPostgres({ standbys: 1 })
  await standbys[0].suspend()
  console.log(JSON.stringify({ port: primary.port, folder: primary.folder }))
  setInterval(() => {}, 1000)`

test('servers end with the test process, also when it is killed', { skip }, async () => {
  const words = ['--import', 'tsx', '--input-type=module', '--eval', ABANDON]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: [...stdio] })
  const lines = createInterface({ input: child.stdout })
  const [line] = await once(lines, 'line')
  const { port, folder }: { port: number; folder: string } = JSON.parse(line)
  assert.equal(await isFree(port), false)
  child.kill('SIGKILL')
  await until(() => !existsSync(dirname(folder)))
  assert.ok(await isFree(port))
})
