import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { integer, nullable, text } from '../../../server/edge/http/schema/scalars.ts'
import { compile, type Infer, object } from '../../../server/edge/http/schema/schema.ts'
import { TraceFile } from '../../../server/ops/trace.ts'
import { newFolder } from '../../support/data-folder.ts'
import { exchange } from '../../support/exchange.ts'
import { textAt } from '../../support/json-path.ts'
import type { LiveExchange } from '../../support/live-exchange.ts'
import { orderBody } from '../../support/live-orders.ts'
import { runProgram } from '../../support/server-process.ts'

const stamp = () => nullable(integer(1))
const lineFields = object({
  trace: integer(0),
  market: text(),
  order: text(),
  seq: integer(0),
  status: integer(0),
  result: text(),
  received: integer(1),
  read: stamp(),
  intake: stamp(),
  sequence: stamp(),
  journal: stamp(),
  match: stamp(),
  settle: stamp(),
  reply: integer(1),
})
type Line = Infer<typeof lineFields>
const lineShape = compile(lineFields)

function linesOf(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  assert.equal(lines.pop(), '', 'the last line is complete')
  return lines.map((each) => {
    const line: unknown = JSON.parse(each)
    if (!lineShape.holds(line)) assert.fail(each)
    return line
  })
}

/** The times of an order rise along its way, both through the market and through the journal. */
function assertRising(line: Line): void {
  const { received, read, intake, sequence, journal, match, settle, reply } = line
  for (const way of [
    [received, read, intake, sequence, match, settle, reply],
    [received, read, intake, sequence, journal, reply],
  ]) {
    const known = way.filter((each) => each !== null)
    assert.deepEqual(
      known,
      known.toSorted((a, b) => a - b),
      JSON.stringify(line),
    )
  }
}

async function traced(live: LiveExchange): Promise<void> {
  const market = await live.openMarket('traced')
  const alice = await live.trader(10_000_000)
  await live.placed(alice, market)
  const crossing = { outcome: 1 as const }
  const crossed = await live.place(alice, market, crossing, { postOnly: true })
  assert.equal(textAt(crossed.body, 'code'), 'POST_ONLY_WOULD_MATCH')
  const dear = await live.place(alice, market, { sizeRaw: 1_000_000_000_000 })
  assert.equal(textAt(dear.body, 'code'), 'INSUFFICIENT_COLLATERAL')
  const forged = orderBody(alice, market)
  const refused = await live.call(alice, 'POST', '/orders', forged, { signedBody: '{}' })
  assert.equal(textAt(refused.body, 'code'), 'HMAC_INVALID')
  assert.equal((await live.call(alice, 'POST', '/orders', ' '.repeat(70_000))).status, 413)
  // Pretends that as many orders are under way as the bound allows.
  const { orders } = live.exchange.pipeline
  orders.reserve(LIMITS.ordersUnderWayMax)
  const late = await live.place(alice, market)
  orders.reserve(-LIMITS.ordersUnderWayMax)
  assert.equal(late.status, 503)
  // A cancel is not traced.
  assert.equal((await live.call(alice, 'DELETE', `/orders/all/${market.slug}`)).status, 200)
}

test('each order has one line with rising times, one for each step it reached', async () => {
  const path = join(newFolder(), 'trace.ndjson')
  const { live } = await exchange({ flags: ['--trace', path] })
  const startMs = Date.now()
  await traced(live)
  await live.stop()
  assert.deepEqual(live.lost, [])
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const lines = linesOf(path)
  assert.deepEqual(
    lines.map(({ trace, market, status, result }) => [trace, market, status, result]),
    [
      [1, 'traced', 201, 'accepted'],
      [2, 'traced', 400, 'POST_ONLY_WOULD_MATCH'],
      [3, 'traced', 400, 'INSUFFICIENT_COLLATERAL'],
      [4, '', 401, 'HMAC_INVALID'],
      [0, '', 413, 'BODY_TOO_LARGE'],
      [0, '', 503, 'OVERLOADED'],
    ],
  )
  for (const line of lines) {
    assertRising(line)
    assert.ok(Math.abs(line.received / 1000 - startMs) < 600_000, 'times are Unix times')
  }
  const steps = (line: Line) =>
    [line.read, line.intake, line.sequence, line.journal, line.match, line.settle].map(
      (each) => each !== null,
    )
  assert.deepEqual(lines.map(steps), [
    [true, true, true, true, true, true],
    [true, true, true, true, true, true],
    [true, true, true, false, false, false],
    [true, true, false, false, false, false],
    [false, false, false, false, false, false],
    [false, false, false, false, false, false],
  ])
  assert.match(lines[0].order, /^[0-9a-f-]{36}$/)
  assert.ok(lines[0].seq > 0 && lines[1].seq > lines[0].seq)
})

test('a trace file on a full disk loses lines with a warning, and never an order', async () => {
  const { live } = await exchange({ flags: ['--trace', '/dev/full'] })
  await traced(live)
  const until = async (dropped: number) => {
    while ((await live.gauge('outcomex_trace_dropped_total')) < dropped);
  }
  await until(6)
  assert.match(live.lost[0], /^\/dev\/full: trace lines are lost: .*ENOSPC/)
  assert.equal(live.lost.length, 1)
  assert.equal(await live.gauge('outcomex_trace_lines_total'), 0)
})

test('a deleted file is made again, and it has the number of lost lines', async () => {
  const folder = join(newFolder(), 'gone')
  mkdirSync(folder)
  const path = join(folder, 'trace.ndjson')
  const lost: string[] = []
  const trace = await TraceFile.open(path, (sentence) => lost.push(sentence))
  const written = async (count: number) => {
    while (trace.writtenCount + trace.droppedCount < count) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  trace.add('{"trace":1}\n')
  await written(1)
  rmSync(folder, { recursive: true })
  trace.add('{"trace":2}\n')
  await written(2)
  assert.deepEqual([trace.droppedCount, lost.length], [1, 1])
  mkdirSync(folder)
  trace.add('{"trace":3}\n')
  await trace.stop()
  assert.equal(readFileSync(path, 'utf8'), '{"trace":0,"dropped":1}\n{"trace":3}\n')
})

test('the lines that wait for a slow disk are bounded, and the others are counted', async () => {
  const path = join(newFolder(), 'trace.ndjson')
  const lost: string[] = []
  const trace = await TraceFile.open(path, (sentence) => lost.push(sentence))
  const line = `{"trace":1,"x":"${'x'.repeat(1 << 20)}"}\n`
  for (let count = 0; count < 20; count++) trace.add(line)
  await trace.stop()
  assert.ok(trace.droppedCount > 8 && trace.writtenCount >= 8, `${trace.writtenCount}`)
  assert.equal(trace.droppedCount + trace.writtenCount, 20)
  assert.equal(lost.length, 1)
  const lines = readFileSync(path, 'utf8').split('\n')
  assert.equal(lines.filter((each) => each.startsWith('{"trace":1')).length, trace.writtenCount)
  assert.ok(lines.includes(`{"trace":0,"dropped":${trace.droppedCount}}`))
})

test('a later run appends to the lines of the file', async () => {
  const path = join(newFolder(), 'trace.ndjson')
  for (const line of ['{"trace":1}\n', '{"trace":2}\n']) {
    const trace = await TraceFile.open(path, assert.fail)
    trace.add(line)
    await trace.stop()
  }
  assert.equal(readFileSync(path, 'utf8'), '{"trace":1}\n{"trace":2}\n')
})

test('a path that cannot be a trace file is refused before anything opens', async () => {
  const folder = newFolder()
  const other = join(folder, 'notes.txt')
  writeFileSync(other, 'dear diary')
  const rows = [
    [folder, /EISDIR/],
    [join(folder, 'no', 'such', 'trace'), /ENOENT/],
    [other, /is not a trace file; use a new file/],
  ] as const
  for (const [path, why] of rows) {
    const dataDir = join(folder, 'data')
    const { code, stderr } = await runProgram(['serve', '--data', dataDir, '--trace', path])
    assert.equal(code, 1)
    assert.ok(stderr.startsWith(`outcomex: The trace file ${path} cannot be opened: `), stderr)
    assert.match(stderr, why)
    assert.equal(existsSync(dataDir), false)
  }
  assert.equal(readFileSync(other, 'utf8'), 'dear diary')
})
