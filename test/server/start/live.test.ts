import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { commands } from '../../../server/cli/commands.ts'
import { runCommand } from '../../../server/command-line.ts'
import { newFolder } from '../../support/data-folder.ts'
import { programWords, runProgram } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

// The commands against a real server with its demo.

const dataDir = newFolder()
let server: ChildProcess
let port = ''

async function ready(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout !== null)
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('listening ')) return new URL(line.slice('listening '.length)).port
  }
  assert.fail('the server ended before it listened')
}

before(async () => {
  const serve = ['serve', '--demo', '--port=0', '--log-level=error', `--data=${dataDir}`]
  const [node, ...words] = programWords()
  server = spawn(node, [...words, ...serve], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The environment of the test run must not reach the server.
    env: { PATH: process.env.PATH },
  })
  port = await ready(server)
})

after(async () => {
  if (server.exitCode !== null) return
  server.kill('SIGKILL')
  await once(server, 'exit')
})

test('a start that finds its port in use says so, ends and leaves its folder free', async () => {
  const folder = newFolder()
  const { code, stdout, stderr } = await runProgram(['serve', '--data', folder, '--port', port])
  assert.equal(code, 1, stderr)
  assert.match(stderr, new RegExp(`cannot listen on 127.0.0.1:${port}: the port is in use`))
  assert.equal(stdout, '', 'no admin token was made')
})

async function run(line: string, ...more: string[]) {
  const output: string[] = []
  const warned: string[] = []
  const argv = [...line.split(' '), ...more, `--data=${dataDir}`]
  const code = await runCommand(commands, argv, '', {
    env: {},
    say: (text) => output.push(text),
    warn: (text) => warned.push(text),
    nowMs: Date.now,
  })
  return { code, output: output.join('\n'), warned: warned.join('\n') }
}

async function accepted(line: string, ...more: string[]): Promise<string> {
  const { code, output, warned } = await run(line, ...more)
  assert.equal(code, 0, warned)
  return output
}

test('the shell makes a market, trades in it with fees and resolves it', async () => {
  await accepted('admin market from-shell --fee', 'From the shell')
  const order = 'order --market from-shell'
  assert.match(await accepted(`${order} --as 0 --buy no 100@0.5`), /^status {3}LIVE$/m)
  const taken = await accepted(`${order} --as 1 --buy yes 40@0.6`)
  assert.match(taken, /^order {4}[0-9a-f-]{36}\nwanted {3}buy yes 40 @ 0.6 GTC in from-shell$/m)
  assert.match(taken, /^status {3}MATCHED\nmatched {2}40 shares for 20, average 0.5, MATCHED$/m)
  assert.match(taken, /^fill {5}40 against [0-9a-f-]{36}$/m)
  assert.match(taken, /^fee {6}1.2 shares, 38.8 stay \(300 bps\)$/m)
  const market = await accepted(`${order} --as 1 --buy yes $5`)
  assert.match(market, /^matched {2}10 shares for 5, average 0.5, MATCHED$/m)
  assert.match(await accepted(`${order} --as 0 --sell no 1`), /^status {3}UNMATCHED$/m)
  assert.match(await accepted('admin resolve from-shell yes'), /"status": "RESOLVED"/)
})

test('the shell handles operators, freezes and their audit', async () => {
  const made = await accepted('admin operator add ada --role support')
  const token = /"token": "([^"]+)"/.exec(made)?.[1]
  assert.match(await accepted('admin operators'), /"name": "ada"/)
  const frozen = await accepted(`admin freeze 1 --admin-token ${token} --reason`, 'A theft.')
  assert.match(frozen, /"frozenReason": "A theft."/)
  const { code, warned } = await run('admin unfreeze 1 --reason', 'x'.repeat(501))
  assert.equal(code, 1)
  assert.match(warned, /^The exchange refused with 400 VALIDATION: --reason /)
  assert.match(await accepted('admin audit --operator ada --limit 1'), /"kind": "freezeProfile"/)
  // The demo's maker may have orders, and a freeze waits for their cancels.
  await until(async () => (await run('admin unfreeze 1')).code === 0)
  assert.match(await accepted('admin revoke-sessions 1'), /sessions of the profile ended/)
  await accepted('admin operator remove ada')
})

test('the shell shows money, lists and trading modes as a table or a line of JSON', async () => {
  const made = await accepted(`admin profile 0x${'7'.repeat(40)} --username debtor --json`)
  const profileId = Number(/"profileId":(\d+)/.exec(made)?.[1])
  await accepted(`admin credit ${profileId} 10.5`)
  const left = { profileId, freeRaw: 8_250_000, reservedRaw: 0 }
  assert.deepEqual(JSON.parse(await accepted(`admin debit ${profileId} 2.25 --json`)), left)
  const { code, warned } = await run(`admin debit ${profileId} 8.250001`)
  assert.deepEqual([code, /^The exchange refused with 400 \w+: /.test(warned)], [1, true], warned)
  const balances = await accepted(`admin balances --after ${profileId - 1} --json`)
  // The people of the demo, who come meanwhile, follow.
  assert.deepEqual(JSON.parse(balances).balances[0], left)
  const table = await accepted(`admin profiles --after ${profileId - 1}`)
  assert.match(table, /^profileId {2}account .*\n\d+ +0x7{40} /)
  assert.match(await accepted('admin markets --limit 1'), /^id {2}slug .*\n1 {3}\S+ .*FUNDED/)
  const windowed = await accepted('admin restrict post_only --until 2100-01-01T00:00:00Z --json')
  const windowId = Number(/"id":(\d+)/.exec(windowed)?.[1])
  await accepted(`admin unrestrict ${windowId}`)
  const modes = JSON.parse(await accepted('admin GET /admin/trading-modes --json'))
  assert.equal(modes.mode, 'normal')
  assert.equal((await run(`admin unrestrict ${windowId + 1}`)).code, 1)
})

test('a refusal is one line with its code, and the exit code says it', async () => {
  await accepted('admin market refusing Refusing')
  const order = 'order --market refusing --as 0'
  await accepted(`${order} --buy yes 1@0.5 --client-order-id once`)
  const rows: [string, RegExp][] = [
    [`${order} --buy yes 1@0.5 --client-order-id once`, /^The .* 409 DUPLICATE_CLIENT_ORDER_ID: /],
    [`${order} --buy no 1@0.5 --post-only`, /^The exchange refused with 400 POST_ONLY_/],
    [`${order} --sell no 1@0.5`, /^The exchange refused with 400 INSUFFICIENT_SHARES: /],
    ['order --market nowhere --buy no 1@0.5', /^The exchange refused with 404 MARKET_NOT_FOUND: /],
    ['admin credit 999999 5', /^The exchange refused with 404 PROFILE_NOT_FOUND: /],
    ['admin POST /admin/balances {}', /^The exchange refused with 400 VALIDATION: /],
    [
      'admin GET /admin/none --admin-token=not-the-operators-token',
      /^The exchange refused with 40[14] /,
    ],
  ]
  for (const [line, expected] of rows) {
    const { code, warned } = await run(line)
    assert.equal(code, 1, line)
    assert.match(warned, expected)
  }
  const { code, warned } = await run('verify')
  assert.equal(code, 3, 'a folder in use cannot be checked')
  assert.match(warned, /another outcomex process uses this data folder/)
})

const hasCurl = spawnSync('curl', ['--version']).status === 0
const skip = hasCurl ? false : 'curl is missing'

test('the printed curl command places the order', { skip }, async () => {
  await accepted('admin market by-curl', 'By curl')
  const text = await accepted('order --market by-curl --as 2 --buy no 3@0.03 --curl')
  const reply: unknown = JSON.parse(execFileSync('sh', ['-c', text], { encoding: 'utf8' }))
  assert.ok(typeof reply === 'object' && reply !== null && 'order' in reply, JSON.stringify(reply))
})

test('verify finds the state that a stopped server left', async () => {
  server.kill('SIGTERM')
  const [code] = await once(server, 'exit')
  assert.equal(code, 0)
  const before = await accepted('verify')
  assert.match(before, /^seq \d+\nstate [0-9a-f]{64}\nprofiles \d+\nmarkets \d+\nopen orders \d+\n/)
  const seq = /^seq (\d+)$/m.exec(before)?.[1]
  assert.equal(await accepted('rebuild'), `read tables seq ${seq}`)
  assert.equal(await accepted('verify'), before)
})
