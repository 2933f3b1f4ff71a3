import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { at } from '../support/json-path.ts'
import { type Command, isUnreachable } from './program.ts'
import { missingSteps, type OpenVenue, type Suite, SuiteRun, type Verdict } from './suite.ts'
import { SUITES } from './suites.ts'

// What becomes of a suite: drivers here are one line for node, and the exchange is never called.

const LIMIT_MS = 20_000

/** A program in one line. */
function script(source: string, limitMs = LIMIT_MS): Command {
  return { program: process.execPath, args: ['-e', source], limitMs }
}

const nowhere: OpenVenue = async () => ({
  env: { INTEROP_MARKET: 'rain' },
  document: async () => '{}',
  whileLive: (work) => work(),
  stop: async () => '',
  kill: () => {},
})

function verdictOf(
  changes: Partial<Suite>,
  { endMs = Number.POSITIVE_INFINITY, open = nowhere } = {},
): Promise<Verdict> {
  const suite: Suite = {
    name: 'one',
    isShort: true,
    tools: [],
    steps: ['place', 'list'],
    fetch: () => [],
    drive: () => [script(`console.log('ok place\\nok list ' + process.env.INTEROP_MARKET)`)],
    ...changes,
  }
  const workspace = { folder: join(newFolder(), 'one'), drivers: '', isFull: true }
  return new SuiteRun(suite, workspace, open, endMs).verdict()
}

test('a suite passes when each step has its line and the driver ends well', async () => {
  const passed = await verdictOf({ steps: ['place', 'list rain'] })
  assert.deepEqual([passed.outcome, passed.reason], ['passed', '2 steps'])
})

test('a driver that leaves a step out fails the suite, which names the step', async () => {
  const failed = await verdictOf({ steps: ['place', 'list rain', 'cancel', 'history'] })
  assert.deepEqual([failed.outcome, failed.reason], ['failed', 'steps not done: cancel, history'])
  assert.match(failed.output, /^ok place$/m)
  assert.deepEqual(missingSteps(['list'], 'ok lists\nnot ok list\n  ok list  \n'), [])
  assert.deepEqual(missingSteps(['list'], 'ok lists\nnot ok list\n'), ['list'])
})

test('a driver that fails after its last step fails the suite', async () => {
  const drive = () => [script(`console.log('ok place\\nok list'); process.exit(4)`)]
  const failed = await verdictOf({ drive })
  assert.deepEqual([failed.outcome, failed.reason], ['failed', 'the driver ended with code 4'])
})

test('a driver that does not end is ended, and fails the suite', async () => {
  const failed = await verdictOf({ drive: () => [script('setInterval(() => {}, 1000)', 300)] })
  assert.deepEqual([failed.outcome, failed.reason], ['failed', 'the driver did not end in time'])
})

test('a fault of the exchange fails the suite', async () => {
  const open: OpenVenue = async (folder) => ({ ...(await nowhere(folder)), stop: async () => 'x' })
  const failed = await verdictOf({ steps: ['place'] }, { open })
  assert.deepEqual([failed.outcome, failed.reason], ['failed', 'the exchange had faults'])
})

test('a missing tool and an unreachable registry skip the suite with the reason', async () => {
  const command = { program: 'no-such-program', args: [], limitMs: LIMIT_MS }
  const without = await verdictOf({ tools: [{ for: 'Go', command }] })
  assert.equal(without.outcome, 'skipped')
  assert.match(without.reason, /^Go is not on this machine: .*ENOENT/)
  const fetch = () => [script(`console.error('Connection refused'); process.exit(1)`)]
  const unreached = await verdictOf({ fetch })
  assert.equal(unreached.reason, 'the registry does not answer: Connection refused')
  assert.equal(unreached.outcome, 'skipped')
  const late = await verdictOf({ fetch: () => [script('setInterval(() => {}, 1000)', 300)] })
  assert.equal(late.outcome, 'skipped')
  assert.match(late.reason, /^no answer in time: /)
})

test('a download that a registry refuses is a failure, and so is a build', async () => {
  const broken = () => [script(`console.error('no such version'); process.exit(1)`)]
  const unknown = await verdictOf({ fetch: broken })
  assert.equal(unknown.outcome, 'failed')
  assert.match(unknown.reason, /^the download failed: /)
  const unbuilt = await verdictOf({ build: broken })
  assert.deepEqual([unbuilt.outcome, unbuilt.reason], ['failed', 'the build ended with code 1'])
})

test('no command runs past the end of all suites, and a suite that is cut is skipped', async () => {
  const drive = () => [script('setInterval(() => {}, 1000)')]
  for (const leftMs of [300, 0]) {
    const cut = await verdictOf({ drive }, { endMs: performance.now() + leftMs })
    const reason = 'the time of all suites together was over'
    assert.deepEqual([cut.outcome, cut.reason], ['skipped', reason])
  }
})

test('an exchange that does not start fails the suite', async () => {
  const open: OpenVenue = () => Promise.reject(new Error('no port'))
  const failed = await verdictOf({}, { open })
  assert.deepEqual([failed.outcome, failed.reason], ['failed', 'the run of the suite broke'])
  assert.match(failed.output, /no port/)
})

test('what package managers print of a network that fails is known', () => {
  for (const line of [
    'Temporary failure in name resolution',
    'dial tcp: lookup host: no such host',
    'net/http: TLS handshake timeout',
    'curl: (28) Operation timed out',
    'error: failed to download: [7] Failed to connect to host port 443',
    'Could not transfer artifact a:b from/to central: status code: 503',
    'HTTP error 407 while getting it',
  ]) {
    assert.ok(isUnreachable(line), line)
  }
  for (const line of [
    'ERROR: No matching distribution found for limitless-sdk==9.9.9',
    'error[E0412]: cannot find type `Market` in this scope',
    'go: module example: no matching versions for query "v9"',
  ]) {
    assert.ok(!isUnreachable(line), line)
  }
})

test('each finding of schemathesis that stays has a reason, and fields that findings have', () => {
  const path = new URL('./schemathesis/findings.json', import.meta.url)
  const known: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const fields = new Set(['check', 'operation', 'status', 'code', 'body', 'sent', 'scenario'])
  for (const list of ['accepted', 'excluded']) {
    const rows = at(known, list)
    assert.ok(Array.isArray(rows) && rows.length > 0)
    for (const row of rows) {
      const { reason, ...patterns } = Object(row)
      assert.match(String(reason), /^[A-Z0-9].* .*[.]$/)
      assert.ok(Object.keys(patterns).length > 0, reason)
      for (const field of Object.keys(patterns)) assert.ok(fields.has(field), field)
    }
  }
})

test('suites have names of their own and steps, and the short form is not empty', () => {
  const names = SUITES.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.ok(SUITES.every(({ steps }) => new Set(steps).size === steps.length && steps.length > 0))
  assert.ok(SUITES.some(({ isShort }) => isShort))
})
