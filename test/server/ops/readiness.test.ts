import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ring } from '../../../engine/thread/ring.ts'
import { boolean, integer, text } from '../../../server/edge/http/schema/scalars.ts'
import { compile, list, object } from '../../../server/edge/http/schema/schema.ts'
import { Progress, Pulse, readinessOf } from '../../../server/ops/readiness.ts'
import { newFolder } from '../../support/data-folder.ts'
import { ADMIN_TOKEN, ServerProcess } from '../../support/server-process.ts'

// /ready reports the true state, also of threads that stand still, with work or without.

const ASK_AGAIN_MS = 20
const check = () => object({ name: text(), ok: boolean(), detail: text() })
const good = compile(object({ ready: boolean(), seq: integer(0), checks: list(check()) }))
const refusal = { message: text(), error: text(), statusCode: integer(0), code: text() }
const bad = compile(
  object({ ...refusal, ready: boolean(), seq: integer(0), checks: list(check()) }),
)

test('the reader of a ring answers a question whether frames come or not', () => {
  const shared = Ring.allocate(1 << 12)
  const [writer, reader] = [new Ring(shared), new Ring(shared)]
  assert.ok(writer.isAnswered)
  for (let round = 0; round < 3; round++) {
    writer.request()
    assert.ok(!writer.isAnswered)
    // A question wakes the reader as a frame would.
    assert.equal(reader.waitForData(60_000), false)
    assert.ok(writer.isAnswered)
  }
  writer.request()
  reader.answer()
  assert.ok(writer.isAnswered, 'a reader that waits for something else answers too')
  assert.ok(writer.push(7, new Uint8Array(8)))
  writer.send()
  writer.request()
  assert.equal(reader.waitForData(60_000), true)
  assert.ok(writer.isAnswered)
})

test('a thread is silent since the first question that it has not answered', () => {
  let requested = 0
  let answered = 0
  const thread = {
    request: () => {
      requested++
    },
    get isAnswered() {
      return requested === answered
    },
  }
  const pulse = new Pulse(thread)
  assert.equal(pulse.silentMs(5000), 0)
  pulse.request(5000)
  pulse.request(5500)
  assert.equal(requested, 1)
  assert.equal(pulse.silentMs(6500), 1500)
  // Main itself may have stalled, so an answer counts as soon as it is there.
  answered = 1
  assert.equal(pulse.silentMs(9000), 0)
  pulse.request(9000)
  assert.equal(requested, 2)
  assert.equal(pulse.silentMs(9100), 100)
})

test('a thread that is behind is stuck only while it makes no progress', () => {
  const progress = new Progress()
  progress.see(1, 1000)
  assert.equal(progress.stuckMs(0, 60_000), 0, 'nothing to do')
  assert.equal(progress.stuckMs(300, 60_000), 300, 'behind since a moment, after a long rest')
  // It works through something large for a minute.
  for (let nowMs = 61_000; nowMs < 120_000; nowMs += 1000) {
    progress.see(nowMs, nowMs)
    assert.equal(progress.stuckMs(nowMs - 60_000, nowMs + 500), 500)
  }
  // It stops.
  progress.see(119_000, 126_000)
  assert.equal(progress.stuckMs(66_000, 126_000), 7000)
})

test('a failed check that is not vital is shown and does not make /ready refuse', () => {
  const fine = { name: 'a', isVital: true, trouble: () => null }
  const reported = { name: 'b', isVital: false, trouble: () => 'so so' }
  const vital = { name: 'c', isVital: true, trouble: () => 'broken' }
  assert.deepEqual(readinessOf([fine, reported]), {
    ready: true,
    checks: [
      { name: 'a', ok: true, detail: '' },
      { name: 'b', ok: false, detail: 'so so' },
    ],
  })
  assert.equal(readinessOf([fine, vital]).ready, false)
})

/** The failed checks in the reply of /ready; null when the exchange is ready. */
async function failed(baseUrl: string): Promise<string[] | null> {
  const reply = await fetch(`${baseUrl}/ready`)
  const body: unknown = await reply.json()
  if (reply.status === 200) {
    assert.ok(good.holds(body), JSON.stringify(body))
    assert.ok(body.ready)
    return null
  }
  assert.equal(reply.status, 503)
  assert.ok(bad.holds(body), JSON.stringify(body))
  assert.ok(!body.ready && body.code === 'NOT_READY' && reply.headers.get('retry-after') === '1')
  return body.checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

async function until(baseUrl: string, isThere: (found: string[] | null) => boolean) {
  for (;;) {
    if (isThere(await failed(baseUrl))) return
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}

/** Sends a command of the operator. Its reply waits while the journal stands still. */
async function post(baseUrl: string, path: string, body: object): Promise<void> {
  const reply = await fetch(`${baseUrl}/admin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(reply.status, 201)
}

// A stall ends after two and a half seconds, so /ready must show it by then. The journal counts
// commands too, so that it does not stall before the exchange listens. A market thread without work
// counts the questions that it answers. Calls to operators' routes come over the main thread.
for (const [point, name] of [
  ['journal-stall:200', 'journal'],
  ['market-stall:8', 'markets'],
  ['edge-stall:8', 'edges'],
] as const) {
  test(`an exchange is not ready while its ${name} stand still, and is ready later`, async (t) => {
    const threads = ['--market-threads', '1', '--edge-threads', '1']
    const args = [...threads, '--no-rate-limit', '--ops-listen', '127.0.0.1:0']
    const server = await ServerProcess.start({ dataDir: newFolder(), args, fault: point })
    const baseUrl = server.operatorsUrl
    t.after(() => server.signal('SIGKILL'))
    await post(baseUrl, 'markets', { kind: 'clob', slug: 'still', title: 'Still?' })
    let isSeen = false
    const account = `0x${'7'.repeat(40)}`
    const commands = async () => {
      while (name === 'journal' && !isSeen) await post(baseUrl, 'profiles', { account })
    }
    const sent = commands()
    await until(baseUrl, (found) => found?.includes(name) === true)
    isSeen = true
    await until(baseUrl, (found) => found === null)
    await sent
    await server.stop()
  })
}
