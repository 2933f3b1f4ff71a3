import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HistogramLogReader } from 'hdr-histogram-js'
import { commands } from '../../../../server/cli/commands.ts'
import { runCommand } from '../../../../server/command-line.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { at } from '../../../support/json-path.ts'
import { ADMIN_TOKEN, type LiveExchange, startLive } from '../../../support/live-exchange.ts'

// `outcomex load` against a running exchange: what it sends, counts, prints and leaves behind.

const OPERATIONS = ['add', 'cancel', 'take', 'replace']

async function run(...args: string[]) {
  const [output, warned]: [string[], string[]] = [[], []]
  const shell = {
    env: {},
    nowMs: () => Date.now(),
    say: (text: string) => output.push(text),
    warn: (text: string) => warned.push(text),
  }
  const code = await runCommand(commands, ['load', '--data', newFolder(), ...args], '', shell)
  return { code, output: output.join('\n'), warned: warned.join('\n') }
}

const loadOf = (live: LiveExchange, ...args: string[]) =>
  run('--url', `http://127.0.0.1:${live.port}`, '--admin-token', ADMIN_TOKEN, ...args)

const sum = (counts: unknown) =>
  Object.values(Object(counts)).reduce<number>((a, b) => a + Number(b), 0)

test('a load at a rate counts every request, and resolves its markets', async () => {
  const live = await startLive()
  const hdr = join(newFolder(), 'load.hdr')
  const few = ['--traders', '3', '--markets', '2', '--connections', '6', '--threads', '2']
  const line = `--rate 150 --duration 2 --mix 50:30:10:10 --socket 2 --hdr ${hdr} --json`
  const { code, output, warned } = await loadOf(live, ...line.split(' '), ...few)
  assert.equal(code, 0, warned)
  const result: unknown = JSON.parse(output)
  const accepted = (name: string) => Number(at(result, 'operations', name, 'accepted'))
  const answered = accepted('all') + sum(at(result, 'refused'))
  assert.equal(answered + Number(at(result, 'unanswered')), 300, output)
  for (const name of OPERATIONS) assert.ok(accepted(name) > 0, `${name} was sent: ${output}`)
  assert.equal(
    OPERATIONS.reduce((count, name) => count + accepted(name), 0),
    accepted('all'),
  )
  const percentiles = ['p50Ms', 'p90Ms', 'p99Ms', 'p999Ms', 'p9999Ms', 'maxMs'].map((name) =>
    Number(at(result, 'operations', 'all', name)),
  )
  assert.deepEqual(
    [...percentiles].sort((a, b) => a - b),
    percentiles,
  )
  assert.ok(percentiles[0] > 0)
  for (const step of ['intake', 'journal', 'match', 'whole']) {
    assert.ok(Number(at(result, 'server', 'order', step, 'p99Ms')) > 0, step)
  }
  assert.ok(Number(at(result, 'readers', 'frames')) > 2)
  assert.match(warned, /^\d+ orders are signed ahead\.$/m)
  assert.match(warned, /^ +\d\.\d s {2}\d+ accepted, \d+ refused, p50 .*, p99 /m)
  const logged = new HistogramLogReader(readFileSync(hdr, 'utf8'))
  let written = 0
  for (;;) {
    const histogram = logged.nextIntervalHistogram()
    if (histogram === null) break
    assert.ok(OPERATIONS.includes(histogram.tag))
    written += histogram.totalCount
  }
  assert.equal(written, accepted('all'))
  const markets = await live.read('/markets/tickers')
  assert.deepEqual(at(markets.body, 'tickers'), [], 'the markets of the load are resolved')
  await live.stop()
})

test('a load without a rate sends when replies come, and reports limits of callers', async () => {
  const live = await startLive({ limited: true, flags: ['--rate-trade', '1:1'] })
  const few = ['--traders', '2', '--markets', '1', '--connections', '4', '--threads', '1']
  const { code, output, warned } = await loadOf(live, '--max', '--duration', '2', ...few)
  assert.equal(code, 0, warned)
  assert.match(warned, /^The exchange limits its callers; start it with --no-rate-limit/m)
  assert.match(output, /^client +accepted +a second +p50 +p90 +p99 +p99\.9 +p99\.99 +worst$/m)
  assert.match(output, /^add +[1-9]/m)
  assert.match(output, /^server +read +intake/m)
  assert.match(output, /^refused .* × 429 RATE_LIMITED/m)
  assert.match(output, /start it with --no-rate-limit/)
  await live.stop()
})

test('a wrong use of the load is refused with what is right', async () => {
  const token = ['--admin-token', ADMIN_TOKEN]
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /The admin token is missing/],
    [[...token, '--rate', '10', '--max'], /--rate or --max, not both/],
    [[...token, '--mix', '0:1:1:1'], /four weights, like 50:40:5:5, of which the first is not 0/],
    [[...token, '--emit', 'x.har', '--max'], /give --rate, not --max/],
    [[...token, '--url', 'nowhere'], /--url must be an address/],
  ]
  for (const [args, sentence] of wrong) {
    const { code, warned } = await run(...args)
    assert.equal(code, 2, warned)
    assert.match(warned, sentence)
  }
  const { code, warned } = await run(...token, '--url', 'http://127.0.0.1:1')
  assert.equal(code, 1)
  assert.match(warned, /No exchange answers at http:\/\/127\.0\.0\.1:1 /)
})
