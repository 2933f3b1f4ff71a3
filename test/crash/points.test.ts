import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FAULT_POINTS, readFault } from '../../engine/thread/fault-point.ts'
import { openReadOnly } from '../../persistence/database.ts'
import { AllRows } from '../../persistence/query/all-rows.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { CommandFlow } from '../support/command-flow.ts'
import { CrashRounds } from '../support/crash-rounds.ts'
import { copyFolder, newFolder } from '../support/data-folder.ts'
import { fillJournal } from '../support/journal-fill.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram, runProgram, ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const random = new Random(freshSeed())
await compileProgram()

/** The first passings belong to the traders and their funds; releases and snapshots are fewer. */
const PASSINGS = {
  'after-decide': [30, 120],
  'mid-release': [1, 20],
  'before-commit': [30, 120],
  'after-commit': [30, 120],
  'before-reply': [30, 120],
  'mid-snapshot': [1, 2],
  'mid-segment': [1, 2],
  'mid-sealing': [2, 8],
} as const
/** The commands of a flow have the same times for ever. */
const SERVE = ['--port', '0', '--accept-clock', '--market-threads', '2']
const IN_TRADE = [
  'after-decide',
  'mid-release',
  'before-commit',
  'after-commit',
  'before-reply',
  'mid-snapshot',
  'mid-segment',
  'mid-sealing',
] as const

test('a death at any point of an order loses nothing, and every retry has an answer', async () => {
  const rounds = await CrashRounds.start(newFolder(), random)
  after(() => rounds.end())
  for (const point of IN_TRADE) {
    const [least, most] = PASSINGS[point]
    const fault = `${point}:${random.between(least, most)}`
    console.log(JSON.stringify({ fault, ...(await rounds.round(fault)) }))
  }
  await rounds.goodStop()
})

test('a rebuild that dies half way is finished by the next start or rebuild', async () => {
  const flow = new CommandFlow(random.between(1, 1e6))
  flow.run(12_000)
  const whole = newFolder()
  fillJournal(whole, flow.records)
  const halves = [copyFolder(whole), copyFolder(whole)]
  const run = (command: string, dataDir: string, fault?: string) =>
    runProgram([command, '--data', dataDir, ...(command === 'serve' ? SERVE : [])], {
      fault,
    })
  assert.equal((await run('rebuild', whole)).code, 0)
  for (const [index, command] of ['rebuild', 'serve'].entries()) {
    const { signal, stderr } = await run(command, halves[index], 'mid-rebuild:1')
    assert.equal(signal, 'SIGKILL')
    assert.match(stderr, /OUTCOMEX_FAULT=mid-rebuild:1: this process will kill itself there/)
    const seq = appliedSeq(halves[index])
    assert.ok(seq > 0 && seq < flow.seq)
  }
  assert.equal((await run('rebuild', halves[0])).code, 0)
  const args = ['--accept-clock']
  const server = await ServerProcess.start({ dataDir: halves[1], args })
  assert.equal(server.recovered.seq, flow.seq)
  await server.stop()
  const expected = tablesOf(whole)
  for (const dataDir of halves) {
    const { orders, trades } = tablesOf(dataDir)
    assert.deepEqual({ orders, trades }, { orders: expected.orders, trades: expected.trades })
    verifyFolder(dataDir)
  }
})

/** More than a chunk writes at once, and more than it places. */
const WIDE_ORDERS = 12_000

test('a death between two pages of a large command loses no row and doubles none', async () => {
  const flow = new CommandFlow(random.between(1, 1e6))
  const bid = { side: 0, outcome: 0, orderType: 0, priceTicks: 500, sizeRaw: 1000 }
  const orders = Array.from({ length: WIDE_ORDERS }, (_none, index) => {
    return flow.place({ ...bid, accountId: 1 + (index % 3) })
  })
  // The newest are of the last chunk, and their rows are not late.
  for (let end = WIDE_ORDERS; end > 0; end -= 1000) {
    flow.cancel(orders.slice(end - 1000, end), 1, 1)
  }
  const whole = newFolder()
  fillJournal(whole, flow.records, 512)
  const half = copyFolder(whole)
  const rebuild = (dataDir: string, fault?: string) =>
    runProgram(['rebuild', '--data', dataDir], { fault })
  assert.equal((await rebuild(whole)).code, 0)
  assert.equal((await rebuild(half, 'mid-backlog:3')).signal, 'SIGKILL')
  assert.equal(appliedSeq(half), flow.seq)
  assert.ok(lateRows(half) > 0, 'it died among its pages')
  const args = ['--accept-clock']
  const server = await ServerProcess.start({ dataDir: half, args })
  await until(() => lateRows(half) === 0)
  await server.stop()
  const { orders: made, events } = tablesOf(half)
  const expected = tablesOf(whole)
  assert.deepEqual({ made, events }, { made: expected.orders, events: expected.events })
  verifyFolder(half)
})

function lateRows(dataDir: string): number {
  const all = new AllRows(dataDir)
  const { lateCount } = all
  all.close()
  return lateCount
}

function tablesOf(dataDir: string) {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  const all = (table: string) => connection.prepare(`SELECT * FROM ${table}`).all()
  const events = all('order_events')
  const tables = { orders: all('orders'), trades: all('trades'), events }
  connection.close()
  return tables
}

function appliedSeq(dataDir: string): number {
  const connection = openReadOnly(join(dataDir, 'read.db'))
  const row = connection.prepare<[], { seq: number }>('SELECT seq FROM applied').get()
  connection.close()
  return row?.seq ?? 0
}

test('a fault point is named exactly, or the start is refused with a sentence', async () => {
  for (const point of FAULT_POINTS) assert.deepEqual(readFault(`${point}:7`), { point, passing: 7 })
  for (const wrong of ['', 'before-commit', 'before-commit:0', 'before-commit:1x', 'nowhere:1']) {
    assert.equal(readFault(wrong), null)
  }
  const dataDir = join(newFolder(), 'data')
  const { code, stderr } = await runProgram(['serve', '--data', dataDir], { fault: 'nowhere:1' })
  assert.equal(code, 2)
  assert.match(stderr, /OUTCOMEX_FAULT must be a point and a passing, like before-commit:137/)
  assert.equal(existsSync(dataDir), false)
})
