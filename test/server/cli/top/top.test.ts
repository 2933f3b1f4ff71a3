import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../../../server/cli/commands.ts'
import { plain, viewLines } from '../../../../server/cli/top/view.ts'
import { runCommand } from '../../../../server/command-line.ts'
import { Figures, seriesOf } from '../../../../server/ops/figures.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { startLive } from '../../../support/live-exchange.ts'

// The live view of a running exchange: what it counts, and what it shows.

const text = (orders: number, fast: number, all: number) => `
# HELP orders_total Orders.
orders_total{kind="a",by="x \\"y\\""} ${orders}
orders_total{kind="b"} 5
took_seconds_bucket{step="s",le="0.001"} ${fast}
took_seconds_bucket{step="s",le="0.01"} ${all}
took_seconds_bucket{step="s",le="+Inf"} ${all}
no series at all
`

test('figures are what was added between two looks', () => {
  const look = (atMs: number, output: string) => ({ atMs, series: seriesOf(output) })
  const figures = new Figures(look(1000, text(10, 2, 4)), look(3000, text(30, 8, 14)))
  assert.equal(figures.now('orders_total'), 35)
  assert.equal(figures.perSecond('orders_total', { kind: 'a' }), 10)
  assert.equal(figures.now('orders_total', { by: 'x \\"y\\"' }), 30)
  assert.deepEqual(figures.valuesOf('orders_total', 'kind'), ['a', 'b'])
  assert.equal(figures.quantile('took_seconds', 0.5, { step: 's' }), 0.001)
  assert.equal(figures.quantile('took_seconds', 0.99, { step: 's' }), 0.01)
  assert.equal(figures.quantile('took_seconds', 0.5, { step: 'none' }), null)
  // A server that started again counts from zero, and so does its clock.
  const restarted = new Figures(look(9000, text(30, 8, 14)), look(1500, text(3, 1, 2)))
  assert.equal(restarted.added('orders_total', { kind: 'a' }), 3)
  assert.equal(restarted.perSecond('orders_total', { kind: 'a' }), 2)
})

test('text of the server cannot move the cursor', () => {
  assert.equal(plain('rain\u001b[2J\u009b1m\r\n\u0007'), 'rain?[2J?1m???')
})

test('a view names the tables that take most, by bytes a day', () => {
  const perDay = { trades: 3_000_000, order_terms: 5_000_000, moves: 0 }
  const lines = Object.entries(perDay).map(([table, bytes]) => {
    return `outcomex_table_bytes_per_day{table="${table}"} ${bytes}`
  })
  const at = (atMs: number) => ({ atMs, series: seriesOf(lines.join('\n')) })
  const shown = viewLines({ url: 'http://x', figures: new Figures(at(0), at(1)), tickers: [] })
  const aDay = shown.filter((line) => line.startsWith('a day'))
  assert.equal(aDay.length, 1)
  assert.match(aDay[0], /^a day +order_terms [\d.]+ .?B, trades [\d.]+ .?B$/)
})

test('a view shows the rates, the steps, the queues and the busiest markets', async () => {
  const live = await startLive()
  const market = await live.openMarket('rain')
  const trader = await live.trader(100_000_000)
  const look = async (atMs: number) => ({ atMs, series: seriesOf(await live.metrics()) })
  const before = await look(0)
  for (let each = 0; each < 4; each++) await live.place(trader, market, { sizeRaw: 1_000_000 })
  // The text of the metrics is made at most once a second.
  const counted = 'outcomex_step_seconds_count{kind="order",step="whole"} 4'
  while (!(await live.metrics()).includes(counted)) await new Promise(setImmediate)
  const figures = new Figures(before, await look(2000))
  const tickers = ['quiet', 'rain\u001b[2J'].map((slug, index) => {
    return {
      slug,
      last: index === 0 ? null : 0.5,
      bid: null,
      ask: 0.6,
      volume24h: `${index}000000`,
    }
  })
  const lines = viewLines({ url: 'http://x', figures, tickers })
  const shown = lines.join('\n')
  assert.match(shown, /^state +normal, seq \d+, 4 open orders, /m)
  assert.match(shown, /^a second +orders 2\.0, cancels 0\.0, /m)
  assert.match(shown, /^order p50 .* ms|µs/m)
  assert.match(shown, /^threads .*\bmain \d/m)
  assert.match(shown, /^threads .*\bedge-0 \d/m)
  assert.match(shown, /^queues +replies 0, of them for the disk 0/m)
  assert.deepEqual(
    lines.slice(-2).map((line) => line.trim().split(/ {2,}/)),
    [
      ['0.500', '-', '0.600', '1.00', 'rain?[2J'],
      ['-', '-', '0.600', '0.00', 'quiet'],
    ],
  )
  await live.stop()
})

/** A server of somebody else: it replies with the texts one by one, and notes each request. */
async function stranger(texts: readonly string[]) {
  const requested: string[] = []
  let next = 0
  const server = createServer(({ url, headers }, response) => {
    requested.push(`${url} ${headers.authorization ?? 'without a token'}`)
    response.end(texts[Math.min(next++, texts.length - 1)])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { url: `http://127.0.0.1:${address.port}`, requested, server }
}

function demoFolder(baseUrl: string): string {
  const dataDir = newFolder()
  const demo = { baseUrl, adminToken: 'the-token-of-the-demo', traders: [] }
  writeFileSync(join(dataDir, 'demo.json'), JSON.stringify(demo))
  return dataDir
}

async function run(name: 'top' | 'admin', ...args: string[]) {
  const [output, warned]: [string[], string[]] = [[], []]
  const shell = {
    env: {},
    nowMs: () => 0,
    say: (text: string) => output.push(text),
    warn: (text: string) => warned.push(text),
  }
  const code = await runCommand(commands, [name, ...args], '', shell)
  return { code, output: output.join('\n'), warned: warned.join('\n') }
}

test('rates go by the clock of the server, and markets come from their own address', async () => {
  const at = (seconds: number, requests: number) =>
    `outcomex_uptime_seconds ${seconds}\noutcomex_http_requests_total ${requests}\n`
  // The second look comes before the server has made a new text.
  const metrics = await stranger([at(10, 100), at(10, 100), at(14, 180)])
  const tickers = [{ slug: 'rain', volume24h: '1', last: 0.5, bid: null, ask: null }]
  const markets = await stranger([JSON.stringify({ tickers })])
  const urls = ['--url', metrics.url, '--markets-url', markets.url]
  const { code, output } = await run('top', '--once', ...urls, '--data', newFolder())
  assert.equal(code, 0)
  assert.match(output, / requests 20, /)
  assert.match(output, / rain$/)
  assert.deepEqual(markets.requested, ['/markets/tickers without a token'])
  for (const { server } of [metrics, markets]) {
    server.close()
    server.closeAllConnections()
  }
})

test('the admin token of a demo goes to the demo alone', async () => {
  const other = await stranger([1, 2, 3, 4, 5].map((up) => `outcomex_uptime_seconds ${up}`))
  const demo = demoFolder('http://127.0.0.1:1')
  await run('top', '--once', '--url', other.url, '--data', demo)
  const admin = await run('admin', 'markets', '--url', other.url, '--data', demo)
  assert.equal(admin.code, 2)
  assert.match(admin.warned, /The admin token is missing/)
  const all = ['/metrics', '/metrics', '/markets/tickers']
  assert.deepEqual(
    other.requested,
    all.map((path) => `${path} without a token`),
  )
  // The same place in other words is the demo's own.
  const { port } = new URL(other.url)
  const own = demoFolder(other.url)
  await run('top', '--once', '--url', `http://localhost:${port}/`, '--data', own)
  assert.match(other.requested[all.length], /^.?\/?\/metrics Bearer the-token-of-the-demo$/)
  other.server.close()
  other.server.closeAllConnections()
})

test('a server that refuses the token is distinguished from one that fails', async () => {
  const live = await startLive()
  const url = `http://127.0.0.1:${live.port}`
  const wrong = ['--url', url, '--data', newFolder(), '--admin-token', 'a-guess-of-sixteen']
  const { code, warned } = await run('top', '--once', ...wrong)
  assert.equal(code, 1)
  assert.match(warned, /\/metrics answers 401: is the admin token right\?$/)
  await live.stop()
})

test('without a server there is a sentence', async () => {
  const warned: string[] = []
  const shell = {
    env: {},
    nowMs: () => 0,
    say: () => {},
    warn: (output: string) => warned.push(output),
  }
  const args = ['--once', '--url', 'http://127.0.0.1:1', '--data', newFolder()]
  assert.equal(await runCommand(commands, ['top', ...args], '', shell), 1)
  assert.match(warned.join(), /No exchange answers at http:\/\/127\.0\.0\.1:1 .*--url/)
  assert.equal(await runCommand(commands, ['top', 'now'], '', shell), 2)
})
