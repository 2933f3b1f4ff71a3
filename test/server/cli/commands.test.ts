import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../../server/cli/commands.ts'
import { runCommand } from '../../../server/command-line.ts'
import { VERSION } from '../../../server/version.ts'
import { newFolder } from '../../support/data-folder.ts'
import { fillJournal } from '../../support/journal-fill.ts'

interface Ran {
  readonly code: number
  readonly output: string
  readonly warned: string
}

async function run(...argv: string[]): Promise<Ran> {
  const output: string[] = []
  const warned: string[] = []
  const code = await runCommand(commands, argv, VERSION, {
    env: {},
    say: (text) => output.push(text),
    warn: (text) => warned.push(text),
    nowMs: () => 0,
  })
  return { code, output: output.join('\n'), warned: warned.join('\n') }
}

/** A local port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

function demoFolder(baseUrl: string): string {
  const dataDir = newFolder()
  const trader = {
    profileId: 1,
    account: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    privateKey: `0x${'11'.repeat(32)}`,
    tokenId: 'token',
    secret: 'c2VjcmV0',
  }
  const demo = { baseUrl, adminToken: 'admin', traders: [trader] }
  writeFileSync(join(dataDir, 'demo.json'), JSON.stringify(demo))
  return dataDir
}

test('no command prints the list and exits 2, --help exits 0', async () => {
  const bare = await run()
  const requested = await run('--help')
  assert.deepEqual([bare.code, requested.code], [2, 0])
  assert.equal(bare.warned, requested.output)
  for (const name of Object.keys(commands))
    assert.match(requested.output, new RegExp(`^  ${name} `, 'm'))
})

test('--version prints the version of the package', async () => {
  const file: unknown = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.ok(typeof file === 'object' && file !== null && 'version' in file)
  assert.deepEqual(await run('--version'), { code: 0, output: file.version, warned: '' })
})

test('an unknown command names the nearest one', async () => {
  const { code, warned } = await run('ordr')
  assert.equal(code, 2)
  assert.equal(warned, "unknown command 'ordr' (Did you mean order?)")
  assert.equal((await run('constructor')).code, 2)
})

test('every command has a help text', async () => {
  for (const name of Object.keys(commands)) {
    const { code, output } = await run(name, '--help')
    assert.equal(code, 0)
    assert.match(output, new RegExp(`^Usage: outcomex ${name} `))
    // A proof is checked, a cluster is steered and contracts are created without a folder.
    if (!/^(verify-proof|cluster|chain)$/.test(name)) assert.match(output, /--data <DIR>/)
  }
})

test('verify prints seq, state hash and counts; rebuild prints its last seq', async () => {
  const dataDir = newFolder()
  fillJournal(dataDir, [])
  const verified = await run('verify', '--data', dataDir)
  assert.equal(verified.code, 0, verified.warned)
  assert.match(
    verified.output,
    /^seq 0\nstate [0-9a-f]{64}\nprofiles 0\nmarkets 0\nopen orders 0\n/,
  )
  const rebuilt = await run('rebuild', `--data=${dataDir}`)
  assert.deepEqual(rebuilt, { code: 0, output: 'read tables seq 0', warned: '' })
})

test('verify and rebuild refuse a folder that holds no exchange', async () => {
  const empty = newFolder()
  const gone = join(empty, 'gone')
  const rows: [string[], number, RegExp][] = [
    [['verify', '--data', empty], 3, /there is no journal here/],
    [['verify', '--data', gone], 3, /there is no journal here/],
    [['rebuild', '--data', gone], 1, /there is no such data folder/],
    [['verify', gone], 2, /^too many arguments for 'verify'/],
    [['verify', '--date', gone], 2, /Did you mean --data[?][)]$/],
  ]
  for (const [argv, code, warned] of rows) {
    const ran = await run(...argv)
    assert.equal(ran.code, code)
    assert.match(ran.warned, warned)
  }
})

test('an order without a demo, a trader or a server says what to do', async () => {
  const order = ['order', '--market', 'm', '--buy', 'yes', '1@0.5']
  const empty = newFolder()
  const url = `http://127.0.0.1:${await closedPort()}`
  const demo = demoFolder(url)
  const rows: [string[], number, RegExp][] = [
    [['--data', empty], 1, /^There is no demo.json in .*start the demo first with `make run`/],
    [
      ['--data', demo, '--as', '1'],
      2,
      /^demo.json has no trader 1; give --as a number from 0 to 0$/,
    ],
    [['--data', demo], 1, /^No exchange answers at http:.* \(ECONNREFUSED\): start one/],
    [['--data', demo, '--url', 'nowhere'], 1, /^No exchange answers at nowhere/],
  ]
  for (const [more, code, warned] of rows) {
    const ran = await run(...order, ...more)
    assert.equal(ran.code, code)
    assert.match(ran.warned, warned)
  }
  writeFileSync(join(demo, 'demo.json'), '{}')
  assert.match((await run(...order, '--data', demo)).warned, /demo.json is damaged/)
})

test('an admin call without a token or a server says what to do', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`
  const bare = await run('admin', 'credit', '1', '5', '--data', newFolder())
  assert.equal(bare.code, 2)
  assert.match(bare.warned, /^The admin token is missing: give --admin-token/)
  const closed = await run('admin', 'credit', '1', '5', '--data', demoFolder(url))
  assert.equal(closed.code, 1)
  assert.match(closed.warned, /ECONNREFUSED/)
})
